import { HubError } from '../../../kernel/errors.ts';
import { listFiles } from './files.ts';
import { anchoredGlob } from './names.ts';
import type { SearchGround } from './query.ts';

export type GlobQuery = Readonly<{
  pattern: string;
  limit: number;
  respectIgnore: boolean;
  includeHidden: boolean;
  /** Files that the rules keep from this call are passed over. */
  mayReach(path: string): boolean;
}>;

export type GlobAnswer = Readonly<{ matches: string[]; count: number }>;

/**
 * Paths relative to the folder that match, sorted. A pattern that names a dot segment finds hidden files
 * unasked.
 */
export async function globFiles(
  ground: SearchGround,
  query: GlobQuery,
  signal: AbortSignal,
): Promise<GlobAnswer> {
  const { pattern, respectIgnore } = query;
  if (pattern.includes('\0') || pattern.split('/').includes('..') || pattern.startsWith('/'))
    throw new HubError('invalid', 'pattern must be relative and stay inside its folder.');
  const listing = { respectIgnore, includeHidden: query.includeHidden || /(?:^|\/)\./.test(pattern), signal };
  const isEverything = pattern === '**' || pattern === '**/*';
  const glob = isEverything ? {} : { glob: anchoredGlob(ground.folder, pattern) };
  // A glob that fits lets in what git ignores, so what fits is compared with what is not ignored.
  const kept = respectIgnore && !isEverything ? new Set(await gather(listFiles(ground, listing))) : undefined;
  const fitting = await gather(listFiles(ground, { ...listing, ...glob }));
  const prefix = ground.folder === '' ? 0 : ground.folder.length + 1;
  const found = fitting
    .filter((path) => (kept?.has(path) ?? true) && query.mayReach(path))
    .map((path) => path.slice(prefix));
  found.sort();
  return { matches: found.slice(0, query.limit), count: found.length };
}

async function gather(paths: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const path of paths) all.push(path);
  return all;
}
