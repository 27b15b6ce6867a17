import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HubError } from '../../../kernel/errors.ts';
import { isInRepository } from '../placing.ts';

const run = promisify(execFile);
const MOST_OUTPUT = 64 * 1024 * 1024;
const PATIENCE_MS = 120_000;

/** git in a folder; it asks nobody anything. What it says on failure becomes the refusal. */
export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run('git', ['-C', folder, ...args], {
      maxBuffer: MOST_OUTPUT,
      timeout: PATIENCE_MS,
      env: { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
    });
    return stdout;
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT')
      throw new HubError('unavailable', 'git is not installed.', { retryable: false }, error);
    const why = stderr.trim().split('\n').slice(-3).join(' ').slice(0, 500);
    throw new HubError(
      'unavailable',
      `git ${args[0]} failed: ${why === '' ? String(code) : why}`,
      { retryable: false },
      error,
    );
  }
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
