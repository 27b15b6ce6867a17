import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { HubError } from '../../../kernel/errors.ts';
import { matcherOf } from './glob.ts';
import { compileSearch } from './matching.ts';
import { type GrepAnswer, type GrepMatch, type GrepQuery, TYPES } from './query.ts';
import { walk } from './walk.ts';

const MOST_BYTES = 8 * 1024 * 1024;
const SMALL = 256 * 1024;
const AT_ONCE = 64;

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
