// The hub's own git: the objects and refs of somebody's repository under settings of ours. See docs/design/git.md.
import { copyFile, lstat, mkdir, mkdtemp, readlink, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HubError } from '../errors.ts';
import { type GitPlace, isThere, readSmall } from './place.ts';
import { failed, type GitEnd, startGit } from './process.ts';
import { type GitSettings, readSettings } from './settings.ts';

/** git on one repository, for as long as the work that got it. */
export interface Git {
  /** What it prints. What it says on failure becomes the refusal. */
  run(...args: readonly string[]): Promise<string>;
  /** For answers that are an exit code. */
  ask(...args: readonly string[]): Promise<GitEnd>;
  /** The same with something to read. */
  feed(input: string, ...args: readonly string[]): Promise<GitEnd>;
  /** The same git, writing commits in somebody's name. */
  as(author: GitAuthor): Git;
  /** The same git on another index. */
  over(index: string): Git;
  /** The same git, reaching others with what the person set up for all their repositories. For `remote.ts` alone. */
  abroad(): Git;
  readonly settings: GitSettings;
  /** The git folder of the repository itself. */
  readonly common: string;
  /** What is checked out: a branch by its full name, else a commit. */
  readonly head: string;
  /** The index that it works on. */
  readonly index: string;
}

/**
 * Differences shown by git itself, by no program that a repository names. A submodule that moves is shown like everything else;
 * its own folder is not looked into.
 */
export const PLAIN_DIFF = [
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=dirty',
  '--submodule=short',
] as const;

/** `date` as git prints it raw: seconds and a zone. */
export type GitAuthor = Readonly<{ name: string; email: string; date: string }>;

/**
 * `files`: the folder that is looked at or written; without it git sees no files at all.
 * `index`: `own` works on the index of the checkout itself, `copy` on a copy that is gone afterwards.
 */
export type GitUse = Readonly<{
  place: GitPlace;
  files?: string | undefined;
  index?: 'own' | 'copy' | undefined;
  /** `person`: lines end as in a checkout of their own; git does that itself. Otherwise files hold what is committed. */
  lineEnds?: 'person' | undefined;
  /** `aside`: what is made is gone afterwards, and the repository is only read. */
  objects?: 'aside' | undefined;
  signal?: AbortSignal | undefined;
}>;

/**
 * Makes a git folder of our own, with links to the objects and refs of the repository and nothing else of it, and
 * takes it away afterwards. What a repository can have git run stands in its settings and its hooks, and neither is
 * reached from here; what its attributes say is unsaid. Proven by test/contract/git-traps.test.ts.
 */
export async function withGit<T>(use: GitUse, work: (git: Git) => Promise<T>): Promise<T> {
  const settings = await readSettings(use.place.common);
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-git-'));
  try {
    return await work(await open(folder, use, settings));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function open(folder: string, use: GitUse, settings: GitSettings): Promise<Git> {
  const { place, files, signal } = use;
  const head = await headOf(place.own);
  await Promise.all([
    writeFile(join(folder, 'HEAD'), head.startsWith('refs/') ? `ref: ${head}\n` : `${head}\n`),
    writeFile(join(folder, 'config'), configOf(settings, use)),
    mkdir(join(folder, 'info')).then(() => writeFile(join(folder, 'info', 'attributes'), attributesFor(use))),
    mkdir(join(folder, 'logs')),
  ]);
  await Promise.all([
    link(place.common, folder, ['refs', 'packed-refs', 'shallow', 'info/exclude', 'logs/refs']),
    use.objects === 'aside' ? borrowObjects(place.common, folder) : link(place.common, folder, ['objects']),
    link(place.own, folder, ['logs/HEAD']),
  ]);
  const index = join(use.index === 'own' ? place.own : folder, 'index');
  const env = {
    ...OURS,
    ...identity(),
    HOME: folder,
    GIT_DIR: folder,
    GIT_INDEX_FILE: index,
    GIT_WORK_TREE: files,
  };
  const cwd = files ?? folder;
  function gitWith(own: Readonly<Record<string, string | undefined>>, its = index): Git {
    const ask = (...args: readonly string[]) => startGit({ cwd, args, env: own, signal });
    return {
      ask,
      feed: (input, ...args) => startGit({ cwd, args, env: own, signal, input }),
      async run(...args) {
        const end = await ask(...args);
        if (end.code !== 0) throw failed(args, end);
        return end.stdout;
      },
      as: ({ name, email, date }) =>
        gitWith({ ...own, GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date }, its),
      over: (other) => gitWith({ ...own, GIT_INDEX_FILE: other }, other),
      abroad: () => gitWith({ ...own, ...personsOwn() }, its),
      settings,
      common: place.common,
      head,
      index: its,
    };
  }
  const git = gitWith(env);
  if (use.index === 'copy') await takeIndex(join(place.own, 'index'), git);
  return git;
}

const OURS = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

/** What a person's own git knows of them, wherever it works; what is not set is not there. */
const PERSONS = `
  HOME USER LOGNAME XDG_CONFIG_HOME XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS
  GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM SSH_AUTH_SOCK
  GIT_SSL_CAINFO GIT_SSL_CAPATH SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE
  http_proxy https_proxy no_proxy all_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY
  GH_TOKEN GITHUB_TOKEN GH_CONFIG_DIR
`
  .trim()
  .split(/\s+/);

/** Its settings are those of the person and of ours: the repository has no say in how somebody is reached. */
function personsOwn(): Record<string, string | undefined> {
  const theirs = Object.fromEntries(PERSONS.map((name) => [name, process.env[name]]));
  return { ...theirs, GIT_ALLOW_PROTOCOL: 'https:ssh', GIT_SSH_COMMAND: undefined };
}

/** Every attribute that changes bytes or names a program, unsaid for every file: this file goes before all others. */
function attributesFor({ lineEnds }: GitUse): string {
  const ends = lineEnds === 'person' ? [] : ['!text', '!eol', '!crlf'];
  return [
    '*',
    '!filter',
    '!diff',
    '!merge',
    '!ident',
    '!working-tree-encoding',
    '!whitespace',
    ...ends,
    '\n',
  ].join(' ');
}

function configOf(settings: GitSettings, use: GitUse): string {
  const { excludes, objectFormat } = settings;
  const files = { ...settings.files, ...(use.lineEnds === 'person' && settings.lineEnds) };
  return [
    '[core]',
    `repositoryformatversion = ${objectFormat === undefined ? 0 : 1}`,
    `bare = ${use.files === undefined}`,
    ...Object.entries(files).map(([name, value]) => `${name} = ${value}`),
    'logAllRefUpdates = true',
    'hooksPath = /dev/null',
    'attributesFile = /dev/null',
    `excludesFile = ${quoted(excludes)}`,
    'fsmonitor = false',
    'untrackedCache = false',
    'protectHFS = true',
    'protectNTFS = true',
    ...(objectFormat === undefined ? [] : ['[extensions]', `objectFormat = ${quoted(objectFormat)}`]),
    '[transfer]\nfsckObjects = true',
    '[protocol]\nallow = never',
    '[gc]\nauto = 0',
    '[maintenance]\nauto = false',
    '[submodule]\nrecurse = false',
    '[diff]\nignoreSubmodules = all',
    '[advice]\naddEmbeddedRepo = false',
    '',
  ].join('\n');
}

function quoted(value: string): string {
  return `"${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

/** Who commits, where the hub's own environment says so. */
function identity(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)$/.test(name)),
  );
}

/** What is checked out, read as text: the name of a branch or a commit, and nothing else that might stand there. */
export async function headOf(own: string): Promise<string> {
  const file = join(own, 'HEAD');
  const isLink = (await lstat(file).catch(() => undefined))?.isSymbolicLink() === true;
  const text = isLink ? `ref: ${await readlink(file)}` : await readSmall(file);
  const [, ref, commit] = /^(?:ref: (refs\/[^\s\0]+)|([0-9a-f]{40,64}))\s*$/.exec(text) ?? [];
  const head = ref ?? commit;
  if (head !== undefined && !head.includes('..')) return head;
  throw new HubError('unavailable', `${file} names no branch and no commit.`, { retryable: false });
}

async function link(from: string, to: string, names: readonly string[]): Promise<void> {
  const one = async (name: string) => {
    const target = join(from, name);
    // Refs may be packed while we look.
    if (name === 'packed-refs' || (await isThere(target))) await symlink(target, join(to, name));
  };
  await Promise.all(names.map(one));
}

async function borrowObjects(common: string, folder: string): Promise<void> {
  const info = join(folder, 'objects', 'info');
  await mkdir(info, { recursive: true });
  await writeFile(join(info, 'alternates'), `${quoted(join(common, 'objects'))}\n`);
}

/**
 * A copy with its time, by which git knows which entries it may trust without reading the files. What somebody told the
 * index not to look at is looked at again; one that cannot be read is made anew from what is committed.
 */
async function takeIndex(from: string, { ask, run, index }: Git): Promise<void> {
  const found = await lstat(from).catch(() => undefined);
  if (found?.isFile()) {
    await copyFile(from, index);
    await utimes(index, found.atimeMs / 1_000, found.mtimeMs / 1_000);
    if ((await ask('update-index', '-q', '--ignore-submodules', '--really-refresh')).code === 0) return;
    await rm(index, { force: true });
  }
  await run('read-tree', 'HEAD');
}
