import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createContext, Script } from 'node:vm';
import { HubError } from '../../../kernel/errors.ts';
import { matcherOf } from './glob.ts';
import { walk } from './walk.ts';

export type GrepQuery = Readonly<{
  patterns: readonly string[];
  glob: string | undefined;
  type: string | undefined;
  caseInsensitive: boolean;
  maxMatches: number;
  before: number;
  after: number;
}>;

export type GrepMatch = Readonly<{
  path: string;
  line: number;
  column: number;
  text: string;
  before?: readonly string[];
  after?: readonly string[];
}>;

export type GrepAnswer = Readonly<{ matches: readonly GrepMatch[]; truncated: boolean; engine: 'ripgrep' | 'builtin' }>;

const MOST_BYTES = 8 * 1024 * 1024;
const SMALL = 256 * 1024;
const MOST_TEXT = 500;
const AT_ONCE = 64;
/** A pattern that takes longer than this over one batch of files goes round in circles. */
const BATCH_MS = 1_000;

/** File types by their endings; the same names ripgrep has for them. */
export const TYPES: Readonly<Record<string, readonly string[]>> = {
  ts: ['ts', 'tsx', 'mts', 'cts'],
  js: ['js', 'jsx', 'mjs', 'cjs'],
  py: ['py', 'pyi'],
  rust: ['rs'],
  go: ['go'],
  java: ['java'],
  c: ['c', 'h'],
  cpp: ['cpp', 'cc', 'cxx', 'hpp', 'hh', 'h'],
  ruby: ['rb'],
  php: ['php'],
  swift: ['swift'],
  kotlin: ['kt', 'kts'],
  sh: ['sh', 'bash', 'zsh'],
  md: ['md', 'markdown'],
  json: ['json', 'jsonl'],
  yaml: ['yml', 'yaml'],
  toml: ['toml'],
  html: ['html', 'htm'],
  css: ['css', 'scss'],
  sql: ['sql'],
  xml: ['xml'],
  txt: ['txt'],
};

/** Without ripgrep: the same answer from a walk and a regular expression, with a bound on how long one may take. */
export async function grepFiles(target: string, query: GrepQuery, signal: AbortSignal): Promise<GrepAnswer> {
  const search = compileSearch(query);
  const isWanted = wantedBy(query);
  const matches: GrepMatch[] = [];
  const isFile = (await stat(target)).isFile();
  const root = isFile ? dirname(target) : target;
  const lists = isFile ? [[basename(target)]] : walk(root, { respectIgnore: true, includeHidden: false, signal });
  let batch: string[] = [];
  const flush = async () => {
    await setImmediate();
    const texts = batch.flatMap((path) => {
      const text = readText(join(root, path));
      return text === undefined ? [] : [{ path, text }];
    });
    for (const match of search(texts)) matches.push(match);
    batch = [];
  };
  for await (const files of lists) {
    for (const file of files) {
      if (!isFile && !isWanted(file)) continue;
      batch.push(file);
      if (batch.length >= AT_ONCE) await flush();
    }
    if (matches.length > query.maxMatches) break;
  }
  await flush();
  matches.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
  return { matches: matches.slice(0, query.maxMatches), truncated: matches.length > query.maxMatches, engine: 'builtin' };
}

function wantedBy({ glob, type }: GrepQuery): (path: string) => boolean {
  const globs = glob === undefined ? undefined : matcherOf(glob.includes('/') ? glob : `**/${glob}`, true);
  const endings = type === undefined ? undefined : TYPES[type];
  if (type !== undefined && !endings)
    throw new HubError('invalid', `type must be one of ${Object.keys(TYPES).join(', ')}; got ${JSON.stringify(type)}.`);
  return (path) =>
    (globs === undefined || globs(path)) &&
    (endings === undefined || endings.includes(path.slice(path.lastIndexOf('.') + 1).toLowerCase()));
}

const buffer = Buffer.allocUnsafe(SMALL);

/**
 * Undefined for what is not text, or too large to be. Read at once, without a turn of the event loop per file: a
 * batch of small files takes a millisecond or two that way, and ten times as long with a promise for each.
 */
function readText(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (GONE.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  try {
    const length = readSync(file, buffer, 0, SMALL, 0);
    const start = buffer.subarray(0, length);
    if (start.subarray(0, 8_192).includes(0)) return undefined;
    if (length < SMALL) return start.toString('utf8');
    const { size } = fstatSync(file);
    return size > MOST_BYTES ? undefined : readFileSync(file, 'utf8');
  } catch (error) {
    if (GONE.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  } finally {
    closeSync(file);
  }
}

const GONE = new Set(['ENOENT', 'EACCES', 'EPERM', 'EISDIR', 'ELOOP', 'ENXIO']);

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

function compileSearch(query: GrepQuery): (texts: readonly Text[]) => Iterable<GrepMatch> {
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
