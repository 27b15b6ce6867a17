import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';

/**
 * Loopback is open to every user of the machine; `local` means one of them. On Linux the kernel tells whose the other
 * end of a connection is. Whether it does so here is found out once, on a connection of our own; only where it does not,
 * the setting `local` decides. Where it does, a connection that is not listed, or has no owner any more, is a stranger's.
 */
export interface SameUser {
  /** Is the other end of this connection held by the user who runs the hub? */
  isOwn(socket: Socket | undefined): boolean | Promise<boolean>;
  /** Finds out whether the look-up works, on a connection to this address. */
  prove(at: Readonly<{ host: string; port: number }>): Promise<'checked' | 'open' | 'token'>;
}

export type SameUserParts = Readonly<{
  /** What counts where nobody can tell: `open` trusts the machine, `token` nobody. */
  fallback: 'open' | 'token';
  /** Undefined where users have no numbers. */
  uid?: number | undefined;
  readTable?: (file: string) => Promise<string>;
}>;

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];

export function createSameUser({
  fallback,
  uid = process.getuid?.(),
  readTable = (file) => readFile(file, 'latin1'),
}: SameUserParts): SameUser {
  const known = new WeakMap<Socket, boolean>();
  let mode: 'checked' | 'open' | 'token' | undefined;
  let settle!: () => void;
  const decided = new Promise<void>((resolve) => (settle = resolve));
  let next: Promise<ReadonlyMap<string, number>> | undefined;
  let running: Promise<unknown> = Promise.resolve();

  /** A table that was read after the connection stood has it; connections that come together share one reading. */
  function owners(): Promise<ReadonlyMap<string, number>> {
    if (next) return next;
    const after = running;
    const mine = after.then(async () => {
      next = undefined;
      return parseOwners(
        (await Promise.all(TABLES.map((file) => readTable(file).catch(() => '')))).join('\n'),
      );
    });
    next = mine;
    running = mine.catch(() => undefined);
    return mine;
  }

  async function look(socket: Socket): Promise<boolean> {
    await decided;
    if (mode !== 'checked') return mode === 'open';
    const isOwn = (await owners()).get(keyOf(socket)) === uid;
    known.set(socket, isOwn);
    return isOwn;
  }

  return {
    isOwn: (socket) => (socket === undefined ? true : (known.get(socket) ?? look(socket))),
    async prove(at) {
      mode = uid !== undefined && (await isListed(at, owners, uid)) ? 'checked' : fallback;
      settle();
      return mode;
    },
  };
}

/** Connects to ourselves and looks for our own end in the table. */
async function isListed(
  at: Readonly<{ host: string; port: number }>,
  owners: () => Promise<ReadonlyMap<string, number>>,
  uid: number,
): Promise<boolean> {
  const socket = connect({ ...at });
  try {
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    const { localAddress, localPort, remoteAddress, remotePort } = socket;
    const owner = (await owners()).get(
      keyOf({
        localAddress: remoteAddress,
        localPort: remotePort,
        remoteAddress: localAddress,
        remotePort: localPort,
      }),
    );
    return owner === uid || owner === process.getuid?.();
  } catch {
    return false; // no connection, no answer: then nobody can be told apart here
  } finally {
    socket.destroy();
  }
}

type Ends = Pick<Socket, 'localAddress' | 'localPort' | 'remoteAddress' | 'remotePort'>;

/** The line of the other end: what is remote for us is local there. */
function keyOf({ localAddress, localPort, remoteAddress, remotePort }: Partial<Ends>): string {
  return `${plain(remoteAddress)} ${remotePort ?? 0} ${plain(localAddress)} ${localPort ?? 0}`;
}

function plain(address: string | undefined): string {
  return (address ?? '')
    .replace(/^::ffff:/i, '')
    .replace(/%.*$/, '')
    .toLowerCase();
}

/** By both ends, the user of every connection that still has an owner: one that was given up has no inode. */
export function parseOwners(tables: string): ReadonlyMap<string, number> {
  const owners = new Map<string, number>();
  for (const line of tables.split('\n')) {
    const [, local, remote, , , , , uid, , inode] = line.trim().split(/\s+/);
    if (
      local === undefined ||
      remote === undefined ||
      !/^\d+$/.test(uid ?? '') ||
      inode === undefined ||
      inode === '0'
    )
      continue;
    const [from, to] = [readEnd(local), readEnd(remote)];
    if (from !== undefined && to !== undefined) owners.set(`${from} ${to}`, Number(uid));
  }
  return owners;
}

/** `0100007F:1F90`: words of four bytes, each with its lowest byte first. */
function readEnd(text: string): string | undefined {
  const [, hex, port] = /^((?:[0-9A-F]{8}){1,4}):([0-9A-F]{4})$/i.exec(text) ?? [];
  if (hex === undefined) return undefined;
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => [...Buffer.from(word, 'hex')].reverse());
  return `${bytes.length === 4 ? bytes.join('.') : plainSix(bytes)} ${Number.parseInt(port!, 16)}`;
}

function plainSix(bytes: readonly number[]): string {
  if (bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff)
    return bytes.slice(12).join('.');
  if (bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1) return '::1';
  const words = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!).toString(16));
  return words.join(':');
}
