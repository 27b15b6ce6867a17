// What happened in a run, written down as it happens; tokens are masked before they are stored.
import type { Database } from '../../store/database.ts';
import type { Actor } from '../../kernel/principal.ts';
import type { Log } from '../../kernel/log.ts';
import type { Common } from './frames/common.ts';
import { cutLine, type OutputLine } from './process/lines.ts';
import { appendEvents, type NewRunEvent } from './events.ts';
import { dropEventsBefore } from './rows/events.ts';
import { findRun } from './rows/runs.ts';
import type { Run } from './run.ts';

export const TOKEN_MASK = '[the token of this run]';

type Channel = 'stdout' | 'stderr' | 'acp';

/** A line beyond the limit, as it came. */
type Left = Readonly<{ channel: Channel; line: OutputLine; common: Common | undefined }>;

/**
 * The output of one run on its way into the database: in batches, in order, bounded. Beyond the limit only the end is kept, and a
 * notice says how much is missing.
 */
export interface RunLedger {
  frame(channel: Channel, line: OutputLine, common: Common | undefined): void;
  /** A word of the hub itself. */
  notice(text: string): void;
  /** Everything so far is on disk. */
  flush(): Promise<void>;
  /** Writes the end of what was left out, too. */
  close(): Promise<void>;
}

export type LedgerParts = Readonly<{
  db: Database;
  log: Log;
  run: Run;
  actor: Actor;
  /** Texts that must not be stored: the run's own token. */
  secrets: readonly string[];
  /** Told when more waits than is good, and when it does no longer. */
  hold(isHeld: boolean): void;
}>;

/** A moment in which lines gather: many lines, one transaction. */
const GATHER_MS = 20;
const MOST_WAITING = 2 * 1024 * 1024;
const MOST_AT_ONCE = 500;
const TAIL_LINES = 50;
const TAIL_BYTES = 64 * 1024;
/** The oldest are dropped when so many more have come, not one by one. */
const DROP_STEP = 256;

export function createLedger({ db, log, run, actor, secrets, hold }: LedgerParts): RunLedger {
  const { output, frames } = run.limits;
  let waiting: NewRunEvent[] = [];
  let waitingBytes = 0;
  let storedBytes = 0;
  let dropped = 0;
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let tail: Left[] = [];
  let tailBytes = 0;
  let leftOut = { lines: 0, bytes: 0 };

  function add(data: string): void {
    waiting.push({ kind: 'frame', data });
    waitingBytes += data.length;
    if (waitingBytes > MOST_WAITING) hold(true);
    if (!writing && timer === undefined) timer = setTimeout(begin, GATHER_MS);
  }

  function begin(): void {
    clearTimeout(timer);
    timer = undefined;
    writing ??= writeAll()
      .catch((error: unknown) => {
        waiting = [];
        log.error('the output of a run could not be stored', { run: run.id, error });
      })
      .finally(() => {
        writing = undefined;
        // Whatever came between the last look and this line would otherwise wait for somebody to come by.
        if (waiting.length > 0) begin();
      });
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST_AT_ONCE);
      waiting = waiting.slice(batch.length);
      waitingBytes -= batch.reduce((sum, { data }) => sum + data.length, 0);
      await db.write(actor, (tx) => appendEvents(tx, run, batch));
      await dropOldest(batch.length);
      if (waitingBytes < MOST_WAITING / 2) hold(false);
    }
  }

  async function dropOldest(added: number): Promise<void> {
    dropped += added;
    if (dropped < Math.min(DROP_STEP, frames)) return;
    dropped = 0;
    await db.write(actor, async (tx) => {
      const now = await findRun(tx, run.id);
      if (now) await dropEventsBefore(tx, run.id, now.nextEvent - frames);
    });
  }

  function dataOf(channel: Channel, line: string, common: Common | undefined): string {
    const text = common && 'text' in common && common.text === line ? { type: common.type } : common;
    const data = { task_id: run.id, line, kind: channel, ts: new Date().toISOString(), ...text };
    return JSON.stringify(data);
  }

  /** Most of it is thrown away again, so it is kept as it came: a gigabyte of it must cost little. */
  function keepTail(left: Left): void {
    leftOut = { lines: leftOut.lines + 1, bytes: leftOut.bytes + left.line.text.length };
    tail.push(left);
    tailBytes += left.line.text.length;
    while (tail.length > TAIL_LINES || (tailBytes > TAIL_BYTES && tail.length > 1))
      tailBytes -= tail.shift()!.line.text.length;
  }

  /** Masked as a whole: the common form says again what the line says. */
  function storedForm({ channel, line, common }: Left): string {
    const data = dataOf(channel, cutLine(line), shortened(common));
    return secrets.reduce((rest, secret) => rest.replaceAll(secret, TOKEN_MASK), data);
  }

  async function flush(): Promise<void> {
    do {
      begin();
      await writing;
    } while (waiting.length > 0);
  }

  return {
    frame(channel, line, common) {
      if (storedBytes > output) return keepTail({ channel, line, common });
      const data = storedForm({ channel, line, common });
      storedBytes += data.length;
      if (storedBytes > output) keepTail({ channel, line, common });
      else add(data);
    },
    notice: (text) => add(dataOf('stderr', text, { type: 'notice', text })),
    flush,
    async close() {
      if (leftOut.lines > 0) {
        const { lines, bytes } = leftOut;
        const missing = { lines: lines - tail.length, bytes: bytes - tailBytes };
        if (missing.lines > 0) {
          const text = `[… ${missing.lines} lines, ${missing.bytes} bytes left out: the output limit of ${output} bytes was reached]`;
          add(dataOf('stderr', text, { type: 'notice', text }));
        }
        for (const left of tail) add(storedForm(left));
        tail = [];
      }
      await flush();
    },
  };
}

const MOST_COMMON = 16 * 1024;

/** The common form is for showing; what is longer is in the raw line. */
function shortened(common: Common | undefined): Common | undefined {
  if (!common) return undefined;
  if ('text' in common && common.text.length > MOST_COMMON)
    return { ...common, text: `${common.text.slice(0, MOST_COMMON)}…` };
  if (common.type === 'tool' && JSON.stringify(common.tool.input ?? null).length > MOST_COMMON) {
    const { input: _, ...tool } = common.tool;
    return { type: 'tool', tool };
  }
  return common;
}
