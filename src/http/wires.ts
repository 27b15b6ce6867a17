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
  head: {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'close',
  },
  greeting: Buffer.from('retry: 2000\n\n'),
  keepAlive: Buffer.from(': keep-alive\n\n'),
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
  head: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-cache', 'x-accel-buffering': 'no', connection: 'close' },
  greeting: undefined,
  keepAlive: undefined,
  frameOf: remembered(lineFrame),
  farewell: () => undefined,
};

export const WIRES: Readonly<Record<WireName, Wire>> = { events: EVENTS, documented: DOCUMENTED, lines: LINES };

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
  const id = message.id === undefined ? '' : `id: ${message.id}\n`;
  const event = message.event === undefined ? '' : `event: ${message.event}\n`;
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return Buffer.from(`${id}${event}${lines.join('')}\n`);
}

function lineFrame({ data }: StreamMessage): Buffer {
  return Buffer.from(`${typeof data === 'string' ? data : JSON.stringify(data)}\n`);
}
