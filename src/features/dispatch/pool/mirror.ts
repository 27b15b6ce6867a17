// The hub's own bare mirror of a repository: what runners fetch from and push to. It borrows the objects of the repository and
// has nothing else of it, no hooks and no settings; what is pushed stays here until the hub takes it into the run's branch.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { sha256 } from '../../../kernel/digest.ts';
import { makeFolders } from '../../../kernel/folders.ts';
import { withGit } from '../../../kernel/git/git.ts';
import { failed, startGit } from '../../../kernel/git/process.ts';
import { checkoutOf, inTurn } from '../../../kernel/git/repository.ts';
import { HubError } from '../../../kernel/errors.ts';
import type { Worktree } from '../run.ts';

export const OUR_GIT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};
/** What one push may bring. */
const MOST_PUSHED = 512 * 1024 * 1024;

export function attemptRef(runId: string, n: number | 'base'): string {
  return `refs/heads/holdfast/${runId}/${n}`;
}

export function mirrorOf(home: string, repository: string): string {
  return join(home, 'mirrors', `${basename(repository)}-${sha256(repository).slice(0, 12)}.git`);
}

/** Made when it is first needed; its settings are written anew each time. */
export async function openMirror(home: string, repository: string): Promise<string> {
  const mirror = mirrorOf(home, repository);
  const { common } = await checkoutOf(repository);
  makeFolders(join(home, 'mirrors'));
  if (!existsSync(join(mirror, 'HEAD'))) await git(home, ['init', '-q', '--bare', '--template=', mirror]);
  makeFolders(join(mirror, 'objects', 'info'));
  await writeFile(join(mirror, 'objects', 'info', 'alternates'), `${join(common, 'objects')}\n`);
  await writeFile(join(mirror, 'config'), SETTINGS);
  return mirror;
}

const SETTINGS = `[core]
repositoryformatversion = 0
bare = true
hooksPath = /dev/null
logAllRefUpdates = false
[receive]
maxInputSize = ${MOST_PUSHED}
denyDeletes = true
denyCurrentBranch = ignore
advertisePushOptions = false
autogc = false
unpackLimit = 1
[transfer]
fsckObjects = true
advertiseSID = false
[uploadpack]
allowFilter = false
[gc]
auto = 0
[maintenance]
auto = false
`;

/** Where the next attempt begins. */
export async function setBase(mirror: string, runId: string, commit: string): Promise<void> {
  await git(mirror, ['update-ref', attemptRef(runId, 'base'), commit]);
}

export async function tipOf(mirror: string, ref: string): Promise<string | undefined> {
  const end = await startGit({
    cwd: mirror,
    args: ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`],
    env: OUR_GIT,
  });
  return end.code === 0 ? end.stdout.trim() : undefined;
}

/**
 * What an attempt pushed becomes the run's branch, where that goes on from what the branch has. Its objects come as one pack;
 * they were checked when they were pushed.
 */
export function takeCommit(
  mirror: string,
  { repository, branch, base }: Worktree,
  commit: string,
): Promise<void> {
  return inTurn(repository, async () => {
    const place = await checkoutOf(repository);
    await git(
      mirror,
      ['pack-objects', '-q', '--revs', join(place.common, 'objects', 'pack', 'pack')],
      `${commit}\n^${base}\n`,
    );
    await withGit({ place }, async ({ ask, run }) => {
      const ref = `refs/heads/${branch}`;
      const before = (await ask('rev-parse', '--verify', '--quiet', ref)).stdout.trim();
      if (before === commit) return;
      if (before !== '' && (await ask('merge-base', '--is-ancestor', before, commit)).code !== 0)
        throw new HubError('conflict', `${branch} has gone on without this attempt; its work is ${commit}.`);
      await run(
        'update-ref',
        '-m',
        'push: work of a run',
        ref,
        commit,
        before === '' ? '0'.repeat(commit.length) : before,
      );
    });
  });
}

async function git(cwd: string, args: readonly string[], input?: string): Promise<string> {
  const end = await startGit({ cwd, args, env: OUR_GIT, input, patienceMs: 120_000 });
  if (end.code !== 0) throw failed(args, end);
  return end.stdout;
}
