// Bytes on a socket that are almost HTTP, almost a WebSocket, almost a line of MCP: whatever comes, the connection is answered or
// closed, and others are served.
import { connect } from 'node:net';
import { chanceOf } from './generate.ts';
import { mutate } from './mutate.ts';

const MOST_MS = 2_000;
const BODY = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const SEEDS = [
  'GET /api/health HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n',
  `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`,
  'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  'GET /api/events HTTP/1.1\r\nhost: 127.0.0.1\r\nlast-event-id: 5\r\naccept: text/event-stream\r\n\r\n',
  'GET /api/events HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: eHh4eHh4eHh4eHh4eHh4eA==\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nhost: 127.0.0.1\r\nexpect: 100-continue\r\n\r\n',
  `${BODY}\n`,
].map((text) => Buffer.from(text));

export type SocketReport = Readonly<{ sent: number; answered: number; failures: readonly string[] }>;

export async function fuzzSockets(address: string, inputs: number, seed: number): Promise<SocketReport> {
  const chance = chanceOf(seed);
  const port = Number(new URL(address).port);
  const failures = new Map<string, string>();
  let [sent, answered] = [0, 0];
  async function work(): Promise<void> {
    while (sent < inputs && failures.size < 10) {
      sent += 1;
      const bytes = mutate(SEEDS, chance);
      const said = await exchange(port, bytes, chance.is(0.5));
      if (said !== '') answered += 1;
      const why = /^HTTP\/1\.1 5(?!03)\d\d/.exec(said)?.[0];
      if (why !== undefined) failures.set(why, `${why}\n  ${bytes.toString('latin1').slice(0, 1_000)}`);
      if (sent % 200 === 0) await others();
    }
  }
  /** Somebody else, meanwhile. */
  async function others(): Promise<void> {
    const began = performance.now();
    const { status } = await fetch(`${address}/api/health`);
    const ms = performance.now() - began;
    if (status !== 200 || ms > MOST_MS)
      failures.set('others', `others had ${status} after ${Math.round(ms)} ms`);
  }
  await Promise.all(Array.from({ length: 16 }, work));
  await others();
  return { sent, answered, failures: [...failures.values()] };
}

/** Says it, in two pieces when told so, hears the first answer, and leaves: a request that is not whole may be waited for. */
function exchange(port: number, bytes: Buffer, isCut: boolean): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const done = (said: string) => {
      socket.destroy();
      resolve(said);
    };
    socket.setTimeout(60, () => done(''));
    socket.on('error', () => done(''));
    socket.on('end', () => done(''));
    socket.on('data', (chunk) => done(chunk.toString('latin1')));
    const half = isCut ? bytes.length >> 1 : bytes.length;
    socket.write(bytes.subarray(0, half), () => half < bytes.length && socket.write(bytes.subarray(half)));
  });
}
