// The file a whole hub travels in: lines of JSON. A head, tables with their rows, files as base64, and a last line with
// the digest of everything before it. It is read to its end and checked before anything of it is believed.
import { createHash, type Hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { linesIn } from '../../kernel/byte-lines.ts';
import { cannotWrite } from '../../kernel/cannot-write.ts';
import { HubError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/loose-json.ts';
import type { Cell, DumpPart } from './dump.ts';
import { brokenCell } from './json-cells.ts';

export type Head = Readonly<{ holdfast: 'hub'; version: 1; schema: number; by: string; at: number }>;
export type CarriedFile = Readonly<{ file: string; data: string }>;
type End = Readonly<{ end: Readonly<{ rows: number; files: number; sha256: string }> }>;

export type Summary = Readonly<{ head: Head; rows: number; files: number; digest: string }>;

export interface HubFileWriter {
  part(part: DumpPart): void;
  file(file: CarriedFile): void;
  /** Writes the last line and has everything on disk. */
  end(): Summary;
  close(): void;
}

const FLUSH_AT = 1 << 20;

/** Synchronous, because a snapshot of the database waits for nothing but its own statements. */
export function writeHubFile(path: string, head: Head): HubFileWriter {
  // Made anew and its owner's alone: a link that waits at this name is neither followed nor kept.
  const fd = writing(path, () => openSync(path, 'wx', 0o600));
  const hash = createHash('sha256');
  let buffered: string[] = [];
  let size = 0;
  let rows = 0;
  let files = 0;
  const flush = () => {
    const bytes = Buffer.from(buffered.join(''));
    for (let at = 0; at < bytes.length;) at += writing(path, () => writeSync(fd, bytes, at));
    [buffered, size] = [[], 0];
  };
  const line = (value: unknown, hashed: Hash | undefined) => {
    const text = `${JSON.stringify(value)}\n`;
    hashed?.update(text);
    buffered.push(text);
    size += text.length;
    if (size >= FLUSH_AT) flush();
  };
  line(head, hash);
  return {
    part(part) {
      if (!('table' in part)) rows += 1;
      line(part, hash);
    },
    file(file) {
      files += 1;
      line(file, hash);
    },
    end() {
      const digest = hash.digest('hex');
      line({ end: { rows, files, sha256: digest } } satisfies End, undefined);
      flush();
      writing(path, () => fsyncSync(fd));
      return { head, rows, files, digest };
    },
    close: () => closeSync(fd),
  };
}

function writing<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Reads all of it: every line is one of ours, the digest is that of the lines, and the last line is there. */
export function checkHubFile(path: string, onLine?: (lines: number) => void): Summary {
  const hash = createHash('sha256');
  let head: Head | undefined;
  let ended: End['end'] | undefined;
  let table = { table: '', columns: [] as string[] };
  const counted = { rows: 0, files: 0 };
  let lines = 0;
  for (const text of linesOf(path)) {
    lines += 1;
    onLine?.(lines);
    if (ended) throw damaged(path, 'there is more after its last line');
    const line = parse(path, text);
    if (!head) head = readHead(path, line);
    else if (isEnd(line)) ended = line.end;
    else if (isRow(line)) {
      const { length } = table.columns;
      if (line.length !== length) throw damaged(path, `a row has ${line.length} fields instead of ${length}`);
      const broken = brokenCell(table, line);
      if (broken !== undefined) throw damaged(path, `in line ${lines} ${broken}`);
      counted.rows += 1;
    } else if (isTable(line)) table = line;
    else if (isFile(line)) counted.files += 1;
    else throw damaged(path, 'a line is none of ours');
    if (!ended) hash.update(text).update('\n');
  }
  if (!head || !ended) throw damaged(path, 'its end is missing');
  const digest = hash.digest('hex');
  if (digest !== ended.sha256 || counted.rows !== ended.rows || counted.files !== ended.files)
    throw damaged(path, 'its digest does not match what is in it');
  return { head, ...counted, digest };
}

/** The rows of a checked file, in their order. */
export function* partsOf(path: string): Generator<DumpPart> {
  for (const text of linesOf(path)) {
    const line = parse(path, text);
    if (isTable(line)) yield line;
    else if (isRow(line)) yield line;
  }
}

export function* filesOf(path: string): Generator<CarriedFile> {
  for (const text of linesOf(path)) {
    if (!text.startsWith('{"file"')) continue;
    const line = parse(path, text);
    if (isFile(line)) yield line;
  }
}

const CHUNK = 1 << 20;
/** A line is one row or one file of the vault. */
const LONGEST = 256 << 20;
const LINE_END = 0x0a;

function* linesOf(path: string): Generator<string> {
  for (const { head, lost } of linesIn(chunksOf(path), { most: LONGEST, kept: 0 })) {
    if (lost > 0) throw damaged(path, `a line is longer than ${LONGEST >> 20} MB`);
    yield decode(path, head);
  }
}

function* chunksOf(path: string): Generator<Buffer> {
  const fd = openSync(path, 'r');
  try {
    let last: Buffer | undefined;
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      const read = readSync(fd, chunk);
      if (read === 0) break;
      yield (last = chunk.subarray(0, read));
    }
    if (last && last.at(-1) !== LINE_END) throw damaged(path, 'it is cut in the middle of a line');
  } finally {
    closeSync(fd);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(path: string, bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw damaged(path, 'it is not UTF-8');
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damaged(path, 'a line is not JSON');
  }
}

function readHead(path: string, line: unknown): Head {
  const head = line as Partial<Head> | null;
  if (head?.holdfast !== 'hub' || typeof head.schema !== 'number')
    throw damaged(path, 'it does not begin as a file of `holdfast export` does');
  if (head.version === 1) return head as Head;
  throw new HubError('conflict', `${path} has the format ${String(head.version)}; this Holdfast reads 1.`, {
    hint: 'Upgrade Holdfast, then import again.',
  });
}

function isEnd(line: unknown): line is End {
  return isObject(line) && isObject(line['end']);
}

function isTable(line: unknown): line is { table: string; columns: string[] } {
  return isObject(line) && typeof line['table'] === 'string' && Array.isArray(line['columns']);
}

function isFile(line: unknown): line is CarriedFile {
  return isObject(line) && typeof line['file'] === 'string' && typeof line['data'] === 'string';
}

function isRow(line: unknown): line is Cell[] {
  return Array.isArray(line) && line.every(isCell);
}

function isCell(cell: unknown): boolean {
  return (
    cell === null ||
    typeof cell === 'string' ||
    typeof cell === 'number' ||
    (isObject(cell) && typeof cell['bytes'] === 'string')
  );
}

function damaged(path: string, what: string): HubError {
  return new HubError('invalid', `${path} is damaged: ${what}.`, {
    hint: 'Nothing was changed. Export it again, or take another copy of the file.',
  });
}
