import picomatch from 'picomatch';
import { HubError } from '../../../kernel/errors.ts';
import { inTime } from './bounded.ts';
import { type SearchGround, walk } from './walk.ts';

export type GlobQuery = Readonly<{ pattern: string; limit: number; respectIgnore: boolean; includeHidden: boolean }>;

/** Watching over a match costs a thread: many names share one. */
const AT_ONCE = 1_000;

/** Paths relative to the folder that match, sorted. A pattern that names a dot segment finds hidden files without being told to. */
export async function globFiles(
  ground: SearchGround,
  query: GlobQuery,
  signal: AbortSignal,
): Promise<{ matches: string[]; count: number }> {
  const includeHidden = query.includeHidden || /(?:^|\/)\./.test(query.pattern);
  const filter = filterOf(query.pattern, includeHidden);
  const prefix = ground.folder === '' ? 0 : ground.folder.length + 1;
  const found: string[] = [];
  let waiting: string[] = [];
  const flush = () => {
    for (const file of filter(waiting)) found.push(file);
    waiting = [];
  };
  for await (const files of walk(ground, { respectIgnore: query.respectIgnore, includeHidden, signal })) {
    for (const file of files) waiting.push(file.slice(prefix));
    if (waiting.length >= AT_ONCE) flush();
  }
  flush();
  found.sort();
  return { matches: found.slice(0, query.limit), count: found.length };
}

/** The paths that match a pattern. */
export function filterOf(pattern: string, dot: boolean): (paths: readonly string[]) => readonly string[] {
  if (pattern.includes('\0') || pattern.split('/').includes('..') || pattern.startsWith('/')) {
    throw new HubError('invalid', 'pattern must be relative and stay inside its folder.');
  }
  const isMatch = matcherOf(pattern, dot);
  return (paths) => {
    const matches = inTime(() => paths.filter((path) => isMatch(path)));
    if (matches) return matches;
    throw new HubError('invalid', 'pattern takes too long: it backtracks without end on these names.', { denied: 'glob:slow' });
  };
}

function matcherOf(pattern: string, dot: boolean): (path: string) => boolean {
  try {
    return picomatch(pattern.replace(/^\.\//, ''), { dot, strictSlashes: true, maxLength: 4_096 });
  } catch (error) {
    throw new HubError('invalid', `pattern is not a glob: ${(error as Error).message}`, {}, error);
  }
}
