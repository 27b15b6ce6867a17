// The pure decisions about branches that may not go together. Nothing here reads a clock, a row or a file.
import type { CollidingFile, TouchedPath, Touching } from './collision.ts';

export type BranchPair<B> = Readonly<{ a: B; b: B }>;

/** What two branches both change, as far as it is listed. */
function sharedBy(one: Touching, other: Touching): readonly string[] {
  const paths = new Set(one.paths.map(([path]) => path));
  return other.paths.flatMap(([path]) => (paths.has(path) ? [path] : []));
}

/** Attempts at one task are alternatives: they need not go together. */
function mayCollide(one: Touching, other: Touching): boolean {
  if (one.branch === other.branch) return false;
  if (one.taskId !== null && one.taskId === other.taskId) return false;
  return !one.isWhole || !other.isWhole || sharedBy(one, other).length > 0;
}

/** `a` is who changed one of the files first; at the same moment the name decides. */
function inOrder<B extends Touching>(one: B, other: B): BranchPair<B> {
  const shared = new Set(sharedBy(one, other));
  const since = ({ paths }: B) =>
    Math.min(...paths.flatMap(([path, at]: TouchedPath) => (shared.has(path) ? [at] : [])));
  const [here, there] = [since(one), since(other)];
  const isFirst = here === there ? one.branch < other.branch : here < there;
  return isFirst ? { a: one, b: other } : { a: other, b: one };
}

/** Every pair of which one moved, each once. */
export function pairsToTry<B extends Touching>(
  all: readonly B[],
  moved: ReadonlySet<string>,
): BranchPair<B>[] {
  return all.flatMap((one, at) =>
    all
      .slice(at + 1)
      .filter((other) => (moved.has(one.branch) || moved.has(other.branch)) && mayCollide(one, other))
      .map((other) => inOrder(one, other)),
  );
}

const MOST_RANGES = 20;
const NAMED = '+++ b/';
type Range = [from: number, to: number];

/**
 * Where two sides meet, in the lines of the first: from a diff of its tree to the merged one, in which conflicts stand marked.
 * What is between the first mark and the second is its own.
 */
export function rangesIn(diff: string): ReadonlyMap<string, readonly Range[]> {
  const found = new Map<string, Range[]>();
  let ranges: Range[] = [];
  let begin: number | undefined;
  let hunk: Readonly<{ at: number; gone: number }> | undefined;
  for (const line of diff.split('\n')) {
    const [, at, gone = '1'] = /^@@ -(\d+)(?:,(\d+))? /.exec(line) ?? [];
    if (line.startsWith('diff --git ')) [ranges, begin, hunk] = [[], undefined, undefined];
    // Above its lines alone: one of them may say the same. A name with spaces ends with a tab.
    else if (!hunk && line.startsWith(NAMED)) found.set(line.slice(NAMED.length).replace(/\t$/, ''), ranges);
    else if (at !== undefined) hunk = { at: Number(at), gone: Number(gone) };
    else if (!hunk) continue;
    // Where nothing is taken away, what comes stands behind the line that is named.
    else if (line.startsWith('+<<<<<<< ')) begin = hunk.at + Math.max(1, hunk.gone);
    else if (line === '+=======' && begin !== undefined) {
      const end = hunk.gone === 0 ? hunk.at : hunk.at - 1;
      if (ranges.length < MOST_RANGES) ranges.push([begin, Math.max(begin, end)]);
      begin = undefined;
    }
  }
  return found;
}

/** Is there something in it that nobody has been told of? */
export function hasNews(before: readonly CollidingFile[], now: readonly CollidingFile[]): boolean {
  const known = new Set(before.map(({ path }) => path));
  return now.some(({ path }) => !known.has(path));
}
