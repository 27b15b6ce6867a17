import { chmod, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import type { Engine } from '../engine/engine.ts';
import type { Registry } from '../registry.ts';
import { hasProfile } from '../server.ts';
import { readFirstLine } from './first-line.ts';
import { notificationText } from '../protocol/jsonrpc.ts';
import { GOODBYE, MAX_HELLO, readHello, type Welcome } from './hello.ts';
import { serveStream } from './stream.ts';
import { stdioPrincipal } from './whereabouts.ts';

export type SocketParts = Readonly<{
  engine: Engine;
  registry: Registry;
  /** A path in a folder only its owner can enter: whoever reaches it is that user. */
  path: string;
  version: string;
  /** How often whoever connects is to give a sign of life; it knows best unless told. */
  beatMs?: number;
}>;

export interface SocketHost {
  /** Stops accepting, lets pending answers out and closes every connection. */
  close(): Promise<void>;
}

const HELLO_MS = 5_000;

/** Where stdio servers reach the hub. The caller holds the hub's lock, so a file at the path is left over and may go. */
export async function serveSocket(parts: SocketParts): Promise<SocketHost> {
  const { engine, path } = parts;
  const stopping = new AbortController();
  const connections = new Set<Promise<void>>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', (error) => engine.log.debug('a socket connection failed', { error }));
    const work = greet(socket, parts, stopping.signal).catch((error: unknown) => {
      engine.log.debug('a socket connection was refused', { error });
      socket.destroy();
    });
    connections.add(work);
    void work.then(() => connections.delete(work));
  });
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  await chmod(path, 0o600);
  return {
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      stopping.abort();
      await Promise.all(connections);
      await closed;
      await rm(path, { force: true });
    },
  };
}

async function greet(socket: Socket, parts: SocketParts, stopping: AbortSignal): Promise<void> {
  const { engine, registry, version, beatMs } = parts;
  const hello = readHello(await readFirstLine(socket, { bytes: MAX_HELLO, ms: HELLO_MS }));
  const server = hello && registry.get(hello.server);
  if (!hello || !server || !hasProfile(server, hello.profile)) {
    return refuse(
      socket,
      hello ? `unknown server or profile: ${hello.server} ${hello.profile}` : 'not a holdfast hello',
    );
  }
  welcome(socket, { ok: true, version, beatMs });
  await serveStream({
    engine,
    server,
    who: stdioPrincipal(hello, server),
    from: hello.from,
    pid: hello.pid,
    profile: hello.profile,
    input: socket,
    output: socket,
    stopping,
    farewell: notificationText(GOODBYE),
  });
  socket.destroy();
}

async function refuse(socket: Socket, error: string): Promise<void> {
  welcome(socket, { ok: false, error });
  await new Promise<void>((resolve) => socket.end(() => resolve()));
  socket.destroy();
}

function welcome(socket: Socket, answer: Welcome): void {
  socket.write(`${JSON.stringify(answer)}\n`);
}
