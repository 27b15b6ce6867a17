// Tries which branches go together, in objects that are gone afterwards: nothing of the repository runs, and nothing stays in it.
import type { Git } from '../../../kernel/git/git.ts';
import { mergeManyTrees } from '../../../kernel/git/merge.ts';
import { piecesOf } from '../../../kernel/git/pieces.ts';
import { branchAt, changedBetween } from '../repository.ts';
import type { CollidingFile, Touching, TouchedPath } from './collision.ts';
import { type BranchPair, rangesIn } from './rules.ts';

/** More than so many paths of a branch are not listed: it is tried with everybody. */
const MOST_PATHS = 2_000;
const MOST_COMMITS = 500;
const MOST_FILES = 50;

type Touches = Pick<Touching, 'paths' | 'isWhole'>;

/** The branch that all others come from: what is checked out, unless somebody works on that; else main or master. */
export async function trunkOf(git: Git, living: ReadonlySet<string>): Promise<string | undefined> {
  const names = [git.head.replace(/^refs\/heads\//, ''), 'main', 'master'].filter(
    (name) => !living.has(name),
  );
  for (const name of new Set(names)) {
    const head = await branchAt(git, name);
    if (head !== undefined) return head;
  }
  return undefined;
}

/** What a branch changes since it left the trunk, and when it first did. */
export async function touchedBy(git: Git, trunk: string, head: string): Promise<Touches> {
  const { code, stdout } = await git.ask('merge-base', trunk, head);
  if (code !== 0) return { paths: [], isWhole: false };
  const base = stdout.trim();
  if (base === head) return { paths: [], isWhole: true };
  const changed = await changedBetween(git, base, head);
  const since = await firstChanges(git, `${base}..${head}`);
  const now = Math.max(0, ...since.values());
  return {
    paths: changed.slice(0, MOST_PATHS).map((path): TouchedPath => [path, since.get(path) ?? now]),
    isWhole: changed.length <= MOST_PATHS,
  };
}

/** Newest commit first, so that the oldest one that changed a path has the last word. */
async function firstChanges({ ask }: Git, range: string): Promise<ReadonlyMap<string, number>> {
  const format = ['-n', `${MOST_COMMITS}`, '--format=%x01%ct', '--name-only', '--no-renames', '-z'];
  const { stdout } = await ask('log', ...format, range, '--');
  const found = new Map<string, number>();
  for (const commit of stdout.split('\x01').slice(1)) {
    const [time = '', ...paths] = commit.split(/[\0\n]+/).filter(Boolean);
    for (const path of paths) found.set(path, Number(time) * 1_000);
  }
  return found;
}

type Side = Readonly<{ branch: string; head: string }>;
export type TriedPair<B> = BranchPair<B> & Readonly<{ files: readonly CollidingFile[] }>;

/** Those that conflict, each with its files. Histories that git cannot merge at all are no conflict of lines. */
export async function tryPairs<B extends Side>(
  git: Git,
  pairs: readonly BranchPair<B>[],
): Promise<TriedPair<B>[]> {
  const found: (BranchPair<B> & Readonly<{ tree: string; conflicts: readonly string[] }>)[] = [];
  const sides = pairs.map(({ a, b }) => ({ ours: a.head, theirs: b.head }));
  for (const [at, merged] of (await mergeManyTrees(git, sides)).entries())
    if (merged && merged.conflicts.length > 0) found.push({ ...pairs[at]!, ...merged });
  const lines = await linesOf(
    git,
    found.map(({ a, tree, conflicts }) => ({ head: a.head, tree, conflicts })),
  );
  return found.map(({ a, b, conflicts }, at) => ({
    a,
    b,
    files: conflicts
      .slice(0, MOST_FILES)
      .map((path) => ({ path, ranges: [...(lines[at]?.get(path) ?? [])] })),
  }));
}

type Marked = Readonly<{ head: string; tree: string; conflicts: readonly string[] }>;
const MOST_ASKED = 200;
type Ranges = ReturnType<typeof rangesIn>;

/** One git for all of them: it reads pairs of trees and prints what differs, under a line that names both. */
async function linesOf({ ask, feed }: Git, all: readonly Marked[]): Promise<readonly Ranges[]> {
  if (all.length === 0) return [];
  const { stdout } = await ask('rev-parse', ...all.map(({ head }) => `${head}^{tree}`));
  const trees = stdout.trim().split('\n');
  const input = all.map(({ tree }, at) => `${trees[at]} ${tree}\n`).join('');
  const paths = [...new Set(all.flatMap(({ conflicts }) => conflicts))].slice(0, MOST_ASKED);
  const plain = ['--literal-pathspecs', '-c', 'core.quotePath=false'];
  const diff = ['diff-tree', '--stdin', '-r', '-p', '-U0', '--no-renames', '--', ...paths];
  const { code, stdout: diffs } = await feed(input, ...plain, ...diff).catch(() => ({ code: 1, stdout: '' }));
  if (code !== 0) return [];
  const parts = piecesOf(diffs, /[0-9a-f]{40,64} [0-9a-f]{40,64}\n/);
  const byTrees = new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), rangesIn(part)]));
  return all.map(({ tree }, at) => byTrees.get(`${trees[at]} ${tree}`) ?? new Map());
}
