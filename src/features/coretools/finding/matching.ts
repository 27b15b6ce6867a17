import { createContext, Script } from 'node:vm';
import { HubError } from '../../../kernel/errors.ts';
import type { GrepMatch, GrepQuery } from './query.ts';

const MOST_TEXT = 500;
/** A pattern that takes longer than this over one batch of files goes round in circles. */
const BATCH_MS = 1_000;

export function compilePatterns(patterns: readonly string[], caseInsensitive: boolean): RegExp {
  try {
    const sources = patterns.map((pattern) => `(?:${new RegExp(pattern, 'u').source})`);
    return new RegExp(sources.join('|'), caseInsensitive ? 'giu' : 'gu');
  } catch (error) {
    throw new HubError(
      'invalid',
      `The pattern is not a regular expression: ${(error as Error).message}`,
      { denied: 'grep:pattern' },
      error,
    );
  }
}

type Text = { path: string; text: string };
type Hit = { file: number; offset: number };

/** The loop over a batch, as a script: only a script can be stopped when an expression backtracks without end. */
const LOOP = new Script(`(() => {
  const hits = [];
  for (let file = 0; file < texts.length; file += 1) {
    let nextLine = 0;
    pattern.lastIndex = 0;
    for (let hit = pattern.exec(texts[file]); hit !== null; hit = pattern.exec(texts[file])) {
      if (hit.index >= nextLine) {
        hits.push(file, hit.index);
        const end = texts[file].indexOf('\\n', hit.index);
        nextLine = end < 0 ? Infinity : end + 1;
        if (hits.length > most * 2) return hits;
      }
      pattern.lastIndex = Math.max(nextLine, hit.index + hit[0].length + (hit[0].length === 0 ? 1 : 0));
      if (pattern.lastIndex > texts[file].length) break;
    }
  }
  return hits;
})()`);

export function compileSearch(query: GrepQuery): (texts: readonly Text[]) => Iterable<GrepMatch> {
  const pattern = new RegExp(compilePatterns(query.patterns, query.caseInsensitive).source, query.caseInsensitive ? 'gimu' : 'gmu');
  const context = createContext({ pattern, texts: [] as string[], most: query.maxMatches });
  return function* search(files) {
    (context as { texts: string[] }).texts = files.map(({ text }) => text);
    const flat = run(context);
    for (let i = 0; i < flat.length; i += 2) yield describe(files, { file: flat[i]!, offset: flat[i + 1]! }, query);
  };
}

function run(context: object): number[] {
  try {
    return LOOP.runInContext(context, { timeout: BATCH_MS }) as number[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new HubError(
      'invalid',
      'The pattern takes too long: it backtracks without end on these files.',
      { denied: 'grep:slow', hint: 'Avoid nested repetition such as (a+)+.' },
      error,
    );
  }
}

function describe(files: readonly Text[], { file, offset }: Hit, { before, after }: GrepQuery): GrepMatch {
  const { path, text } = files[file]!;
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const line = countLines(text, start) + 1;
  const match = { path, line, column: offset - start + 1, text: lineAt(text, start) };
  if (before === 0 && after === 0) return match;
  const lines = text.split('\n').map((each) => clip(each));
  return { ...match, before: lines.slice(Math.max(0, line - 1 - before), line - 1), after: lines.slice(line, line + after) };
}

function countLines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf('\n', start);
  return clip(end < 0 ? text.slice(start) : text.slice(start, end));
}

function clip(line: string): string {
  const plain = line.endsWith('\r') ? line.slice(0, -1) : line;
  return plain.length > MOST_TEXT ? `${plain.slice(0, MOST_TEXT)}…` : plain;
}
