import { type ChildProcess, fork } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { binEntry } from './bin-entry.ts';
import { HubError } from './errors.ts';
import { processorTimeOf } from './process/table.ts';

/**
 * Bytes that somebody else made are parsed in a process of their own, one per piece of work, with bounds on memory and
 * time. Invariant: whatever they do to it, the hub goes on answering and gets its memory back (test/contract/bombs.test.ts).
 */
type ApartLimits = Readonly<{ ms: number; memoryMb: number }>;

/** The kinds of work; `bin/apart.ts` has the code for each. */
export type ApartKind = 'document' | 'page' | 'policy';

export type ApartWork = Readonly<{
  kind: ApartKind;
  input: unknown;
  /** A file that is open already; the process finds it at its standard input. */
  file?: number;
  /** What it is, in a sentence about why it could not be read. */
  name: string;
  signal?: AbortSignal;
  limits?: Partial<ApartLimits>;
}>;

/** What the process says when it is done. */
export type ApartAnswer =
  | Readonly<{ ok: true; value: unknown }>
  | Readonly<{ ok: false; code: HubError['code']; message: string; details: HubError['details'] }>;

const LIMITS: ApartLimits = { ms: 15_000, memoryMb: 384 };
/** Processes at once: one that is stuck must not keep everybody else waiting, and two cores are what many machines have. */
const AT_ONCE = 2;
const MOST_WAITING = 64;

/** How long one may stand that others keep from working. */
const PATIENCE_MS = 60_000;

let running = 0;
const waiting: (() => void)[] = [];

export async function runApart<T>(work: ApartWork): Promise<T> {
  await takeTurn();
  try {
    work.signal?.throwIfAborted();
    return (await finish(start(work), work)) as T;
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

async function takeTurn(): Promise<void> {
  if (running >= AT_ONCE) {
    if (waiting.length >= MOST_WAITING)
      throw new HubError('busy', 'Too many documents wait to be read; try again in a moment.');
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  running += 1;
}

function start({ file, limits }: ApartWork): ChildProcess {
  const memoryMb = limits?.memoryMb ?? LIMITS.memoryMb;
  const child = fork(binEntry('apart'), [String(memoryMb)], {
    execArgv: [`--max-old-space-size=${memoryMb}`, '--no-warnings'],
    serialization: 'advanced',
    // Nothing of the hub's own environment: what is parsed may come to run.
    env: {
      PATH: '/usr/bin:/bin',
      ...(process.env['SystemRoot'] !== undefined && { SystemRoot: process.env['SystemRoot'] }),
    },
    stdio: [file ?? 'ignore', 'ignore', 'ignore', 'ipc'],
  });
  yieldTo(child);
  return child;
}

/** Whoever else has work goes first. */
function yieldTo({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Gone already, or not ours to set: it is only a courtesy.
  }
}

function finish(child: ChildProcess, { input, kind, name, signal, limits }: ApartWork): Promise<unknown> {
  const ms = limits?.ms ?? LIMITS.ms;
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearInterval(timer);
      signal?.removeEventListener('abort', abandon);
      child.removeAllListeners();
      child.on('error', () => undefined);
      child.kill('SIGKILL');
      settle();
    };
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
      // On a busy machine it may not have had its time yet.
      if (turns * ms < PATIENCE_MS && (processorTimeOf(child.pid ?? 0) ?? ms) < ms / 2) return;
      end(() => reject(tooMuch(name, `takes longer than ${ms / 1000} s to read`)));
    }, ms);
    const abandon = () => end(() => reject(new HubError('unavailable', `Reading ${name} was cancelled.`)));
    signal?.addEventListener('abort', abandon, { once: true });
    child.once('message', (answer: ApartAnswer) =>
      end(() => (answer.ok ? resolve(answer.value) : reject(rebuilt(answer)))),
    );
    child.once('error', (error) =>
      end(() => reject(new HubError('unavailable', `${name} could not be read.`).because(error))),
    );
    child.once('exit', () =>
      end(() => reject(tooMuch(name, 'takes more memory to read than a document may'))),
    );
    child.send({ kind, input }, (error) => {
      if (error) end(() => reject(new HubError('unavailable', `${name} could not be read.`).because(error)));
    });
  });
}

function rebuilt({ code, message, details }: Extract<ApartAnswer, { ok: false }>): HubError {
  return new HubError(code, message, details);
}

function tooMuch(name: string, why: string): HubError {
  return new HubError('too_large', `${name} ${why}.`, {
    denied: 'file:limits',
    hint: 'Use a smaller or simpler one.',
  });
}
