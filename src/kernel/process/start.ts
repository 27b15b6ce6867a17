// Starts a program as the head of its own family, marked, and hears what it says until all of it has ended.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { HubError } from '../errors.ts';
import { createFamily, type ProcessFamily } from './family.ts';
import type { ProcessMark } from './mark.ts';
import { readProcess } from './table.ts';

export type Launch = Readonly<{
  program: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  mark: ProcessMark;
  /** Written to its stdin, which is then closed; undefined keeps it open for `write`. */
  input: string | undefined;
  /** What to do when it cannot be started. */
  hint?: string;
}>;

export type Exit = Readonly<{ code: number | null; signal: string | null }>;

export type Hear = Readonly<{ stdout(chunk: Buffer): void; stderr(chunk: Buffer): void }>;

export interface Started {
  readonly pid: number;
  readonly family: ProcessFamily;
  /** When it has left, its family is gone and its pipes are read to their end. */
  readonly exited: Promise<Exit>;
  write(line: string): void;
  /** Nothing more is written. */
  close(): void;
  /** Backpressure: the process waits while nobody can take what it says. */
  hold(isHeld: boolean): void;
}

const LOOK_EVERY_MS = 5_000;
/** Pipes that somebody unknown holds open are closed once they have been silent for this long. */
const SILENCE_MS = 300;

/** Starts a program as the head of its own process group. Rejects when it cannot be started. */
export async function startProcess(launch: Launch, hear: Hear): Promise<Started> {
  const { program, args, cwd, env, mark, input } = launch;
  const child = spawn(program, [...args], {
    cwd,
    env: { ...env, [mark.name]: mark.value },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // Read at once: one that has ended already is not buried yet, and its birth tells who can be of its family.
  const leader = child.pid === undefined ? undefined : readProcess(child.pid, 'any');
  const closed = once(child, 'close').catch(() => undefined);
  const left = once(child, 'exit').catch(() => undefined);
  // A program that does not read, or has gone, breaks the pipe; its end says the rest.
  child.stdin.on('error', () => undefined);
  let heardAt = performance.now();
  for (const [pipe, tell] of [
    [child.stdout, hear.stdout],
    [child.stderr, hear.stderr],
  ] as const) {
    pipe.on('error', () => undefined);
    pipe.on('data', (chunk: Buffer) => {
      heardAt = performance.now();
      tell(chunk);
    });
  }
  await once(child, 'spawn').catch((error: NodeJS.ErrnoException) => {
    throw notStarted(launch, error);
  });
  if (input !== undefined) child.stdin.end(input);
  const pid = child.pid!;
  const family = createFamily(mark, leader);
  let isGone = false;
  const looking = setInterval(() => family.look(), LOOK_EVERY_MS).unref();

  async function end(): Promise<Exit> {
    const [code, signal] = ((await left) ?? [null, null]) as [number | null, string | null];
    clearInterval(looking);
    isGone = true;
    child.stdout.resume();
    await family.end(0);
    heardAt = performance.now();
    const silence = async () => {
      while (performance.now() - heardAt < SILENCE_MS) await sleep(50);
    };
    await Promise.race([closed, silence()]);
    child.stdout.destroy();
    child.stderr.destroy();
    return { code, signal };
  }

  return {
    pid,
    family,
    exited: end(),
    write: (line) => void (child.stdin.writable && child.stdin.write(`${line}\n`)),
    close: () => void child.stdin.end(),
    hold(isHeld) {
      if (isHeld && !isGone) child.stdout.pause();
      else child.stdout.resume();
    },
  };
}

function notStarted({ program, cwd, hint }: Launch, error: NodeJS.ErrnoException): HubError {
  const why: Readonly<Record<string, string>> = {
    ENOENT: `is not there, or the folder ${cwd} is not`,
    EACCES: 'may not be executed',
    E2BIG: 'was given too long a prompt for its command line',
    ENOTDIR: `cannot run in ${cwd}, which is no folder`,
  };
  return new HubError(
    'unavailable',
    `${program} could not be started: it ${why[error.code ?? ''] ?? `failed (${error.code})`}.`,
    { retryable: false, ...(hint !== undefined && { hint }) },
    error,
  );
}
