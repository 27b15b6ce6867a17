// ripgrep as a program: its expressions never backtrack, so its time is linear in what it reads, whatever the pattern.
import { HubError } from './errors.ts';

/** In kilobytes. An ignore file that is a link to an endless device would otherwise eat the machine. */
const MOST_MEMORY = 4 * 1024 * 1024;

/** The command line begins with this. */
export async function ripgrepProgram(): Promise<[string, ...string[]]> {
  const rg = await ripgrepPath();
  if (process.platform === 'win32') return [rg];
  return ['/bin/sh', '-c', `ulimit -v ${MOST_MEMORY} 2>/dev/null; exec "$0" "$@"`, rg];
}

async function ripgrepPath(): Promise<string> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch (error) {
    const hint = 'Install the package again, with its optional packages.';
    throw new HubError('unavailable', 'ripgrep is not installed for this platform.', { hint }).because(error);
  }
}
