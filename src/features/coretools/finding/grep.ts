import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { filterOf } from './glob.ts';
import { compilePatterns, searchTexts } from './matching.ts';
import { endingsOf, globFrom } from './names.ts';
import { type GrepAnswer, type GrepQuery, type GrepHit, MOST_BYTES } from './query.ts';
import { type SearchGround, walk } from './walk.ts';

const SMALL = 256 * 1024;
const AT_ONCE = 64;

/** Without ripgrep: the same answer from a walk and a regular expression, with a bound on how long one may take. */
export async function grepFiles(ground: SearchGround, query: GrepQuery, signal: AbortSignal): Promise<GrepAnswer> {
  const pattern = compilePatterns(query);
  const wanted = wantedBy(query, ground.base);
  const hits: GrepHit[] = [];
  const isFile = (await stat(join(ground.root, ground.folder))).isFile();
  const lists = isFile ? [[ground.folder]] : walk(ground, { respectIgnore: true, includeHidden: false, signal });
  const waiting: string[] = [];
  const flush = async (size: number) => {
    while (waiting.length >= size && waiting.length > 0) {
      await setImmediate();
      const texts = waiting.splice(0, AT_ONCE).flatMap((path) => {
        const text = readText(join(ground.root, path));
        return text === undefined ? [] : [{ path, text }];
      });
      hits.push(...searchTexts(pattern, texts, query.maxMatches + 1));
    }
  };
  for await (const files of lists) {
    waiting.push(...(isFile ? files : wanted(files)));
    await flush(AT_ONCE);
    if (hits.length > query.maxMatches) break;
  }
  await flush(1);
  hits.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
  return { hits: hits.slice(0, query.maxMatches), truncated: hits.length > query.maxMatches, engine: 'builtin' };
}

function wantedBy({ glob, type }: GrepQuery, base: string): (paths: readonly string[]) => readonly string[] {
  const filter = glob === undefined ? undefined : filterOf(globFrom(base, glob), true);
  const endings = type === undefined ? undefined : endingsOf(type);
  return (paths) => {
    const fit = endings ? paths.filter((path) => endings.includes(path.slice(path.lastIndexOf('.') + 1).toLowerCase())) : paths;
    return filter ? filter(fit) : fit;
  };
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
