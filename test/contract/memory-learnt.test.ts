import { expect, it, onTestFinished } from 'vitest';
import type { SearchAnswer } from '../../src/features/memory/fact.ts';
import type { MemoryDesk } from '../../src/features/memory/memory.ts';
import { createUses } from '../../src/features/memory/uses.ts';
import { createHttpApp } from '../../src/http/app.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal, operatorPrincipal, systemActor } from '../../src/kernel/principal.ts';
import type { Binding, Principal } from '../../src/kernel/principal.ts';
import { refillWords } from '../../src/recall/recall.ts';
import type { Database } from '../../src/store/database.ts';
import { sql } from '../../src/store/sql.ts';
import { dumpAll } from '../../src/store/whole/dump.ts';
import type { DumpPart } from '../../src/store/whole/dump.ts';
import { loadAll } from '../../src/store/whole/load.ts';
import { eachEngine, freshDatabase, freshPlace } from '../fixtures/databases.ts';
import { connectMemory, freshDesk, routesOfDesk, serverOfDesk } from '../fixtures/memory-host.ts';
import { serveHttp } from '../fixtures/mcp-http.ts';

const NOTE = {
  title: 'CI caching',
  content: 'Turborepo outputs in S3 cut the mean workflow from 19 to 7 minutes',
};
/** Not one word of the note. */
const OTHERWISE = 'our builds take forever';
/** Finds it. */
const PLAINLY = 'turborepo caching';

const agent = (name: string, bound: Binding = { team: 'red' }): Principal =>
  localPrincipal(`seat of ${name}`, { ...bound, agent: name });

function openDesk(db: Database) {
  const uses = createUses({ db, log: silentLog });
  return { uses, desk: freshDesk(db, undefined, uses) };
}

/** Others that share words with neither. */
async function fill(desk: MemoryDesk, who: Principal): Promise<void> {
  for (let i = 0; i < 12; i++)
    await desk.save(who, { title: `Server ${i}`, content: `Machine number ${i} stands in rack ${i % 5}` });
}

/** Asks in other words, fails, asks again and opens what was meant. */
async function find(desk: MemoryDesk, who: Principal, id: string, otherwise = OTHERWISE): Promise<void> {
  await desk.search(who, { query: otherwise });
  await desk.search(who, { query: PLAINLY });
  await desk.get(who, id);
}

const ids = ({ results }: SearchAnswer): string[] => results.map(({ id }) => id);

const countLearnt = async (db: Database): Promise<number> =>
  (await db.read((q) => q.get<{ count: number }>(sql`select count(*) as count from recall_learnt`)))!.count;

eachEngine('what is learnt from use', (engine) => {
  it('finds by the words of others what they opened, and says so', async () => {
    const db = await freshDatabase(engine);
    const { desk, uses } = openDesk(db);
    await fill(desk, agent('ann'));
    const { id } = (await desk.save(agent('ann'), NOTE)).fact!;
    expect(ids(await desk.search(agent('dan'), { query: OTHERWISE }))).not.toContain(id);
    await find(desk, agent('bob'), id);
    await uses.flush();
    const first = await desk.search(agent('dan'), { query: 'why do builds take so long' });
    expect(first.results[0]).toMatchObject({ id, why: 'opened by one agent after a similar question' });
    expect(first.confident).toBe(false);
    await find(desk, agent('cid'), id);
    await uses.flush();
    const second = await desk.search(agent('dan'), { query: 'why do builds take so long', explain: true });
    expect(second.results[0]).toMatchObject({
      id,
      why: { learnt: expect.any(Number) },
      reason: 'opened by 2 agents after a similar question',
    });
    expect((second.results[0]!.why as Record<string, number>)['learnt']).toBeLessThanOrEqual(0.2);
  });

  it("counts a person, a replacement and the opening of a procedure, and never the author's own", async () => {
    const db = await freshDatabase(engine);
    const { desk, uses } = openDesk(db);
    const { id } = (await desk.save(agent('ann'), NOTE)).fact!;
    for (let i = 0; i < 30; i++) await find(desk, agent('ann'), id);
    await uses.flush();
    expect(await countLearnt(db)).toBe(0);
    await find(desk, operatorPrincipal, id);
    await uses.flush();
    expect(ids(await desk.search(operatorPrincipal, { query: OTHERWISE }))).toEqual([id]);

    await desk.search(agent('bob'), { query: 'workflow too slow turborepo' });
    const newer = await desk.supersede(agent('bob'), { id, content: `${NOTE.content}; now 6` });
    await uses.flush();
    expect(ids(await desk.search(agent('dan'), { query: 'slow' }))).toEqual([newer.fact.id]);

    await desk.save(agent('ann'), { procedureName: 'ship', content: 'Tag, wait for the canary, promote' });
    await desk.search(agent('bob'), { query: 'rollout canary' });
    await desk.procedure(agent('bob'), { name: 'ship' });
    await uses.flush();
    expect((await desk.search(agent('dan'), { query: 'rollout' })).results).toMatchObject([
      { title: 'ship' },
    ]);
    expect(ids(await desk.search(agent('dan'), { query: 'rollout', kind: 'fact' }))).toEqual([]);
    await desk.save(agent('ann'), { procedureName: 'ship', content: 'Tag, then promote' });
    expect((await desk.search(agent('dan'), { query: 'rollout' })).results).toMatchObject([{ version: 2 }]);
  });

  it('gains no more by a thousand openings than by one, and nothing by words of its own', async () => {
    const db = await freshDatabase(engine);
    const { desk, uses } = openDesk(db);
    const { id } = (await desk.save(agent('ann'), NOTE)).fact!;
    const score = async (query: string): Promise<number> =>
      (await desk.search(agent('dan'), { query })).results.find((hit) => hit.id === id)?.score ?? 0;
    const plain = await score(PLAINLY);
    await find(desk, agent('bob'), id);
    await uses.flush();
    const once = await score(OTHERWISE);
    expect(once).toBeGreaterThan(0);
    for (let i = 0; i < 1_000; i++) await find(desk, agent('bob'), id);
    await uses.flush();
    expect(await score(OTHERWISE)).toBe(once);
    expect(await score(PLAINLY)).toBe(plain);
    for (let i = 0; i < 40; i++) {
      await desk.search(agent('bob'), { query: `turborepo ${'abcdefgh'[i % 8]}${'xyzuv'[i % 5]}word` });
      await desk.get(agent('bob'), id);
      await uses.flush();
    }
    expect(await countLearnt(db)).toBeLessThanOrEqual(16);
  });

  it('learns from nothing but a question that led there, and never a figure or a secret', async () => {
    const db = await freshDatabase(engine);
    const { desk, uses } = openDesk(db);
    const { id } = (await desk.save(agent('ann'), NOTE)).fact!;
    const other = (await desk.save(agent('ann'), { title: 'Coffee', content: 'The beans are in the cellar' }))
      .fact!;
    await desk.search(agent('bob'), { query: OTHERWISE });
    await desk.get(agent('bob'), id);
    // What was answered with confidence was no failure, so it says nothing about what is asked next.
    await desk.search(agent('cid'), { query: 'where are the coffee beans' });
    await desk.search(agent('cid'), { query: PLAINLY });
    await desk.get(agent('cid'), id);
    await desk.search(agent('eve'), { query: `${PLAINLY} ${'long log line '.repeat(40)}` });
    await desk.get(agent('eve'), id);
    await uses.flush();
    expect(await countLearnt(db)).toBe(0);
    await desk.search(agent('fay'), { query: `${PLAINLY} quickening ghp_${'a1B2'.repeat(9)}` });
    await desk.get(agent('fay'), id);
    await desk.search(agent('gil'), { query: `${PLAINLY} 01711234567 v2.3.4 hastening` });
    await desk.get(agent('gil'), id);
    await uses.flush();
    const words = await db.read((q) => q.all<{ word: string }>(sql`select word from recall_learnt`));
    expect(words.map(({ word }) => word.split('.')[1]).join()).toBe('hasten');
    expect(ids(await desk.search(agent('dan'), { query: 'beans' }))).toEqual([other.id]);
  });

  it('lifts nothing for readers who do not see what the asker saw', { timeout: 60_000 }, async () => {
    const db = await freshDatabase(engine);
    const { desk, uses } = openDesk(db);
    // Seen by all of a tenant, so that only the question could tell one reader from another.
    const tenants = ['', 'acme'] as const;
    const shared = new Map<string, string>();
    for (const tenant of tenants) {
      const filing = { ...(tenant !== '' && { tenant }), team: '' };
      shared.set(tenant, (await desk.save(localPrincipal('', filing), NOTE)).fact!.id);
    }
    const bindings: readonly Binding[] = [
      { team: 'red' },
      { team: 'blue' },
      { team: 'red ' },
      { team: 'red', tenant: 'acme' },
      { team: 'blue', tenant: 'acme' },
      { tenant: 'acme' },
      {},
    ];
    const unbound = (team?: string): Principal => ({
      ...localPrincipal(`unbound ${team}`),
      default: { agent: `agent of ${team}`, ...(team !== undefined && { team }) },
    });
    const askers = [
      ...bindings.map((bound, i) => ({ bound, who: agent(`asker${'abcdefg'[i]}`, bound) })),
      { bound: undefined, who: unbound() },
      { bound: undefined, who: unbound('red') },
    ];
    for (const [i, { who }] of askers.entries()) {
      await desk.search(who, { query: `canary${'abcdefghi'[i]}word turborepo` });
      for (const id of shared.values()) await desk.get(who, id).catch(() => undefined);
    }
    await uses.flush();
    let [hidden, shown] = [0, 0];
    for (const [i, { bound: asker }] of askers.entries()) {
      for (const reader of bindings) {
        const found = await desk.search(agent('reader', reader), { query: `canary${'abcdefghi'[i]}word` });
        const isSame = asker?.team === reader.team && asker?.tenant === reader.tenant;
        // Without a team the question is the asker's own: it may be made of notes that only that agent sees.
        const mayProfit = asker !== undefined && isSame && asker.team !== undefined;
        expect({ asker, reader, found: found.results.length }).toEqual({
          asker,
          reader,
          found: mayProfit ? 1 : 0,
        });
        if (mayProfit) shown += 1;
        else hidden += 1;
      }
      const all = await desk.search(localPrincipal('owner'), { query: `canary${'abcdefghi'[i]}word` });
      expect(all.results.length).toBeGreaterThan(0);
    }
    expect({ hidden, shown }).toEqual({ hidden: 58, shown: 5 });
    // Agents of a project that nothing binds profit by each other and by those bound to it, and by nobody who saw more.
    const toProject = await Promise.all(
      askers.map(async (_, i) => {
        const query = `canary${'abcdefghi'[i]}word`;
        return (await desk.search({ ...unbound('red'), seat: 'another' }, { query })).results.length > 0;
      }),
    );
    expect(toProject).toEqual([true, false, false, true, false, true, true, false, true]);
  });

  it("does not show a team's note to others, whatever they ask", async () => {
    const { desk, uses } = openDesk(await freshDatabase(engine));
    const { id } = (await desk.save(agent('ann'), NOTE)).fact!;
    await find(desk, agent('bob'), id);
    await uses.flush();
    const blue = agent('eve', { team: 'blue' });
    expect((await desk.search(blue, { query: OTHERWISE })).results).toEqual([]);
    await expect(desk.get(blue, id)).rejects.toThrow('not found');
  });

  it('forgets with the fact, and hands on to what takes its place', async () => {
    const db = await freshDatabase(engine);
    const { desk, uses } = openDesk(db);
    const { id } = (await desk.save(agent('ann'), NOTE)).fact!;
    const twin = (await desk.save(agent('ann'), { ...NOTE, title: 'Caching in CI' })).fact!;
    for (const each of [id, twin.id]) {
      await find(desk, agent('bob'), each);
      await uses.flush();
    }
    const newer = await desk.supersede(agent('ann'), { id, content: 'Turborepo outputs, now in R2' });
    expect(ids(await desk.search(agent('dan'), { query: OTHERWISE })).sort()).toEqual(
      [newer.fact.id, twin.id].sort(),
    );
    const { fact } = await desk.merge(agent('ann'), {
      id: newer.fact.id,
      with: [twin.id],
      content: 'Turborepo outputs are cached',
    });
    expect(ids(await desk.search(agent('dan'), { query: OTHERWISE }))).toEqual([fact.id]);
    await desk.forget(agent('ann'), fact.id);
    expect(ids(await desk.search(agent('dan'), { query: OTHERWISE }))).toEqual([]);
    expect(await countLearnt(db)).toBe(0);
  });

  it('is there after a restart and for every hub of the database, two that learn at once included', async () => {
    const place = await freshPlace(engine);
    const [one, two] = [openDesk(await place.open()), openDesk(await place.open())];
    const { id } = (await one.desk.save(agent('ann'), NOTE)).fact!;
    await find(one.desk, agent('bob'), id);
    await find(two.desk, agent('cid'), id);
    await Promise.all([one.uses.close(), two.uses.close()]);
    const { desk } = openDesk(await place.open());
    const [hit] = (await desk.search(agent('dan'), { query: OTHERWISE })).results;
    expect(hit).toMatchObject({ id, why: 'opened by 2 agents after a similar question' });
  });

  it('goes along when the whole hub moves, to either engine; a file of facts does not carry it', async () => {
    const db = await freshDatabase(engine);
    const { desk, uses } = openDesk(db);
    const { id } = (await desk.save(agent('ann'), NOTE)).fact!;
    await find(desk, agent('bob'), id);
    await uses.flush();
    const parts: DumpPart[] = [];
    await db.read((q) => dumpAll(q, (part) => void parts.push(part)));
    for (const target of ['sqlite', 'postgres'] as const) {
      const moved = await freshDatabase(target);
      await moved.write(systemActor, async (tx) => {
        await loadAll(tx, parts, 'digest');
        await refillWords(tx);
      });
      const there = openDesk(moved).desk;
      expect(ids(await there.search(agent('dan'), { query: OTHERWISE }))).toEqual([id]);
    }
    expect(JSON.stringify(await desk.exportPage(operatorPrincipal, {}, ''))).not.toContain('forev');
  });

  it.each(['legacy', 'modern'] as const)('learns over HTTP in the %s era', async (era) => {
    const db = await freshDatabase(engine);
    const { desk, uses } = openDesk(db);
    const http = await serveHttp(serverOfDesk(desk, db));
    onTestFinished(() => http.close());
    const connect = (name: string) =>
      connectMemory(http.documented, era, { team: 'red', agent: name, profile: 'extended' });
    const [ann, bob, dan] = [await connect('ann'), await connect('bob'), await connect('dan')];
    const { id } = ((await ann.call('memory_save', NOTE)).value as { fact: { id: string } }).fact;
    await bob.call('memory_search', { query: OTHERWISE });
    await bob.call('memory_search', { query: PLAINLY });
    await bob.call('memory_get', { id });
    await uses.flush();
    const found = (await dan.call('memory_search', { query: OTHERWISE })).value as SearchAnswer;
    expect(ids(found)).toEqual([id]);
  });

  it('learns over REST', async () => {
    const db = await freshDatabase(engine);
    const { desk, uses } = openDesk(db);
    const { id } = (await desk.save(agent('ann'), NOTE)).fact!;
    const app = createHttpApp({
      routes: routesOfDesk(desk, db),
      authenticate: () => localPrincipal('', { team: 'red' }),
      log: silentLog,
    });
    onTestFinished(() => app.close());
    const { address } = await app.listen({ host: '127.0.0.1', ports: [0] });
    const search = async (query: string): Promise<SearchAnswer> =>
      (
        await fetch(`${address}/api/memory/search?${new URLSearchParams({ query }).toString()}`)
      ).json() as Promise<SearchAnswer>;
    await search(OTHERWISE);
    await search(PLAINLY);
    await fetch(`${address}/api/memory/facts/${id}`);
    await uses.flush();
    expect(ids(await search(OTHERWISE))).toEqual([id]);
  });
});
