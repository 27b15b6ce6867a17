import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import type { Workspace } from '../workspace.ts';
import type { Launch } from './process.ts';

export type Sandbox = 'off' | 'bwrap';

type Wanted = Readonly<{ command: string; cwd: string; space: Pick<Workspace, 'root' | 'closed'>; env: Readonly<Record<string, string>> }>;

/**
 * The program that runs a command. With bubblewrap only the workspace can be written, what is closed in it is empty, there
 * is no network and no process outside is seen. When it was asked for and is not there, nothing runs: a sandbox never fails open.
 */
export async function shellFor(sandbox: Sandbox, { command, cwd, space: { root, closed }, env }: Wanted): Promise<Launch> {
  if (sandbox === 'off') return { program: 'bash', args: ['-c', command], cwd, env };
  const program = await findProgram('bwrap', env['PATH'] ?? '');
  if (program === undefined) {
    throw new HubError('unavailable', 'The sandbox was asked for and bubblewrap (bwrap) is not installed: nothing was run.', {
      denied: 'sandbox:missing',
      hint: 'Install bubblewrap, or set sandbox: off.',
    });
  }
  const readOnly = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/opt'].flatMap((path) => ['--ro-bind-try', path, path]);
  const args = [
    '--die-with-parent',
    '--new-session',
    '--unshare-all',
    ...readOnly,
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    '--bind',
    root,
    root,
    ...[...closed].flatMap((folder) => ['--tmpfs', join(root, folder)]),
    '--chdir',
    cwd,
    '--',
    'bash',
    '-c',
    command,
  ];
  return { program, args, cwd, env: { ...env, HOME: root } };
}

export async function findProgram(name: string, path: string): Promise<string | undefined> {
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
