import type { Duplex, Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { elapsed } from '../../kernel/clock.ts';
import { BEAT } from './hello.ts';
import { createLineSplitter } from './lines.ts';
import { createOpenRequests } from './shim-requests.ts';

/**
 * A stdio server that serves nothing itself: it passes lines between its client and a backend, and outlives
 * the backend. Only node builtins here and below: this file decides how fast a stdio server starts.
 */
export type Backend = Readonly<{
  kind: 'hub' | 'local';
  stream: Duplex;
  /** Between two signs that it wants to hear: who gives a lease says how often it is renewed. */
  beatMs?: number | undefined;
}>;

export type ShimParts = Readonly<{
  input: Readable;
  output: Writable;
  /** The hub's socket when a hub is alive, otherwise the engine in this process. Rejects when neither can be had. */
  openBackend(): Promise<Backend>;
  /** Looked at from time to time while served locally. */
  isHubAlive?(): Promise<boolean>;
  /** Between two signs that this process is there, where the backend does not say; none unless given. */
  beatMs?: number;
  /** False while its client cannot be at work, though this process is. */
  mayBeat?(): boolean;
  log?(message: string): void;
  /** Ends it though the client has not: what is running is cut off. */
  until?: AbortSignal | undefined;
  timing?: Partial<Timing>;
}>;

type Timing = Readonly<{
  /** Between two looks for a hub. */
  lookMs: number;
  /** The first pause after a failure to open a backend; it doubles. */
  retryMs: number;
  /** How long requests wait for a backend before they are refused. */
  holdMs: number;
}>;

const DEFAULTS: Timing = { lookMs: 1_000, retryMs: 50, holdMs: 10_000 };
const MAX_RETRY_MS = 2_000;
/** Requests kept while there is no backend; beyond that they wait in the client's pipe. */
const MAX_WAITING = 1_024;
/** The backend is ours and bounds its answers itself; this only keeps a broken one from filling the memory. */
const MAX_ANSWER = 256 * 1024 * 1024;
const BEAT_LINE = JSON.stringify({ jsonrpc: '2.0', method: BEAT });
const PARSE_ERROR = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: the line is';

/**
 * Resolves when the client has closed its input and has every answer it can get, or is gone. Rejects when there
 * never was a backend.
 */
export async function runShim(parts: ShimParts): Promise<void> {
  const { input, output, openBackend, isHubAlive, mayBeat = () => true, log = () => {}, until } = parts;
  if (until?.aborted) return;
  const timing = { ...DEFAULTS, ...parts.timing };
  const requests = createOpenRequests();
  let backend: Backend | undefined;
  let beating: NodeJS.Timeout | undefined;
  let isInputOver = false;
  let isOver = false;
  let hasOpened = false;
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));

  const say = (lines: readonly string[]) => {
    for (const line of lines) if (!isOver && !output.write(`${line}\n`)) backend?.stream.pause();
  };

  function attach(fresh: Backend): void {
    backend = fresh;
    const { stream } = fresh;
    const splitter = createLineSplitter((line) => {
      if ('text' in line && backend === fresh) fromBackend(line.text);
    }, MAX_ANSWER);
    // Once another backend has taken over, this one may say and do what it likes.
    const lost = () => backend === fresh && lose();
    stream.on('data', splitter.push);
    stream.on('error', lost);
    stream.on('end', lost);
    stream.on('close', lost);
    stream.on('drain', () => input.resume());
    for (const line of requests.introduction()) stream.write(`${line}\n`);
    beatFor(fresh);
    input.resume();
    stream.resume();
    settleUp();
    if (fresh.kind === 'local' && isHubAlive) void watchForHub(fresh, () => isHubAlive().catch(() => false));
  }

  /** As often as this backend says: another may have wanted it more rarely. */
  function beatFor({ stream, beatMs = parts.beatMs }: Backend): void {
    clearInterval(beating);
    if (beatMs === undefined) return;
    const beat = () => void (mayBeat() && stream.write(`${BEAT_LINE}\n`));
    beating = setInterval(beat, beatMs).unref();
  }

  /** Without a backend the request is kept; the next backend hears of it in the introduction. */
  function fromClient(line: string): void {
    requests.sent(line);
    const canTakeMore = backend ? backend.stream.write(`${line}\n`) : requests.size < MAX_WAITING;
    if (!canTakeMore) input.pause();
  }

  function fromBackend(line: string): void {
    say(requests.heard(line));
    settleUp();
  }

  function settleUp(): void {
    if (isInputOver && requests.isIdle()) end();
  }

  function lose(): void {
    const old = backend;
    backend = undefined;
    old?.stream.destroy();
    if (!isOver) log(`the ${old?.kind ?? 'lost'} backend is gone; looking for another`);
    say(requests.lose());
    settleUp();
    void connect();
  }

  async function connect(): Promise<void> {
    let since = elapsed();
    for (let wait = timing.retryMs; !isOver; wait = Math.min(wait * 2, MAX_RETRY_MS)) {
      try {
        const fresh = await openBackend();
        if (isOver) return void fresh.stream.destroy();
        hasOpened = true;
        return attach(fresh);
      } catch (error) {
        log(`no backend: ${String(error)}`);
        const isHopeless = !hasOpened && !isRetryable(error);
        // The client's first words are on their way and deserve to hear the reason.
        if (isHopeless) await sleep(timing.retryMs);
        if (isHopeless || elapsed() - since > timing.holdMs) {
          say(requests.giveUp(reasonOf(error)));
          if (!hasOpened) {
            isOver = true;
            throw error;
          }
          since = elapsed();
          input.resume();
          settleUp();
        }
        await sleep(wait);
      }
    }
  }

  /** A hub that has appeared takes over, but only between calls: none is lost by our own choice. */
  async function watchForHub(local: Backend, isHubAlive: () => Promise<boolean>): Promise<void> {
    const isFree = () => backend === local && requests.isIdle();
    while (backend === local && !isOver) {
      await sleep(timing.lookMs, undefined, { ref: false });
      if (!isFree() || !(await isHubAlive()) || !isFree()) continue;
      backend = undefined;
      local.stream.end();
      log('a hub has appeared; moving to it');
      return connect();
    }
  }

  function end(): void {
    if (isOver) return;
    isOver = true;
    backend?.stream.end();
    if (output.destroyed) finish();
    else output.end(finish);
  }

  until?.addEventListener('abort', () => {
    input.destroy();
    end();
  });
  const splitter = createLineSplitter((line) =>
    'text' in line ? fromClient(line.text) : say([`${PARSE_ERROR} ${line.problem}"}}`]),
  );
  input.on('data', splitter.push);
  input.on('end', () => {
    splitter.end();
    isInputOver = true;
    settleUp();
  });
  input.on('error', end);
  output.on('error', end);
  output.on('close', end);
  output.on('drain', () => backend?.stream.resume());
  try {
    await connect();
    await finished;
  } finally {
    clearInterval(beating);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Our own errors say whether waiting helps; anything else at the very start does not go away by itself. */
function isRetryable(error: unknown): boolean {
  return error !== null && typeof error === 'object' && 'isRetryable' in error && error.isRetryable === true;
}
