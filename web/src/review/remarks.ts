import { useMemo } from 'react';
import { allDrafts, forgetDraft, keepDraft } from '../drafts/drafts.ts';
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

/** What was begun about one line is about more of them now. */
export function moveBegun(review: string, from: Range, to: Range): void {
  const draft = allDrafts().get(draftKey(review, from));
  if (!draft || draftKey(review, from) === draftKey(review, to)) return;
  keepDraft(draftKey(review, to), { ...draft, about: { ...draft.about, ...aboutOf(to) } });
  forgetDraft(draftKey(review, from));
}

/** What is kept of the words of a line, and of all lines together. */
const KEPT_OF_LINE = 1_000;
export const KEPT_OF_LINES = 10_000;

export const keptOf = (line: string): string => line.slice(0, KEPT_OF_LINE).toWellFormed();

type Said = Readonly<{ side: Thread['side']; at: number; quoted: string }>;

/** Where something was said, or where the same words are now, as near as may be; undefined when they are gone. */
function nearest<Line>(
  { at, quoted }: Omit<Said, 'side'>,
  lines: readonly Readonly<{ line: Line; number: number; text: string }>[],
): Line | undefined {
  const last = quoted.split('\n').at(-1) ?? '';
  // Of more than is kept the end is not known: there the number has to do.
  const isCut = quoted.length >= KEPT_OF_LINES;
  const isSame = (text: string, number: number) => (isCut ? number === at : keptOf(text) === keptOf(last));
  return lines
    .filter(({ text, number }) => isSame(text, number))
    .toSorted((a, b) => Math.abs(a.number - at) - Math.abs(b.number - at))[0]?.line;
}

function lineKey({ side, at, quoted }: Said, lines: readonly PatchLine[]): string | undefined {
  const line = nearest(
    { at, quoted },
    lines.flatMap((each) => {
      const number = side === 'before' ? each.before : each.after;
      return number === undefined ? [] : [{ line: each, number, text: each.text }];
    }),
  );
  return line && keyOf(line);
}

/** The line that a thread stands under. */
export function threadLine({ toLine, ...said }: Thread, lines: readonly PatchLine[]): string | undefined {
  return lineKey({ ...said, at: toLine }, lines);
}

/** The line that something which is being written stands under: the last of its lines. */
export function rangeKey({ to, ...said }: Range, lines: readonly PatchLine[]): string | undefined {
  return lineKey({ ...said, at: to }, lines);
}

/** The number of that line in the whole of a file, whether it is shown or not. */
export function lineNow(said: Thread | Range, text: readonly string[]): number | undefined {
  const at = 'to' in said ? said.to : said.toLine;
  return nearest(
    { at, quoted: said.quoted },
    text.map((line, index) => ({ line: index + 1, number: index + 1, text: line })),
  );
}
