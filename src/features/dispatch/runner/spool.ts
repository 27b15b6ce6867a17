// What an attempt said, on disk until the hub has it. Numbered from 1; what is sent twice the hub takes once.
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { HubError } from '../../../kernel/errors.ts';
import { readJsonObject } from '../../../kernel/loose-json.ts';
import { createTurns } from '../../../kernel/turns.ts';
import { MOST_AT_ONCE, type PlacedRun, type WireEnd, type WireFrame } from '../pool/wire.ts';
import { type At, HubAway, restAfter, type RunnerLink } from './link.ts';

export interface Spool {
  add(frames: readonly WireFrame[]): Promise<void>;
  /** What is in the file already; the hub says how much of it it has. */
  resend(frames: readonly WireFrame[]): Promise<void>;
  /** Everything is with the hub, or the run is not ours any more. False when that was not to be waited for. */
  drained(signal?: AbortSignal): Promise<boolean>;
  /** Nothing more is sent; the file goes. */
  drop(): Promise<void>;
  /** Nothing more is sent; the file stays, with how it ended, for who begins here again. */
  leave(end: Omit<WireEnd, 'fence'>): Promise<void>;
}

/** Whose it is, and where its work is to go. */
export type SpooledAttempt = At & Readonly<{ agent: string; git: PlacedRun['git'] }>;

type SpoolParts = Readonly<{
  file: string;
  at: SpooledAttempt;
  link: RunnerLink;
  /** Told when more waits than is good, and when it does no longer. */
  hold(isHeld: boolean): void;
  /** The hub has given the run to somebody else, or does not know us any more. */
  refused(error: HubError): void;
}>;

const MOST_WAITING = 8 * 1024 * 1024;
const MOST_BYTES = 1024 * 1024;

export async function openSpool(parts: SpoolParts): Promise<Spool> {
  const { file, at, link, hold, refused } = parts;
  const waiting: WireFrame[] = [];
  let bytes = 0;
  let first = 1;
  let isOver = false;
  let sending: Promise<void> | undefined;
  const writing = createTurns();

  async function send(): Promise<void> {
    for (let failures = 0; waiting.length > 0 && !isOver;) {
      const batch = batchOf(waiting);
      try {
        const acked = await link.frames(at, first, batch);
        drop(acked - first + 1);
        failures = 0;
      } catch (error) {
        if (error instanceof HubAway) {
          await restAfter(failures);
          failures += 1;
          continue;
        }
        isOver = true;
        refused(error instanceof HubError ? error : new HubError('internal', String(error)));
      }
    }
  }

  function drop(count: number): void {
    const gone = waiting.splice(0, Math.max(0, count));
    first += gone.length;
    bytes -= gone.reduce((sum, { line }) => sum + line.length, 0);
    if (bytes < MOST_WAITING / 2) hold(false);
  }

  async function stopSending(): Promise<void> {
    isOver = true;
    await writing.settled();
  }

  function begin(): void {
    sending ??= send().finally(() => {
      sending = undefined;
      if (waiting.length > 0 && !isOver) begin();
    });
  }

  await writeFile(file, `${JSON.stringify(at)}\n`, { flag: 'wx', mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );

  return {
    add(frames) {
      waiting.push(...frames);
      bytes += frames.reduce((sum, { line }) => sum + line.length, 0);
      if (bytes > MOST_WAITING) hold(true);
      const text = frames.map((frame) => `${JSON.stringify(frame)}\n`).join('');
      const written = writing.take(() => appendFile(file, text));
      begin();
      return written;
    },
    async resend(frames) {
      waiting.push(...frames);
      begin();
    },
    async drained(signal) {
      const given =
        signal && new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      while (waiting.length > 0 && !isOver && signal?.aborted !== true) {
        begin();
        await Promise.race([sending, ...(given ? [given] : [])]);
      }
      return waiting.length === 0 || isOver;
    },
    async drop() {
      await stopSending();
      await rm(file, { force: true });
    },
    async leave(end) {
      await stopSending();
      await appendFile(file, `${JSON.stringify({ end })}\n`);
    },
  };
}

function batchOf(waiting: readonly WireFrame[]): WireFrame[] {
  const batch: WireFrame[] = [];
  let size = 0;
  for (const frame of waiting.slice(0, MOST_AT_ONCE)) {
    // As they are on the wire: a letter may be six bytes.
    size += Buffer.byteLength(JSON.stringify(frame));
    if (size > MOST_BYTES && batch.length > 0) break;
    batch.push(frame);
  }
  return batch;
}

type LeftBehind = Readonly<{
  at: SpooledAttempt;
  frames: WireFrame[];
  /** Undefined where it was not over. */
  end: Omit<WireEnd, 'fence'> | undefined;
}>;

/** What a runner that is gone left: whose it was, what was said, and how it ended. */
export async function readSpool(file: string): Promise<LeftBehind | undefined> {
  // The last line may be half of one.
  const lines = (await readFile(file, 'utf8'))
    .split('\n')
    .map(readJsonObject)
    .filter((line) => line !== undefined);
  const [at, ...said] = lines;
  if (at === undefined) return undefined;
  return {
    at: at as unknown as SpooledAttempt,
    frames: said.filter((line) => !('end' in line)) as unknown as WireFrame[],
    end: said.find((line) => 'end' in line)?.['end'] as LeftBehind['end'],
  };
}
