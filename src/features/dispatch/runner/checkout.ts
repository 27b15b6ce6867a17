// The work of an attempt on a runner's machine: fetched from the hub, checked out in a folder of its own, pushed back. git of
// ours runs in the cache alone, which no agent writes to; of the folder only its objects and one ref are read.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../../kernel/config.ts';
import { sha256 } from '../../../kernel/digest.ts';
import { HubError } from '../../../kernel/errors.ts';
import { gitPlaceOf } from '../../../kernel/git/place.ts';
import { withGit } from '../../../kernel/git/git.ts';
import { createHeadReader } from '../../../kernel/git/heads.ts';
import { failed, startGit } from '../../../kernel/git/process.ts';
import { objectsOf } from '../../../kernel/git/settings.ts';
import { settleFile } from '../../../kernel/git/settle-file.ts';
import { copyShallow } from '../../../kernel/git/shallow.ts';
import { proxyFor } from '../../../kernel/proxy.ts';
import { createTurns } from '../../../kernel/turns.ts';
import type { PlacedRun } from '../pool/wire.ts';
import type { RunnerLink } from './link.ts';

export interface RunnerTree {
  /** Folders of objects that its own repository reads. */
  readonly borrows: readonly string[];
  /** Pushes what was committed since; with `rest` whatever was not is committed first. */
  save(options?: Readonly<{ rest?: string }>): Promise<void>;
}

type CheckoutParts = Readonly<{
  env: Environment;
  link: Pick<RunnerLink, 'url' | 'token'>;
  git: NonNullable<PlacedRun['git']>;
  /** Where caches are kept. */
  caches: string;
  /** The folder that is made. */
  work: string;
  /** A checkout of the same project that is here already: its objects are read, nothing else. */
  known: string | undefined;
  /** A large one takes its time, and nobody may want it any more. */
  signal: AbortSignal;
}>;

const PATIENCE_MS = 15 * 60_000;
const PLAIN = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

type TreeParts = Pick<CheckoutParts, 'env' | 'link' | 'git' | 'caches' | 'work'>;

type Git = (cwd: string, args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<string>;

export function gitIn(caches: string, signal?: AbortSignal): Git {
  return async (cwd, args, env = PLAIN) => {
    const end = await startGit({ cwd, args, env: { ...env, HOME: caches }, patienceMs: PATIENCE_MS, signal });
    if (end.code !== 0) throw failed(args, end);
    return end.stdout.trim();
  };
}

/** One for each way of naming objects: a project may be another repository than it was. */
function cacheOf({ link, git, caches }: TreeParts): string {
  const way = git.objects === 'sha256' ? ' sha256' : '';
  return join(caches, `${sha256(`${link.url}${git.url}${way}`).slice(0, 16)}.git`);
}

/** In the environment and not among the arguments, which everybody on the machine can read. */
async function networkOf({ link, caches, env }: TreeParts): Promise<Record<string, string>> {
  const trusted = link.url.startsWith('https:') ? await trustedFile(caches) : undefined;
  const settings = [
    ['http.extraHeader', `Authorization: Bearer ${link.token}`],
    ['http.followRedirects', 'false'],
    ['http.proxy', proxyFor(new URL(link.url), env)?.href ?? ''],
    // Said at once, as the runner says it, and not when it was asked for.
    ['http.proxyAuthMethod', 'basic'],
    ['core.hooksPath', '/dev/null'],
    ['gc.auto', '0'],
    ['transfer.fsckObjects', 'true'],
    ...(trusted === undefined ? [] : [['http.sslCAInfo', trusted]]),
  ];
  return {
    ...PLAIN,
    GIT_ALLOW_PROTOCOL: 'http:https',
    GIT_CONFIG_COUNT: `${settings.length}`,
    ...Object.fromEntries(
      settings.flatMap(([key, value], i) => [
        [`GIT_CONFIG_KEY_${i}`, key!],
        [`GIT_CONFIG_VALUE_${i}`, value!],
      ]),
    ),
  };
}

/** git trusts whom this runner trusts: a hub whose certificate is of a house's own (NODE_EXTRA_CA_CERTS) is the same hub for both. */
async function trustedFile(caches: string): Promise<string | undefined> {
  const { getCACertificates } = await import('node:tls');
  // An older Node cannot say: then git asks the system.
  if (typeof getCACertificates !== 'function') return undefined;
  const file = join(caches, 'trusted.pem');
  settleFile(file, getCACertificates('default').join('\n'));
  return file;
}

export async function checkOut({ known, signal, ...parts }: CheckoutParts): Promise<RunnerTree> {
  const { link, git, caches, work } = parts;
  const run = gitIn(caches, signal);
  const cache = cacheOf(parts);
  await mkdir(caches, { recursive: true, mode: 0o700 });
  const format = `--object-format=${git.objects}`;
  if (!existsSync(cache)) await run(caches, ['init', '-q', '--bare', format, cache]);
  const borrowed = await borrow(cache, { known, objects: git.objects });
  const local = `refs/runs/${sha256(git.ref).slice(0, 16)}`;
  await run(
    cache,
    [
      'fetch',
      '-q',
      '--no-tags',
      '--no-write-fetch-head',
      '--force',
      '--update-shallow',
      `${link.url}${git.url}`,
      `${git.from}:${local}`,
    ],
    await networkOf(parts),
  );
  const commit = await run(cache, ['rev-parse', '--verify', `${local}^{commit}`]);
  await mkdir(work, { recursive: true, mode: 0o700 });
  await run(work, ['init', '-q', format]);
  await writeFile(join(work, '.git', 'objects', 'info', 'alternates'), `${join(cache, 'objects')}\n`);
  copyShallow(cache, join(work, '.git'));
  const branch = `refs/heads/${git.branch}`;
  await run(work, ['update-ref', branch, commit]);
  await run(work, ['symbolic-ref', 'HEAD', branch]);
  await run(work, ['reset', '-q', '--hard']);
  return treeOf(parts, { pushed: commit, borrowed });
}

/** What lies in the folder, as it was checked out once. */
export function treeOf(
  parts: TreeParts,
  { pushed: begun = '', borrowed = [] }: Readonly<{ pushed?: string; borrowed?: readonly string[] }> = {},
): RunnerTree {
  const { link, git, caches, work } = parts;
  const run = gitIn(caches);
  const cache = cacheOf(parts);
  const branch = `refs/heads/${git.branch}`;
  const turns = createTurns();
  let pushed = begun;

  /** From files alone, wherever git has put it: one that tidies up takes the branch into its packed refs. */
  async function headNow(): Promise<string> {
    const heads = await createHeadReader().read(join(work, '.git'), [git.branch]);
    return heads.get(git.branch) ?? pushed;
  }

  return {
    borrows: [join(cache, 'objects'), ...borrowed],
    save: ({ rest } = {}) =>
      turns.take(async () => {
        if (rest !== undefined) await commitRest(work, branch, rest);
        const head = await headNow();
        if (head === pushed) return;
        const ours = { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(work, '.git', 'objects') };
        const push = ['push', '-q', '--no-verify', `${link.url}${git.url}`, `${head}:${git.ref}`];
        await run(cache, push, { ...(await networkOf(parts)), ...ours });
        pushed = head;
      }),
  };
}

type Borrowing = Readonly<{ known: string | undefined; objects: TreeParts['git']['objects'] }>;

/** Its objects are read where they are; a folder that is no repository, or names objects otherwise, is no help, and no harm. */
async function borrow(cache: string, { known, objects }: Borrowing): Promise<readonly string[]> {
  const place = known === undefined ? undefined : await gitPlaceOf(known).catch(() => undefined);
  const isAlike = place !== undefined && (await objectsOf(place.common).catch(() => undefined)) === objects;
  const from = isAlike ? [join(place.common, 'objects')] : [];
  // Other attempts read it meanwhile.
  settleFile(join(cache, 'objects', 'info', 'alternates'), from.map((each) => `${each}\n`).join(''));
  return from;
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
