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

/** So many may pass those that words rank before them, and all others keep their order: nobody loses more places. */
const LIFTED = 3;

/** Meaning decides where words leave it open: what they rank stays as it is where they do not. */
export function preferMeaning(
  { byWords, byMeaning }: Found,
  similarity: ReadonlyMap<number, number>,
): readonly Ranked[] {
  const doubt = doubtOf([...byWords, ...byMeaning]);
  const nearnessOf = ({ item }: Ranked): number => similarity.get(item.number) ?? 0;
  const lifted = doubt === 0 ? [] : liftedOf({ byWords, byMeaning }, nearnessOf, doubt);
  const isLifted = new Set(lifted.map(({ item }) => item.number));
  const others = (notes: readonly Ranked[]): Ranked[] =>
    notes.filter(({ item }) => !isLifted.has(item.number));
  // Nothing was added to these, but that meaning found them as well is worth telling.
  const found = others(byWords).map((note) =>
    nearnessOf(note) > 0 ? { ...note, parts: { ...note.parts, vector: 0 } } : note,
  );
  const last = [...lifted, ...byWords].reduce((least, { score }) => Math.min(least, score), 1);
  const meant = others(byMeaning).map((note) => {
    const vector = Math.max(0, last) * nearnessOf(note);
    return { ...note, score: vector, parts: { vector } };
  });
  return [...lifted, ...found, ...meant];
}

/** The best of both together. Nobody else can have more points: meaning only adds some. */
function liftedOf(
  { byWords, byMeaning }: Found,
  nearnessOf: (note: Ranked) => number,
  doubt: number,
): readonly Ranked[] {
  // Words have passed these over once; their own words count again only as far as the others' are doubted.
  const meant = byMeaning.map((note) => ({ ...note, score: note.score * doubt }));
  return [...byWords, ...meant]
    .map((note) => {
      const vector = NOTE_WEIGHTS.vector * nearnessOf(note) * doubt;
      return { ...note, score: note.score + vector, parts: { ...note.parts, vector } };
    })
    .toSorted((a, b) => b.score - a.score || b.item.number - a.item.number)
    .slice(0, LIFTED);
}
