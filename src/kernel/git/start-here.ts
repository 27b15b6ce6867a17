// The only place that starts git. Nothing else of ours is loaded with it: the small process that does it has nothing to keep.
import { execFile, spawn } from 'node:child_process';

const MOST_OUTPUT = 64 * 1024 * 1024;

export type GitStart = Readonly<{
  cwd: string;
  args: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  patienceMs: number;
  /** What it reads; nothing unless given. */
  input?: string | undefined;
}>;

export type GitEnd = Readonly<{ code: number; stdout: string; stderr: string }>;
/** It could not be started, or was stopped. */
export type NoEnd = Readonly<{ failed: string; message: string }>;

export function startHere(start: GitStart, signal?: AbortSignal): Promise<GitEnd | NoEnd> {
  const { cwd, args, env, patienceMs, input } = start;
  return new Promise((resolve) => {
    const options = {
      cwd,
      env,
      maxBuffer: MOST_OUTPUT,
      timeout: patienceMs,
      killSignal: 'SIGKILL' as const,
      windowsHide: true,
      ...(signal && { signal }),
    };
    const child = execFile('git', [...args], options, (error, stdout, stderr) => {
      const code = error ? (error as { code?: unknown }).code : 0;
      if (typeof code === 'number') resolve({ code, stdout, stderr });
      else resolve({ failed: String(code), message: error?.message ?? '' });
    });
    // One that ended before it read everything has said why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** What it may use of the machine while it reads what others packed. */
export type GitMost = Readonly<{ megabytes: number; seconds: number }>;

const WITHIN = 'ulimit -d "$1" 2>/dev/null; ulimit -t "$2" 2>/dev/null; shift 2; exec git "$@"';

/** For what is piped through it: whoever starts it ends it. */
export function pipeHere({
  cwd,
  args,
  env,
  most,
}: Pick<GitStart, 'cwd' | 'args' | 'env'> & Readonly<{ most?: GitMost | undefined }>) {
  const [program, ...line] =
    most && process.platform !== 'win32'
      ? ['/bin/sh', '-c', WITHIN, 'sh', `${most.megabytes * 1024}`, `${most.seconds}`, ...args]
      : ['git', ...args];
  return spawn(program, line, {
    cwd,
    env: { ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
}
