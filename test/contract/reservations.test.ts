import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tasksServer } from '../../src/features/board/server.ts';
import { createReservations } from '../../src/features/reservations/reservations.ts';
import { reservationOperations } from '../../src/features/reservations/operations.ts';
import { behindReservations, claimsOf } from '../../src/features/reservations/room.ts';
import { extended, routesOf, toolsOf } from '../../src/operation/faces.ts';
import type { Tool } from '../../src/mcp/define.ts';
import { freshBoard, handClock } from '../fixtures/board-host.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { eachEngine, freshDatabase, freshFolder, freshPlace } from '../fixtures/databases.ts';
import { newRepository } from '../fixtures/repositories.ts';
import { workplacesOn } from '../fixtures/workplaces.ts';
import { directHostOf } from '../fixtures/direct-host.ts';
import { restOf } from '../fixtures/rest-client.ts';
import { createActing } from '../../src/store/calls.ts';

eachEngine('file reservations', (engine) => {
  const open = async () => {
    const clock = handClock();
    const db = await freshDatabase(engine, { clock });
    const board = freshBoard(db);
    const reservations = createReservations(claimsOf(board));
    const server = tasksServer(createActing(db), board);
    const host = directHostOf({
      ...server,
      tools: [
        ...(server.tools as readonly Tool[]),
        ...extended(toolsOf(behindReservations(createActing(db), reservations), reservationOperations)),
      ],
    });
    const connect = (agent: string, team = 'red') =>
      host.connect({ scopeTeamId: team, scopeAgentId: agent, profile: 'extended' });
    const claimed = async (agent: string, team?: string) => {
      const client = await connect(agent, team);
      const { id } = (await client.call('create_task', { title: `work of ${agent}` })).value;
      const { fence } = (await client.call('claim_task', { taskId: id, assigneeAgentId: agent })).value;
      return { client, taskId: id as string, fence: fence as number };
    };
    return {
      db,
      clock,
      host,
      reservations,
      rest: restOf(routesOf(behindReservations(createActing(db), reservations), reservationOperations)),
      connect,
      claimed,
    };
  };

  it('are not in the documented list and are in the extended one', async () => {
    const { host } = await open();
    expect(await (await host.connect()).toolNames()).toHaveLength(12);
    expect(await (await host.connect({ profile: 'extended' })).toolNames()).toEqual(
      expect.arrayContaining(['reserve_files', 'release_files', 'list_reservations']),
    );
  });

  it('tell who has files for themselves: of the same working copy, or of the team where none was named', async () => {
    const { db, claimed, reservations, clock } = await open();
    const ada = await claimed('ada');
    const reserve = (patterns: string[], more: object = {}) =>
      ada.client.call('reserve_files', { taskId: ada.taskId, patterns, ...more });
    await reserve(['src/**'], { root: '/one' });
    await reserve(['docs/*'], { root: '/one', exclusive: false });
    await reserve(['any.ts']);
    const meeting = (root: string, teamId: string | null, paths: string[]) =>
      db.read(async (q) => (await reservations.meeting(q, { root, teamId, paths })).map(({ path }) => path));
    const paths = ['src/[a]{b}.ts', 'docs/a', 'any.ts', 'other'];
    expect(await meeting('/one', 'red', paths)).toEqual(['src/[a]{b}.ts', 'any.ts']);
    expect(await meeting('/two', 'red', paths)).toEqual(['any.ts']);
    expect(await meeting('/two', 'blue', paths)).toEqual([]);
    clock.advance(24 * 60 * 60_000);
    expect(await meeting('/one', 'red', paths)).toEqual([]);
  });

  it('are noted under the claim, and conflicts name the holder without locking anything', async () => {
    const { claimed } = await open();
    const [ada, bob] = [await claimed('ada'), await claimed('bob')];
    const first = await ada.client.call('reserve_files', {
      taskId: ada.taskId,
      patterns: ['src/auth/'],
      reason: 'login',
    });
    expect(first.value).toMatchObject({
      reserved: [{ pattern: 'src/auth/**', agentId: 'ada', exclusive: true }],
      conflicts: [],
    });
    const second = await bob.client.call('reserve_files', {
      taskId: bob.taskId,
      patterns: ['src/auth/login.ts', 'docs/**'],
    });
    expect(second.isError).toBe(false);
    expect(second.value).toMatchObject({
      reserved: [{ agentId: 'bob' }, { agentId: 'bob' }],
      conflicts: [
        {
          pattern: 'src/auth/login.ts',
          with: { agentId: 'ada', taskId: ada.taskId, pattern: 'src/auth/**', reason: 'login' },
        },
      ],
    });
  });

  it('conflicts name a holder of another team, and keep what it wrote to itself', async () => {
    const { claimed } = await open();
    const [ada, eve] = [await claimed('ada'), await claimed('eve', 'blue')];
    await ada.client.call('reserve_files', {
      taskId: ada.taskId,
      patterns: ['src/**'],
      reason: 'secret plan',
    });
    const { value } = await eve.client.call('reserve_files', { taskId: eve.taskId, patterns: ['src/a.ts'] });
    expect(value.conflicts).toMatchObject([{ with: { agentId: 'ada', pattern: 'src/**', reason: null } }]);
    expect((await eve.client.call('list_reservations', {})).value.reservations).toMatchObject([
      { agentId: 'eve' },
    ]);
  });

  it('strict reserves nothing when somebody works there', async () => {
    const { claimed } = await open();
    const [ada, bob] = [await claimed('ada'), await claimed('bob')];
    await ada.client.call('reserve_files', { taskId: ada.taskId, patterns: ['src/**'] });
    const refused = await bob.client.call('reserve_files', {
      taskId: bob.taskId,
      patterns: ['src/a.ts', 'docs/a.md'],
      strict: true,
    });
    expect(refused).toMatchObject({
      isError: true,
      value: { code: 'conflict', conflicts: [{ with: { agentId: 'ada' } }] },
    });
    expect((await bob.client.call('list_reservations', { taskId: bob.taskId })).value.reservations).toEqual(
      [],
    );
  });

  it('shared ones meet without conflict, and other working copies never meet', async () => {
    const { claimed } = await open();
    const [ada, bob] = [await claimed('ada'), await claimed('bob')];
    await ada.client.call('reserve_files', { taskId: ada.taskId, patterns: ['src/**'], exclusive: false });
    const shared = await bob.client.call('reserve_files', {
      taskId: bob.taskId,
      patterns: ['src/a.ts'],
      exclusive: false,
    });
    expect(shared.value.conflicts).toEqual([]);
    const other = await bob.client.call('reserve_files', {
      taskId: bob.taskId,
      patterns: ['src/a.ts'],
      root: '/elsewhere',
    });
    expect(other.value.conflicts).toEqual([]);
  });

  it('end with the claim: released, finished or lapsed', async () => {
    const { claimed, clock, connect } = await open();
    const list = async () =>
      (await (await connect('eve')).call('list_reservations', {})).value.reservations.map(
        (each: any) => each.agentId,
      );
    const [ada, bob, cid] = [await claimed('ada'), await claimed('bob'), await claimed('cid')];
    for (const { client, taskId } of [ada, bob, cid])
      await client.call('reserve_files', { taskId, patterns: ['src/**'] });
    expect(await list()).toEqual(['ada', 'bob', 'cid']);
    await ada.client.call('release_task', { taskId: ada.taskId });
    expect(await list()).toEqual(['bob', 'cid']);
    await bob.client.call('update_task_status', { taskId: bob.taskId, status: 'done' });
    expect(await list()).toEqual(['cid']);
    clock.advance(31 * 60_000);
    expect(await list()).toEqual([]);
  });

  it('are taken back by pattern or all together, by the holder alone', async () => {
    const { claimed } = await open();
    const [ada, bob] = [await claimed('ada'), await claimed('bob')];
    await ada.client.call('reserve_files', { taskId: ada.taskId, patterns: ['a', 'b', 'c'] });
    expect(await bob.client.call('release_files', { taskId: ada.taskId })).toMatchObject({
      isError: true,
      value: { code: 'not_holder' },
    });
    const some = await ada.client.call('release_files', { taskId: ada.taskId, patterns: ['a', 'zzz'] });
    expect(some.value.released.map((each: any) => each.pattern)).toEqual(['a']);
    expect((await ada.client.call('release_files', { taskId: ada.taskId })).value.released).toHaveLength(2);
  });

  it('need a claim, and a pattern that is one', async () => {
    const { connect, claimed } = await open();
    const eve = await connect('eve');
    const { id } = (await eve.call('create_task', { title: 'free' })).value;
    expect((await eve.call('reserve_files', { taskId: id, patterns: ['a'] })).lines[0]).toBe(
      'reserve failed: not_claimed',
    );
    expect((await eve.call('reserve_files', { taskId: 'nope', patterns: ['a'] })).lines[0]).toBe(
      'not found: nope',
    );
    const ada = await claimed('ada');
    for (const patterns of [['../x'], ['/etc'], [''], []]) {
      expect((await ada.client.call('reserve_files', { taskId: ada.taskId, patterns })).isError).toBe(true);
    }
  });

  it('can be asked about by path over REST', async () => {
    const { claimed, rest } = await open();
    const { taskId, fence } = await claimed('ada');
    const made = await rest('POST', '/api/reservations', {
      taskId,
      agentId: 'ada',
      fence,
      patterns: ['src/**', 'docs/a.md'],
    });
    expect(made).toMatchObject({ status: 201, body: { conflicts: [] } });
    expect((await rest('GET', '/api/reservations?path=src/deep/file.ts')).body.reservations).toMatchObject([
      { pattern: 'src/**' },
    ]);
    expect((await rest('GET', '/api/reservations?path=README.md')).body.reservations).toEqual([]);
    expect(
      (await rest('POST', '/api/reservations/release', { taskId, agentId: 'ada', fence })).body.released,
    ).toHaveLength(2);
    expect((await rest('POST', '/api/reservations', { taskId, fence: 99, patterns: ['a'] })).status).toBe(
      409,
    );
  });

  it('two who reserve the same files at once see each other', async () => {
    const place = await freshPlace(engine);
    const sides = await Promise.all(
      ['ada', 'bob'].map(async (agent) => {
        const db = await place.open();
        const board = freshBoard(db);
        const behind = behindReservations(createActing(db), createReservations(claimsOf(board)));
        const tools = extended(toolsOf(behind, reservationOperations));
        const server = tasksServer(createActing(db), board);
        const client = await directHostOf({
          ...server,
          tools: [...(server.tools as readonly Tool[]), ...tools],
        }).connect({
          scopeTeamId: 'red',
          scopeAgentId: agent,
          profile: 'extended',
        });
        const { id } = (await client.call('create_task', { title: agent })).value;
        await client.call('claim_task', { taskId: id, assigneeAgentId: agent });
        return { client, id };
      }),
    );
    for (let i = 0; i < 5; i += 1) {
      const answers = await Promise.all(
        sides.map(({ client, id }) =>
          client.call('reserve_files', { taskId: id, patterns: [`src/${i}/**`] }),
        ),
      );
      expect(answers.map(({ value }) => value.conflicts.length).sort()).toEqual([0, 1]);
    }
  });

  it('of who names no working copy are of the one it works in; who comes from elsewhere meets its own team', async () => {
    const { db, claimed } = await open();
    const board = freshBoard(db);
    const at = freshFolder();
    const [api, web] = [newRepository(join(at, 'api')), newRepository(join(at, 'web'))];
    const reservations = createReservations(claimsOf(board), workplacesOn(undefined));
    const working = (folder: string) => ({ ...localPrincipal('seat'), folder });
    expect(await reservations.rootOf(working(join(api, 'gone')))).toBe('');
    const tools = toolsOf(behindReservations(createActing(db), reservations), reservationOperations);
    const reserve = async (agent: string, folder?: string, team = 'red') => {
      const { taskId } = await claimed(agent, team);
      const bound = localPrincipal(`seat of ${agent}`, { agent, team });
      const who = folder === undefined ? bound : { ...bound, folder };
      const args = { taskId, patterns: ['src/**'] };
      const answer = await tools[0]!.handler(args as never, { who } as never);
      const { conflicts } = (answer as { value: { conflicts: { with: { agentId: string } }[] } }).value;
      return conflicts.map((each) => each.with.agentId);
    };
    expect(await reserve('ada', api)).toEqual([]);
    expect(await reserve('bob', web)).toEqual([]);
    expect(await reserve('cy', api)).toEqual(['ada']);
    expect(await reserve('dee')).toEqual(['ada', 'bob', 'cy']);
    expect(await reserve('eve', undefined, 'blue')).toEqual(['dee']);
    expect(await reserve('fay', web)).toEqual(['bob', 'dee']);
  });
});
