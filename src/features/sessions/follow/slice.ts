// The next piece of a file that grows: whole lines only, of bounded length, from where the last piece ended.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { sha256 } from '../../../kernel/digest.ts';
import type { StoredFile } from '../rows/tables.ts';

/** A longer line is not parsed: its beginning is kept. */
const MOST_LINE = 16 * 1024 * 1024;
const KEPT_LINE = 64 * 1024;
const MOST_PASSED = 128 * 1024 * 1024;
const WITNESS = 256;
const NEWLINE = 0x0a;

export type Line = Readonly<{ text: string; isWhole: boolean }>;

export type Slice = Readonly<{
  lines: readonly Line[];
  /** It begins at the start: what was known from earlier lines is not so any more. */
  isFromStart: boolean;
  /** There is more to read now. */
  hasMore: boolean;
  file: Pick<StoredFile, 'identity' | 'position' | 'size' | 'changedAt' | 'digest'>;
  /** The next piece begins inside of a line that is too long. */
  isInLongLine: boolean;
}>;

export type SliceRequest = Readonly<{
  path: string;
  before: StoredFile | undefined;
  most: number;
  wasInLongLine: boolean;
  /** A document of its own instead of lines. */
  isWhole: boolean;
}>;

export class UnreadableFile extends Error {}

/** Undefined: nothing is new. */
export async function readSlice(request: SliceRequest): Promise<Slice | undefined> {
  // A pipe must not hold us up, nor a link lead elsewhere between the listing and now.
  const handle = await open(request.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new UnreadableFile('it is no regular file');
    const user = process.getuid?.();
    if (user !== undefined && stats.uid !== user) throw new UnreadableFile('it belongs to another user');
    const { before } = request;
    const identity = `${stats.dev}:${stats.ino}`;
    const isSame =
      before?.identity === identity && stats.size >= before.position && (await isWitnessed(handle, before));
    const from = isSame && !(request.isWhole && stats.size !== before.size) ? before.position : 0;
    const file = { identity, size: stats.size, changedAt: stats.mtimeMs };
    const isFromStart = from === 0;
    if (request.isWhole) return await readWhole(handle, { ...file, from });
    const piece = await readLines(handle, {
      from,
      size: stats.size,
      most: request.most,
      isInLongLine: request.wasInLongLine && !isFromStart,
    });
    if (piece.to === from && isSame && before.changedAt === file.changedAt) return undefined;
    const digest = await witness(handle, piece.to);
    return { ...piece, isFromStart, file: { ...file, position: piece.to, digest } };
  } finally {
    await handle.close();
  }
}

async function isWitnessed(handle: FileHandle, before: StoredFile): Promise<boolean> {
  return (await witness(handle, before.position)) === before.digest;
}

/** What stands before a position, and at the very start: a file that was written anew differs in one of them. */
async function witness(handle: FileHandle, position: number): Promise<string> {
  const length = Math.min(WITNESS, position);
  const bytes = Buffer.alloc(2 * length);
  await handle.read(bytes, 0, length, 0);
  await handle.read(bytes, length, length, position - length);
  return sha256(bytes).slice(0, 16);
}

type AskedPlace = Readonly<{ from: number; size: number; most: number; isInLongLine: boolean }>;
type Piece = Pick<Slice, 'lines' | 'hasMore' | 'isInLongLine'> & Readonly<{ to: number }>;

async function readLines(handle: FileHandle, { from, size, most, isInLongLine }: AskedPlace): Promise<Piece> {
  // No larger than what is there: most files are small, and there may be tens of thousands of them.
  let bytes = await readAt(handle, from, Math.min(most, Math.max(0, size - from)));
  let to = from;
  if (isInLongLine) {
    // Nothing of it is kept, so a piece may be as long as nobody has to wait for.
    let end = bytes.indexOf(NEWLINE);
    while (end < 0 && bytes.length > 0 && to - from < MOST_PASSED) {
      to += bytes.length;
      bytes = await readAt(handle, to, MOST_LINE);
      end = bytes.indexOf(NEWLINE);
    }
    if (end < 0)
      return { lines: [], to: to + bytes.length, hasMore: to + bytes.length < size, isInLongLine: true };
    to += end + 1;
    bytes = bytes.subarray(end + 1);
  }
  let last = bytes.lastIndexOf(NEWLINE);
  // One line that is longer than a piece: the rest of it comes along, within bounds.
  while (last < 0 && bytes.length > 0 && bytes.length <= MOST_LINE && to + bytes.length < size) {
    const more = await readAt(handle, to + bytes.length, Math.min(MOST_LINE, Math.max(most, bytes.length)));
    if (more.length === 0) break;
    bytes = Buffer.concat([bytes, more]);
    last = bytes.lastIndexOf(NEWLINE);
  }
  const first = bytes.indexOf(NEWLINE);
  if ((first < 0 ? bytes.length : first) > MOST_LINE) {
    const head = { text: bytes.subarray(0, KEPT_LINE).toString('utf8'), isWhole: false };
    const end = first < 0 ? to + bytes.length : to + first + 1;
    return { lines: [head], to: end, hasMore: end < size, isInLongLine: first < 0 };
  }
  const lines = last < 0 ? [] : splitLines(bytes.subarray(0, last));
  to += last + 1;
  const rest = bytes.subarray(last + 1);
  const isAtEnd = to + rest.length >= size;
  // Half a line waits for its end, unless all of it is there and only the line end is not.
  if (isAtEnd && rest.length > 0 && isDocument(rest)) {
    lines.push({ text: rest.toString('utf8'), isWhole: true });
    to += rest.length;
  }
  return { lines, to, hasMore: !isAtEnd, isInLongLine: false };
}

function splitLines(bytes: Buffer): Line[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .filter((text) => text.trim() !== '')
    .map((text) => ({ text, isWhole: true }));
}

function isDocument(bytes: Buffer): boolean {
  if (bytes[0] !== 0x7b || bytes.at(-1) !== 0x7d) return false;
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

type Whole = Readonly<{ identity: string; size: number; changedAt: number; from: number }>;

async function readWhole(handle: FileHandle, { from, ...file }: Whole): Promise<Slice | undefined> {
  if (from === file.size) return undefined;
  if (file.size > MOST_LINE)
    throw new UnreadableFile(`it has more than ${MOST_LINE / 1024 / 1024} MB in one document`);
  const bytes = await readAt(handle, 0, file.size);
  if (!isDocument(Buffer.from(bytes.toString('utf8').trim()))) return undefined;
  const line = { text: bytes.toString('utf8'), isWhole: true };
  const digest = await witness(handle, file.size);
  return {
    lines: [line],
    isFromStart: true,
    hasMore: false,
    isInLongLine: false,
    file: { ...file, position: file.size, digest },
  };
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
