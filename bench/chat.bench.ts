import { connect, type Socket } from 'node:net';
import { startHub, type Measured } from './process.ts';
import { atMost, median, type Row } from './row.ts';

export const title = 'Rooms and inboxes: a post to its subscriber, 1,000 inbox streams';

const ROUNDS = 60;
const STREAMS = 1_000;
const TOKEN = 'be'.repeat(32);
const ENV = { HOLDFAST_TOKEN: TOKEN, HOLDFAST_LIMIT_POSTS: '0' };
const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

export async function measure(): Promise<readonly Row[]> {
  const hub = await startHub(ENV);
  const room = await postToSubscriber(hub);
  const few = await sendToStream(hub, 1);
  const many = await sendToStream(hub, STREAMS);
  await hub.stop();
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  return [
    {
      what: 'post to a waiting subscriber, against the post alone',
      ours: ms(room.heard),
      baseline: ms(room.posted),
      ratio: room.heard / room.posted,
      hold: atMost(2),
    },
    {
      what: `message to its stream, ${STREAMS} streams open, against one`,
      ours: ms(many.latency),
      baseline: ms(few.latency),
      ratio: many.latency / few.latency,
      hold: atMost(2),
    },
    {
      what: 'resident memory per inbox stream (KB)',
      ours: `${many.kbEach.toFixed(1)} KB`,
      baseline: '35 KB allowed',
      ratio: many.kbEach / 35,
      hold: atMost(1),
    },
  ];
}

async function call<T>(hub: Measured, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${hub.address}${path}`, {
    method,
    headers: HEADERS,
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

async function postToSubscriber(hub: Measured): Promise<Readonly<{ posted: number; heard: number }>> {
  const room = '/api/chat/rooms/team:bench/posts';
  const post = () => call<{ post: { seq: number } }>(hub, 'POST', room, { text: 'hello' });
  let { post: last } = await post();
  const posted: number[] = [];
  const heard: number[] = [];
  for (let i = 0; i < ROUNDS; i += 1) {
    const alone = performance.now();
    ({ post: last } = await post());
    posted.push(performance.now() - alone);
    const news = call(hub, 'GET', `${room}?after=${last.seq}&waitSeconds=20`);
    await new Promise((resolve) => setTimeout(resolve, 10));
    const started = performance.now();
    await Promise.all([post(), news.then(() => heard.push(performance.now() - started))]);
  }
  return { posted: median(posted), heard: median(heard) };
}

async function sendToStream(
  hub: Measured,
  streams: number,
): Promise<Readonly<{ latency: number; kbEach: number }>> {
  const peers: string[] = [];
  for (let i = 0; i < streams; i += 50) {
    const batch = Array.from({ length: Math.min(50, streams - i) }, (_, k) =>
      call<{ peer_id: string }>(hub, 'POST', '/v1/peers/register', {
        display_name: `agent-${streams}-${i + k}`,
        backend: 'bench',
      }),
    );
    peers.push(...(await Promise.all(batch)).map(({ peer_id: id }) => id));
  }
  const before = await hub.memory();
  const listeners: Listener[] = [];
  for (let i = 0; i < streams; i += 50)
    listeners.push(...(await Promise.all(peers.slice(i, i + 50).map((id) => listen(hub, id)))));
  await new Promise((resolve) => setTimeout(resolve, 500));
  const kbEach = ((await hub.memory()) - before) / streams;
  const latencies: number[] = [];
  for (let i = 0; i < ROUNDS; i += 1) {
    const index = (i * 37) % streams;
    const started = performance.now();
    const heard = listeners[index]!.next();
    await call(hub, 'POST', `/v1/peers/${peers[index]}/messages`, { text: 'hello' });
    await heard;
    latencies.push(performance.now() - started);
  }
  listeners.forEach(({ socket }) => socket.destroy());
  return { latency: median(latencies), kbEach };
}

type Listener = Readonly<{ socket: Socket; next(): Promise<void> }>;

/** A raw socket that notices messages, so that the listener costs as little as it can. */
function listen(hub: Measured, peer: string): Promise<Listener> {
  const { hostname, port } = new URL(hub.address);
  return new Promise((resolve, reject) => {
    let hear: (() => void) | undefined;
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `GET /v1/peers/${peer}/inbox?lease_seconds=3600 HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`,
      ),
    );
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      if (chunk.includes('event: message')) hear?.();
      resolve({ socket, next: () => new Promise((done) => (hear = done)) });
    });
  });
}
