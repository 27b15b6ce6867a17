// Starts a program as the head of its own tree, marked, and hears what it says until all of it has ended.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { HubError } from '../errors.ts';
import { createTree, type ProcessTree } from './tree.ts';
import type { ProcessMark } from './mark.ts';
import { type Process, readProcess } from './table.ts';

export type Launch = Readonly<{
  program: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  mark: ProcessMark;
  /** Written to its stdin, which is then closed; undefined keeps it open for `write`, null gives it none. */
  input: string | null | undefined;
  /** What to do when it cannot be started. */
  hint?: string;
  /** It stays for days: whom it started is looked up when it ends, by the mark, and not every few seconds. */
  isLasting?: boolean;
}>;

export type Exit = Readonly<{ code: number | null; signal: string | null }>;

export type Hear = Readonly<{ stdout(chunk: Buffer): void; stderr(chunk: Buffer): void }>;

export interface Started {
  readonly pid: number;
  readonly tree: ProcessTree;
  /** When it has left itself; of what it started some may go on. */
  readonly left: Promise<Exit>;
  /** When it has left, its tree is gone and its pipes are read to their end. */
  readonly exited: Promise<Exit>;
  /** False when it takes nothing any more; else when there is room for more. */
  write(line: string): Promise<boolean>;
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
  const { program, args, cwd, env, mark, input, isLasting = false } = launch;
  const child = spawn(program, [...args], {
    cwd,
    env: { ...env, [mark.name]: mark.value },
    detached: true,
    stdio: [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  }) as ChildProcessByStdio<Writable | null, Readable, Readable>;
  // Read at once: one that has ended already is not buried yet, and its birth tells who can be of its tree.
  const leader = child.pid === undefined ? undefined : leaderOf(child.pid);
  const closed = once(child, 'close').catch(() => undefined);
  const left: Promise<Exit> = once(child, 'exit').then(
    (told) => ({ code: told[0] as number | null, signal: told[1] as string | null }),
    () => ({ code: null, signal: null }),
  );
  // A program that does not read, or has gone, breaks the pipe; its end says the rest.
  child.stdin?.on('error', () => undefined);
  let heard = 0;
  for (const [pipe, tell] of [
    [child.stdout, hear.stdout],
    [child.stderr, hear.stderr],
  ] as const) {
    pipe.on('error', () => undefined);
    pipe.on('data', (chunk: Buffer) => {
      heard += 1;
      tell(chunk);
    });
  }
  await once(child, 'spawn').catch((error: NodeJS.ErrnoException) => {
    throw notStarted(launch, error);
  });
  if (typeof input === 'string') child.stdin?.end(input);
  const pid = child.pid!;
  const tree = createTree(mark, leader);
  let isGone = false;
  const looking = isLasting ? undefined : setInterval(() => tree.look(), LOOK_EVERY_MS).unref();

  async function end(): Promise<Exit> {
    const exit = await left;
    clearInterval(looking);
    isGone = true;
    child.stdout.resume();
    await tree.end(0);
    await Promise.race([closed, silence()]);
    child.stdout.destroy();
    child.stderr.destroy();
    return exit;
  }

  /**
   * What was said before the end is still heard, however late this process gets to it: a turn without a word
   * is waited for.
   */
  async function silence(): Promise<void> {
    for (let before = -1; before !== heard;) {
      before = heard;
      await sleep(SILENCE_MS);
      await setImmediate();
    }
  }

  return {
    pid,
    tree,
    left,
    exited: end(),
    write: (line) => writeLine(child.stdin, line),
    close: () => void child.stdin?.end(),
    hold(isHeld) {
      if (isHeld && !isGone) child.stdout.pause();
      else child.stdout.resume();
    },
  };
}

async function writeLine(pipe: Writable | null, line: string): Promise<boolean> {
  if (!pipe?.writable) return false;
  if (!pipe.write(`${line}\n`)) await untilRoom(pipe);
  return true;
}

function untilRoom(pipe: Writable): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      pipe.off('drain', go).off('close', go);
      resolve();
    };
    pipe.on('drain', go).on('close', go);
  });
}

/** Where the system does not show it, its number is all that is known. */
function leaderOf(pid: number): Process {
  return readProcess(pid, 'any') ?? { pid, parent: process.pid, group: pid, born: '' };
}

function notStarted({ program, cwd, hint }: Launch, error: NodeJS.ErrnoException): HubError {
  const why: Readonly<Record<string, string>> = {
    ENOENT: `is not there, or the folder ${cwd} is not`,
    EACCES: 'may not be executed',
    E2BIG: 'was given too long a command line',
    ENOTDIR: `cannot run in ${cwd}, which is no folder`,
  };
  return new HubError(
    'unavailable',
    `${program} could not be started: it ${why[error.code ?? ''] ?? `failed (${error.code})`}.`,
    { retryable: false, ...(hint !== undefined && { hint }) },
  ).because(error);
}
