// Hubs and what lies between them and their database, to be broken while somebody works.
import { createConnection, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../../src/kernel/clock.ts';
import { freePort } from '../fixtures/free-port.ts';
import { makeScratch } from '../fixtures/scratch.ts';
import { startBin, type StartedBin } from '../fixtures/started-bin.ts';

/** A hub that comes back on the same port after it was killed. */
export type Mortal = Readonly<{ address: string; killAndStart(): Promise<void>; stop(): Promise<void> }>;

export async function openMortal(env: NodeJS.ProcessEnv): Promise<Mortal> {
  const port = await freePort();
  const home = makeScratch('test');
  mkdirSync(join(home, 'home'), { mode: 0o700 });
  const own = {
    PATH: process.env['PATH'],
    HOLDFAST_HOME: join(home, 'home'),
    HOLDFAST_LOG: 'silent',
    ...env,
  };
  const start = () => startBin(['holdfast', 'up', '--json', '--port', String(port)], own);
  let hub: StartedBin = await start();
  return {
    address: hub.address,
    async killAndStart() {
      await hub.stop('SIGKILL');
      await pause(Math.random() * 300);
      hub = await start();
    },
    async stop() {
      await hub.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Carries bytes to a database, and drops every connection when it is told to. */
export type Wire = Readonly<{ url: string; cut(): void; close(): void }>;

export async function openWire(databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = createConnection(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => (sockets.delete(one), other.destroy()));
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.port = String((server.address() as { port: number }).port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return { url: url.href, cut, close: () => (server.close(), cut()) };
}
