// A fact that was wrong: ended with its reason, kept in history, and told to everybody who was given it and to nobody else.
import { expect, it } from 'vitest';
import { createFacts } from '../../src/features/memory/facts.ts';
import { createMemory } from '../../src/features/memory/memory.ts';
import { createReaders } from '../../src/features/memory/readers.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import {
  type Binding,
  localPrincipal,
  operatorPrincipal,
  type Principal,
} from '../../src/kernel/principal.ts';
import { createMeaning } from '../../src/recall/vectors/meaning.ts';
import { embeddingSettings } from '../../src/recall/vectors/provider.ts';
import { createActing } from '../../src/store/calls.ts';
import type { Database } from '../../src/store/database.ts';
import { sql } from '../../src/store/sql.ts';
import { randomFrom } from '../citations/edits.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';

function openHouse(db: Database) {
  const readers = createReaders({ db, log: silentLog });
  const meaning = createMeaning(db, embeddingSettings({ HOLDFAST_EMBEDDING: 'none' }), systemClock);
  const memory = createMemory({ db, acting: createActing(db), facts: createFacts(), meaning, readers });
  /** Everything that the next answers would tell. */
  async function hears(who: Principal): Promise<string> {
    const heard: string[] = [];
    for (;;) {
      const tidings = await readers.tidings(who);
      if (tidings.length === 0) return heard.join('\n');
      heard.push(...tidings.map(({ text }) => text));
    }
  }
  return { desk: memory.via('tool'), people: memory.via('route'), readers, hears };
}

const agent = (name: string, bound: Binding = { team: 'red' }): Principal =>
  localPrincipal(`seat of ${name}`, { ...bound, agent: name });

const FACT = { title: 'Release day', content: 'Releases are made on Tuesdays' };

eachEngine('refuting', (engine) => {
  it('ends a fact with its reason, keeps it, and tells who was given it', async () => {
    const { desk, hears } = openHouse(await freshDatabase(engine));
    const { fact } = await desk.save(agent('ann'), FACT);
    const { id } = fact!;
    expect((await desk.search(agent('bob'), { query: 'release' })).results[0]).toMatchObject({
      id,
      confirmed: { by: 'ann', at: fact!.createdAt },
    });
    await desk.get(agent('dan'), id);
    const answer = await desk.refute(agent('cid'), { id, reason: 'It has been Thursday since May' });
    expect(answer).toMatchObject({
      told: 2,
      fact: { id, refuted: { by: 'cid', reason: 'It has been Thursday since May' } },
    });
    expect((await desk.search(agent('bob'), { query: 'release' })).results).toEqual([]);
    const [version] = (await desk.history(agent('bob'), id)).versions;
    expect(version).toMatchObject({ refuted: { by: 'cid' }, validTo: expect.any(Number) });
    expect(
      (await desk.search(agent('bob'), { query: 'release', asOf: fact!.createdAt })).results,
    ).toHaveLength(1);
    const day = new Date().toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
    for (const name of ['bob', 'dan'])
      expect(await hears(agent(name))).toContain(
        `What you read on ${day} about Release day was refuted by cid: It has been Thursday since May`,
      );
    for (const name of ['ann', 'cid', 'eve', 'bob']) expect(await hears(agent(name))).toBe('');
  });

  it('offers what says the same in other scopes, if it may be changed, and touches none of it', async () => {
    const { desk } = openHouse(await freshDatabase(engine));
    const of = (team: string) => ({ ...localPrincipal(`seat of ${team}`, { team, agent: 'ann' }) });
    const { fact: red } = await desk.save(of('red'), { ...FACT, scopeTeamId: 'red' });
    const { fact: blue } = await desk.save(of('blue'), { ...FACT, scopeTeamId: 'blue' });
    const { fact: common } = await desk.save(operatorPrincipal, FACT);
    expect(new Set([red!.id, blue!.id, common!.id]).size).toBe(3);
    expect(await desk.refute(of('red'), { id: red!.id, reason: 'no' })).not.toHaveProperty('copies');
    const { copies } = await desk.refute(operatorPrincipal, { id: common!.id, reason: 'no' });
    expect(copies?.map(({ id }) => id)).toEqual([blue!.id]);
    expect((await desk.search(of('blue'), { query: 'release' })).results).toMatchObject([{ id: blue!.id }]);
  });

  it('needs a reason, a fact that holds, and the right to change it', async () => {
    const { desk, people } = openHouse(await freshDatabase(engine));
    const global = (await desk.save(operatorPrincipal, FACT)).fact!;
    const refused = desk.refute(agent('ann'), { id: global.id, reason: 'no' });
    await expect(refused).rejects.toMatchObject({ code: 'forbidden' });
    await desk.save(agent('ann'), FACT);
    const own = (await desk.save(operatorPrincipal, { ...FACT, scopeTeamId: 'blue' })).fact!;
    const { copies } = await people.refute(operatorPrincipal, { id: global.id, reason: 'no longer' });
    expect(copies?.map(({ scopeTeamId }) => scopeTeamId).toSorted()).toEqual(['blue', 'red']);
    expect((await desk.get(operatorPrincipal, own.id)).validTo).toBeNull();
    const again = people.refute(operatorPrincipal, { id: global.id, reason: 'again' });
    await expect(again).rejects.toMatchObject({ code: 'conflict' });
    await expect(desk.confirm(operatorPrincipal, global.id)).rejects.toMatchObject({ code: 'conflict' });
    await desk.save(agent('ann'), { procedureName: 'ship', content: 'Tag and push' });
    const version = (await desk.procedure(agent('ann'), { name: 'ship' })).procedure.id;
    const unfit = desk.refute(agent('ann'), { id: version, reason: 'x' });
    await expect(unfit).rejects.toMatchObject({ code: 'invalid' });
  });

  it('removes secrets from a reason', async () => {
    const { desk, hears } = openHouse(await freshDatabase(engine));
    const { fact } = await desk.save(agent('ann'), FACT);
    await desk.get(agent('bob'), fact!.id);
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    await desk.refute(agent('ann'), { id: fact!.id, reason: `see ${secret}` });
    expect(await hears(agent('bob'))).not.toContain(secret);
  });

  it('tells a nameless reader with the next answer, a person in a search, and after 14 days nobody', async () => {
    const db = await freshDatabase(engine);
    const { desk, people, readers, hears } = openHouse(db);
    const { fact } = await desk.save(operatorPrincipal, FACT);
    const nameless = localPrincipal('a seat');
    for (const who of [nameless, agent('bob'), operatorPrincipal]) await desk.get(who, fact!.id);
    await readers.flush();
    const { fact: other } = await desk.save(operatorPrincipal, {
      title: 'Old',
      content: 'Old news of the harbour',
    });
    await desk.get(agent('bob'), other!.id);
    await readers.flush();
    const old = db.now() - 15 * 86_400_000;
    const write = sql`update memory_given set at = ${old} where item = ${other!.id}`;
    await db.write({ id: 'test', asserted: false }, (tx) => tx.run(write));
    await desk.refute(operatorPrincipal, { id: other!.id, reason: 'never' });
    const ann = { ...localPrincipal('seat of ann'), name: 'ann' };
    await desk.refute(ann, { id: fact!.id, reason: 'wrong' });
    expect(await hears(agent('bob'))).not.toContain('never');
    expect(await hears(nameless)).toContain('was refuted by ann: wrong');
    expect((await people.search(operatorPrincipal, { query: 'anything' })).refuted).toMatchObject([
      { id: fact!.id, by: 'ann', reason: 'wrong' },
    ]);
    expect((await people.search(operatorPrincipal, { query: 'anything' })).refuted).toBeUndefined();
  });

  it('forgets readers with what they read', async () => {
    const db = await freshDatabase(engine);
    const { desk, readers } = openHouse(db);
    const { fact } = await desk.save(agent('ann'), FACT);
    await desk.get(agent('bob'), fact!.id);
    await readers.flush();
    await desk.forget(agent('ann'), fact!.id);
    const left = await db.read((q) => q.all(sql`select item from memory_given`));
    expect(left).toEqual([]);
  });

  it.each([1, 2])(
    'reaches every reader of 20 agents and nobody who may not see it (seed %i)',
    async (seed) => {
      const { desk, hears } = openHouse(await freshDatabase(engine));
      const random = randomFrom(seed);
      const teams = ['red', 'blue', undefined] as const;
      const agents = Array.from({ length: 20 }, (_, i) => {
        const team = random.pick(teams);
        const tenant = random.chance(0.2) ? 'acme' : undefined;
        const bound = { ...(team && { team }), ...(tenant && { tenant }) };
        // Namesakes of two teams share nothing; some have no name at all.
        if (random.chance(0.2)) return { ...localPrincipal(`seat ${i}`, bound), scopes: new Set(['*']) };
        return { ...localPrincipal(`seat ${i}`, { ...bound, agent: `agent${i % 7}` }) };
      });
      const facts: { id: string; word: string; readers: Set<number> }[] = [];
      const keyOf = (who: Principal): string => JSON.stringify([who.bound, who.bound.agent ?? who.seat]);
      for (let step = 0; step < 160; step += 1) {
        const at = random.below(agents.length);
        const who = agents[at]!;
        if (facts.length < 12 || random.chance(0.1)) {
          const word = `canary${step}`;
          const { fact } = await desk.save(who, {
            title: word,
            content: `The ${word} sings in the common room`,
          });
          facts.push({ id: fact!.id, word, readers: new Set() });
          continue;
        }
        const { results } = await desk.search(who, { query: random.pick(facts).word, limit: 5 });
        for (const { id } of results) facts.find((fact) => fact.id === id)?.readers.add(at);
      }
      let told = 0;
      for (const { id, word, readers } of facts) {
        const who =
          agents.find((one) => one.bound.team === undefined && one.bound.tenant === undefined) ??
          operatorPrincipal;
        const refuter = (await desk.refute(who, { id, reason: `${word} is silent` }).catch(() => undefined))
          ? who
          : undefined;
        if (!refuter && !(await desk.refute(operatorPrincipal, { id, reason: `${word} is silent` })))
          continue;
        const own = keyOf(refuter ?? operatorPrincipal);
        const wanted = new Set([...readers].map((at) => keyOf(agents[at]!)).filter((key) => key !== own));
        const heard = new Set<string>();
        for (const one of agents) if ((await hears(one)).includes(word)) heard.add(keyOf(one));
        expect([...heard].toSorted()).toEqual([...wanted].toSorted());
        told += heard.size;
      }
      expect(told).toBeGreaterThan(10);
    },
  );
});
