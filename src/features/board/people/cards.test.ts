import { expect, it, onTestFinished } from 'vitest';
import { freshBoard } from '../../../../test/fixtures/board-host.ts';
import { eachEngine, freshDatabase } from '../../../../test/fixtures/databases.ts';
import { createHttpApp } from '../../../http/app.ts';
import { createLog } from '../../../kernel/log.ts';
import { localPrincipal, systemActor, type Binding } from '../../../kernel/principal.ts';
import { createActing } from '../../../store/calls.ts';
import { sql } from '../../../store/sql.ts';
import { costsOfTasks } from '../../dispatch/rows/costs.ts';
import { boardRoutes } from '../routes.ts';

eachEngine('/api/board/cards', (engine) => {
  async function open() {
    const db = await freshDatabase(engine);
    const board = freshBoard(db);
    board.followCosts(costsOfTasks);
    return Object.assign(callAs, { db });
    function callAs(bound: Binding = {}) {
      const app = createHttpApp({
        routes: boardRoutes({ db, acting: createActing(db), board }),
        authenticate: () => localPrincipal('', bound),
        log: createLog('error'),
        verifyResponses: true,
      });
      onTestFinished(() => app.close());
      return async (
        method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
        path: string,
        body?: object,
      ): Promise<any> => {
        const answer = await app.inject({ method, url: `/api/board${path}`, ...(body && { payload: body }) });
        return answer.json();
      };
    }
  }

  it('draws a task with what it waits for, how far its checks are and how much was said', async () => {
    const call = (await open())();
    const first = await call('POST', '/tasks', { title: 'first' });
    const second = await call('POST', '/tasks', { title: 'second', dependsOn: [first.id] });
    const check = await call('POST', `/tasks/${second.id}/checks`, { title: 'tests pass' });
    await call('POST', `/tasks/${second.id}/checks`, { title: 'docs are true' });
    await call('POST', `/tasks/${second.id}/comments`, { body: 'hello' });
    await call('POST', `/tasks/${second.id}/evidence`, { checkId: check.id, passed: true, summary: 'green' });
    const { cards, gone } = await call('GET', '/cards');
    expect(cards.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id]);
    expect(gone).toEqual([]);
    expect(cards[0]).toMatchObject({ dependsOn: [], checks: null, comments: 0, assigneeAgentId: null });
    expect(cards[1]).toMatchObject({ dependsOn: [first.id], checks: { total: 2, satisfied: 1 } });
    expect(cards[1].comments).toBeGreaterThanOrEqual(1);
  });

  it('pages through all of them in the order of ids, and tells of those asked for which are gone', async () => {
    const call = (await open())();
    const ids: string[] = [];
    for (const title of ['a', 'b', 'c']) ids.push((await call('POST', '/tasks', { title })).id);
    const page = await call('GET', '/cards?limit=2');
    expect(page.next).toBe(ids[1]);
    expect((await call('GET', `/cards?limit=2&after=${page.next}`)).cards).toMatchObject([{ id: ids[2] }]);
    await call('DELETE', `/tasks/${ids[0]}`, {});
    const some = await call('GET', `/cards?ids=${ids[0]},${ids[2]}`);
    expect(some).toMatchObject({ cards: [{ id: ids[2] }], gone: [ids[0]] });
  });

  it('says how a task is labelled, and leaves out what was archived unless it is asked for', async () => {
    const call = (await open())();
    const [kept, old] = [
      await call('POST', '/tasks', { title: 'kept' }),
      await call('POST', '/tasks', { title: 'old' }),
    ];
    await call('PATCH', `/tasks/${kept.id}/labels`, { add: ['ui', 'api'] });
    await call('PATCH', `/tasks/${old.id}`, { status: 'cancelled' });
    await call('PUT', `/tasks/${old.id}/archived`, { archived: true });
    expect((await call('GET', '/cards')).cards).toMatchObject([{ id: kept.id, labels: ['api', 'ui'] }]);
    expect((await call('GET', `/cards?ids=${old.id}`)).gone).toEqual([old.id]);
    expect((await call('GET', '/cards?archived=true')).cards).toMatchObject([{ id: old.id, labels: [] }]);
  });

  it("shows a caller that is bound to a team that team's cards alone", async () => {
    const serve = await open();
    const all = serve();
    const own = await all('POST', '/tasks', { title: 'own', teamId: 't' });
    const other = await all('POST', '/tasks', { title: 'other', teamId: 'u' });
    const { cards, gone } = await serve({ team: 't' })('GET', `/cards?ids=${own.id},${other.id}`);
    expect(cards).toMatchObject([{ id: own.id }]);
    expect(gone).toEqual([other.id]);
  });

  it('says which status may follow which', async () => {
    const { moves, leaseMs } = await (await open())()('GET', '/moves');
    expect(moves.done).toEqual([]);
    expect(moves.todo).toContain('in_progress');
    expect(leaseMs).toBeGreaterThan(0);
  });

  it('keeps where a person has put a card, until its priority says otherwise', async () => {
    const call = (await open())();
    const ids: string[] = [];
    for (const title of ['a', 'b', 'c']) ids.push((await call('POST', '/tasks', { title })).id);
    const [a, b, c] = ids as [string, string, string];
    const order = async () =>
      (await call('GET', '/cards')).cards
        .toSorted((one: any, other: any) => (one.place < other.place ? -1 : 1))
        .map(({ id }: { id: string }) => id);
    expect(await order()).toEqual([a, b, c]);
    await call('PUT', `/tasks/${c}/place`, { after: a, before: b });
    expect(await order()).toEqual([a, c, b]);
    await call('PUT', `/tasks/${b}/place`, { before: a });
    expect(await order()).toEqual([b, a, c]);
    expect(await call('PUT', `/tasks/${b}/place`, { after: c, before: a })).toMatchObject({
      code: 'conflict',
    });
    await call('PATCH', `/tasks/${c}`, { priority: 5 });
    expect(await order()).toEqual([c, b, a]);
    await call('PUT', `/tasks/${b}/place`, {});
    expect(await order()).toEqual([c, a, b]);
  });

  it('knows what the runs of a task cost, on its card and in the figures', async () => {
    const opened = await open();
    const call = opened();
    const { id } = await call('POST', '/tasks', { title: 'dear' });
    await opened.db.write(systemActor, async (tx) => {
      for (const [run, cost] of [
        ['r1', 0.25],
        ['r2', 0.5],
      ] as const)
        await tx.run(sql`
          insert into runs (id, instance, family, lane, agent, owner, cwd, prompt, state, hops, hub, board_task,
            limits, next_event, cost_usd, created_at)
          values (${run}, 'claude', 'claude', 'cli', 'a', 'o', '/', 'p', 'done', 0, 'h', ${id}, '{}', 1, ${cost}, 1)`);
    });
    expect((await call('GET', '/cards')).cards).toMatchObject([{ id, costUsd: 0.75 }]);
    await call('PATCH', `/tasks/${id}`, { costUsd: 2 });
    expect((await call('GET', '/cards')).cards).toMatchObject([{ id, costUsd: 2 }]);
    await call('PATCH', `/tasks/${id}`, { costUsd: 0 });
    await call('PUT', `/tasks/${id}/finished`, {});
    expect(await call('GET', '/stats')).toMatchObject({ done: 1, costUsd: 0.75 });
  });

  it('keeps ways of looking at the board by their names', async () => {
    const call = (await open())();
    await call('PUT', '/views/Mine', { search: 'q=agent%3Acodex&lanes=project' });
    await call('PUT', '/views/Mine', { search: 'q=ready' });
    expect((await call('GET', '/views')).views).toMatchObject([{ name: 'Mine', search: 'q=ready' }]);
    expect(await call('PUT', '/views/Mine', { search: '" onclick=' })).toMatchObject({ code: 'invalid' });
    await call('DELETE', '/views/Mine', {});
    expect((await call('GET', '/views')).views).toEqual([]);
    expect(await call('DELETE', '/views/Mine', {})).toMatchObject({ code: 'not_found' });
  });
});
