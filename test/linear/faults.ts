// Hubs and what lies between them and their database, to be broken while somebody works.
import { spawnSync } from 'node:child_process';
import { createConnection, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../../src/kernel/clock.ts';
import { freePort } from '../fixtures/free-port.ts';
import { makeScratch } from '../fixtures/scratch.ts';
import { startBin, type StartedBin } from '../fixtures/started-bin.ts';

/** A hub that comes back on the same port after it was killed. */
export type Mortal = Readonly<{
  address: string;
  killAndStart(): Promise<void>;
  /** As a laptop is that goes to sleep. */
  freeze(ms: number): Promise<void>;
  /** With fewer files and connections than it wants, for a while. */
  starve(ms: number): Promise<void>;
  stop(): Promise<void>;
}>;

const FEW_FILES = 64;

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
    async freeze(ms) {
      hub.child.kill('SIGSTOP');
      await pause(ms);
      hub.child.kill('SIGCONT');
    },
    async starve(ms) {
      limitFiles(hub.child.pid!, FEW_FILES);
      await pause(ms);
      limitFiles(hub.child.pid!, MANY_FILES);
    },
    async stop() {
      await hub.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

const MANY_FILES = 4_096;

function limitFiles(pid: number, most: number): void {
  // The upper limit stays, so that it can be lifted again.
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--nofile=${most}:`], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`prlimit failed: ${stderr}`);
}

/** Carries bytes to a database; drops every connection, or holds them up for a while, when it is told to. */
export type Wire = Readonly<{ url: string; cut(): void; holdUp(ms: number): Promise<void>; close(): void }>;

export async function openWire(databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const others = new WeakMap<Socket, Socket>();
  const server = createServer((near) => {
    const far = createConnection(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      others.set(one, other);
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
  return {
    url: url.href,
    cut,
    async holdUp(ms) {
      const held = [...sockets];
      for (const socket of held) socket.unpipe();
      await pause(ms);
      for (const socket of held) {
        const other = others.get(socket)!;
        if (!other.destroyed) socket.pipe(other);
      }
    },
    close: () => (server.close(), cut()),
  };
}
