import type { Findings } from './find.ts';
import { ENOUGH } from './score/meaning.ts';

/** A single word that happens to be there proves nothing unless it is all that was asked. */
const ALL_OF_ONE = 0.99;

export function isConfident({ ranked, matched }: Findings): boolean {
  const best = ranked[0];
  return best !== undefined && best.covered >= (matched.groups > 1 ? ENOUGH : ALL_OF_ONE);
}
