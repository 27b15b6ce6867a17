import type { ServerResponse } from 'node:http';
import { SSE_ALIVE, SSE_HEADERS, sseFrame } from '../../../kernel/sse.ts';
import type { Accept } from './accept.ts';

/** The answer to one HTTP request: a JSON body, or a stream once there is something to say before the answer. */
export interface Outlet {
  /** False where only the answer itself can be delivered. */
  readonly canStream: boolean;
  /** Aborted when the client is gone before it was answered. */
  readonly gone: AbortSignal;
  /** A message before the answer. Dropped where it cannot be delivered. */
  readonly send: (text: string) => void;
  answer(status: number, text: string): void;
  /** No body: a notification taken, a session ended. */
  nothing(status: number): void;
  /** Opens the stream now, before there is anything to say. */
  open(): void;
  /** Ends an open stream without an answer. */
  end(): void;
  /** Resolves when the response is over, whoever ended it. */
  whenOver(): Promise<void>;
}

/** A reader that lets this much pile up is not reading. Room for one large message that is still on its way. */
const MAX_UNREAD = 4 * 1024 * 1024;

export function createOutlet(
  res: ServerResponse,
  accept: Accept,
  headers: Readonly<Record<string, string>>,
): Outlet {
  const gone = new AbortController();
  const rest = accept === 'json' ? undefined : onPulse(stayAlive);
  let beats = 0;
  res.on('close', () => {
    rest?.();
    if (!res.writableFinished) gone.abort();
  });
  res.on('error', () => gone.abort());

  function open(): void {
    if (res.headersSent || gone.signal.aborted) return;
    res.writeHead(200, { ...headers, ...SSE_HEADERS });
    res.flushHeaders();
  }

  /** Proxies close what is silent and clients give up on headers that do not come: long work opens its stream early and breathes. */
  function stayAlive(): void {
    beats += 1;
    if (beats > 1) open();
    if (res.headersSent && !res.writableEnded) res.write(SSE_ALIVE);
  }

  function event(text: string): void {
    res.write(sseFrame({ event: 'message', data: text }));
    if (res.writableLength > MAX_UNREAD) res.destroy();
  }

  return {
    canStream: accept !== 'json',
    gone: gone.signal,
    open,
    send(text) {
      if (accept === 'json' || gone.signal.aborted || res.writableEnded) return;
      open();
      event(text);
    },
    answer(status, text) {
      if (gone.signal.aborted || res.writableEnded) return;
      if (!res.headersSent && accept === 'stream' && status === 200)
        res.writeHead(200, { ...headers, ...SSE_HEADERS });
      if (res.headersSent) {
        res.end(sseFrame({ event: 'message', data: text }));
      } else {
        res.writeHead(status, {
          ...headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        });
        res.end(text);
      }
    },
    nothing(status) {
      if (!res.headersSent) res.writeHead(status, { ...headers, 'content-length': 0 });
      res.end();
    },
    end() {
      if (!res.writableEnded) res.end();
    },
    whenOver: () => new Promise((resolve) => (res.closed ? resolve() : res.once('close', resolve))),
  };
}

/** One timer for all answers under way. It stops by itself when a beat finds nobody waiting, so a busy hub starts it once. */
const waiting = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

const PULSE_MS = 15_000;

/** Calls `beat` now and then until the returned function is called. */
function onPulse(beat: () => void): () => void {
  waiting.add(beat);
  timer ??= setInterval(tick, PULSE_MS).unref();
  return () => waiting.delete(beat);
}

function tick(): void {
  for (const beat of waiting) beat();
  if (waiting.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}
