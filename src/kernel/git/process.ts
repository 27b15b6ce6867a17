// How git is started: with an environment of our own, and from a small process beside the hub.
import { isAbsolute } from 'node:path';
import { HubError } from '../errors.ts';
import { type GitEnd, type GitMost, type GitStart, type NoEnd, pipeHere } from './start-here.ts';
import { startBeside } from './starter.ts';

export type { GitEnd } from './start-here.ts';

const PATIENCE_MS = 120_000;

export type GitRun = Omit<GitStart, 'patienceMs'> &
  Readonly<{ patienceMs?: number | undefined; signal?: AbortSignal | undefined }>;

/** How it ended is a value; only a git that cannot be started, or that was stopped, throws. */
export async function startGit(run: GitRun): Promise<GitEnd> {
  const { cwd, args, env, signal, patienceMs = PATIENCE_MS, input } = run;
  const start = { cwd, args, env: { ...ownEnvironment(process.env), ...env }, patienceMs, input };
  const end = await startBeside(start, signal);
  if (!('failed' in end)) return end;
  throw end.failed === 'ENOENT' ? missing(end) : stopped(args, end);
}

/** For what is piped through it. */
export function pipeGit({
  cwd,
  args,
  env,
  most,
}: Pick<GitRun, 'cwd' | 'args' | 'env'> & Readonly<{ most?: GitMost | undefined }>) {
  return pipeHere({ cwd, args, env: { ...ownEnvironment(process.env), ...env }, most });
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

function missing({ message }: NoEnd): HubError {
  return new HubError('unavailable', 'git is not installed.', { retryable: false }).because(
    new Error(message),
  );
}

function stopped(args: readonly string[], { message }: NoEnd): HubError {
  return new HubError('unavailable', `git ${args[0] ?? ''} did not come to an end.`, {
    retryable: false,
  }).because(new Error(message));
}
