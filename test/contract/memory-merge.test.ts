import { expect, it } from 'vitest';
import { createFacts } from '../../src/features/memory/facts.ts';
import { createMemoryDesk } from '../../src/features/memory/memory.ts';
import { moveMemory } from '../../src/features/memory/merge.ts';
import { teamsOfMemory } from '../../src/features/memory/rows/sight.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { localPrincipal, systemActor } from '../../src/kernel/principal.ts';
import { createMeaning } from '../../src/recall/vectors/meaning.ts';
import { embeddingSettings } from '../../src/recall/vectors/provider.ts';
import { createActing } from '../../src/store/calls.ts';
import { handClock } from '../fixtures/board-host.ts';
import { eachEngine, freshPlace } from '../fixtures/databases.ts';

const who = localPrincipal('seat');

eachEngine('projects that are put together', (engine) => {
  async function open() {
    const clock = handClock();
    const place = await freshPlace(engine);
    const db = await place.open({ clock });
    const meaning = createMeaning(db, embeddingSettings({ HOLDFAST_EMBEDDING: 'none' }), systemClock);
    const acting = createActing(db);
    const desk = createMemoryDesk({ db, facts: createFacts(), meaning, via: 'route', acting });
    const save = async (scopeTeamId: string, title: string, content: string, more: object = {}) =>
      (await desk.save(who, { title, content, scopeTeamId, ...more })).fact!.id;
    const found = async (scopeTeamId: string, query: string) => {
      const { results } = await desk.search(who, { query, scopeTeamId, limit: 100 });
      return results.map(({ content }) => content);
    };
    const merge = () =>
      db.write(systemActor, (tx) => moveMemory(tx, { from: 'reef', into: 'dock' }, async () => undefined));
    return { clock, db, desk, save, found, merge };
  }

  it('remember what each of them did, in one place, agents and the past included', async () => {
    const { clock, db, desk, save, found, merge } = await open();
    await save('dock', 'Crane', 'The crane lifts nine tons');
    const old = await save('reef', 'Buoy', 'The buoy is red');
    clock.advance(1_000);
    const { fact: newer } = await desk.supersede(who, { id: old, content: 'The buoy is green' });
    await save('reef', 'Anchor', 'The anchor holds in clay', { scopeAgentId: 'ada' });
    await save('dock', 'Rope', 'The rope is hemp', { scopeAgentId: 'ada' });
    await save('reef', 'Lamp', 'The lamp burns whale oil', { scopeAgentId: 'bo' });
    expect(await merge()).toBe(3);
    expect(await found('dock', 'buoy crane anchor lamp rope')).toEqual(
      expect.arrayContaining([
        'The buoy is green',
        'The crane lifts nine tons',
        'The anchor holds in clay',
        'The lamp burns whale oil',
        'The rope is hemp',
      ]),
    );
    expect(await found('reef', 'buoy anchor lamp')).toEqual([]);
    const { versions } = await desk.history(who, newer.id);
    expect(versions.map(({ id, scopeTeamId }) => [id, scopeTeamId])).toEqual([
      [old, 'dock'],
      [newer.id, 'dock'],
    ]);
    // Nothing is left under the name, so nobody is told that there is such a project.
    expect(await db.read((q) => q.all(teamsOfMemory))).toEqual(
      expect.not.arrayContaining([{ team: 'reef' }]),
    );
    expect(await merge()).toBe(0);
  });

  it('say the same thing once, with what both knew of it, and forget it as one', async () => {
    const { clock, desk, save, found, merge } = await open();
    const there = await save('dock', 'Tide', 'The tide turns at noon');
    const here = await save('reef', 'Tide', 'The tide turns at noon');
    await desk.confirm(who, here);
    clock.advance(1_000);
    await merge();
    expect(await found('dock', 'tide')).toEqual(['The tide turns at noon']);
    const { versions } = await desk.history(who, there);
    expect(versions.map(({ id }) => id)).toEqual([here, there]);
    expect(versions[1]!.confirmed).toBeDefined();
    await desk.forget(who, there, true);
    await expect(desk.history(who, here)).rejects.toThrow('not found');
  });

  it('follow the newest version of a procedure that both have', async () => {
    const { clock, desk, merge } = await open();
    const say = async (scopeTeamId: string, content: string) => {
      clock.advance(1_000);
      await desk.save(who, { procedureName: 'launch', content, scopeTeamId });
    };
    await say('dock', 'push');
    await say('reef', 'pull');
    await say('dock', 'push twice');
    await say('reef', 'pull and pray');
    await merge();
    const read = async (version?: number) =>
      (await desk.procedure(who, { name: 'launch', scopeTeamId: 'dock', version })).procedure.content;
    expect(await Promise.all([1, 2, 3, 4].map(read))).toEqual([
      'push',
      'pull',
      'push twice',
      'pull and pray',
    ]);
    expect(await read()).toBe('pull and pray');
    const { results } = await desk.search(who, { query: 'launch', scopeTeamId: 'dock', kind: 'procedure' });
    expect(results.map(({ content }) => content)).toEqual(['pull and pray']);
  });

  it('still give back what a person had forgotten', async () => {
    const { desk, save, found, merge } = await open();
    await save('dock', 'Crane', 'The crane lifts nine tons');
    const id = await save('reef', 'Buoy', 'The buoy is red');
    await desk.forget(who, id);
    await merge();
    await desk.restore(who, id);
    expect(await found('dock', 'buoy')).toEqual(['The buoy is red']);
  });
});
