import { useMemo } from 'react';
import { useDrafts } from '../drafts/use-draft.ts';
import { keyOf, type PatchLine } from './patch.ts';
import type { Thread } from './queries.ts';

/** Lines that somebody says something about. */
export type Range = Readonly<{
  path: string;
  side: Thread['side'];
  from: number;
  to: number;
  quoted: string;
}>;

const prefixOf = (review: string) => `review ${review} line `;

export function draftKey(review: string, { path, side, from, to }: Range): string {
  return `${prefixOf(review)}${path} ${side} ${from}-${to}`;
}

/** What was begun and not sent: each is open again where it stood. */
export function useBegun(review: string): readonly Range[] {
  const drafts = useDrafts(prefixOf(review));
  return useMemo(
    () =>
      [...drafts.values()].flatMap(({ about }) => {
        const { path, side, from, to, quoted } = about ?? {};
        if (path === undefined || (side !== 'before' && side !== 'after')) return [];
        return [{ path, side, from: Number(from), to: Number(to), quoted: quoted ?? '' }];
      }),
    [drafts],
  );
}

export function aboutOf({ path, side, from, to, quoted }: Range): Readonly<Record<string, string>> {
  return { path, side, from: String(from), to: String(to), quoted };
}

/** The line that a thread stands under: where it was said, or where the same words are now; undefined when they are gone. */
export function threadLine(
  { side, toLine, quoted }: Thread,
  lines: readonly PatchLine[],
): string | undefined {
  const last = quoted.split('\n').at(-1) ?? '';
  const numberOf = (line: PatchLine) => (side === 'before' ? line.before : line.after);
  const same = lines.filter(
    (line) => numberOf(line) !== undefined && line.text.slice(0, 1_000) === last.slice(0, 1_000),
  );
  const nearest = same.toSorted(
    (a, b) => Math.abs(numberOf(a)! - toLine) - Math.abs(numberOf(b)! - toLine),
  )[0];
  return nearest && keyOf(nearest);
}

/** Under the last of its lines. */
export function rangeKey(
  { side, to }: Pick<Range, 'side' | 'to'>,
  lines: readonly PatchLine[],
): string | undefined {
  const line = lines.find((each) => (side === 'before' ? each.before : each.after) === to);
  return line && keyOf(line);
}
