import { expect, it } from 'vitest';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { eachEngine, freshPlace } from '../fixtures/databases.ts';
import type { Engine } from '../fixtures/databases.ts';
import { freshDesk } from '../fixtures/memory-host.ts';

const who = localPrincipal('seat');

/** Two processes' worth of connections to one database, working at the same time. */
async function twoDesks(engine: Engine) {
  const place = await freshPlace(engine);
  const [one, two] = [freshDesk(await place.open()), freshDesk(await place.open())];
  return {
    one,
    two,
    each: <T>(count: number, run: (desk: typeof one, i: number) => Promise<T>) =>
      Promise.all(Array.from({ length: count }, (_, i) => run(i % 2 === 0 ? one : two, i))),
  };
}

eachEngine('memory under two writers', (engine) => {
  it('numbers the versions of a procedure without gaps or repeats', async () => {
    const { one, each } = await twoDesks(engine);
    const saved = await each(24, (desk, i) =>
      desk.save(who, { procedureName: 'deploy', content: `step ${i}` }),
    );
    expect(saved.map(({ procedure }) => procedure!.version).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 24 }, (_, i) => i + 1),
    );
    expect((await one.procedure(who, { name: 'deploy' })).versions).toHaveLength(24);
  });

  it('keeps one of a fact that both save at once', async () => {
    const { one, each } = await twoDesks(engine);
    const saved = await each(12, (desk) => desk.save(who, { title: 'Port', content: 'It is 8080' }));
    expect(new Set(saved.map(({ fact }) => fact!.id)).size).toBe(1);
    expect(saved.filter(({ duplicate }) => duplicate !== true)).toHaveLength(1);
    expect((await one.search(who, { query: 'port' })).results).toHaveLength(1);
  });

  it('lets one of many that supersede a fact win, and loses nobody else’s save', async () => {
    const { one, each } = await twoDesks(engine);
    const { fact } = await one.save(who, { title: 'Port', content: 'It is 8080' });
    const outcomes = await each(8, (desk, i) =>
      desk.supersede(who, { id: fact!.id, content: `It is ${9_000 + i}` }).then(
        () => 'won',
        (error: { code?: string }) => error.code,
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'won')).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(['won', 'conflict']));
    expect((await one.search(who, { query: 'port' })).results).toHaveLength(1);
  });

  it.each(['a fact', 'a procedure'])('lets one of many that forget %s do it', async (what) => {
    const { one, each } = await twoDesks(engine);
    const named = what === 'a fact' ? { title: 'Port' } : { procedureName: 'deploy' };
    const { fact, procedure } = await one.save(who, { ...named, content: 'It is 8080' });
    const outcomes = await each(8, (desk) =>
      desk.forget(who, (fact ?? procedure)!.id).then(
        () => 'won',
        (error: { code?: string }) => error.code,
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'won')).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(['won', 'not_found']));
  });

  it('finds at once, from either side, what the other has saved, forgotten or replaced', async () => {
    const { one, two } = await twoDesks(engine);
    for (let i = 0; i < 140; i++) await one.save(who, { title: `Fact ${i}`, content: `zebra number ${i}` });
    expect((await two.search(who, { query: 'zebra', limit: 100 })).results).toHaveLength(100);
    const { fact } = await two.save(who, { title: 'Special', content: 'a quokka' });
    expect((await one.search(who, { query: 'quokka' })).results).toMatchObject([{ id: fact!.id }]);
    await one.forget(who, fact!.id);
    expect((await two.search(who, { query: 'quokka' })).results).toEqual([]);
  });
});
