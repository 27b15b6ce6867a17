// The work of an attempt on a runner's machine: fetched from the hub, checked out in a folder of its own, pushed back. git of
// ours runs in the cache alone, which no agent writes to; of the folder only its objects and one ref are read.
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../../../kernel/digest.ts';
import { HubError } from '../../../kernel/errors.ts';
import { gitPlaceOf } from '../../../kernel/git/place.ts';
import { withGit } from '../../../kernel/git/git.ts';
import { failed, startGit } from '../../../kernel/git/process.ts';
import type { PlacedRun } from '../pool/wire.ts';
import type { RunnerLink } from './link.ts';

export interface RunnerTree {
  /** Pushes what was committed since; with `rest` whatever was not is committed first. */
  save(options?: Readonly<{ rest?: string }>): Promise<void>;
}

type CheckoutParts = Readonly<{
  link: Pick<RunnerLink, 'url' | 'token'>;
  git: NonNullable<PlacedRun['git']>;
  /** Where caches are kept. */
  caches: string;
  /** The folder that is made. */
  work: string;
  /** A checkout of the same project that is here already: its objects are read, nothing else. */
  known: string | undefined;
}>;

const PATIENCE_MS = 15 * 60_000;
const PLAIN = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

export async function checkOut({ link, git, caches, work, known }: CheckoutParts): Promise<RunnerTree> {
  const url = `${link.url}${git.url}`;
  const cache = join(caches, `${sha256(url).slice(0, 16)}.git`);
  const settings = [
    ['http.extraHeader', `Authorization: Bearer ${link.token}`],
    ['http.followRedirects', 'false'],
    ['http.proxy', ''],
    ['core.hooksPath', '/dev/null'],
    ['gc.auto', '0'],
    ['transfer.fsckObjects', 'true'],
  ] as const;
  const network = {
    ...PLAIN,
    GIT_ALLOW_PROTOCOL: 'http:https',
    GIT_CONFIG_COUNT: `${settings.length}`,
    // In the environment and not among the arguments, which everybody on the machine can read.
    ...Object.fromEntries(
      settings.flatMap(([key, value], i) => [
        [`GIT_CONFIG_KEY_${i}`, key],
        [`GIT_CONFIG_VALUE_${i}`, value],
      ]),
    ),
  };

  async function run(
    cwd: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = PLAIN,
  ): Promise<string> {
    const end = await startGit({ cwd, args, env: { ...env, HOME: caches }, patienceMs: PATIENCE_MS });
    if (end.code !== 0) throw failed(args, end);
    return end.stdout.trim();
  }

  await mkdir(caches, { recursive: true, mode: 0o700 });
  if (!existsSync(cache)) await run(caches, ['init', '-q', '--bare', cache]);
  await borrow(cache, known);
  const local = `refs/runs/${sha256(git.ref).slice(0, 16)}`;
  await run(
    cache,
    ['fetch', '-q', '--no-tags', '--no-write-fetch-head', '--force', url, `${git.from}:${local}`],
    network,
  );
  const commit = await run(cache, ['rev-parse', '--verify', `${local}^{commit}`]);
  await mkdir(work, { recursive: true, mode: 0o700 });
  await run(work, ['init', '-q']);
  await writeFile(join(work, '.git', 'objects', 'info', 'alternates'), `${join(cache, 'objects')}\n`);
  const branch = `refs/heads/${git.branch}`;
  await run(work, ['update-ref', branch, commit]);
  await run(work, ['symbolic-ref', 'HEAD', branch]);
  await run(work, ['reset', '-q', '--hard']);
  let pushed = commit;

  async function headNow(): Promise<string> {
    const found = await readFile(join(work, '.git', branch), 'utf8').catch(() => '');
    return /^[0-9a-f]{40,64}$/.test(found.trim()) ? found.trim() : pushed;
  }

  return {
    async save({ rest } = {}) {
      if (rest !== undefined) await commitRest(work, branch, rest);
      const head = await headNow();
      if (head === pushed) return;
      const borrowed = { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(work, '.git', 'objects') };
      await run(cache, ['push', '-q', '--no-verify', url, `${head}:${git.ref}`], { ...network, ...borrowed });
      pushed = head;
    },
  };
}

/** Its objects are read where they are; a folder that is no repository is no help, and no harm. */
async function borrow(cache: string, known: string | undefined): Promise<void> {
  const place = known === undefined ? undefined : await gitPlaceOf(known).catch(() => undefined);
  const from = place ? `${join(place.common, 'objects')}\n` : '';
  await writeFile(join(cache, 'objects', 'info', 'alternates'), from);
}

/** By the hub's own git: nothing that the agent left for git runs here. */
async function commitRest(work: string, branch: string, agent: string): Promise<void> {
  const place = await gitPlaceOf(work);
  if (!place) throw new HubError('conflict', `${work} is no longer the checkout that was made for this run.`);
  await withGit({ place, files: work, index: 'copy' }, async (git) => {
    await git.run('add', '-A');
    const tree = (await git.run('write-tree')).trim();
    const parent = (await git.run('rev-parse', '--verify', branch)).trim();
    if (tree === (await git.run('rev-parse', '--verify', `${parent}^{tree}`)).trim()) return;
    const who = ['-c', `user.name=${agent}`, '-c', `user.email=${agent}@holdfast.invalid`];
    const about = `Work of ${agent} that was not committed`;
    const commit = (await git.run(...who, 'commit-tree', tree, '-p', parent, '-m', about)).trim();
    await git.run(...who, 'update-ref', branch, commit, parent);
  });
}
