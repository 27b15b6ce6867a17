// Merging without a program of the repository: trees and commits are made in the objects, branches move by
// compare-and-swap. See docs/design/git.md.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../errors.ts';
import type { Git } from './git.ts';
import { dropDeadLock, withIndexLock } from './index-lock.ts';
import type { GitPlace } from './place.ts';
import { excerpt } from '../redact.ts';

/** Submodules are repositories of their own: nobody looks into them. */
export async function isDirty({ run }: Git, untracked: unknown = 'normal'): Promise<boolean> {
  const which = `--untracked-files=${untracked === 'no' ? 'no' : 'normal'}`;
  return (await run('status', '--porcelain', '--ignore-submodules=all', which)).trim() !== '';
}

/** The person, as they call themselves here. */
export function whoOf({
  settings: { name = 'Holdfast', email = 'holdfast@localhost.invalid' },
}: Git): string[] {
  return ['-c', `user.name=${name}`, '-c', `user.email=${email}`];
}

export async function commitAt({ run }: Git, name: string): Promise<string> {
  return (await run('rev-parse', '--verify', '--end-of-options', `${name}^{commit}`)).trim();
}

/** The same, undefined where there is none. */
export async function findCommit({ ask }: Git, name: string): Promise<string | undefined> {
  const { code, stdout } = await ask(
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${name}^{commit}`,
  );
  return code === 0 ? stdout.trim() : undefined;
}

export async function isAncestor({ ask }: Git, older: string, newer: string): Promise<boolean> {
  return (await ask('merge-base', '--is-ancestor', older, newer)).code === 0;
}

export type MergedTree = Readonly<{ tree: string; conflicts: readonly string[] }>;
type Sides = Readonly<{ ours: string; theirs: string }>;

/** Conflicts are a value: the tree then holds them marked, and nobody should land it. */
export async function mergeTrees({ ask }: Git, { ours, theirs }: Sides): Promise<MergedTree> {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs];
  const { code, stdout, stderr } = await ask(...args);
  if (code > 1)
    throw new HubError('unavailable', `git could not merge: ${excerpt(stderr.trim(), 300)}`, {
      retryable: false,
      hint: 'Merging needs git 2.38 or newer.',
    });
  const [tree = '', ...files] = stdout.split('\0').filter(Boolean);
  return { tree, conflicts: code === 0 ? [] : [...new Set(files)] };
}

const USAGE = 129;

/**
 * The same for many, by one git after the other that goes on until there is a pair that it cannot merge at all: undefined for that.
 * One before 2.39 is asked for each.
 */
export async function mergeManyTrees(git: Git, pairs: readonly Sides[]): Promise<(MergedTree | undefined)[]> {
  const merged: (MergedTree | undefined)[] = [];
  while (merged.length < pairs.length) {
    const rest = pairs.slice(merged.length);
    const input = rest.map(({ ours, theirs }) => `${ours} ${theirs}\n`).join('');
    const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', '--stdin'];
    const { code, stdout } = await git.feed(input, ...args);
    if (code === USAGE) return [...merged, ...(await mergeOneByOne(git, rest))];
    merged.push(...mergedIn(stdout));
    if (code !== 0) merged.push(undefined);
  }
  return merged.slice(0, pairs.length);
}

async function mergeOneByOne(git: Git, pairs: readonly Sides[]): Promise<(MergedTree | undefined)[]> {
  const merged: (MergedTree | undefined)[] = [];
  for (const pair of pairs) merged.push(await mergeTrees(git, pair).catch(ignoreUnmergeable));
  return merged;
}

/** For each whether it went well, its tree, the files that conflict, and nothing. */
function mergedIn(output: string): MergedTree[] {
  const found: MergedTree[] = [];
  const fields = output.split('\0');
  for (let at = 0; at + 2 < fields.length;) {
    const [status, tree] = [fields[at]!, fields[at + 1]!];
    const end = fields.indexOf('', at + 2);
    if (end < 0) break;
    found.push({ tree, conflicts: status === '1' ? [] : [...new Set(fields.slice(at + 2, end))] });
    at = end + 1;
  }
  return found;
}

function ignoreUnmergeable(error: unknown): undefined {
  if (!(error instanceof HubError)) throw error;
}

export type RefMove = Readonly<{ ref: string; from: string; to: string; about: string }>;

/**
 * A branch and its clean checkout move together; where the files cannot follow, neither does, nor where somebody changed one of
 * them. Nobody commits there meanwhile: the index is locked.
 */
export function moveWithFiles(git: Git, { ref, from, to, about }: RefMove): Promise<void> {
  const follow = ['read-tree', '-m', '-u'];
  return withIndexLock(git, async (copy) => {
    const { run } = copy;
    const [isTouched, tried] = await Promise.all([isDirty(copy, 'no'), copy.ask(...follow, '-n', from, to)]);
    if (isTouched) throw new HubError('conflict', 'it has changes that are not committed.');
    // A copied or touched checkout is clean all the same; its index does not know yet.
    if (tried.code !== 0) {
      await copy.ask('update-index', '-q', '--ignore-submodules', '--refresh');
      await run(...follow, '-n', from, to);
    }
    await run('update-ref', '-m', about, ref, to, from);
    try {
      await run(...follow, from, to);
    } catch (error) {
      await run('update-ref', '-m', 'merge: taken back', ref, from, to);
      throw error;
    }
  });
}

/**
 * A hub that died in between left the branch moved and files behind: taken along where every one of them is as it was before or
 * as it is to be. False when they are somebody's own.
 */
export async function finishFiles(git: Git, { from, to }: Pick<RefMove, 'from' | 'to'>): Promise<boolean> {
  await dropDeadLock(`${git.index}.lock`);
  const isAt = async (commit: string) =>
    (await git.ask('diff-index', '--cached', '--quiet', commit, '--')).code === 0;
  if ((await isAt(to)) || !(await isAt(from))) return true;
  let isBetween = false;
  await withIndexLock(git, async (copy) => {
    const differing = async (commit: string) => {
      await copy.run('read-tree', commit);
      await copy.ask('update-index', '-q', '--ignore-submodules', '--refresh');
      return (await copy.run('diff-files', '--name-only', '-z')).split('\0').filter(Boolean);
    };
    const before = new Set(await differing(from));
    const added = (await copy.run('diff-tree', '-r', '--name-only', '--diff-filter=A', '-z', from, to)).split(
      '\0',
    );
    const others = new Set((await copy.run('ls-files', '--others', '-z')).split('\0'));
    const left = await differing(to);
    const isOurs = (path: string) => !before.has(path) && !(added.includes(path) && others.has(path));
    isBetween = left.every(isOurs);
    // What is not ours stays as it is, and its index with it.
    await copy.run('read-tree', from);
    if (isBetween) await copy.run('read-tree', '--reset', '-u', to);
  });
  return isBetween;
}

const UNDER_WAY = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply'];

/** In the middle of a merge or a rebase of its person. */
export function isUnderWay({ own }: Pick<GitPlace, 'own'>): boolean {
  return UNDER_WAY.some((name) => existsSync(join(own, name)));
}
