import { HubError } from '../../kernel/errors.ts';

/** What a pattern is, and whether two of them can mean the same file. */
const MAX_PATTERN = 500;
const MAX_SEGMENTS = 40;

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
            : undefined;
  if (problem === undefined) return pattern;
  throw new HubError('invalid', `The pattern ${JSON.stringify(text.slice(0, 100))} ${problem}.`, {
    pattern: text.slice(0, MAX_PATTERN),
    hint: 'For example src/auth/**, docs/*.md or package.json.',
  });
}

/** Is there a path that both match? Exact for *, ** and ?. */
export function canOverlap(a: string, b: string): boolean {
  return meet(a.split('/'), b.split('/'), '**', (x, y) =>
    meet(Array.from(x), Array.from(y), '*', (p, q) => p === q || p === '?' || q === '?'),
  );
}

/**
 * Two sequences in which `any` stands for nothing or for any run of items: can they be the same? Looked at from the end,
 * so that each pair of positions is decided once.
 */
function meet<T>(a: readonly T[], b: readonly T[], any: T, isSame: (x: T, y: T) => boolean): boolean {
  let below: boolean[] = [];
  for (let i = a.length; i >= 0; i -= 1) {
    const row: boolean[] = Array.from({ length: b.length + 1 }, () => false);
    for (let j = b.length; j >= 0; j -= 1) {
      if (i === a.length && j === b.length) row[j] = true;
      else if (i < a.length && a[i] === any) row[j] = below[j]! || (j < b.length && row[j + 1]!);
      else if (j < b.length && b[j] === any) row[j] = row[j + 1]! || (i < a.length && below[j]!);
      else row[j] = i < a.length && j < b.length && isSame(a[i]!, b[j]!) && below[j + 1]!;
    }
    below = row;
  }
  return below[0]!;
}
