import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HubError } from '../../../kernel/errors.ts';
import { isInRepository } from '../placing.ts';

const run = promisify(execFile);
const MOST_OUTPUT = 64 * 1024 * 1024;
const PATIENCE_MS = 120_000;

/** What git has to know of where it runs. The hub's own variables are nobody's whose repository this is. */
const KEPT =
  /^(?:PATH|HOME|USER|LOGNAME|USERPROFILE|SYSTEMROOT|TZ|TMPDIR|XDG_\w+|GNUPGHOME|SSH_AUTH_SOCK|GIT_(?:AUTHOR|COMMITTER)_\w+)$/i;

/**
 * What a repository can have git run beside its own work: agents write where the hub looks. Submodules are
 * repositories of their own, with settings that these do not reach, so nobody looks into them.
 */
const QUIET = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'commit.gpgsign=false',
  'diff.ignoreSubmodules=all',
  'submodule.recurse=false',
  'gc.auto=0',
];

/**
 * git in a folder; it asks nobody anything, and runs nothing that the folder brought along. What it says on
 * failure becomes the refusal.
 */
export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  try {
    const quiet = QUIET.flatMap((setting) => ['-c', setting]);
    const { stdout } = await run('git', ['-C', folder, ...quiet, ...args], {
      maxBuffer: MOST_OUTPUT,
      timeout: PATIENCE_MS,
      env: { ...known(process.env), GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
    });
    return stdout;
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT')
      throw new HubError('unavailable', 'git is not installed.', { retryable: false }, error);
    const why = stderr.trim().split('\n').slice(-3).join(' ').slice(0, 500);
    throw new HubError(
      'unavailable',
      `git ${args.find((each) => !each.startsWith('-')) ?? ''} failed: ${why === '' ? String(code) : why}`,
      { retryable: false },
      error,
    );
  }
}

function known(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => KEPT.test(name)));
}

const turns = new Map<string, Promise<unknown>>();

/** git locks its own files and gives up when they are locked: what changes one repository is done one after the other. */
export function inTurn<T>(repository: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(repository) ?? Promise.resolve();
  const mine = before.then(work, work);
  const settled = mine
    .catch(() => undefined)
    .finally(() => void (turns.get(repository) === settled && turns.delete(repository)));
  turns.set(repository, settled);
  return mine;
}

/** Undefined for a folder that is in no repository. Where there is one, but git cannot say so, nothing is done at all. */
export async function repositoryOf(folder: string): Promise<string | undefined> {
  try {
    return (await git(folder, 'rev-parse', '--show-toplevel')).trim();
  } catch (error) {
    if (isInRepository(folder)) throw error;
    return undefined;
  }
}
