// A fact that was wrong: ended with its reason, kept in history, and told to everybody who was given it and to nobody else.
import { expect, it } from 'vitest';
import { createFacts } from '../../src/features/memory/facts.ts';
import { createMemory } from '../../src/features/memory/memory.ts';
import { moveMemory } from '../../src/features/memory/merge.ts';
import { createReaders, KEPT_MS, UNHEARD_MS } from '../../src/features/memory/readers.ts';
import { dropReadersBefore } from '../../src/features/memory/rows/readers.ts';
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
import type { Database, Tx } from '../../src/store/database.ts';
import { sql } from '../../src/store/sql.ts';
import { randomFrom } from '../citations/edits.ts';
import { eachEngine, freshDatabase, freshPlace } from '../fixtures/databases.ts';

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

  it('tells nobody their own words, also where another hub showed them the fact just before', async () => {
    const place = await freshPlace(engine);
    const [one, other] = [openHouse(await place.open()), openHouse(await place.open())];
    const { id } = (await one.desk.save(agent('ann'), FACT)).fact!;
    for (const name of ['bob', 'dan']) await other.desk.get(agent(name), id);
    other.readers.briefed(agent('bob'), id);
    // What the other hub showed is still to be written down.
    expect(await one.desk.refute(agent('bob'), { id, reason: 'no' })).toMatchObject({ told: 0 });
    await other.readers.flush();
    for (const { hears } of [other, one]) expect(await hears(agent('bob'))).toBe('');
    expect(await one.hears(agent('dan'))).toContain('was refuted by bob: no');
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

  it('tells who was shown it beside a save, and a named agent whatever it shows at the door', async () => {
    const { desk, hears } = openHouse(await freshDatabase(engine));
    const { fact } = await desk.save(agent('ann'), FACT);
    const saved = await desk.save(agent('bob'), { ...FACT, content: 'Releases are made on Thursdays' });
    expect(saved.contradicts).toEqual([fact!.id]);
    const named = (kind: 'local' | 'operator') => ({
      ...(kind === 'local' ? localPrincipal('a seat') : operatorPrincipal),
      name: 'codex',
    });
    await desk.search(named('operator'), { query: 'release' });
    await desk.refute(operatorPrincipal, { id: fact!.id, reason: 'never' });
    for (const who of [agent('bob'), named('local')]) expect(await hears(who)).toContain('never');
    expect(await hears(operatorPrincipal)).toBe('');
  });

  it('is not held up by what somebody may not see any more, and waits for the next answer a long time', async () => {
    const db = await freshDatabase(engine);
    const { desk, readers, hears } = openHouse(db);
    const { fact } = await desk.save(agent('ann'), FACT);
    await desk.get(agent('bob'), fact!.id);
    await desk.refute(agent('ann'), { id: fact!.id, reason: 'wrong' });
    const month = 30 * 86_400_000;
    const write = (unit: (tx: Tx) => Promise<unknown>) => db.write({ id: 'test', asserted: false }, unit);
    await write(async (tx) => {
      const row = await tx.get<{ reader: string }>(sql`select reader from memory_tidings`);
      for (let i = 0; i < 120; i += 1)
        await tx.run(sql`
          insert into memory_tidings (reader, item, read_at, at)
          values (${row!.reader}, ${`unseen ${i}`}, 1, ${tx.now - 2 * month})`);
      await tx.run(sql`update memory_tidings set at = ${tx.now - month} where item = ${fact!.id}`);
      await dropReadersBefore(tx, { given: tx.now - KEPT_MS, unheard: tx.now - UNHEARD_MS });
    });
    expect(await hears(agent('bob'))).toContain('wrong');
    await readers.flush();
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

  it('still tells who was given what a person forgot and took back', async () => {
    const { desk, people, hears } = openHouse(await freshDatabase(engine));
    const { fact } = await desk.save(agent('ann'), FACT);
    await desk.get(agent('bob'), fact!.id);
    await people.forget(operatorPrincipal, fact!.id);
    await people.restore(operatorPrincipal, fact!.id);
    await desk.refute(agent('ann'), { id: fact!.id, reason: 'wrong' });
    expect(await hears(agent('bob'))).toContain('wrong');
  });

  it('tells who was given the same of a project that became another', async () => {
    const db = await freshDatabase(engine);
    const { desk, readers, hears } = openHouse(db);
    const { fact } = await desk.save(agent('ann'), FACT);
    const free = localPrincipal('a seat');
    const blue = (await desk.save(free, { ...FACT, scopeTeamId: 'blue' })).fact!;
    await desk.get(free, blue.id);
    await readers.flush();
    const move = { from: 'blue', into: 'red' };
    await db.write({ id: 'test', asserted: false }, (tx) => moveMemory(tx, move, async () => undefined));
    await desk.refute(agent('ann'), { id: fact!.id, reason: 'wrong' });
    expect(await hears(free)).toContain('wrong');
  });

  // Whatever an answer shows is given, whichever way it came and through whichever hub; what was refuted is heard by exactly
  // those, as far as they may still see it.
  it.each([1, 2])(
    'reaches every reader of 20 agents and nobody who may not see it (seed %i)',
    async (seed) => {
      const db = await freshDatabase(engine);
      const houses = [openHouse(db), openHouse(db)];
      const random = randomFrom(seed);
      const agents = Array.from({ length: 20 }, (_, i) => {
        const team = random.pick(['red', 'blue', undefined]);
        const tenant = random.chance(0.2) ? 'acme' : undefined;
        const bound = { ...(team && { team }), ...(tenant && { tenant }) };
        // Namesakes of two teams share nothing; some have no name at all.
        if (random.chance(0.2)) return { ...localPrincipal(`seat ${i}`, bound), scopes: new Set(['*']) };
        return { ...localPrincipal(`seat ${i}`, { ...bound, agent: `agent${i % 7}` }) };
      });
      const keyOf = (who: Principal): string => JSON.stringify([who.bound, who.bound.agent ?? who.seat]);
      /** Every fact has a number that nothing else has: whoever's answer has it, or its id, was given that fact. */
      const facts: { id: string; mark: string; by: Principal; readers: Set<string> }[] = [];
      const shown = (who: Principal, answer: unknown): void => {
        const text = JSON.stringify(answer ?? null);
        // As a word: the digits of an id or of a time may happen to be the same.
        for (const { id, mark, readers } of facts)
          if (text.includes(id) || new RegExp(`\\b${mark}\\b`).test(text)) readers.add(keyOf(who));
      };
      for (let step = 0; step < 160; step += 1) {
        const { desk, people } = random.pick(houses);
        const who = random.pick(agents);
        const gate = `gate ${random.pick(['alder', 'birch', 'cedar', 'larch'])}`;
        if (facts.length < 12 || random.chance(0.1)) {
          const mark = String(70_000 + step);
          const content = `The ${gate} listens on port ${mark}.`;
          // What it says itself is nothing that its author was given.
          const { fact, choices: _, ...beside } = await desk.save(who, { title: gate, content });
          shown(who, { ...beside, contradictions: beside.contradictions?.map(({ theirs }) => theirs) });
          facts.push({ id: fact!.id, mark, by: who, readers: new Set() });
          continue;
        }
        const { id } = random.pick(facts);
        const ways = [
          () => desk.search(who, { query: gate, limit: 3 }),
          () => people.search(who, { query: gate, limit: 3, brief: true, quiet: true }),
          () => desk.browse(who, { limit: 2 }),
          () => desk.get(who, id),
          () => desk.history(who, id),
          () => people.duplicates(who),
        ];
        // Who may not see it is refused, and was given nothing.
        shown(
          who,
          await random
            .pick(ways)()
            .catch(() => undefined),
        );
      }
      const refuters = new Map<string, Principal>();
      for (const { id, mark, by } of facts) {
        const { desk } = random.pick(houses);
        const refuting = { id, reason: `${mark} is closed` };
        // What is everybody's no bound agent may change.
        const isBy = random.chance(0.5) && (await desk.refute(by, refuting).catch(() => undefined));
        if (!isBy) await desk.refute(operatorPrincipal, refuting);
        refuters.set(id, isBy ? by : operatorPrincipal);
      }
      const withheld = facts.filter(() => random.chance(0.2));
      for (const { id } of withheld) await houses[0]!.people.forget(operatorPrincipal, id);
      for (const { readers } of houses) await readers.flush();
      const heard = new Map<string, string>();
      for (const who of agents) {
        const said = await random.pick(houses).hears(who);
        heard.set(keyOf(who), (heard.get(keyOf(who)) ?? '') + said);
      }
      let told = 0;
      for (const fact of facts) {
        const { id, mark, readers } = fact;
        readers.delete(keyOf(refuters.get(id)!));
        const wanted = withheld.includes(fact) ? [] : [...readers].toSorted();
        const has = [...heard].filter(([, said]) => said.includes(`${mark} is closed`)).map(([key]) => key);
        expect([mark, has.toSorted()]).toEqual([mark, wanted]);
        told += wanted.length;
      }
      expect(told).toBeGreaterThan(20);
    },
  );
});
