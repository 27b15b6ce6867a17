import type { Ranked } from './ranked.ts';
import { NOTE_WEIGHTS } from './weights.ts';

/**
 * Whether the best hit is likely to be about the question at all, decided by how much of the question it has, by weight. At
 * this share nine in ten of the notes' questions whose first hit is right are answered with confidence, and one in six of
 * those that are about other matters; `evaluation.test.ts` holds both.
 */
export const ENOUGH = 0.45;

/** How far words leave it open what was meant: 0 where they answer with confidence, 1 where none of them is there. */
export function doubtOf(ranked: readonly Ranked[]): number {
  return Math.max(0, 1 - ranked.reduce((best, { covered }) => Math.max(best, covered), 0) / ENOUGH);
}

type Found = Readonly<{ byWords: readonly Ranked[]; byMeaning: readonly Ranked[] }>;

/** Meaning decides where words leave it open: what they rank stays as it is where they do not. */
export function preferMeaning(
  { byWords, byMeaning }: Found,
  similarity: ReadonlyMap<number, number>,
): readonly Ranked[] {
  const doubt = doubtOf([...byWords, ...byMeaning]);
  // Words have passed these over once; their own words count again only as far as the others' are doubted.
  const meant = byMeaning.map((note) => ({ ...note, score: note.score * doubt }));
  return [...byWords, ...meant].map((note) => {
    const near = similarity.get(note.item.number) ?? 0;
    if (near <= 0) return note;
    const vector = NOTE_WEIGHTS.vector * near * doubt;
    return { ...note, score: note.score + vector, parts: { ...note.parts, vector } };
  });
}
