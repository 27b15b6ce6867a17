// The hub's own bare mirror of a repository: what runners fetch from and push to. It borrows the objects of the repository and
// has nothing else of it, none of its hooks and settings; what is pushed stays here until the hub takes it into the run's branch.
import { existsSync } from 'node:fs';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { sha256 } from '../../../kernel/digest.ts';
import { makeFolders } from '../../../kernel/folders.ts';
import { withGit } from '../../../kernel/git/git.ts';
import { failed, startGit } from '../../../kernel/git/process.ts';
import { checkoutOf, inTurn } from '../../../kernel/git/repository.ts';
import { type ObjectFormat, objectsOf } from '../../../kernel/git/settings.ts';
import { settleFile } from '../../../kernel/git/settle-file.ts';
import { copyShallow } from '../../../kernel/git/shallow.ts';
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

/** Made when it is first needed; its settings are written anew each time. Not while it is tidied. */
export function openMirror(home: string, repository: string): Promise<string> {
  const mirror = mirrorOf(home, repository);
  return inTurn(mirror, () => open(home, { mirror, repository }));
}

async function open(
  home: string,
  { mirror, repository }: Readonly<{ mirror: string; repository: string }>,
): Promise<string> {
  const { common } = await checkoutOf(repository);
  const objects = await objectsOf(common);
  makeFolders(join(home, 'mirrors'));
  const isThere = () => existsSync(join(mirror, 'HEAD'));
  // Of a repository that was in this place before.
  if (isThere() && (await objectsOf(mirror)) !== objects) await rm(mirror, { recursive: true });
  if (!isThere())
    await git(home, ['init', '-q', '--bare', '--template=', `--object-format=${objects}`, mirror]);
  makeFolders(join(mirror, 'objects', 'info'));
  // Others may be at work here.
  settleFile(join(mirror, 'objects', 'info', 'alternates'), `${join(common, 'objects')}\n`);
  settleFile(join(mirror, 'config'), settingsFor(objects));
  copyShallow(common, mirror);
  await dropHalfPushes(mirror);
  const hooks = join(mirror, 'hooks');
  makeFolders(hooks);
  settleFile(join(hooks, 'pre-receive'), BEFORE_RECEIVING, 0o700);
  return mirror;
}

const HALF_PUSH_MS = 3_600_000;

/** A git that was killed left what it was about to take. How old that is, is told by the disk that both are on. */
async function dropHalfPushes(mirror: string): Promise<void> {
  const changed = (path: string) =>
    stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => Number.POSITIVE_INFINITY,
    );
  const marker = join(mirror, 'looked');
  await writeFile(marker, '');
  const now = await changed(marker);
  for (const name of await readdir(join(mirror, 'objects'))) {
    if (!name.startsWith('tmp_objdir-')) continue;
    const path = join(mirror, 'objects', name);
    if ((await changed(path)) < now - HALF_PUSH_MS) await rm(path, { recursive: true, force: true });
  }
}

const MOST_FILES = 1_000_000;

/** Ours, and the only one: a few trees that hold each other often enough are more files than any disk has room for. */
const BEFORE_RECEIVING = `#!/bin/sh
while read -r _ new _; do
  count=$(git ls-tree -r --name-only "$new" 2>/dev/null | head -n ${MOST_FILES + 1} | wc -l)
  if [ "$count" -gt ${MOST_FILES} ]; then
    echo "These are more than ${MOST_FILES} files." >&2
    exit 1
  fi
done
`;

const settingsFor = (objects: ObjectFormat) => `[core]
repositoryformatversion = 1
bare = true
logAllRefUpdates = false
bigFileThreshold = 32m
[pack]
threads = 1
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
[extensions]
objectFormat = ${objects}
`;

export async function mirrorsIn(home: string): Promise<string[]> {
  const names = await readdir(join(home, 'mirrors')).catch(() => []);
  return names.filter((name) => name.endsWith('.git')).map((name) => join(home, 'mirrors', name));
}

/** What is kept of runs, with the run it is of. */
export async function attemptRefs(
  mirror: string,
): Promise<readonly Readonly<{ ref: string; run: string }>[]> {
  const said = await git(mirror, ['for-each-ref', '--format=%(refname)', 'refs/heads/holdfast']);
  return said.split('\n').flatMap((ref) => {
    const [, run] = /^refs\/heads\/holdfast\/([^/]+)\/[^/]+$/.exec(ref) ?? [];
    return run === undefined ? [] : [{ ref, run }];
  });
}

export async function dropRefs(mirror: string, refs: readonly string[]): Promise<void> {
  if (refs.length > 0)
    await git(mirror, ['update-ref', '--stdin'], refs.map((ref) => `delete ${ref}\n`).join(''));
}

/** Only what refs still name; nobody may be at it meanwhile. */
export async function packAnew(mirror: string): Promise<void> {
  await git(mirror, ['repack', '-a', '-d', '-l', '-q']);
  await git(mirror, ['prune', '--expire=now']);
}

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

/** Whether it is in the mirror afterwards; every hub on a machine has one of its own, and may have taken what is asked for. */
export async function fetchCommit(
  mirror: string,
  commit: string,
  from: Readonly<{ mirror: string | null; ref: string }>,
): Promise<boolean> {
  const isHere = async () =>
    (await startGit({ cwd: mirror, args: ['cat-file', '-e', `${commit}^{commit}`], env: OUR_GIT })).code ===
    0;
  if (await isHere()) return true;
  if (from.mirror === null || !existsSync(from.mirror)) return false;
  const args = ['fetch', '-q', '--no-tags', '--no-write-fetch-head', from.mirror, `+${from.ref}:${from.ref}`];
  const env = { ...OUR_GIT, GIT_ALLOW_PROTOCOL: 'file' };
  const end = await startGit({ cwd: mirror, args, env, patienceMs: 120_000 });
  return end.code === 0 && isHere();
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
