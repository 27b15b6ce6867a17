import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findContradictions } from '../../src/recall/recall.ts';
import { freshDatabase, eachEngine } from '../fixtures/databases.ts';
import { freshDesk } from '../fixtures/memory-host.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';

type Pair = Readonly<{ isClash: boolean; a: string; b: string }>;

/** `seen`: the rules were made with it; `aside`: looked at once, when they were done. */
function readHalf(half: 'seen' | 'aside', name = 'pairs.txt'): Pair[] {
  const lines = readFileSync(new URL(name, import.meta.url), 'utf8').split('\n');
  const all = ['+', '-'].map((sign) => lines.filter((line) => line.startsWith(`${sign} `)));
  return all
    .flatMap((same) => same.filter((_, i) => (i % 2 === 0) === (half === 'seen')))
    .map((line) => {
      const [a, b] = line.slice(2).split(' | ');
      return { isClash: line.startsWith('+'), a: a!, b: b! };
    });
}

async function measure(pairs: readonly Pair[]) {
  const said = await Promise.all(
    pairs.map(async ({ a, b, isClash }) => {
      const found = await findContradictions({ title: '', text: a }, [{ id: 'b', title: '', text: b }]);
      return { isClash, isSaid: found.length > 0 };
    }),
  );
  const right = said.filter(({ isClash, isSaid }) => isClash && isSaid).length;
  return {
    precision: right / said.filter(({ isSaid }) => isSaid).length,
    recall: right / said.filter(({ isClash }) => isClash).length,
  };
}

it.each(['seen', 'aside'] as const)('contradictions are precise: the half %s', async (half) => {
  const { precision, recall } = await measure(readHalf(half));
  expect(precision).toBeGreaterThanOrEqual(0.95);
  expect(recall).toBeGreaterThanOrEqual(0.9);
});

it.each([
  ['seen', 'second'],
  ['aside', 'second'],
  ['seen', 'third'],
  ['aside', 'third'],
] as const)('and so on pairs by other authors: the half %s of the %s lot', async (half, lot) => {
  const { precision, recall } = await measure(readHalf(half, `${lot}-pairs.txt`));
  expect(precision).toBeGreaterThanOrEqual(0.9);
  expect(recall).toBeGreaterThanOrEqual(0.5);
});

it('what stands under two titles is about two things', async () => {
  const clash = (title: string) =>
    findContradictions({ title: 'Gateway', text: 'The port is 8080.' }, [
      { id: 'b', title, text: 'The port is 9090.' },
    ]);
  expect(await clash('Metrics server')).toEqual([]);
  expect(await clash('Gateway')).toMatchObject([{ with: 'b', why: 'they give different numbers' }]);
});

eachEngine('saving what disagrees', (engine) => {
  const who = localPrincipal('seat', { team: 'red', agent: 'ann' });

  it('names the facts that it contradicts and three ways on, and changes nothing', async () => {
    const desk = freshDesk(await freshDatabase(engine));
    const old = (await desk.save(who, { title: 'Gateway', content: 'The gateway listens on port 8080.' }))
      .fact!;
    await desk.save(who, { title: 'Metrics', content: 'The metrics server listens on port 9100.' });
    const saved = await desk.save(who, { title: 'Gateway', content: 'The gateway listens on port 9090.' });
    expect(saved).toMatchObject({
      contradicts: [old.id],
      contradictions: [
        { id: old.id, mine: expect.stringContaining('9090'), theirs: expect.stringContaining('8080') },
      ],
      choices: {
        supersede: expect.stringContaining(old.id),
        keepBoth: expect.any(String),
        discard: expect.stringContaining(saved.fact!.id),
      },
    });
    expect((await desk.browse(who, {})).facts).toHaveLength(3);
    await desk.supersede(who, { id: old.id, content: 'The gateway listens on port 9090.' });
    expect((await desk.browse(who, {})).facts.map(({ id }) => id)).not.toContain(old.id);
  });

  it('lets what was just saved take the place, under another title, as the answer says', async () => {
    const desk = freshDesk(await freshDatabase(engine));
    await desk.save(who, { title: 'Gateway', content: 'The gateway listens on port 8080.' });
    const content = 'The gateway listens on port 9090.';
    const saved = await desk.save(who, { title: 'Gateway, moved', content, tags: ['ports'] });
    const [, args = ''] = /^memory_supersede (\{.*\}) with/.exec(saved.choices!.supersede) ?? [];
    await desk.supersede(who, { ...JSON.parse(args), content });
    expect((await desk.browse(who, {})).facts.map(({ id }) => id)).toEqual([saved.fact!.id]);
  });

  it('only within the same scope, and not with what no longer holds', async () => {
    const desk = freshDesk(await freshDatabase(engine));
    const blue = localPrincipal('seat', { team: 'blue', agent: 'bob' });
    const first = (await desk.save(blue, { title: 'Day', content: 'Deploys run on Tuesdays.' })).fact!;
    const other = await desk.save(who, { title: 'Day', content: 'Deploys run on Thursdays.' });
    expect(other.contradicts).toBeUndefined();
    await desk.refute(blue, { id: first.id, reason: 'no' });
    const again = await desk.save(blue, { title: 'Day', content: 'Deploys run on Fridays.' });
    expect(again.contradicts).toBeUndefined();
  });

  it('keeps since and until what it holds as text, and bounds an answer', async () => {
    const desk = freshDesk(await freshDatabase(engine));
    await desk.save(who, { title: 'Flags', content: 'The flag --fast works since v3 only.' });
    await desk.save(who, { title: 'Locks', content: 'Lock files were yarn until we moved to pnpm.' });
    const holdsOf = async (query: string) => (await desk.search(who, { query })).results[0]?.holds;
    expect(await holdsOf('flag fast')).toBe('since v3');
    expect(await holdsOf('lock files')).toBe('until we moved to pnpm');
    const filler = 'The harbour is quiet at night and nothing moves. '.repeat(1_000);
    for (let i = 0; i < 3; i += 1)
      await desk.save(who, {
        title: `Log ${i}`,
        content: `${filler} The anchor chain ${i} broke. ${filler}`,
      });
    const { results } = await desk.search(who, { query: 'anchor chain broke' });
    expect(results).toHaveLength(3);
    expect(results.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThan(26_000);
    for (const hit of results) expect([hit.cut, hit.content.includes('anchor chain')]).toEqual([true, true]);
    const brief = (await desk.search(who, { query: 'anchor chain broke', brief: true })).results;
    for (const hit of brief) expect(hit.content.length).toBeLessThan(220);
    expect((await desk.get(who, results[0]!.id)).content.length).toBeGreaterThan(90_000);
  });
});
