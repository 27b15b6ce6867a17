import { HubError } from '../../kernel/errors.ts';
import { excerpt } from '../../kernel/redact.ts';

/** What a pattern is, and whether two of them can mean the same file. */
const MAX_PATTERN = 500;
const MAX_SEGMENTS = 40;
/** No name of a file needs more; each makes every comparison dearer. */
const MAX_WILDCARDS = 16;

/** A path from the root of the working copy, with *, ** and ?. A slash at the end stands for all that is below. */
export function readPattern(text: string): string {
  const pattern = text.replace(/^(\.\/)+/, '').replace(/\/$/, '/**');
  const segments = pattern.split('/');
  const problem =
    pattern === '' || pattern.length > MAX_PATTERN || segments.length > MAX_SEGMENTS
      ? `must have 1 to ${MAX_PATTERN} characters and at most ${MAX_SEGMENTS} parts`
      : /[\p{Cc}\\[\]{}]/u.test(pattern)
        ? 'knows *, ** and ? and no other signs'
        : segments.some((segment) => segment === '' || segment === '.' || segment === '..')
          ? 'must be a path from the root of the working copy, without . and ..'
          : segments.some((segment) => segment.includes('**') && segment !== '**')
            ? 'has ** only as a whole part between slashes'
            : (pattern.match(/\*+|\?/g)?.length ?? 0) > MAX_WILDCARDS
              ? `must have at most ${MAX_WILDCARDS} wildcards`
              : undefined;
  if (problem === undefined) return pattern;
  throw new HubError('invalid', `The pattern ${JSON.stringify(excerpt(text, 100))} ${problem}.`, {
    pattern: text.slice(0, MAX_PATTERN),
    hint: 'For example src/auth/**, docs/*.md or package.json.',
  });
}

/** How much looking one request may cost. What two patterns cost is at most their lengths multiplied. */
export type Effort = { left: number };
export const EFFORT = 20_000_000;

/** Is there a path that both match? Exact for *, ** and ?. */
export function canOverlap(a: string, b: string, effort: Effort = { left: EFFORT }): boolean {
  const isSame = (x: string, y: string) =>
    meet(Array.from(x), Array.from(y), { any: '*', isSame: isSameSign, effort });
  return meet(a.split('/'), b.split('/'), { any: '**', isSame, effort });
}

/** Does a pattern mean this file? What would cost more than is left is not looked at. */
export function isUnder(pattern: string, path: string, effort: Effort): boolean {
  const plain = pattern.search(/[*?]/);
  if (plain < 0) return pattern === path;
  if (!path.startsWith(pattern.slice(0, plain)) || effort.left < pattern.length * path.length) return false;
  return canOverlap(pattern, path, effort);
}

function isSameSign(p: string, q: string): boolean {
  return p === q || p === '?' || q === '?';
}

type Meeting = Readonly<{ any: string; isSame(x: string, y: string): boolean; effort: Effort }>;

/**
 * Two sequences in which `any` stands for nothing or for any run of items: can they be the same? What stands before the
 * first `any` of either and behind the last one must fit. Where both have one that is all: each can swallow the middle
 * of the other. Otherwise the pieces of the one are looked for in the other, each as early as possible.
 */
function meet(a: readonly string[], b: readonly string[], { any, isSame, effort }: Meeting): boolean {
  const fits = (x: string | undefined, y: string | undefined) => {
    if ((effort.left -= 1) < 0) throw tooMuch();
    return x !== undefined && y !== undefined && isSame(x, y);
  };
  const [isOpenA, isOpenB] = [a.includes(any), b.includes(any)];
  if (!isOpenA && !isOpenB) return a.length === b.length && a.every((x, i) => fits(x, b[i]));
  const [before, behind] = [reach(a, b, any), reach(a.toReversed(), b.toReversed(), any)];
  for (let i = 0; i < before; i += 1) if (!fits(a[i], b[i])) return false;
  for (let i = 1; i <= behind; i += 1) if (!fits(a.at(-i), b.at(-i))) return false;
  if (isOpenA && isOpenB) return true;
  const [open, plain] = isOpenA ? [a, b] : [b, a];
  const middle = plain.slice(before, plain.length - behind);
  return (
    before + behind <= plain.length &&
    holds(middle, piecesOf(open.slice(before, open.length - behind), any), fits)
  );
}

/** How far both go before the first `any`; all of it must be there in both. */
function reach(a: readonly string[], b: readonly string[], any: string): number {
  const [x, y] = [a.indexOf(any), b.indexOf(any)];
  if (x >= 0 && y >= 0) return Math.min(x, y);
  return Math.max(x, y);
}

function piecesOf(items: readonly string[], any: string): string[][] {
  const pieces: string[][] = [[]];
  for (const item of items) {
    if (item === any) pieces.push([]);
    else pieces.at(-1)!.push(item);
  }
  return pieces.filter((piece) => piece.length > 0);
}

/** Are the pieces in there one behind the other? */
function holds(
  items: readonly string[],
  pieces: readonly string[][],
  fits: (x?: string, y?: string) => boolean,
): boolean {
  let at = 0;
  for (const piece of pieces) {
    while (at + piece.length <= items.length && !piece.every((item, i) => fits(item, items[at + i]))) at += 1;
    if (at + piece.length > items.length) return false;
    at += piece.length;
  }
  return true;
}

function tooMuch(): HubError {
  return new HubError('limited', 'These patterns meet too many others to be compared.', {
    hint: 'Use fewer patterns at once, and names instead of wildcards where they begin.',
  });
}
