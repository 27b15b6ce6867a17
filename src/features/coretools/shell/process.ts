import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { HubError } from '../../../kernel/errors.ts';
import { sendSignal } from '../../../kernel/processes.ts';
import { endStrays, markedEnvironment, newMark } from './strays.ts';

export type ShellLaunch = Readonly<{
  program: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
}>;

export type Ended = Readonly<{
  exitCode: number;
  signal: string | null;
  timedOut: boolean;
  durationMs: number;
}>;

export interface RunningCommand {
  readonly ended: Promise<Ended>;
  /** SIGTERM to the whole group, and SIGKILL to whoever is still there a moment later. */
  kill(): void;
}

const PATIENCE_MS = 1_500;
/** Pipes that a lost child holds open are closed once they have been silent for this long. */
const SILENCE_MS = 250;

/**
 * Starts a program as the head of its own process group, so that it and everything it started can be ended
 * together.
 */
export function launch(
  what: ShellLaunch,
  hear: { stdout(chunk: Buffer): void; stderr(chunk: Buffer): void },
  timeoutMs: number,
): RunningCommand {
  const startedAt = performance.now();
  const mark = newMark();
  let timedOut = false;
  const child = spawn(what.program, [...what.args], {
    cwd: what.cwd,
    env: { ...what.env, ...markedEnvironment(mark) },
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

  async function end(): Promise<Ended> {
    const closed = once(child, 'close').catch(() => undefined);
    const [code, signal] = (await once(child, 'exit').catch((error: NodeJS.ErrnoException) => {
      throw new HubError(
        'unavailable',
        `${what.program} could not be started (${error.code ?? 'unknown reason'}).`,
        {},
        error,
      );
    })) as [number | null, string | null];
    const durationMs = Math.round(performance.now() - startedAt);
    clearTimeout(killing);
    signalGroup(child, 'SIGKILL');
    await endStrays(mark);
    await Promise.race([closed, silence(child)]);
    return { exitCode: code ?? -1, signal, timedOut, durationMs };
  }
  return { ended: end().finally(() => clearTimeout(timer)), kill };
}

/**
 * What was said before the end is still heard, however late this process gets to it: a turn without a word is
 * waited for.
 */
async function silence({ stdout, stderr }: ChildProcess): Promise<void> {
  const pipes = [stdout!, stderr!];
  let heard = 0;
  for (const pipe of pipes) pipe.on('data', () => (heard += 1));
  for (let before = -1; before !== heard;) {
    before = heard;
    await sleep(SILENCE_MS);
    await setImmediate();
  }
  for (const pipe of pipes) pipe.destroy();
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) sendSignal(-pid, signal);
}
