import { open } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { createTurns } from '../../../kernel/turns.ts';
import { createHolders } from './socket-holder.ts';

/**
 * Loopback is open to every user of the machine; `local` means one of them. On Linux the kernel tells whose the other
 * end of a connection is. Whether it does so here is found out once, on a connection of our own; only where it does not,
 * the setting `local` decides. Where it does, a connection that is not listed, or has no owner any more, is a stranger's.
 */
export interface SameUser {
  /** Is the other end of this connection held by the user who runs the hub? */
  isOwn(socket: Socket | undefined): boolean | Promise<boolean>;
  /**
   * And by a program of that user, which neither is the hub, nor was started or confined by it or by others.
   * Where nobody can tell, it is not.
   */
  isOwnProgram(socket: Socket | undefined): boolean | Promise<boolean>;
  /** Finds out whether the look-up works, on a connection to this address. */
  prove(at: Readonly<{ host: string; port: number }>): Promise<'checked' | 'open' | 'token'>;
}

export type SameUserParts = Readonly<{
  /** What counts where nobody can tell: `open` trusts the machine, `token` nobody. */
  fallback: 'open' | 'token';
  /** Undefined where users have no numbers. */
  uid?: number | undefined;
  readTable?: (file: string) => AsyncIterable<string>;
  isHeldByProgram?: (inode: string) => Promise<boolean>;
}>;

/**
 * Each is a walk through every connection of the machine: read no further than to what is looked for, and the second only for what
 * the first does not list.
 */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const;

export function createSameUser({
  fallback,
  uid = process.getuid?.(),
  readTable = piecesOf,
  isHeldByProgram = createHolders(),
}: SameUserParts): SameUser {
  const known = new WeakMap<Socket, boolean>();
  const programs = new WeakMap<Socket, Promise<boolean>>();
  let mode: 'checked' | 'open' | 'token' | undefined;
  let settle!: () => void;
  const decided = new Promise<void>((resolve) => (settle = resolve));
  const tables = TABLES.map((file) => shared((wanted) => search(readTable(file), wanted)));

  /** Whose the other end of a connection with this key is. */
  async function ownerOf(key: string): Promise<Owner | undefined> {
    for (const find of tables) {
      const owner = await find(key);
      if (owner !== undefined) return owner;
    }
    return undefined;
  }

  async function look(socket: Socket): Promise<boolean> {
    await decided;
    if (mode !== 'checked') return mode === 'open';
    const isOwn = (await ownerOf(keyOf(socket)))?.uid === uid;
    known.set(socket, isOwn);
    return isOwn;
  }

  async function lookCloser(socket: Socket): Promise<boolean> {
    await decided;
    if (mode !== 'checked') return false;
    const owner = await ownerOf(keyOf(socket));
    return owner !== undefined && owner.uid === uid && isHeldByProgram(owner.inode);
  }

  function lookOnce(socket: Socket): Promise<boolean> {
    const found = programs.get(socket) ?? lookCloser(socket);
    programs.set(socket, found);
    return found;
  }

  return {
    isOwn: (socket) => (socket === undefined ? true : (known.get(socket) ?? look(socket))),
    isOwnProgram: (socket) => (socket === undefined ? false : lookOnce(socket)),
    async prove(at) {
      mode = uid !== undefined && (await isListed(at, ownerOf, uid)) ? 'checked' : fallback;
      settle();
      return mode;
    },
  };
}

/** A user, and the socket as the kernel numbers it. */
type Owner = Readonly<{ uid: number; inode: string }>;

type Search = (wanted: ReadonlySet<string>) => Promise<ReadonlyMap<string, Owner>>;

/** A table that was read after the connection stood has it; connections that come together share one reading. */
function shared(searchAll: Search): (key: string) => Promise<Owner | undefined> {
  let next: Readonly<{ wanted: Set<string>; found: ReturnType<Search> }> | undefined;
  const turns = createTurns();

  function begin(): NonNullable<typeof next> {
    const wanted = new Set<string>();
    const found = turns.take(() => {
      next = undefined;
      return searchAll(wanted);
    });
    return { wanted, found };
  }

  return async (key) => {
    next ??= begin();
    next.wanted.add(key);
    return (await next.found).get(key);
  };
}

/** The owners of these connections, as far as the table has them. A table that cannot be read has none. */
async function search(table: AsyncIterable<string>, wanted: ReadonlySet<string>) {
  const found = new Map<string, Owner>();
  let rest = '';
  try {
    for await (const piece of table) {
      const text = rest + piece;
      const end = text.lastIndexOf('\n') + 1;
      for (const key of wanted) {
        const owner = found.has(key) ? undefined : ownerIn(text.slice(0, end), key);
        if (owner !== undefined) found.set(key, owner);
      }
      if (found.size === wanted.size) break;
      rest = text.slice(end);
    }
  } catch {
    // Nobody is listed where nothing is told.
  }
  return found;
}

/** Only lines with the right port are worth a closer look. */
function ownerIn(lines: string, key: string): Owner | undefined {
  const port = `:${Number(key.split(' ')[1]).toString(16).toUpperCase().padStart(4, '0')} `;
  for (let at = lines.indexOf(port); at >= 0; at = lines.indexOf(port, at + 1)) {
    const line = lines.slice(lines.lastIndexOf('\n', at) + 1, lines.indexOf('\n', at));
    const owner = parseOwners(line).get(key);
    if (owner !== undefined) return owner;
  }
  return undefined;
}

/** The kernel gives a page at a time. */
async function* piecesOf(file: string): AsyncGenerator<string> {
  const handle = await open(file);
  try {
    const buffer = Buffer.allocUnsafe(64 * 1024);
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return;
      yield buffer.toString('latin1', 0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

/** Connects to ourselves and looks for our own end in the table. */
async function isListed(
  at: Readonly<{ host: string; port: number }>,
  ownerOf: (key: string) => Promise<Owner | undefined>,
  uid: number,
): Promise<boolean> {
  const socket = connect({ ...at });
  try {
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    const { localAddress, localPort, remoteAddress, remotePort } = socket;
    const owner = await ownerOf(
      keyOf({
        localAddress: remoteAddress,
        localPort: remotePort,
        remoteAddress: localAddress,
        remotePort: localPort,
      }),
    );
    return owner !== undefined && (owner.uid === uid || owner.uid === process.getuid?.());
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
export function parseOwners(tables: string): ReadonlyMap<string, Owner> {
  const owners = new Map<string, Owner>();
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
    if (from !== undefined && to !== undefined) owners.set(`${from} ${to}`, { uid: Number(uid), inode });
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
