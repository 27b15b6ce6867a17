import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../kernel/ids.ts';
import { isObject } from '../../kernel/loose-json.ts';
import { type Exit, type Started, startProcess } from '../../kernel/process/start.ts';
import { MARK } from './processes.ts';
import { type LineSplitter, splitBytes } from '../../kernel/byte-lines.ts';

/** A server of others as a program. `mark` says whose it is; everything the program starts ends with it. */
export type Program = Readonly<{
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd?: string | undefined;
  mark: string;
}>;

/** `stderr` and `pid` are also how the SDK knows that this is a program and not the web. */
export interface Child extends Transport {
  readonly pid: number | null;
  /** The last words of the program. */
  readonly stderr: string;
  /** Lines on its output that were no messages. */
  readonly noise: number;
  /** How it ended; undefined while it runs. */
  readonly ended: string | undefined;
}

/** An answer that is longer is dropped while it arrives. */
const MOST_BYTES = 32 * 1024 * 1024;
const LAST_WORDS = 4_096;
const PATIENCE_MS = 1_000;

export function createChild({ command, args, env, cwd = process.cwd(), mark }: Program): Child {
  const launch = {
    program: command,
    args,
    env,
    cwd,
    mark: { name: MARK, value: `${mark}.${newId()}` },
    input: undefined,
    isLasting: true,
  };
  let starting: Promise<Started> | undefined;
  let pid: number | null = null;
  let lastWords = '';
  let noise = 0;
  let ended: string | undefined;
  let putAway: Promise<void> | undefined;

  const reader = createLineReader({
    maxBytes: MOST_BYTES,
    onLine(line) {
      const message = parseMessage(line);
      if (message) self.onmessage?.(message);
      else noise += 1;
    },
    onTooLong(ends) {
      const id = idInEnds(ends);
      const message = `the answer has ${ends.bytes} bytes, more than ${MOST_BYTES}`;
      if (id === undefined) self.onerror?.(new Error(message));
      else self.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32_603, message } });
    },
  });

  /** Nothing of a source outlives it; what was said before the end is still read. */
  async function finish({ left, exited }: Started): Promise<void> {
    ended = wordsOf(await left);
    await exited;
    self.onclose?.();
  }

  const self: Child = {
    get pid() {
      return pid;
    },
    get stderr() {
      return lastWords;
    },
    get noise() {
      return noise;
    },
    get ended() {
      return ended;
    },
    async start() {
      starting = startProcess(launch, {
        stdout: reader.push,
        stderr(chunk) {
          lastWords = (lastWords + chunk.toString('utf8').slice(-LAST_WORDS)).slice(-LAST_WORDS);
        },
        // What the system itself calls it is what is said of a source.
      }).catch((error: Error) => Promise.reject(error.cause as Error));
      const child = await starting;
      pid = child.pid;
      putAway = finish(child);
    },
    async send(message) {
      const child = await starting;
      const isTaken = child && ended === undefined && (await child.write(JSON.stringify(message)));
      if (!isTaken) throw new Error('the program has ended');
    },
    async close() {
      const child = await starting?.catch(() => undefined);
      if (!child) return self.onclose?.();
      child.close();
      await Promise.race([child.left, sleep(PATIENCE_MS, undefined, { ref: false })]);
      if (ended === undefined) await child.tree.end(PATIENCE_MS);
      await putAway;
    },
  };
  return self;
}

function wordsOf({ code, signal }: Exit): string {
  return signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
}

function parseMessage(line: string): JSONRPCMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && value['jsonrpc'] === '2.0' ? (value as unknown as JSONRPCMessage) : undefined;
  } catch {
    return undefined;
  }
}

type Ends = Readonly<{ head: string; tail: string }>;

type Lines = Readonly<{
  maxBytes: number;
  onLine(line: string): void;
  onTooLong(ends: Ends & Readonly<{ bytes: number }>): void;
}>;

const HEAD = 2_048;

/** Messages of a server, one per line. One that is too long is not kept: only its ends are, which say whose answer it was. */
function createLineReader({ maxBytes, onLine, onTooLong }: Lines): LineSplitter {
  return splitBytes({ most: maxBytes, kept: HEAD }, ({ head, lost, tail }) => {
    const text = head.toString('utf8');
    if (lost > 0) onTooLong({ head: text, tail: tail.toString('utf8'), bytes: head.length + lost });
    else if (text !== '') onLine(text);
  });
}

/** The id of the message that a cut line was; undefined when its ends do not tell. */
function idInEnds({ head, tail }: Ends): string | number | undefined {
  const found =
    /^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*("[^"\\]{1,200}"|-?\d{1,15})\s*,/.exec(head) ??
    /"id"\s*:\s*("[^"\\]{1,200}"|-?\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail);
  return found ? (JSON.parse(found[1]!) as string | number) : undefined;
}
