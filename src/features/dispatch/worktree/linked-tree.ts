// Linked worktrees, in the few files that git keeps of one: what `git worktree add` and `remove` do, without
// what they would run. The person's own git lists them, and the agent's own git works in them.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import { headOf, withGit } from '../../../kernel/git/git.ts';
import { readSmall } from '../../../kernel/git/place.ts';
import type { Worktree } from '../run.ts';
import { type Checkout, checkoutOf } from '../../../kernel/git/repository.ts';

/** On a branch that is there already, or begins at the base. */
export async function addTree({ repository, path, branch, base }: Worktree): Promise<void> {
  const place = await checkoutOf(repository);
  const ref = `refs/heads/${branch}`;
  await forgetGone(place, path);
  if (await isCheckedOut(place, ref))
    throw new HubError('conflict', `The branch ${branch} is checked out elsewhere.`, {
      hint: 'Check out another branch there first.',
    });
  await withGit({ place }, async ({ ask, run }) => {
    const isKnown = (await ask('rev-parse', '--verify', '--quiet', ref)).code === 0;
    if (!isKnown)
      await run('update-ref', '-m', 'branch: begun for a run', ref, base, '0'.repeat(base.length));
  });
  const own = await newFolder(join(place.common, 'worktrees'), basename(path));
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await mkdir(path);
    await writeFile(join(own, 'commondir'), '../..\n');
    await writeFile(join(own, 'gitdir'), `${join(path, '.git')}\n`);
    await writeFile(join(own, 'HEAD'), `ref: ${ref}\n`);
    await writeFile(join(path, '.git'), `gitdir: ${own}\n`);
    const tree = { ...place, own, top: path };
    await withGit({ place: tree, files: path, index: 'own' }, ({ run }) =>
      run('read-tree', '--reset', '-u', ref),
    );
  } catch (error) {
    await removeTree({ own, top: path });
    throw error;
  }
}

/** The files, and what the repository knows of them. The branch stays. */
export async function removeTree({ own, top }: Pick<Checkout, 'own' | 'top'>): Promise<void> {
  await rm(top, { recursive: true, force: true });
  await rm(own, { recursive: true, force: true });
}

/** A branch that never went beyond where it began, and that nobody looks at. */
export function dropEmptyBranch({ base, ...rest }: Worktree): Promise<void> {
  return dropBranch(rest, base);
}

/** Unless somebody has it checked out; with `at` only while it is there. */
export async function dropBranch(
  { repository, branch }: Pick<Worktree, 'repository' | 'branch'>,
  at?: string,
): Promise<void> {
  const place = await checkoutOf(repository);
  const ref = `refs/heads/${branch}`;
  if (await isCheckedOut(place, ref)) return;
  await withGit({ place }, async ({ ask, run }) => {
    const commit = (await ask('rev-parse', '--verify', '--quiet', ref)).stdout.trim();
    if (commit !== '' && (at === undefined || commit === at)) await run('update-ref', '-d', ref, commit);
  });
}

async function treesOf({ common }: Checkout): Promise<string[]> {
  const folder = join(common, 'worktrees');
  return (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
}

async function isCheckedOut(place: Checkout, ref: string): Promise<boolean> {
  const heads = [place.common, ...(await treesOf(place))].map((own) => headOf(own).catch(() => ''));
  return (await Promise.all(heads)).includes(ref);
}

/** What is left of a tree whose folder somebody took away. */
async function forgetGone(place: Checkout, path: string): Promise<void> {
  if (existsSync(path)) return;
  for (const own of await treesOf(place))
    if ((await readSmall(join(own, 'gitdir'))).trim() === join(path, '.git'))
      await rm(own, { recursive: true, force: true });
}

async function newFolder(parent: string, name: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  for (let at = 0; ; at += 1) {
    const folder = join(parent, at === 0 ? name : `${name}${at}`);
    const made = await mkdir(folder).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        return false;
      },
    );
    if (made) return folder;
  }
}
