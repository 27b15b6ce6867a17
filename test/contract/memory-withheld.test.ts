import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { createFacts } from '../../src/features/memory/facts.ts';
import { createMemoryDesk } from '../../src/features/memory/memory.ts';
import { sweepWithheld } from '../../src/features/memory/withheld.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { localPrincipal, systemActor } from '../../src/kernel/principal.ts';
import { createMeaning } from '../../src/recall/vectors/meaning.ts';
import { embeddingSettings } from '../../src/recall/vectors/provider.ts';
import { createActing } from '../../src/store/calls.ts';
import type { Database } from '../../src/store/database.ts';
import { dumpAll } from '../../src/store/whole/dump.ts';
import { handClock } from '../fixtures/board-host.ts';
import { eachEngine, freshPlace, type Place } from '../fixtures/databases.ts';

const who = localPrincipal('seat');
const CANARY = 'marmalade-canary';

function desksOn(db: Database) {
  const memory = createFacts();
  const meaning = createMeaning(db, embeddingSettings({ HOLDFAST_EMBEDDING: 'none' }), systemClock);
  const make = (via: 'tool' | 'route') =>
    createMemoryDesk({ db, facts: memory, meaning, via, acting: createActing(db) });
  return { person: make('route'), agent: make('tool') };
}

/** Everything that anybody can be shown, as text. */
async function everythingShown(db: Database): Promise<string> {
  const { person, agent } = desksOn(db);
  const shown: unknown[] = [];
  for (const desk of [person, agent]) {
    for (const query of ['marmalade', 'canary jar', 'what was it before']) {
      shown.push(await desk.search(who, { query, limit: 100 }));
      shown.push(await desk.search(who, { query, limit: 100, asOf: 1, explain: true }));
      shown.push(await desk.search(who, { query, limit: 100, kind: 'procedure' }));
    }
    shown.push(await desk.browse(who, { limit: 200 }), await desk.procedures(who, {}), await desk.stats(who));
    shown.push(await desk.exportPage(who, {}, ''));
    shown.push(await desk.save(who, { title: 'Jar', content: 'A jar of something else on the shelf' }));
  }
  shown.push(await person.withheld(who));
  await db.read((q) => dumpAll(q, (part) => void shown.push(part)));
  return JSON.stringify(shown);
}

const bytesOf = (place: Place) =>
  readdirSync(dirname(place.location)).map((name) => readFileSync(join(dirname(place.location), name)));

eachEngine("a person's forgetting", (engine) => {
  async function forgotten() {
    const clock = handClock();
    const place = await freshPlace(engine);
    const db = await place.open({ clock });
    const { person, agent } = desksOn(db);
    await person.save(who, { title: 'Noise', content: 'ordinary words' });
    const { fact: old } = await person.save(who, {
      title: 'Jar',
      content: `${CANARY} jar, the first`,
      tags: [CANARY],
    });
    const { fact } = await person.supersede(who, { id: old!.id, content: `${CANARY} jar, the second` });
    await person.save(who, { procedureName: `${CANARY} making`, content: 'boil' });
    const { procedure } = await person.save(who, {
      procedureName: `${CANARY} making`,
      content: 'boil longer',
    });
    const before = await person.get(who, fact.id);
    expect(await everythingShown(db)).toContain(CANARY);
    const answer = await person.forget(who, fact.id);
    const first = (await person.procedure(who, { name: `${CANARY} making`, version: 1 })).procedure;
    await person.forget(who, procedure!.id);
    await person.forget(who, first.id);
    return { clock, place, db, person, agent, fact, old: old!, procedure: procedure!, before, answer };
  }

  it('hides it from every way to read at once', async () => {
    const { db, person, agent, fact, old, answer } = await forgotten();
    expect(answer.forgotten.toSorted()).toEqual([fact.id, old.id].toSorted());
    expect(answer.until! - db.now()).toBe(86_400_000);
    expect(await everythingShown(db)).not.toContain(CANARY);
    for (const desk of [person, agent])
      for (const id of [fact.id, old.id]) {
        await expect(desk.get(who, id)).rejects.toMatchObject({ code: 'not_found' });
        await expect(desk.history(who, id)).rejects.toMatchObject({ code: 'not_found' });
        await expect(desk.supersede(who, { id, content: 'x' })).rejects.toMatchObject({ code: 'not_found' });
      }
    await expect(person.procedure(who, { name: `${CANARY} making` })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect((await person.withheld(who)).withheld).toHaveLength(3);
    await expect(agent.withheld(who)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(agent.restore(who, fact.id)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(agent.forget(who, fact.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('can be taken back within the day, as it was', async () => {
    const { clock, person, fact, old, procedure, before } = await forgotten();
    clock.advance(86_000_000);
    expect((await person.restore(who, fact.id)).restored).toEqual([fact.id, old.id]);
    const { episode: _e, position: _p, ...after } = await person.get(who, fact.id);
    expect(before).toMatchObject(after);
    expect((await person.history(who, fact.id)).versions.map(({ id }) => id)).toEqual([old.id, fact.id]);
    expect((await person.search(who, { query: 'marmalade jar' })).results[0]?.id).toBe(fact.id);
    await person.restore(who, procedure.id);
    expect((await person.search(who, { query: 'making', kind: 'procedure' })).results[0]?.id).toBe(
      procedure.id,
    );
    await expect(person.restore(who, fact.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is final after the day, whether anybody has swept or not', async () => {
    const { clock, place, db, person, fact } = await forgotten();
    clock.advance(86_400_001);
    await expect(person.restore(who, fact.id)).rejects.toMatchObject({ code: 'not_found' });
    expect((await person.withheld(who)).withheld).toEqual([]);
    expect(await db.write(systemActor, sweepWithheld)).toBe(3);
    expect(await db.write(systemActor, sweepWithheld)).toBe(0);
    await db.close();
    if (engine === 'sqlite') expect(bytesOf(place).some((bytes) => bytes.includes(CANARY))).toBe(false);
  });

  it('is final at once when it is to be now, also for what is withheld already', async () => {
    const { place, db, person, fact } = await forgotten();
    const { withheld } = await person.withheld(who);
    for (const { id } of withheld) expect((await person.forget(who, id, true)).until).toBeUndefined();
    await expect(person.restore(who, fact.id)).rejects.toMatchObject({ code: 'not_found' });
    const { fact: other } = await person.save(who, { title: 'Jar', content: `${CANARY} again` });
    expect(await person.forget(who, other!.id, true)).toEqual({ forgotten: [other!.id] });
    await db.close();
    if (engine === 'sqlite') expect(bytesOf(place).some((bytes) => bytes.includes(CANARY))).toBe(false);
  });

  it('is not taken back over the same words that were saved again', async () => {
    const { person, fact } = await forgotten();
    const { fact: again } = await person.save(who, {
      title: 'Jar',
      content: `${CANARY} jar, the second`,
      tags: [CANARY],
    });
    await expect(person.restore(who, fact.id)).rejects.toMatchObject({
      code: 'conflict',
      details: { id: again!.id },
    });
  });

  it('of a merged fact takes along what it was merged from, and brings it back', async () => {
    const { db, person, agent } = await forgotten();
    const ids: string[] = [];
    for (const content of ['The port is 9090', `Staging ${CANARY} listens`, 'It is behind a proxy'])
      ids.push((await person.save(who, { title: content.slice(0, 12), content })).fact!.id);
    const [id, ...others] = ids as [string, ...string[]];
    const { fact } = await person.merge(who, {
      id,
      with: others,
      content: `${CANARY} port 9090 behind a proxy`,
    });
    const { forgotten: gone } = await person.forget(who, fact.id);
    expect(gone.toSorted()).toEqual([fact.id, ...ids].toSorted());
    expect(await everythingShown(db)).not.toContain(CANARY);
    expect((await person.restore(who, fact.id)).restored.toSorted()).toEqual([fact.id, ...ids].toSorted());
    for (const each of ids) expect((await person.history(who, each)).versions.at(-1)?.id).toBe(fact.id);
    expect((await agent.forget(who, fact.id)).forgotten.toSorted()).toEqual([fact.id, ...ids].toSorted());
  });
});
