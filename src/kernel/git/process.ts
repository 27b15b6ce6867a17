// The only place that starts git.
import { execFile, spawn } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { HubError } from '../errors.ts';

const MOST_OUTPUT = 64 * 1024 * 1024;
const PATIENCE_MS = 120_000;

export type GitRun = Readonly<{
  cwd: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal | undefined;
  patienceMs?: number | undefined;
  /** What it reads; nothing unless given. */
  input?: string | undefined;
}>;

export type GitEnd = Readonly<{ code: number; stdout: string; stderr: string }>;

/** How it ended is a value; only a git that cannot be started, or that was stopped, throws. */
export function startGit(run: GitRun): Promise<GitEnd> {
  const { cwd, args, env, signal, patienceMs = PATIENCE_MS, input } = run;
  return new Promise((resolve, reject) => {
    const options = {
      cwd,
      env: { ...ownEnvironment(process.env), ...env },
      maxBuffer: MOST_OUTPUT,
      timeout: patienceMs,
      killSignal: 'SIGKILL' as const,
      windowsHide: true,
      ...(signal && { signal }),
    };
    const child = execFile('git', [...args], options, (error, stdout, stderr) => {
      const code = error ? (error as { code?: unknown }).code : 0;
      if (typeof code === 'number') resolve({ code, stdout, stderr });
      else reject(code === 'ENOENT' ? missing(error) : stopped(args, error));
    });
    // One that ended before it read everything has said why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** For what is piped through it: whoever starts it ends it. */
export function spawnGit({ cwd, args, env }: Pick<GitRun, 'cwd' | 'args' | 'env'>) {
  return spawn('git', [...args], {
    cwd,
    env: { ...ownEnvironment(process.env), ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
}

/**
 * All that git is told of where it runs. Nothing of the caller's own git, whose hook may have started us; no relative
 * folder in the path, since git runs where agents write.
 */
function ownEnvironment({
  PATH = '',
  TZ,
  TMPDIR,
  SYSTEMROOT,
}: NodeJS.ProcessEnv): Record<string, string | undefined> {
  const path = PATH.split(':').filter((folder) => isAbsolute(folder));
  return {
    PATH: path.join(':'),
    TZ,
    TMPDIR,
    SYSTEMROOT,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PAGER: 'cat',
    GIT_EDITOR: ':',
    GIT_SEQUENCE_EDITOR: ':',
    GIT_ASKPASS: 'false',
    SSH_ASKPASS: 'false',
    GIT_SSH_COMMAND: 'false',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ATTR_NOSYSTEM: '1',
  };
}

export function failed(args: readonly string[], { code, stderr }: GitEnd): HubError {
  const why = stderr.trim().split('\n').slice(-3).join(' ').slice(0, 500);
  const word = args.find((each) => !each.startsWith('-')) ?? '';
  return new HubError('unavailable', `git ${word} failed: ${why === '' ? `code ${code}` : why}`, {
    retryable: false,
  });
}

function missing(error: unknown): HubError {
  return new HubError('unavailable', 'git is not installed.', { retryable: false }).because(error);
}

function stopped(args: readonly string[], error: unknown): HubError {
  return new HubError('unavailable', `git ${args[0] ?? ''} did not come to an end.`, {
    retryable: false,
  }).because(error);
}
