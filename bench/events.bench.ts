import { connect, type Socket } from 'node:net';
import { root, startHub, startMeasured, type Measured } from './process.ts';
import { atMost, median, type Row } from './row.ts';

export const title = 'Server-sent events, 1,000 subscribers';

const SUBSCRIBERS = 1_000;
const EVENTS = 60;

export async function measure(): Promise<readonly Row[]> {
  const hub = await startHub();
  const raw = await startMeasured(`${root}bench/baselines/raw-sse.mjs`);
  const ours = await fanOut(hub, '/api/events?kinds=task.created', '/api/board/tasks');
  const theirs = await fanOut(raw, '/', '/');
  await Promise.all([hub.stop(), raw.stop()]);
  return rowsOf('event', ours, theirs);
}

/** What it costs to reach everybody, beside a bare stream. */
export function rowsOf(one: string, ours: FanOut, theirs: FanOut): readonly Row[] {
  const us = (value: number) => `${value.toFixed(1)} µs`;
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  return [
    {
      what: `CPU per delivery (${one})`,
      ours: us(ours.cpuPerDelivery),
      baseline: us(theirs.cpuPerDelivery),
      ratio: ours.cpuPerDelivery / theirs.cpuPerDelivery,
      hold: atMost(1.2),
    },
    {
      what: 'resident memory per subscriber (KB)',
      ours: `${ours.kbEach.toFixed(1)} KB`,
      baseline: `${theirs.kbEach.toFixed(1)} KB, 35 allowed`,
      ratio: ours.kbEach / 35,
      hold: atMost(1),
    },
    {
      what: `${one} to the last subscriber, median`,
      ours: ms(ours.latency),
      baseline: ms(theirs.latency),
      ratio: ours.latency / theirs.latency,
    },
  ];
}

type FanOut = Readonly<{ cpuPerDelivery: number; kbEach: number; latency: number }>;

/** What one event costs to reach a thousand readers of a stream. */
export async function fanOut(
  server: Measured,
  stream: string,
  emit: string,
  body = '{"title":"an event"}',
): Promise<FanOut> {
  const send = () => post(`${server.address}${emit}`, body);
  // A first audience that leaves again, so that what a server takes once is not counted per subscriber.
  (await gather(`${server.address}${stream}`)).close();
  for (let i = 0; i < 30; i += 1) await send();
  const quiet = await cpuOf(server, async () => {
    for (let i = 0; i < EVENTS; i += 1) await send();
  });
  const before = await server.memory();
  const audience = await gather(`${server.address}${stream}`);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const kbEach = ((await server.memory()) - before) / SUBSCRIBERS;
  const latencies: number[] = [];
  const busy = await cpuOf(server, async () => {
    for (let i = 1; i <= EVENTS; i += 1) {
      const started = performance.now();
      const heard = audience.reached(i);
      await send();
      await heard;
      latencies.push(performance.now() - started);
    }
  });
  audience.close();
  return { cpuPerDelivery: (busy - quiet) / (EVENTS * SUBSCRIBERS), kbEach, latency: median(latencies) };
}

async function cpuOf(server: Measured, work: () => Promise<void>): Promise<number> {
  const before = await server.cpu();
  await work();
  return (await server.cpu()) - before;
}

type Audience = Readonly<{ reached(events: number): Promise<void>; close(): void }>;

/** Raw sockets that count frames, so that the listener costs as little as it can. */
async function gather(url: string): Promise<Audience> {
  const { hostname, port, pathname, search } = new URL(url);
  const sockets: Socket[] = [];
  const heard = Array.from({ length: SUBSCRIBERS }, () => 0);
  let wanted = 0;
  let missing = 0;
  let done: (() => void) | undefined;
  const open = (i: number) =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAccept: text/event-stream\r\n\r\n`,
        ),
      );
      socket.on('error', reject);
      socket.on('data', (chunk) => {
        resolve();
        const before = heard[i]!;
        heard[i] = before + chunk.toString('latin1').split('data: ').length - 1;
        if (before < wanted && heard[i] >= wanted && --missing === 0) done?.();
      });
      sockets.push(socket);
    });
  for (let i = 0; i < SUBSCRIBERS; i += 50)
    await Promise.all(Array.from({ length: 50 }, (_, k) => open(i + k)));
  const start = heard.map((count) => count);
  return {
    reached(events) {
      return new Promise((resolve) => {
        wanted = start[0]! + events;
        missing = heard.filter((count) => count < wanted).length;
        done = resolve;
      });
    },
    close: () => sockets.forEach((socket) => socket.destroy()),
  };
}

async function post(url: string, body: string): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}
