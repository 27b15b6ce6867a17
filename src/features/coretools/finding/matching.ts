import { HubError } from '../../../kernel/errors.ts';
import { inTime } from './bounded.ts';
import { toJavaScript } from './dialect.ts';
import type { GrepMatch, GrepQuery } from './query.ts';

const MOST_TEXT = 500;

export function compilePatterns({ patterns, caseInsensitive }: Pick<GrepQuery, 'patterns' | 'caseInsensitive'>): RegExp {
  const spelt = patterns.map(toJavaScript);
  const isCaseless = caseInsensitive || spelt.every((each) => each.isCaseless);
  try {
    // Each by itself first: two halves of a pattern must not become a whole by being joined.
    const sources = spelt.map((each) => `(?${each.isCaseless && !isCaseless ? 'i' : ''}:${new RegExp(each.source, 'u').source})`);
    return new RegExp(sources.join('|'), isCaseless ? 'gimu' : 'gmu');
  } catch (error) {
    const { message } = error as Error;
    throw new HubError('invalid', `The pattern is not a regular expression: ${message}`, { denied: 'grep:pattern' }, error);
  }
}

export type Text = Readonly<{ path: string; text: string }>;
type Hit = Readonly<{ file: number; offset: number }>;

export function searchTexts(pattern: RegExp, files: readonly Text[], query: GrepQuery): GrepMatch[] {
  const hits = inTime(() => findHits(pattern, files, query.maxMatches + 1));
  if (hits) return hits.map((hit) => describe(files, hit, query));
  throw new HubError('invalid', 'The pattern takes too long: it backtracks without end on these files.', {
    denied: 'grep:slow',
    hint: 'Avoid nested repetition such as (a+)+.',
  });
}

function findHits(pattern: RegExp, files: readonly Text[], most: number): Hit[] {
  const hits: Hit[] = [];
  for (const [file, { text }] of files.entries()) {
    for (let at = 0; at <= text.length && hits.length < most;) {
      pattern.lastIndex = at;
      const hit = pattern.exec(text);
      if (!hit) break;
      const end = lineEnd(text, hit.index);
      const offset = hit.index + hit[0].length <= end ? hit.index : withinLine(pattern, text, hit.index, end);
      if (offset !== undefined) hits.push({ file, offset });
      at = end + 1;
    }
  }
  return hits;
}

/** A match is one of a line: what reached over its end, as `\s` and `[^x]` can, is sought again in the line alone. */
function withinLine(pattern: RegExp, text: string, from: number, end: number): number | undefined {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  pattern.lastIndex = from - start;
  const hit = pattern.exec(text.slice(start, end));
  return hit ? start + hit.index : undefined;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function describe(files: readonly Text[], { file, offset }: Hit, { before, after }: GrepQuery): GrepMatch {
  const { path, text } = files[file]!;
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const line = countLines(text, start) + 1;
  const match = { path, line, column: offset - start + 1, text: clip(text.slice(start, lineEnd(text, start))) };
  if (before === 0 && after === 0) return match;
  const lines = text
    .replace(/\n$/, '')
    .split('\n')
    .map((each) => clip(each));
  return { ...match, before: lines.slice(Math.max(0, line - 1 - before), line - 1), after: lines.slice(line, line + after) };
}

function countLines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

export function clip(line: string): string {
  const plain = line.endsWith('\r') ? line.slice(0, -1) : line;
  return plain.length > MOST_TEXT ? `${plain.slice(0, MOST_TEXT)}…` : plain;
}
