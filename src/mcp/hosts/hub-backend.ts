import { connect, type Socket } from 'node:net';
import { readFirstLine } from './first-line.ts';
import { type Hello, MAX_HELLO, readWelcome } from './hello.ts';
import type { Backend } from './shim.ts';

const WELCOME_MS = 5_000;

/** The hub behind a socket, after both sides have said hello. Rejects when nobody answers or the hub refuses. */
export async function connectHub(path: string, hello: Omit<Hello, 'holdfast'>): Promise<Backend> {
  const socket = await dial(path);
  try {
    socket.write(`${JSON.stringify({ holdfast: 1, ...hello })}\n`);
    const welcome = readWelcome(await readFirstLine(socket, { bytes: MAX_HELLO, ms: WELCOME_MS }));
    if (!welcome) throw new Error(`${path} does not answer like a hub`);
    if (!welcome.ok) throw new Error(`the hub refused: ${welcome.error}`);
    return { kind: 'hub', stream: socket, beatMs: welcome.beatMs };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function dial(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      // Whoever takes the socket over adds a listener; until then a failure shows as a missing first line.
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}
