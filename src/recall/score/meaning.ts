import type { Ranked } from './ranked.ts';
import { NOTE_WEIGHTS } from './weights.ts';

/**
 * Whether the best hit is likely to be about the question at all, decided by how much of the question it has, by weight. At
 * this share nine in ten of the notes' questions whose first hit is right are answered with confidence, and one in six of
 * those that are about other matters; `evaluation.test.ts` holds both.
 */
export const ENOUGH = 0.45;

/** How far words leave it open what was meant: 0 where they answer with confidence, 1 where none of them is there. */
function doubtOf(ranked: readonly Ranked[]): number {
  return Math.max(0, 1 - ranked.reduce((best, { covered }) => Math.max(best, covered), 0) / ENOUGH);
}

type Found = Readonly<{ byWords: readonly Ranked[]; byMeaning: readonly Ranked[] }>;

/** As far as people read: within these meaning changes the order, and one at most comes in from behind. */
const LOOKED_AT = 10;
/** How near the others are beside the nearest counts for more than a straight line gives: models tell the first few apart by little. */
const BLUNT = 0.7;

/**
 * Meaning decides where words leave it open: what they rank stays as it is where they do not. Even a model that knows
 * nothing puts out one of the first ten at most, and moves nothing behind them.
 */
export function preferMeaning(
  { byWords, byMeaning }: Found,
  similarity: ReadonlyMap<number, number>,
): readonly Ranked[] {
  const doubt = doubtOf([...byWords, ...byMeaning]);
  const nearnessOf = ({ item }: Ranked): number => similarity.get(item.number) ?? 0;
  const first = doubt === 0 ? [] : firstOf({ byWords, byMeaning }, nearnessOf, doubt);
  const isFirst = new Set(first.map(({ item }) => item.number));
  const others = (notes: readonly Ranked[]): Ranked[] =>
    notes.filter(({ item }) => !isFirst.has(item.number));
  // Nothing was added to these, but that meaning found them as well is worth telling.
  const found = others(byWords).map((note) =>
    nearnessOf(note) > 0 ? { ...note, parts: { ...note.parts, vector: 0 } } : note,
  );
  const last = [...first, ...byWords].reduce((least, { score }) => Math.min(least, score), 1);
  const meant = others(byMeaning).map((note) => {
    const vector = Math.max(0, last) * nearnessOf(note);
    return { ...note, score: vector, parts: { vector } };
  });
  return [...first, ...found, ...meant];
}

/** Points are only ever added to these, so nobody else has more. */
function firstOf(
  { byWords, byMeaning }: Found,
  nearnessOf: (note: Ranked) => number,
  doubt: number,
): readonly Ranked[] {
  const sorted = byWords.toSorted(best);
  // Words have passed these over once; their own words count again only as far as the others' are doubted.
  const meant = byMeaning.map((note) => ({ ...note, score: note.score * doubt }));
  const nearest = [...sorted.slice(LOOKED_AT), ...meant].filter((note) => nearnessOf(note) === 1).slice(0, 1);
  return [...sorted.slice(0, LOOKED_AT), ...nearest]
    .map((note) => {
      const vector = NOTE_WEIGHTS.vector * nearnessOf(note) ** BLUNT * doubt;
      return { ...note, score: note.score + vector, parts: { ...note.parts, vector } };
    })
    .toSorted(best)
    .slice(0, LOOKED_AT);
}

function best(a: Ranked, b: Ranked): number {
  return b.score - a.score || b.item.number - a.item.number;
}
