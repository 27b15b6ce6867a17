import { overlap } from './near-duplicates.ts';
import { scopeOf } from './place.ts';
import type { Ranked } from './score/ranked.ts';

/** As far as people read, and how alike two notes must be for the newer one to be an update of the older. */
const LOOKED_AT = 10;
const ALIKE = 0.6;
/** A newer note overtakes an older one only if it answers nearly as well. */
const NEARLY = 0.75;

/** Of two notes that say nearly the same, what was written last comes first: it is what holds now. */
export function newerFirst(ranked: readonly Ranked[]): readonly Ranked[] {
  const top = ranked.slice(0, LOOKED_AT);
  const words = new Map<Ranked, ReadonlySet<string>>();
  const wordsOf = (one: Ranked): ReadonlySet<string> => {
    let known = words.get(one);
    if (!known) words.set(one, (known = new Set(one.item.terms.split(' '))));
    return known;
  };
  let isChanged = false;
  for (let i = 1; i < top.length; i += 1) {
    const newer = top[i]!;
    const at = top.findIndex((older, j) => j < i && isUpdate(newer, older) && overlap(wordsOf(newer), wordsOf(older)) >= ALIKE);
    if (at < 0) continue;
    top.splice(i, 1);
    top.splice(at, 0, newer);
    isChanged = true;
  }
  return isChanged ? [...top, ...ranked.slice(LOOKED_AT)] : ranked;
}

function isUpdate(newer: Ranked, older: Ranked): boolean {
  if (newer.item.flags.isSpoken || older.item.flags.isSpoken) return false;
  const isLater = newer.item.number > older.item.number && scopeOf(newer.item.number) === scopeOf(older.item.number);
  return isLater && newer.score >= older.score * NEARLY;
}
