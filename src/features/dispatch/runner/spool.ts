// What an attempt said, on disk until the hub has it. Numbered from 1; what is sent twice the hub takes once.
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { HubError } from '../../../kernel/errors.ts';
import { MOST_AT_ONCE, type WireFrame } from '../pool/wire.ts';
import { type At, HubAway, type RunnerLink } from './link.ts';

export interface Spool {
  add(frames: readonly WireFrame[]): Promise<void>;
  /** What is in the file already; the hub says how much of it it has. */
  resend(frames: readonly WireFrame[]): Promise<void>;
  /** Everything is with the hub, or the run is not ours any more. */
  drained(): Promise<void>;
  /** Nothing more is sent; the file goes. */
  drop(): Promise<void>;
}

type SpoolParts = Readonly<{
  file: string;
  at: At;
  link: RunnerLink;
  /** Told when more waits than is good, and when it does no longer. */
  hold(isHeld: boolean): void;
  /** The hub has given the run to somebody else, or does not know us any more. */
  refused(error: HubError): void;
}>;

const MOST_WAITING = 8 * 1024 * 1024;
const MOST_BYTES = 1024 * 1024;
const RETRY_MS = [100, 300, 1_000, 2_000, 5_000];

export async function openSpool(parts: SpoolParts): Promise<Spool> {
  const { file, at, link, hold, refused } = parts;
  const waiting: WireFrame[] = [];
  let bytes = 0;
  let first = 1;
  let isOver = false;
  let sending: Promise<void> | undefined;
  let writing = Promise.resolve();

  async function send(): Promise<void> {
    for (let failures = 0; waiting.length > 0 && !isOver;) {
      const batch = batchOf(waiting);
      try {
        const acked = await link.frames(at, first, batch);
        drop(acked - first + 1);
        failures = 0;
      } catch (error) {
        if (error instanceof HubAway) {
          await sleep(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]);
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
      const written = writing.then(() => appendFile(file, text));
      writing = written.catch(() => undefined);
      begin();
      return written;
    },
    async resend(frames) {
      waiting.push(...frames);
      begin();
    },
    async drained() {
      while (waiting.length > 0 && !isOver) {
        begin();
        await sending;
      }
    },
    async drop() {
      isOver = true;
      await writing;
      await rm(file, { force: true });
    },
  };
}

function batchOf(waiting: readonly WireFrame[]): WireFrame[] {
  const batch: WireFrame[] = [];
  let size = 0;
  for (const frame of waiting.slice(0, MOST_AT_ONCE)) {
    size += frame.line.length + JSON.stringify(frame.common ?? null).length;
    if (size > MOST_BYTES && batch.length > 0) break;
    batch.push(frame);
  }
  return batch;
}

/** What a runner that is gone left: whose it was, and what was said. */
export async function readSpool(
  file: string,
): Promise<Readonly<{ at: At; frames: WireFrame[] }> | undefined> {
  // The last line may be half of one.
  const lines = (await readFile(file, 'utf8')).split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as unknown];
    } catch {
      return [];
    }
  });
  const [at, ...frames] = lines;
  return at === undefined ? undefined : { at: at as At, frames: frames as WireFrame[] };
}
