import { SSE_ALIVE, SSE_HEADERS, sseFrame } from '../kernel/sse.ts';
import type { StreamMessage, WireName } from './route.ts';

/** How a stream looks on the wire. */
export type Wire = Readonly<{
  head: Readonly<Record<string, string>>;
  greeting: Buffer | undefined;
  keepAlive: Buffer | undefined;
  frameOf(message: StreamMessage): Buffer;
  /** The last words of a stream: why it ended. */
  farewell(reason: string): Buffer | undefined;
}>;

const EVENTS: Wire = {
  head: { ...SSE_HEADERS, connection: 'close' },
  greeting: Buffer.from('retry: 2000\n\n'),
  keepAlive: Buffer.from(SSE_ALIVE),
  frameOf: remembered(eventFrame),
  farewell: (reason) => EVENTS.frameOf({ event: 'end', data: { reason } }),
};

/** As the documents have it: these headers, and no event beside those of the stream itself. */
const DOCUMENTED: Wire = {
  ...EVENTS,
  head: {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
    connection: 'keep-alive',
  },
  farewell: (reason) => Buffer.from(`: ${reason}\n\n`),
};

/** One JSON text per line. */
const LINES: Wire = {
  head: {
    'content-type': 'application/x-ndjson',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
    connection: 'close',
  },
  greeting: undefined,
  keepAlive: undefined,
  frameOf: remembered(lineFrame),
  farewell: () => undefined,
};

export const WIRES: Readonly<Record<WireName, Wire>> = {
  events: EVENTS,
  documented: DOCUMENTED,
  lines: LINES,
};

/** A message object sent to a thousand readers is serialised once. */
function remembered(write: (message: StreamMessage) => Buffer): (message: StreamMessage) => Buffer {
  const frames = new WeakMap<StreamMessage, Buffer>();
  return (message) => {
    let frame = frames.get(message);
    if (!frame) frames.set(message, (frame = write(message)));
    return frame;
  };
}

function eventFrame(message: StreamMessage): Buffer {
  const data = typeof message.data === 'string' ? message.data : JSON.stringify(message.data);
  return Buffer.from(sseFrame({ ...message, data }));
}

function lineFrame({ data }: StreamMessage): Buffer {
  return Buffer.from(`${typeof data === 'string' ? data : JSON.stringify(data)}\n`);
}
