import picomatch from 'picomatch';
import { HubError } from '../../../kernel/errors.ts';
import { walk } from './walk.ts';

export type GlobQuery = Readonly<{ pattern: string; limit: number; respectIgnore: boolean; includeHidden: boolean }>;

/** Paths under a folder that match, sorted. A pattern that names a dot segment finds hidden files without being told to. */
export async function globFiles(root: string, query: GlobQuery, signal: AbortSignal): Promise<{ matches: string[]; count: number }> {
  const includeHidden = query.includeHidden || /(?:^|\/)\./.test(query.pattern);
  const matches = matcherOf(query.pattern, includeHidden);
  const found: string[] = [];
  for await (const files of walk(root, { respectIgnore: query.respectIgnore, includeHidden, signal })) {
    for (const file of files) if (matches(file)) found.push(file);
  }
  found.sort();
  return { matches: found.slice(0, query.limit), count: found.length };
}

export function matcherOf(pattern: string, dot: boolean): (path: string) => boolean {
  if (pattern.includes('\0') || pattern.split('/').includes('..') || pattern.startsWith('/')) {
    throw new HubError('invalid', 'pattern must be relative and stay inside its folder.');
  }
  try {
    return picomatch(pattern.replace(/^\.\//, ''), { dot, strictSlashes: true, maxLength: 4_096 });
  } catch (error) {
    throw new HubError('invalid', `pattern is not a glob: ${(error as Error).message}`, {}, error);
  }
}
