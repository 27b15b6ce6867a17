// Where a cited span stands in a file as it is now. Pure: the same file and print give the same answer.
import { mostLike } from './likeness.ts';
import { isTelling, type NormalText } from './normal.ts';
import { likeness, type LineRange, placesOf, type SpanPrint, sketchOf, type Stand } from './print.ts';
import type { StoredCite } from './cite.ts';

export type SpanStanding = Readonly<{ state: 'fresh' | 'moved' | 'changed' | 'gone'; now?: LineRange }>;

/** So many neighbours tell one of several equal spans from the others. */
const KNOWN_BY = 2;
/** Below, a file of that name is another one. */
const SAME_FILE = 0.5;
/** Of the names of a span, so many on so few lines are that span, rewritten. */
const SAME_NAMES = 0.9;
/** The same where names alone are no sign: all of them, and some of its lines. */
const SAME_LINES = 1.2;

export function standingIn(file: NormalText, cite: StoredCite): SpanStanding {
  const { from, print } = cite;
  if (!print)
    return { state: likeness(cite.sketch ?? [], sketchOf(file)) >= SAME_FILE ? 'fresh' : 'changed' };
  const place = foundIn(file, cite);
  if (place) return place.from === from ? { state: 'fresh' } : { state: 'moved', now: lines(place) };
  const left = remains(file, cite);
  return left ? { state: 'changed', now: left } : { state: 'gone' };
}

/** The same text, if it is the same span and not another that reads alike. */
export function foundIn(file: NormalText, { from, print }: StoredCite): Stand | undefined {
  const places = placesOf(file, print!);
  const judged = places.map((place) => ({
    place,
    company: companyOf(file, place, print!),
    ...edgesOf(file, place, print!),
  }));
  // What stood there several times, or says next to nothing, is known by its neighbours.
  const isPlain = print!.copies === 1 && places.length === 1 && print!.lines.length > 0;
  // With fewer of them than there were, it may be this one that is missing.
  const all = print!.before.length + print!.after.length;
  const isOneMissing = places.length < print!.copies;
  const needed = isOneMissing ? all : Math.min(KNOWN_BY, all);
  const [best] = judged
    .filter(({ company, isBetween }) => isPlain || (company >= needed && (isBetween || !isOneMissing)))
    .sort(
      (a, b) =>
        b.company - a.company ||
        b.edges - a.edges ||
        Math.abs(a.place.from - from) - Math.abs(b.place.from - from),
    );
  return best?.place;
}

/** How many of its old neighbours stand next to it still. */
function companyOf({ lines: all }: NormalText, { first, last }: Stand, { before, after }: SpanPrint): number {
  const near = (from: number, step: -1 | 1): Set<number> => {
    const found = new Set<number>();
    for (let at = from; at >= 0 && at < all.length && found.size < before.length + 3; at += step)
      if (isTelling(all[at]!)) found.add(all[at]!.hash);
    return found;
  };
  const [above, below] = [near(first - 1, -1), near(last + 1, 1)];
  return before.filter((hash) => above.has(hash)).length + after.filter((hash) => below.has(hash)).length;
}

/** How many of the lines right next to it are as they were, and whether there is one on either side. */
function edgesOf(
  { lines: all }: NormalText,
  { first, last }: Stand,
  { edges }: SpanPrint,
): Readonly<{ edges: number; isBetween: boolean }> {
  if (!edges) return { edges: 0, isBetween: true };
  const run = (hashes: readonly number[], from: number, step: -1 | 1): number => {
    const end = hashes.findIndex((hash, i) => all[from + step * i]?.hash !== hash);
    return end === -1 ? hashes.length : end;
  };
  const above = run(edges.above, first - 1, -1);
  const below = run(edges.below, last + 1, 1);
  const isBetween = (above > 0 || edges.above.length === 0) && (below > 0 || edges.below.length === 0);
  return { edges: above + below, isBetween };
}

/** The lines that have taken its place, as far as something of it is left. */
function remains(file: NormalText, cite: StoredCite): LineRange | undefined {
  const gap = gapOf(file, cite);
  if (gap === undefined) return rewritten(file, cite, SAME_NAMES);
  // Brackets that stood next to it are nothing of it.
  const isOpen = gap.some(isTelling) || (gap.length > 0 && cite.print!.lines.length === 0);
  if (isOpen) return { from: gap[0]!.no, to: gap.at(-1)!.no };
  // Its neighbours have closed up: it was taken out, unless most of it stands elsewhere.
  return rewritten(file, cite, SAME_LINES);
}

/** What stands between its old neighbours, the nearest on either side that are left; undefined where that tells nothing. */
function gapOf({ lines: all }: NormalText, { print }: StoredCite): NormalText['lines'] | undefined {
  const { before, after, lines: own } = print!;
  const placesOfLine = (hash: number): number[] =>
    all.flatMap((line, at) => (line.hash === hash ? [at] : []));
  // What stood at the very beginning or end of its file has that for a neighbour.
  const above = before.length === 0 ? [[-1]] : before.map(placesOfLine);
  const below = after.length === 0 ? [[all.length]] : after.map(placesOfLine);
  // Nearest neighbours first; of several equal lines those that stand closest together.
  for (let far = 0; far < above.length + below.length - 1; far += 1) {
    const gaps = above.flatMap((starts, i) =>
      starts.flatMap((start) => {
        const end = below[far - i]?.find((place) => place > start);
        return end === undefined ? [] : [all.slice(start + 1, end)];
      }),
    );
    const [gap] = gaps.sort((a, b) => a.length - b.length);
    if (gap && (gap.length <= 3 * Math.max(3, own.length) || hasAny(gap, own))) return gap;
  }
  return undefined;
}

function hasAny(lines: NormalText['lines'], wanted: readonly number[]): boolean {
  return lines.some(({ hash }) => wanted.includes(hash));
}

/** A stretch that is more like it than anything in its file was before. */
function rewritten(file: NormalText, { from, to, print }: StoredCite, wanted: number): LineRange | undefined {
  const best = mostLike(file, { from, to, print: print! });
  if (!best || best.share < wanted || best.share <= (print!.rival ?? 0)) return undefined;
  return { from: file.lines[best.first]!.no, to: file.lines[best.last]!.no };
}

const lines = ({ from, to }: Stand): LineRange => ({ from, to });
