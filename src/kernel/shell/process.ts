// One command of a shell, with everything it starts and a time by which all of that is over.
import { randomInt } from 'node:crypto';
import { newId } from '../ids.ts';
import { LEAST_LIMIT_MARK, MARKS, type ProcessMark } from '../process/mark.ts';
import { type Hear, startProcess } from '../process/start.ts';

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
  /** SIGTERM to all it started, and SIGKILL to whoever is still there a moment later. */
  kill(): void;
}

const PATIENCE_MS = 1_500;

/** Ends by itself, at its time, or when it is killed; whatever it started ends with it. */
export function launch(what: ShellLaunch, hear: Hear, timeoutMs: number): RunningCommand {
  const startedAt = performance.now();
  let timedOut = false;
  const mark: ProcessMark = {
    name: MARKS.command,
    value: newId(),
    limit: LEAST_LIMIT_MARK + randomInt(LEAST_LIMIT_MARK),
  };
  const env = { ...what.env, RUN_LIMIT: String(mark.limit) };
  const starting = startProcess({ ...what, env, mark, input: null }, hear);
  const kill = () =>
    void starting.then(
      ({ tree }) => tree.end(PATIENCE_MS),
      () => undefined,
    );
  const timer = setTimeout(() => {
    timedOut = true;
    kill();
  }, timeoutMs);

  async function end(): Promise<Ended> {
    const { left, exited } = await starting;
    await left;
    const durationMs = Math.round(performance.now() - startedAt);
    const { code, signal } = await exited;
    return { exitCode: code ?? -1, signal, timedOut, durationMs };
  }
  return { ended: end().finally(() => clearTimeout(timer)), kill };
}
