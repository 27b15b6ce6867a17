import { overlap } from './near-duplicates.ts';
import { scopeOf } from './place.ts';
import type { Ranked } from './score/ranked.ts';

/** As far as people read, and how alike two notes must be for the newer one to be an update of the older. */
const LOOKED_AT = 10;
const ALIKE = 0.6;
/** A newer note overtakes an older one only if it answers nearly as well. */
const NEARLY = 0.7;

/** Of two notes that say nearly the same, or of which the later says that it changes the other, the later comes first. */
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
    const at = top.findIndex((older, j) => j < i && isLater(newer, older) && isUpdate(newer, older, wordsOf));
    if (at < 0) continue;
    top.splice(i, 1);
    top.splice(at, 0, newer);
    isChanged = true;
  }
  return isChanged ? [...top, ...ranked.slice(LOOKED_AT)] : ranked;
}

function isLater(newer: Ranked, older: Ranked): boolean {
  if (newer.item.flags.isSpoken || older.item.flags.isSpoken) return false;
  const isAfter =
    newer.item.number > older.item.number && scopeOf(newer.item.number) === scopeOf(older.item.number);
  return isAfter && newer.score >= older.score * NEARLY;
}

/** What a note says that changes another: now, no longer, changed, instead, since, superseded, replaced, became. */
const CHANGES = ['now', 'longer', 'chang', 'instead', 'sinc', 'supersed', 'replac', 'becom', 'shorten'];

function isUpdate(newer: Ranked, older: Ranked, wordsOf: (one: Ranked) => ReadonlySet<string>): boolean {
  const [late, early] = [wordsOf(newer), wordsOf(older)];
  if (overlap(late, early) >= ALIKE) return true;
  return CHANGES.some((word) => late.has(word)) && shareOfTitle(newer, older) >= ALIKE;
}

/** Share of the shorter title's words that the other has too. */
function shareOfTitle(one: Ranked, other: Ranked): number {
  const [a, b] = [titleOf(one), titleOf(other)];
  const shared = [...a].filter((word) => b.has(word)).length;
  const fewest = Math.min(a.size, b.size);
  return fewest < 2 ? 0 : shared / fewest;
}

function titleOf({ item }: Ranked): ReadonlySet<string> {
  return new Set(item.terms.slice(0, item.flags.titleLetters).split(' ').filter(Boolean));
}
