// The few settings of a person and a repository that are data to us. Nothing that git would run is among them.
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { elapsed } from '../clock.ts';
import { HubError } from '../errors.ts';
import { atHome } from '../site.ts';
import { folderOf } from './place.ts';
import { failed, startGit } from './process.ts';

export type GitSettings = Readonly<{
  name: string | undefined;
  email: string | undefined;
  /** What the person never wants to see, in all their repositories. */
  excludes: string;
  objectFormat: string | undefined;
  /** What the file system can do, as it was found when the repository was made. */
  files: Readonly<Record<string, string>>;
  /** How a person wants lines to end in their own checkout. */
  lineEnds: Readonly<Record<string, string>>;
}>;

const FILES = ['filemode', 'symlinks', 'ignorecase', 'precomposeunicode'];
const LINE_ENDS = ['autocrlf', 'eol'];
const CORE = ['excludesfile', ...FILES, ...LINE_ENDS].join('|');
const WANTED = `^(user\\.(name|email)|safe\\.directory|core\\.(${CORE})|extensions\\.(objectformat|refstorage))$`;
const PLAIN = /^(?:true|false|input|lf|crlf|native)$/;
const PATIENCE_MS = 10_000;

type KnownSettings = Readonly<{ mark: string; at: number; settings: Promise<GitSettings> }>;
const known = new Map<string, KnownSettings>();
/** Files that others include may change without a trace here. */
const KNOWN_MS = 5_000;
const MOST_KNOWN = 100;

/** Asked again when one of the files that say it was written. */
export async function readSettings(common: string): Promise<GitSettings> {
  const mark = await markOf(common);
  const found = known.get(common);
  if (found?.mark === mark && elapsed() - found.at < KNOWN_MS) return found.settings;
  const settings = askSettings(common);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(common, { mark, at: elapsed(), settings });
  settings.catch(() => known.delete(common));
  return settings;
}

async function markOf(common: string): Promise<string> {
  const { HOME = '', XDG_CONFIG_HOME = join(HOME, '.config'), GIT_CONFIG_GLOBAL } = process.env;
  const files = [
    join(common, 'config'),
    ...(GIT_CONFIG_GLOBAL === undefined
      ? [join(HOME, '.gitconfig'), join(XDG_CONFIG_HOME, 'git', 'config')]
      : [GIT_CONFIG_GLOBAL]),
  ];
  const marks = await Promise.all(
    files.map(async (file) => {
      const facts = await stat(file).catch(() => undefined);
      return facts ? `${file} ${facts.ino} ${facts.mtimeMs} ${facts.ctimeMs} ${facts.size}` : file;
    }),
  );
  return marks.join('\n');
}

/** `git config` reads and prints; it starts nothing. What nobody set is an empty answer. */
export async function askConfig(common: string, wanted: readonly string[]): Promise<string> {
  const { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM } = process.env;
  const args = ['config', '-z', ...wanted];
  const env = {
    HOME,
    XDG_CONFIG_HOME,
    GIT_CONFIG_GLOBAL,
    GIT_CONFIG_SYSTEM,
    GIT_CONFIG_NOSYSTEM,
    GIT_DIR: common,
  };
  const end = await startGit({ cwd: common, args, env, patienceMs: PATIENCE_MS });
  if (end.code > 1) throw failed(args, end);
  return end.stdout;
}

async function askSettings(common: string): Promise<GitSettings> {
  const found = parse(await askConfig(common, ['--show-scope', '--get-regexp', WANTED]));
  const last = (key: string) => found.findLast((one) => one.key === key)?.value;
  await requireTrusted(common, found);
  if ((last('extensions.refstorage') ?? 'files') !== 'files')
    throw new HubError('unavailable', `${folderOf(common)} does not keep its refs as files.`, {
      retryable: false,
      hint: 'Holdfast works with repositories whose refs are files, as git makes them.',
    });
  const plain = (names: readonly string[]) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = last(`core.${name}`);
        return value !== undefined && PLAIN.test(value) ? [[name, value] as const] : [];
      }),
    );
  return {
    name: last('user.name'),
    email: last('user.email'),
    excludes: excludesAt(last('core.excludesfile')),
    objectFormat: last('extensions.objectformat'),
    files: plain(FILES),
    lineEnds: plain(LINE_ENDS),
  };
}

/** How the objects of a repository are named. */
export const OBJECT_FORMATS = ['sha1', 'sha256'] as const;
export type ObjectFormat = (typeof OBJECT_FORMATS)[number];

export async function objectsOf(common: string): Promise<ObjectFormat> {
  const { objectFormat = 'sha1' } = await readSettings(common);
  const known = OBJECT_FORMATS.find((each) => each === objectFormat);
  if (known) return known;
  throw new HubError('unavailable', `${folderOf(common)} names its objects by ${objectFormat}.`, {
    retryable: false,
    hint: 'Holdfast knows sha1 and sha256.',
  });
}

type Setting = Readonly<{ scope: string; key: string; value: string }>;

function parse(output: string): Setting[] {
  const parts = output.split('\0');
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, at) => {
    const [scope, said] = [parts[at * 2]!, parts[at * 2 + 1]!];
    const end = said.indexOf('\n');
    return { scope, key: end < 0 ? said : said.slice(0, end), value: end < 0 ? 'true' : said.slice(end + 1) };
  });
}

function excludesAt(value: string | undefined): string {
  const { XDG_CONFIG_HOME } = process.env;
  if (value === undefined) return join(XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'git', 'ignore');
  return atHome(value);
}

/** The rule of git itself: a repository of another user is not worked in, unless the person has said so. */
async function requireTrusted(common: string, found: readonly Setting[]): Promise<void> {
  const me = process.geteuid?.();
  if (me === undefined || (await stat(common)).uid === me) return;
  const folder = folderOf(common);
  const safe = found.filter(
    ({ scope, key }) => key === 'safe.directory' && /^(?:system|global)$/.test(scope),
  );
  const since = safe.slice(safe.findLastIndex(({ value }) => value === '') + 1);
  if (since.some(({ value }) => value === '*' || value === folder || isAbove(value, folder))) return;
  throw new HubError('unavailable', `${folder} belongs to another user.`, {
    retryable: false,
    hint: `If you trust it: git config --global --add safe.directory ${folder}`,
  });
}

function isAbove(value: string, folder: string): boolean {
  return value.endsWith('/*') && folder.startsWith(value.slice(0, -1));
}
