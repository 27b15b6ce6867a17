// Finds text and replaces it whatever its line endings; those of the file stay as they are.
import { HubError } from '../../../kernel/errors.ts';
import { withEndings } from './text.ts';

export type Splice = Readonly<{ start: number; end: number; insert: string }>;

/**
 * Where `old` stands in `text`, whatever the line endings of either: matched on normalised text, applied to the
 * original, so that lines which are not part of a match keep the ending they have.
 */
export function findSplices(
  text: string,
  change: Readonly<{ old: string; new: string; all: boolean; name: string; dominant: string }>,
): Splice[] {
  const { plain, origin } = normalise(text);
  const old = change.old.replace(/\r\n|\r/g, '\n');
  const places: number[] = [];
  for (let at = plain.indexOf(old); at >= 0; at = plain.indexOf(old, at + old.length)) places.push(at);
  if (places.length === 0)
    throw new HubError('conflict', `old_string does not occur in ${change.name}.`, {
      denied: 'edit:absent',
      hint: 'Read the file again; the text must match exactly, with its indentation.',
    });
  if (places.length > 1 && !change.all) {
    throw new HubError('conflict', `old_string occurs ${places.length} times in ${change.name}.`, {
      denied: 'edit:ambiguous',
      occurrences: places.length,
      lines: places.slice(0, 20).map((at) => plain.slice(0, at).split('\n').length),
      hint: 'Give more of the text around it, or set replace_all.',
    });
  }
  return places.map((at) => {
    const [start, end] = [origin(at), origin(at + old.length)];
    const ending = /\r\n|\r|\n/.exec(text.slice(start, end))?.[0] ?? change.dominant;
    return { start, end, insert: withEndings(change.new, ending) };
  });
}

export function applySplices(text: string, splices: readonly Splice[]): string {
  let out = '';
  let at = 0;
  for (const { start, end, insert } of splices) {
    out += text.slice(at, start) + insert;
    at = end;
  }
  return out + text.slice(at);
}

/** Only `\r\n` shortens the text, so an offset moves by the number of pairs before it. */
function normalise(text: string): { plain: string; origin(offset: number): number } {
  const pairs: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2))
    pairs.push(at - pairs.length);
  const origin = (offset: number) => {
    let [low, high] = [0, pairs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    return offset + low;
  };
  return { plain: text.replace(/\r\n|\r/g, '\n'), origin };
}

const MOST_LINES = 200;
const AROUND = 3;

/** How much is looked at for the lines around a change. */
const NEAR = 20_000;

/** A unified diff made from the places that changed, not by comparing: it is right however much was inserted. */
export function unifiedDiff(before: string, splices: readonly Splice[], name: string): string {
  const lines = [`--- ${name}`, `+++ ${name}`];
  let shift = 0;
  let counted = { at: 0, line: 1 };
  for (const { start, end, insert } of splices) {
    const first = lineStart(before, start);
    const last = lineEnd(before, end);
    counted = { at: first, line: counted.line + countLines(before.slice(counted.at, first)) };
    const removed = split(before.slice(first, last));
    const added = split(before.slice(first, start) + insert + before.slice(end, last));
    const lead = split(before.slice(Math.max(0, first - NEAR), first)).slice(-AROUND);
    const trail = split(before.slice(last, last + NEAR).replace(/^(?:\r\n|\r|\n)/, '')).slice(0, AROUND);
    const from = counted.line - lead.length;
    const around = lead.length + trail.length;
    lines.push(`@@ -${from},${removed.length + around} +${from + shift},${added.length + around} @@`);
    lines.push(
      ...lead.map((l) => ` ${l}`),
      ...removed.map((l) => `-${l}`),
      ...added.map((l) => `+${l}`),
      ...trail.map((l) => ` ${l}`),
    );
    shift += added.length - removed.length;
    if (lines.length > MOST_LINES) return [...lines.slice(0, MOST_LINES), '…'].join('\n');
  }
  return lines.join('\n');
}

/** Line ends of any kind in a part that begins and ends at a line. */
function countLines(part: string): number {
  return part.match(/\r\n|\r|\n/g)?.length ?? 0;
}

function lineStart(text: string, at: number): number {
  return Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1;
}

function lineEnd(text: string, at: number): number {
  const next = text.slice(at).search(/\r|\n/);
  return next < 0 ? text.length : at + next;
}

function split(text: string): string[] {
  if (text === '') return [];
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '' && /[\r\n]$/.test(text)) lines.pop();
  return lines;
}
