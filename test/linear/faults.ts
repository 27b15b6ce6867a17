// Hubs and what lies between them and their database, to be broken while somebody works.
import { createConnection, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { pause } from '../../src/kernel/clock.ts';
import { freePort } from '../fixtures/free-port.ts';
import { makeScratch } from '../fixtures/scratch.ts';
import { startBin, type StartedBin } from '../fixtures/started-bin.ts';

/** A hub that comes back on the same port after it was killed. */
export type Mortal = Readonly<{
  address: string;
  home: string;
  pid(): number;
  /** Killed, and started again once what happens meanwhile is over. */
  killAndStart(meanwhile?: () => Promise<void>): Promise<void>;
  /** Tries to start another one in its place while it is away. */
  tryStart(): Promise<void>;
  /** Starts it again where it has died. Answers whether it had. */
  revive(): Promise<boolean>;
  stop(): Promise<void>;
}>;

export async function openMortal(env: NodeJS.ProcessEnv, settings?: object): Promise<Mortal> {
  const port = await freePort();
  const folder = makeScratch('test');
  const home = env['HOLDFAST_HOME'] ?? join(folder, 'home');
  mkdirSync(home, { mode: 0o700, recursive: true });
  if (settings) writeFileSync(join(home, 'config.yaml'), stringify(settings));
  const own = {
    PATH: process.env['PATH'],
    HOLDFAST_LOG: 'silent',
    ...env,
    HOLDFAST_HOME: home,
  };
  const start = () => startBin(['holdfast', 'up', '--json', '--port', String(port)], own);
  let hub: StartedBin = await start();
  return {
    address: hub.address,
    home,
    pid: () => hub.child.pid!,
    async killAndStart(meanwhile = () => pause(Math.random() * 300)) {
      await hub.stop('SIGKILL');
      await meanwhile();
      hub = await start();
    },
    async tryStart() {
      await (await start()).stop('SIGKILL');
    },
    async revive() {
      if (hub.child.exitCode === null && hub.child.signalCode === null) return false;
      hub = await start();
      return true;
    },
    async stop() {
      await hub.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Carries bytes to a database; what happens on the way is told to it. */
export type Wire = Readonly<{
  url: string;
  cut(): void;
  holdUp(ms: number): Promise<void>;
  /** What is said next on each connection arrives twice, and its answer never: a connection knows no more of it than that it was cut. */
  double(ms: number): Promise<void>;
  close(): void;
}>;

/** Time for the server to have heard it. */
const SETTLES_MS = 20;

export async function openWire(databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const nears = new Set<Socket>();
  const others = new WeakMap<Socket, Socket>();
  /** The pipe has written it once already. */
  function twice(this: Socket, chunk: Buffer): void {
    const far = others.get(this)!;
    far.unpipe();
    far.resume();
    far.write(chunk);
    setTimeout(() => this.destroy(), SETTLES_MS);
  }
  const server = createServer((near) => {
    const far = createConnection(Number(target.port), target.hostname);
    nears.add(near);
    near.on('close', () => nears.delete(near));
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
    async double(ms) {
      const lines = [...nears];
      for (const near of lines) near.once('data', twice);
      await pause(ms);
      for (const near of lines) near.off('data', twice);
    },
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
