// What stands for the machines of runners: network namespaces where this system lets us have them, each with a name and a wire of its
// own that is taken down; else a cable of ours per runner.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { layCable } from '../fixtures/cable.ts';

export interface Machine {
  /** Where it reaches its hub. */
  readonly url: string;
  cut(): void;
  heal(): void;
  /** The same program, on this machine. */
  command(program: string, args: readonly string[]): readonly [string, readonly string[]];
}

export interface Machines {
  readonly kind: string;
  /** One more, whose hub listens there. */
  add(port: number): Promise<Machine>;
  close(): void;
}

export function openMachines(): Machines {
  return canHaveNamespaces() ? namespaces() : cables();
}

function cables(): Machines {
  const laid: { close(): void }[] = [];
  return {
    kind: 'cables (no network namespaces here)',
    async add(port) {
      const cable = await layCable(port);
      laid.push(cable);
      return { ...cable, command: (program, args) => [program, args] };
    },
    close: () => laid.forEach((each) => each.close()),
  };
}

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: 'pipe' });
const quietly = (act: () => unknown) => {
  try {
    act();
    return true;
  } catch {
    return false;
  }
};

/** Tried and taken back. */
function canHaveNamespaces(): boolean {
  const id = randomBytes(3).toString('hex');
  const all = [
    () => ip('netns', 'add', `hf${id}`),
    () => ip('link', 'add', `hf${id}`, 'type', 'bridge'),
    () => ip('link', 'add', `hw${id}`, 'type', 'veth', 'peer', 'name', `hx${id}`),
    () => execFileSync('unshare', ['--uts', 'hostname', 'probe'], { stdio: 'pipe' }),
  ].every(quietly);
  for (const name of [`hw${id}`, `hf${id}`]) quietly(() => ip('link', 'del', name));
  quietly(() => ip('netns', 'del', `hf${id}`));
  return all;
}

const FORWARD = fileURLToPath(new URL('forward.mjs', import.meta.url));
/** Addresses that nothing else has: a net for tests of devices. */
const NET = '198.18';

/** Loses, doubles, delays and reorders, where the kernel can. */
const BAD = ['delay', '10ms', '8ms', '25%', 'loss', '1%', 'duplicate', '1%', 'reorder', '20%', '50%'];

function namespaces(): Machines {
  const id = randomBytes(2).toString('hex');
  const bridge = `hfb${id}`;
  const third = randomBytes(1)[0]!;
  const gate = `${NET}.${third}.1`;
  const spaces: string[] = [];
  const children: ChildProcess[] = [];
  const servers = new Map<number, Server>();
  ip('link', 'add', bridge, 'type', 'bridge');
  ip('addr', 'add', `${gate}/24`, 'dev', bridge);
  ip('link', 'set', bridge, 'up');
  let isBad = true;

  async function gateTo(port: number): Promise<void> {
    if (servers.has(port)) return;
    const server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      for (const each of [near, far]) {
        each.on('error', () => undefined);
        each.on('close', () => (near.destroy(), far.destroy()));
      }
      near.pipe(far).pipe(near);
    });
    servers.set(port, server);
    await new Promise<void>((resolve) => server.listen(port, gate, resolve));
  }

  return {
    get kind() {
      return `network namespaces${isBad ? ' that lose, double, delay and reorder' : ' (no netem in this kernel)'}`;
    },
    async add(port) {
      await gateTo(port);
      const n = spaces.length;
      const [space, wire, end] = [`hf${id}-${n}`, `hw${id}${n}`, `hx${id}${n}`];
      spaces.push(space);
      ip('netns', 'add', space);
      ip('link', 'add', wire, 'type', 'veth', 'peer', 'name', end, 'netns', space);
      ip('link', 'set', wire, 'master', bridge, 'up');
      ip('-n', space, 'link', 'set', 'lo', 'up');
      ip('-n', space, 'addr', 'add', `${NET}.${third}.${10 + n}/24`, 'dev', end);
      ip('-n', space, 'link', 'set', end, 'up');
      const tc = ['-n', space, 'qdisc', 'add', 'dev', end, 'root', 'netem', ...BAD];
      isBad &&= quietly(() => execFileSync('tc', tc, { stdio: 'pipe' }));
      const forward = spawn('ip', ['netns', 'exec', space, process.execPath, FORWARD, `${port}`, gate], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(forward);
      await once(forward.stdout, 'data');
      return {
        url: `http://127.0.0.1:${port}`,
        // Nobody is told: what is sent goes nowhere, as with a cable that is pulled.
        cut: () => ip('link', 'set', wire, 'down'),
        heal: () => ip('link', 'set', wire, 'up'),
        command: (program, args) => [
          'ip',
          [
            'netns',
            'exec',
            space,
            'unshare',
            '--uts',
            'sh',
            '-c',
            `hostname ${space}; exec "$@"`,
            'sh',
            program,
            ...args,
          ],
        ],
      };
    },
    close() {
      for (const child of children) child.kill('SIGKILL');
      for (const server of servers.values()) server.close();
      for (const space of spaces) quietly(() => ip('netns', 'del', space));
      quietly(() => ip('link', 'del', bridge));
    },
  };
}
