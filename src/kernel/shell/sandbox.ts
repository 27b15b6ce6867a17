import { execFile } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { HubError } from '../errors.ts';
import { isInside } from '../folders.ts';
import type { ShellLaunch } from './process.ts';

/**
 * How commands are kept in. `auto`: in bubblewrap where that works: processes of their own (none outside is
 * seen, none outlives its command), no capabilities, the hub's own folder empty; files and network are as
 * they are. `bwrap`: beyond that only the workspace can be written and there is no network; where it does not
 * work, nothing runs: a sandbox that was asked for never fails open. `off`: a plain shell.
 */
export type Sandbox = 'auto' | 'off' | 'bwrap';

export type Confinement =
  | Readonly<{ kind: 'bubblewrap' | 'strict'; program: string }>
  | Readonly<{ kind: 'none'; why: 'off' | 'missing' | 'broken' }>;

type Wanted = Readonly<{
  command: string;
  cwd: string;
  /** Where it works, and the folders in it that nothing enters, relative to it. */
  space: Readonly<{ root: string; closed: ReadonlySet<string> }>;
  env: Readonly<Record<string, string>>;
  /** Folders and files that no command sees, wherever they are. */
  hidden: readonly string[];
}>;

const PROBE_MS = 5_000;

/** What this machine can do, found out by trying. */
export async function findConfinement(sandbox: Sandbox, path: string): Promise<Confinement> {
  if (sandbox === 'off') return { kind: 'none', why: 'off' };
  const program = await findProgram('bwrap', path);
  if (program === undefined) return { kind: 'none', why: 'missing' };
  const works = await new Promise<boolean>((resolve) => {
    execFile(program, [...KEPT_IN, '--', 'bash', '-c', ':'], { timeout: PROBE_MS }, (error) =>
      resolve(error === null),
    );
  });
  if (!works) return { kind: 'none', why: 'broken' };
  return { kind: sandbox === 'bwrap' ? 'strict' : 'bubblewrap', program };
}

const ALONE = [
  '--die-with-parent',
  '--new-session',
  '--unshare-pid',
  '--unshare-ipc',
  '--cap-drop',
  'ALL',
] as const;
const KEPT_IN = [...ALONE, '--bind', '/', '/', '--proc', '/proc', '--dev', '/dev'] as const;
const STRICT = [
  ...ALONE,
  '--unshare-all',
  ...['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/opt'].flatMap((path) => [
    '--ro-bind-try',
    path,
    path,
  ]),
  '--proc',
  '/proc',
  '--dev',
  '/dev',
  '--tmpfs',
  '/tmp',
] as const;

/** The program that runs a command. */
export async function shellFor(confinement: Confinement, wanted: Wanted): Promise<ShellLaunch> {
  const { command, cwd, space, env } = wanted;
  if (confinement.kind === 'none')
    return { program: 'bash', args: ['-c', MARKED, 'bash', command], cwd, env };
  const isStrict = confinement.kind === 'strict';
  const { root } = space;
  const args = [
    ...(isStrict ? STRICT : KEPT_IN),
    ...(isStrict ? ['--bind', root, root] : []),
    ...(await hide(wanted, isStrict)),
    '--chdir',
    cwd,
    '--',
    'bash',
    '-c',
    command,
  ];
  return { program: confinement.program, args, cwd, env: isStrict ? { ...env, HOME: root } : env };
}

/**
 * The mark of `process.ts` in a limit that nothing uses: unlike the environment it stays when a command clears
 * that.
 */
const MARKED = 'ulimit -S -R "$RUN_LIMIT" 2>/dev/null; unset RUN_LIMIT; exec bash -c "$1"';

/** The same with a parent of its own: a command that ends its parent does not end the hub. */
const BELOW = 'ulimit -S -R "$RUN_LIMIT" 2>/dev/null; unset RUN_LIMIT; bash -c "$1"; exit $?';

/** Empty folders and files over what is closed. A workspace inside of such a folder is put back. */
async function hide(
  { space: { root, closed }, hidden }: Pick<Wanted, 'space' | 'hidden'>,
  isStrict: boolean,
): Promise<string[]> {
  const inside = [...closed].map((folder) => join(root, folder));
  const paths = isStrict ? inside : [...new Set([...inside, ...hidden])];
  const args: string[] = [];
  for (const path of paths) {
    const facts = await stat(path).catch(() => undefined);
    if (facts?.isDirectory()) args.push('--tmpfs', path);
    else if (facts) args.push('--ro-bind', '/dev/null', path);
    if (facts?.isDirectory() && path !== root && isInside(path, root)) args.push('--bind', root, root);
  }
  return args;
}

type CheckWanted = Readonly<{
  command: string;
  /** The one folder it may write, and works in. */
  tree: string;
  env: Readonly<Record<string, string>>;
  hidden: readonly string[];
  network: 'none' | 'open';
}>;

/**
 * The program that runs somebody's code on a tree to judge it: it reads what the machine has but for what a person
 * keeps secret, writes its tree and a temporary folder that ends with it, and has no network unless that was said.
 */
export async function checkShell(confinement: Confinement, wanted: CheckWanted): Promise<ShellLaunch> {
  const { command, tree, env, hidden, network } = wanted;
  if (confinement.kind === 'none')
    return { program: 'bash', args: ['-c', BELOW, 'bash', command], cwd: tree, env };
  const { HOME: home } = env;
  const secret = home === undefined ? [] : KEPT_SECRET.map((name) => join(home, name));
  const args = [
    ...ALONE,
    ...(network === 'none' ? ['--unshare-net'] : []),
    ...READ_ONLY,
    ...(network === 'open' ? RESOLVER : []),
    ...(await hide({ space: { root: tree, closed: new Set() }, hidden: [...hidden, ...secret] }, false)),
    '--bind',
    tree,
    tree,
    '--chdir',
    tree,
    '--',
    'bash',
    '-c',
    command,
  ];
  const caches = { XDG_CACHE_HOME: '/tmp/cache', npm_config_cache: '/tmp/npm', TMPDIR: '/tmp' };
  return { program: confinement.program, args, cwd: tree, env: { ...env, ...caches } };
}

/** Sockets of other programs lie below /run, and one that is read-only can be spoken to all the same. */
const READ_ONLY = '--ro-bind / / --proc /proc --dev /dev --tmpfs /tmp --tmpfs /run'.split(' ');
const RESOLVER = ['--ro-bind-try', '/run/systemd/resolve', '/run/systemd/resolve'] as const;
/** Where programs keep keys, below the home of a person. */
const KEPT_SECRET = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.netrc',
  '.npmrc',
  '.config/gh',
  '.config/gcloud',
];

export function refuseUnconfined(sandbox: Sandbox, confinement: Confinement): void {
  if (sandbox !== 'bwrap' || confinement.kind !== 'none') return;
  const why = confinement.why === 'missing' ? 'is not installed' : 'does not work here';
  throw new HubError(
    'unavailable',
    `The sandbox was asked for and bubblewrap (bwrap) ${why}: nothing was run.`,
    {
      denied: 'sandbox:missing',
      hint: 'Install bubblewrap and allow it to make namespaces, or set sandbox: auto.',
    },
  );
}

async function findProgram(name: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter((part) => part !== '')) {
    const candidate = join(folder, name);
    const found = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return candidate;
  }
  return undefined;
}
