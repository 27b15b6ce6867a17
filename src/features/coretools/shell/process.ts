import { spawn, type ChildProcess } from 'node:child_process';
import { HubError } from '../../../kernel/errors.ts';

export type Launch = Readonly<{ program: string; args: readonly string[]; cwd: string; env: Readonly<Record<string, string>> }>;

export type Ended = Readonly<{ exitCode: number; signal: string | null; timedOut: boolean; durationMs: number }>;

export interface Running {
  readonly ended: Promise<Ended>;
  /** SIGTERM to the whole group, and SIGKILL to whoever is still there a moment later. */
  kill(): void;
}

const PATIENCE_MS = 1_500;
/** A child that left its group may hold the pipes open: what it says after this is not waited for. */
const DRAIN_MS = 150;

/** Starts a program as the head of its own process group, so that it and everything it started can be ended together. */
export function launch(what: Launch, hear: { stdout(chunk: Buffer): void; stderr(chunk: Buffer): void }, timeoutMs: number): Running {
  const startedAt = performance.now();
  let timedOut = false;
  const child = spawn(what.program, [...what.args], {
    cwd: what.cwd,
    env: { ...what.env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.on('data', hear.stdout);
  child.stderr.on('data', hear.stderr);
  let killing: NodeJS.Timeout | undefined;
  const kill = () => {
    signalGroup(child, 'SIGTERM');
    killing ??= setTimeout(() => signalGroup(child, 'SIGKILL'), PATIENCE_MS);
  };
  const timer = setTimeout(() => {
    timedOut = true;
    kill();
  }, timeoutMs);

  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(new HubError('unavailable', `${what.program} could not be started (${error.code ?? 'unknown reason'}).`, {}, error));
    });
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      clearTimeout(killing);
      signalGroup(child, 'SIGKILL');
      const answer = () => resolve({ exitCode: code ?? -1, signal, timedOut, durationMs: Math.round(performance.now() - startedAt) });
      const drained = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        answer();
      }, DRAIN_MS);
      child.once('close', () => {
        clearTimeout(drained);
        answer();
      });
    });
  });
  return { ended, kill };
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
