import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { HubError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { Sink, WireName } from './route.ts';
import { type Wire, WIRES } from './wires.ts';

/**
 * Server-sent events, written to the raw socket: no framework, no chunked framing, one timer for all streams.
 * Invariant: a reader that does not keep up is dropped with a reason and never holds memory or another reader
 * (proved by "a stream whose reader never reads is dropped with a reason, and others are served meanwhile").
 */
export type StreamOptions = Readonly<{
  log: Log;
  keepAliveMs?: number;
  /** Bytes waiting in our own buffer, beyond what the kernel took, at which a reader whose producer does not wait is dropped. */
  maxBufferedBytes?: number;
  /** How long a reader may leave what waits for it unread. */
  patienceMs?: number;
  maxStreams?: number;
  /** Of one credential: whoever holds one takes no places of others. */
  maxPerCredential?: number;
}>;

export interface EventStream extends Sink {
  /** Aborts when the reader has gone or the stream was ended. */
  readonly signal: AbortSignal;
  /** The last message tells why; the client may come back with its Last-Event-ID. */
  end(reason: string): void;
}

export interface Streams {
  /** `wire`: how it looks; server-sent events unless said otherwise. `credential`: whose places are counted. */
  open(response: ServerResponse, wire?: WireName, credential?: string): EventStream;
  readonly size: number;
  closeAll(reason: string): void;
}

const LINGER_MS = 5000;

export function createStreams(options: StreamOptions): Streams {
  const {
    log,
    keepAliveMs = 15_000,
    maxBufferedBytes = 1_048_576,
    maxStreams = 10_000,
    maxPerCredential = 256,
    patienceMs = 30_000,
  } = options;
  const open = new Map<EventStream, Readonly<{ socket: Socket; wire: Wire }>>();
  const held = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  function keepAlive(): void {
    for (const [stream, { socket, wire }] of open) if (wire.keepAlive) write(stream, socket, wire.keepAlive);
  }

  /** Everything sent in one turn of the event loop leaves in one system call. */
  function write(stream: EventStream, socket: Socket, frame: Buffer): void {
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(uncork, socket);
    }
    socket.write(frame);
    if (socket.writableLength > maxBufferedBytes) drop(stream, socket);
  }

  function drop(stream: EventStream, socket: Socket): void {
    log.warn('dropped a slow reader of an event stream', { bufferedBytes: socket.writableLength });
    stream.end('slow reader');
  }

  /** Only this reader waits: the others have cursors of their own. */
  function untilDrained(stream: EventStream, socket: Socket): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        socket.off('drain', done);
        stream.signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(() => drop(stream, socket), patienceMs);
      socket.once('drain', done);
      stream.signal.addEventListener('abort', done, { once: true });
    });
  }

  function count(credential: string | undefined, change: 1 | -1): void {
    if (credential === undefined) return;
    const now = (held.get(credential) ?? 0) + change;
    if (now === 0) held.delete(credential);
    else held.set(credential, now);
  }

  return {
    get size() {
      return open.size;
    },

    open(response, name = 'events', credential) {
      const { socket } = response;
      const wire = WIRES[name];
      if (open.size >= maxStreams)
        throw new HubError('busy', `The hub already serves ${maxStreams} event streams.`, {
          limit: maxStreams,
        });
      if (credential !== undefined && (held.get(credential) ?? 0) >= maxPerCredential)
        throw new HubError('limited', `This credential has ${maxPerCredential} event streams open already.`, {
          limit: maxPerCredential,
          hint: 'Close some; one stream tells of everything.',
        });
      if (!socket) throw new HubError('unavailable', 'The connection closed before the stream began.');
      response.useChunkedEncodingByDefault = false;
      response.writeHead(200, wire.head);
      response.flushHeaders();

      const gone = new AbortController();
      const stream: EventStream = {
        signal: gone.signal,
        send(message) {
          if (gone.signal.aborted) return false;
          write(stream, socket, wire.frameOf(message));
          return !gone.signal.aborted;
        },
        drained: () =>
          socket.writableNeedDrain && !gone.signal.aborted ? untilDrained(stream, socket) : undefined,
        end(reason) {
          if (gone.signal.aborted) return;
          forget();
          const last = wire.farewell(reason);
          if (last) socket.end(last);
          else socket.end();
          setTimeout(() => socket.destroy(), LINGER_MS).unref();
        },
      };
      const forget = () => {
        if (open.delete(stream)) count(credential, -1);
        if (open.size === 0) clearInterval(timer);
        gone.abort();
      };
      if (open.size === 0) timer = setInterval(keepAlive, keepAliveMs).unref();
      open.set(stream, { socket, wire });
      count(credential, 1);
      socket.once('close', forget);
      if (wire.greeting) socket.write(wire.greeting);
      return stream;
    },

    closeAll(reason) {
      for (const stream of open.keys()) stream.end(reason);
    },
  };
}

function uncork(socket: Socket): void {
  socket.uncork();
}
