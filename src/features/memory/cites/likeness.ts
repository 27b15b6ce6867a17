// The stretch of a file that is most like a cited span, by its lines and its names.
import { hashOfText, type NormalLine } from './normal.ts';

type Likened = Readonly<{
  from: number;
  to: number;
  print: Readonly<{ lines: readonly number[]; names: readonly number[] }>;
}>;

/** `first` and `last` are places in `lines`; `share`: of its names and of its lines, up to 2. */
type Likeness = Readonly<{ first: number; last: number; share: number }>;

/** No longer than the span was twice over. */
export function mostLike(
  { text, lines: all }: Readonly<{ text: string; lines: readonly NormalLine[] }>,
  { from, to, print }: Likened,
): Likeness | undefined {
  const own = new Set(print.lines);
  const reach = 2 * (to - from + 1) + 2;
  const names = new Set(print.names);
  const namesOf = all.map(({ start, end }) => namesIn(text.slice(start, end), names));
  let best: Likeness | undefined;
  for (const [first, found] of namesOf.entries()) {
    if (found.length === 0 && !own.has(all[first]!.hash)) continue;
    const seen = new Set<number>();
    const held = new Set<number>();
    for (let last = first; last < all.length && last - first < reach; last += 1) {
      for (const name of namesOf[last]!) seen.add(name);
      if (own.has(all[last]!.hash)) held.add(all[last]!.hash);
      if (namesOf[last]!.length === 0 && !own.has(all[last]!.hash)) continue;
      const share = seen.size / Math.max(1, names.size) + held.size / Math.max(1, own.size);
      if (share > (best?.share ?? 0)) best = { first, last, share };
    }
  }
  return best;
}

function namesIn(line: string, wanted: ReadonlySet<number>): number[] {
  return [...line.matchAll(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu)]
    .map(([name]) => hashOfText(name))
    .filter((hash) => wanted.has(hash));
}
