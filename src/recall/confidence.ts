import type { Findings } from './find.ts';

/**
 * Whether the best hit is likely to be about the question at all, decided by how much of the question it has, by weight. At
 * this share nine in ten of the notes' questions whose first hit is right are answered with confidence, and one in six of
 * those that are about other matters; `evaluation.test.ts` holds both.
 */
const ENOUGH = 0.45;
/** A single word that happens to be there proves nothing unless it is all that was asked. */
const ALL_OF_ONE = 0.99;

export function isConfident({ ranked, matched }: Findings): boolean {
  const best = ranked[0];
  return best !== undefined && best.covered >= (matched.groups > 1 ? ENOUGH : ALL_OF_ONE);
}
