import { accessSync, chmodSync, constants, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import type { Config } from '../../kernel/config.ts';
import { isPostgresUrl } from '../../kernel/site.ts';
import { findConfinement } from '../../kernel/shell/sandbox.ts';
import type { Finding, Fix } from './finding.ts';

/** The machine a hub runs on: its Node, its folder, its port, its disk. */
const LOW_DISK = 100 * 1024 * 1024;

export function examineNode(): Finding {
  return {
    check: 'node',
    state: 'ok',
    found: `${process.version}, Node-API ${process.versions['napi'] ?? 'unknown'}`,
  };
}

export function examineHome({ home }: Config): Finding {
  const mode = modeOf(home);
  if (mode === undefined)
    return { check: 'home', state: 'ok', found: `${home} will be made by the first start` };
  if (!canWrite(home))
    return {
      check: 'home',
      state: 'fail',
      found: `${home} cannot be written to`,
      mend: `chmod u+rwx ${home}, or set HOLDFAST_HOME.`,
    };
  if (isOpenToOthers(home))
    return {
      check: 'home',
      state: 'warn',
      found: `${home} is open to other users`,
      mend: `chmod 700 ${home}`,
      fix: closing([home], 0o700),
    };
  const open = ['signing.key', 'token', 'secrets.yaml']
    .map((name) => `${home}/${name}`)
    .filter(isOpenToOthers);
  if (open.length > 0)
    return {
      check: 'home',
      state: 'warn',
      found: `${open.join(', ')} can be read by other users`,
      mend: `chmod 600 ${open.join(' ')}`,
      fix: closing(open, 0o600),
    };
  return { check: 'home', state: 'ok', found: home };
}

export function closing(paths: readonly string[], mode: number): Fix {
  return {
    shown: `chmod ${mode.toString(8)} ${paths.join(' ')}`,
    run: () => paths.forEach((path) => chmodSync(path, mode)),
  };
}

/** Whether a command of an agent can read what the hub knows. */
export async function examineSandbox({ tools: { sandbox } }: Config, path: string): Promise<Finding> {
  const confinement = await findConfinement(sandbox, path);
  if (confinement.kind !== 'none') {
    const found =
      confinement.kind === 'strict'
        ? 'Bash runs in bubblewrap, in the workspace alone'
        : 'Bash runs in bubblewrap';
    return { check: 'sandbox', state: 'ok', found };
  }
  const why = {
    off: 'sandbox is off',
    missing: 'bubblewrap is not installed',
    broken: 'bubblewrap does not work here',
  }[confinement.why];
  const mend =
    confinement.why === 'off' ? 'Set sandbox: auto.' : 'Install bubblewrap and allow it to make namespaces.';
  if (sandbox === 'bwrap')
    return { check: 'sandbox', state: 'fail', found: `${why}: Bash refuses every command`, mend };
  const found = `${why}: a command that is approved can read the hub's environment, keys and tokens`;
  return { check: 'sandbox', state: 'warn', found, mend };
}

/** A hub that is up has its port; otherwise one of the list has to be free. */
export async function examinePort({ host, ports }: Config, isAlive: boolean): Promise<Finding> {
  if (isAlive) return { check: 'port', state: 'ok', found: 'in use by the hub' };
  for (const port of ports) {
    const problem = await tryPort(host, port);
    if (problem === undefined) return { check: 'port', state: 'ok', found: `${host}:${port} is free` };
    if (problem !== 'EADDRINUSE')
      return {
        check: 'port',
        state: 'fail',
        found: `${host}:${port} cannot be used (${problem})`,
        mend: 'Check --host and --port.',
      };
  }
  return {
    check: 'port',
    state: 'fail',
    found: `${ports.join(', ')} on ${host}: all taken`,
    mend: 'Choose another with --port or CLAWBOO_API_PORT.',
  };
}

function tryPort(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown reason'));
    probe.listen({ host, port }, () => probe.close(() => resolve(undefined)));
  });
}

export async function examineDisk({ home, database }: Config): Promise<Finding> {
  const place = existing(isPostgresUrl(database) ? home : database);
  const { bavail, bsize } = await statfs(place);
  const free = bavail * bsize;
  const found = `${inUnits(free)} free at ${place}`;
  return free < LOW_DISK
    ? { check: 'disk', state: 'fail', found, mend: 'Make room: a full disk refuses every write.' }
    : { check: 'disk', state: 'ok', found };
}

function inUnits(bytes: number): string {
  return bytes < 1024 ** 3 ? `${Math.floor(bytes / 1024 ** 2)} MB` : `${(bytes / 1024 ** 3).toFixed(1)} GB`;
}

function existing(path: string): string {
  return modeOf(path) === undefined && dirname(path) !== path ? existing(dirname(path)) : path;
}

export function modeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mode;
}

export function isOpenToOthers(path: string): boolean {
  return ((modeOf(path) ?? 0) & 0o077) !== 0;
}

export function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
