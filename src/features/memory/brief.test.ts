import { describe, expect, it } from 'vitest';
import { bounded, MOST_CHARACTERS } from './brief.ts';
import type { MemoryHit } from './fact.ts';

const sentence = (i: number): string => `Sentence ${i} tells of sails, ropes and weather in the harbour. `;

function hitOf(id: string, length: number, found = 'The pump is started with the red key. '): MemoryHit {
  const filler = Array.from({ length: Math.ceil(length / 40) }, (_, i) => sentence(i)).join('');
  const half = Math.floor(length / 2);
  return {
    id,
    title: id,
    content: `${filler.slice(0, half)}. ${found}${filler}`.slice(0, length),
    tags: [],
    scopeAgentId: null,
    scopeTeamId: null,
    tenantId: null,
    createdAt: 1,
    updatedAt: 1,
    kind: 'fact',
    score: 1,
    matchedVia: 'fts',
    why: 'has pump',
  };
}

const lettersOf = (hits: readonly MemoryHit[]): number =>
  hits.reduce((sum, { content }) => sum + content.length, 0);
/** What says that a passage begins or ends in the middle. */
const MARKS = 4;

describe('an answer that fits', () => {
  it.each([1, 5, 10, 50, 100])('has all of %i long hits within the bound, in their order', (count) => {
    const hits = Array.from({ length: count }, (_, i) => hitOf(`hit ${i}`, 5_000));
    const shown = bounded(hits, { query: 'pump key', most: MOST_CHARACTERS });
    expect(shown.map(({ id }) => id)).toEqual(hits.map(({ id }) => id));
    expect(lettersOf(shown)).toBeLessThanOrEqual(MOST_CHARACTERS + MARKS * count);
    for (const { content } of shown) expect(content).toContain('The pump is started with the red key.');
  });

  it('has the best whole and says which are not', () => {
    const shown = bounded(
      Array.from({ length: 10 }, (_, i) => hitOf(`hit ${i}`, 8_000)),
      { query: 'pump', most: MOST_CHARACTERS },
    );
    expect(shown.map(({ cut }) => cut === true)).toEqual([false, false, ...Array<boolean>(8).fill(true)]);
  });

  it('tells every hit by one passage of at most two hundred letters when it is to be brief', () => {
    const hits = [
      hitOf('long', 9_000),
      { ...hitOf('short', 20), content: 'Short and whole.' },
      hitOf('last', 700),
    ];
    const shown = bounded(hits, { query: 'pump key', brief: true, most: MOST_CHARACTERS });
    for (const { content } of shown) expect(content.length).toBeLessThanOrEqual(200 + MARKS);
    expect(shown.map(({ cut }) => cut === true)).toEqual([true, false, true]);
    expect(shown[0]!.content).toContain('The pump is started with the red key.');
  });

  it('cuts nothing where no bound was asked for', () => {
    const hits = [hitOf('a', 50_000), hitOf('b', 50_000)];
    expect(bounded(hits, { query: 'pump' })).toEqual(hits);
  });
});
