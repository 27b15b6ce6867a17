import type { Findings } from './find.ts';

/**
 * Whether the best hit is likely to be about the question at all. Decided by how much of the question it has, by weight:
 * chosen so that of the questions of the repository's notes nine in ten are answered with confidence, and of questions
 * about other matters three in four are not (`npm run bench -- recall` prints both).
 */
const ENOUGH_COVERED = 0.5;
/** A single word that happens to be there proves little; more of the question has to be. */
const ONE_WORD_COVERED = 0.75;

export function isConfident({ ranked, matched }: Findings): boolean {
  const best = ranked[0];
  if (!best) return false;
  if ((best.parts.vector ?? 0) > 0 && best.covered > 0) return true;
  return best.covered >= (matched.groups > 1 ? ENOUGH_COVERED : ONE_WORD_COVERED);
}
