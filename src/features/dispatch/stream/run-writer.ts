// What happened in a run, written down as it happens; tokens are masked before they are stored.
import type { Log } from '../../../kernel/log.ts';
import { redact, RUN_TOKEN } from '../../../kernel/redact.ts';
import type { Common } from '../frames/common.ts';
import { type Channel, createFrameMask, type Frame } from './masked-frames.ts';
import { cutLine, type OutputLine } from './lines.ts';
import { frameEvent, type NewRunEvent } from './events.ts';
import type { Run } from '../run.ts';

/**
 * The output of one run on its way into the database: in batches, in order, bounded. Beyond the limit only
 * the end is kept, and a notice says how much is missing.
 */
export interface RunWriter {
  frame(channel: Channel, line: OutputLine, common: Common | undefined): void;
  /** A word of the hub itself. */
  notice(text: string): void;
  /** Everything so far is on disk. */
  flush(): Promise<void>;
  /** Writes the end of what was left out, too. */
  close(): Promise<void>;
}

export type RunWriterParts = Readonly<{
  log: Log;
  run: Run;
  /** Keeps a batch; what it throws is the end of the output. */
  store(batch: readonly NewRunEvent[]): Promise<void>;
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

export function createRunWriter({ log, run, store, secrets, hold }: RunWriterParts): RunWriter {
  const { output } = run.limits;
  let waiting: NewRunEvent[] = [];
  let waitingBytes = 0;
  let storedBytes = 0;
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let tail: Frame[] = [];
  let tailBytes = 0;
  let leftOut = { lines: 0, bytes: 0 };
  let isClosing = false;

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
      await store(batch);
      if (waitingBytes < MOST_WAITING / 2) hold(false);
    }
  }

  function dataOf(channel: Channel, line: string, common: Common | undefined): string {
    const text = common && 'text' in common && common.text === line ? { type: common.type } : common;
    return frameEvent({ task_id: run.id, line, kind: channel, ts: new Date().toISOString(), ...text }).data;
  }

  /** Most of it is thrown away again, so it is kept as it came: a gigabyte of it must cost little. */
  function keepTail(left: Frame): void {
    leftOut = { lines: leftOut.lines + 1, bytes: leftOut.bytes + left.line.text.length };
    tail.push(left);
    tailBytes += left.line.text.length;
    while (tail.length > TAIL_LINES || (tailBytes > TAIL_BYTES && tail.length > 1))
      tailBytes -= tail.shift()!.line.text.length;
  }

  const mask = createFrameMask((frame) => {
    const data = dataOf(frame.channel, cutLine(frame.line), shortened(frame.common));
    if (isClosing) return add(data);
    storedBytes += data.length;
    if (storedBytes > output) keepTail(frame);
    else add(data);
    return undefined;
  });

  /** Its own token is said by its name. */
  function named({ channel, line, common }: Frame): Frame {
    if (!secrets.some((secret) => line.text.includes(secret))) return { channel, line, common };
    const hide = (text: string) => secrets.reduce((rest, each) => rest.replaceAll(each, RUN_TOKEN), text);
    const said = common && (JSON.parse(hide(JSON.stringify(common))) as Common);
    return { channel, line: { ...line, text: hide(line.text) }, common: said };
  }

  async function flush(): Promise<void> {
    mask.flush();
    do {
      begin();
      await writing;
    } while (waiting.length > 0);
  }

  return {
    frame(channel, line, common) {
      const frame = named({ channel, line, common });
      if (storedBytes > output) keepTail(frame);
      else mask.add(frame);
    },
    notice(given) {
      const text = redact(given);
      add(dataOf('stderr', text, { type: 'notice', text }));
    },
    flush,
    async close() {
      mask.flush();
      isClosing = true;
      if (leftOut.lines > 0) {
        const { lines, bytes } = leftOut;
        const missing = { lines: lines - tail.length, bytes: bytes - tailBytes };
        if (missing.lines > 0) {
          const text = `[… ${missing.lines} lines, ${missing.bytes} bytes left out: the output limit of ${output} bytes was reached]`;
          add(dataOf('stderr', text, { type: 'notice', text }));
        }
        for (const left of withoutEndOfKey(tail)) mask.add(left);
        tail = [];
      }
      await flush();
    },
  };
}

/** The beginning of a private key may be among what was left out: then its end is no text to keep. */
function withoutEndOfKey(tail: readonly Frame[]): readonly Frame[] {
  const ends = tail.findIndex(({ line }) => /-----END [A-Z0-9 ]{0,32}PRIVATE KEY/.test(line.text));
  const begins = tail.findIndex(({ line }) => /-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY/.test(line.text));
  return ends >= 0 && (begins < 0 || begins > ends) ? tail.slice(ends + 1) : tail;
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
