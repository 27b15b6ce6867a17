import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../kernel/ids.ts';
import { isObject } from '../protocol/jsonrpc.ts';
import { createLineReader, idInEnds } from './line-reader.ts';
import { sendSignal } from '../../kernel/process/signal.ts';
import { endMarked, MARK } from './processes.ts';

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
/** What was written before the end is still read. */
const DRAIN_MS = 30;

export function createChild(program: Program): Child {
  const mark = `${program.mark}.${newId()}`;
  let child: ChildProcessWithoutNullStreams | undefined;
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

  /** The group, and whoever left it: nothing of a source outlives it. */
  async function finish(how: string): Promise<void> {
    if (ended !== undefined) return;
    ended = how;
    await sleep(DRAIN_MS);
    if (child?.pid !== undefined) sendSignal(-child.pid, 'SIGKILL');
    child?.stdout.destroy();
    child?.stderr.destroy();
    self.onclose?.();
    await endMarked(mark);
  }

  const self: Child = {
    get pid() {
      return child?.pid ?? null;
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
      child = spawn(program.command, [...program.args], {
        env: { ...program.env, [MARK]: mark },
        stdio: ['pipe', 'pipe', 'pipe'],
        detached: true,
        ...(program.cwd !== undefined && { cwd: program.cwd }),
      });
      child.stdin.on('error', (error) => self.onerror?.(error));
      child.stdout.on('data', (chunk: Buffer) => reader.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => {
        lastWords = (lastWords + chunk.toString('utf8').slice(-LAST_WORDS)).slice(-LAST_WORDS);
      });
      child.once('exit', (code, signal) => {
        putAway = finish(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`);
      });
      await new Promise<void>((resolve, reject) => {
        child!.once('spawn', resolve);
        child!.once('error', reject);
      });
    },
    async send(message) {
      if (!child || ended !== undefined || !child.stdin.writable) throw new Error('the program has ended');
      if (!child.stdin.write(`${JSON.stringify(message)}\n`)) {
        const gone = new Promise((resolve) => child!.stdin.once('close', resolve));
        await Promise.race([new Promise((resolve) => child!.stdin.once('drain', resolve)), gone]);
      }
    },
    async close() {
      if (!child || child.pid === undefined) return self.onclose?.();
      child.stdin.end();
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        if (await hasEnded(child, PATIENCE_MS)) break;
        sendSignal(-child.pid, signal);
      }
      await hasEnded(child, PATIENCE_MS);
      await putAway;
    },
  };
  return self;
}

async function hasEnded(child: ChildProcessWithoutNullStreams, withinMs: number): Promise<boolean> {
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  if (isOver()) return true;
  const waiting = new AbortController();
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await Promise.race([exit, sleep(withinMs, undefined, { signal: waiting.signal }).catch(() => undefined)]);
  waiting.abort();
  return isOver();
}

function parseMessage(line: string): JSONRPCMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) && value['jsonrpc'] === '2.0' ? (value as unknown as JSONRPCMessage) : undefined;
  } catch {
    return undefined;
  }
}
