import { HubError } from '../../../kernel/errors.ts';
import { inTime } from './bounded.ts';
import { toJavaScript } from './dialect.ts';
import type { GrepQuery, GrepHit } from './query.ts';

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

export function searchTexts(pattern: RegExp, files: readonly Text[], most: number): GrepHit[] {
  const hits = inTime(() => findHits(pattern, files, most));
  if (hits) return hits;
  throw new HubError('invalid', 'The pattern takes too long: it backtracks without end on these files.', {
    denied: 'grep:slow',
    hint: 'Avoid nested repetition such as (a+)+.',
  });
}

function findHits(pattern: RegExp, files: readonly Text[], most: number): GrepHit[] {
  const hits: GrepHit[] = [];
  for (const { path, text } of files) {
    for (let at = 0; at <= text.length && hits.length < most;) {
      pattern.lastIndex = at;
      const hit = pattern.exec(text);
      if (!hit) break;
      const end = lineEnd(text, hit.index);
      const offset = hit.index + hit[0].length <= end ? hit.index : withinLine(pattern, text, hit.index, end);
      if (offset !== undefined) hits.push({ path, ...placeOf(text, offset) });
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

function placeOf(text: string, offset: number): { line: number; column: number } {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return { line: countLines(text, start) + 1, column: offset - start + 1 };
}

function countLines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
