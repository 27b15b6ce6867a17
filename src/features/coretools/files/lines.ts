import { createHash } from 'node:crypto';
import { TextDecoder } from 'node:util';
import type { FileHandle } from 'node:fs/promises';
import { HubError } from '../../../kernel/errors.ts';

export type Range = Readonly<{ first: number; last: number | undefined }>;

export type ReadLines = Readonly<{
  lines: readonly string[];
  totalLines: number;
  /** More of the wanted lines are there than fit. */
  truncated: boolean;
  hash: string;
}>;

/** The most characters of content in one answer; line cursors lead on. */
const MOST_TEXT = 200_000;
const MOST_LINE = 20_000;

/** Walks a file of any size once: its hash, its number of lines and the wanted ones, in bounded memory. */
export async function readLines(handle: FileHandle, range: Range, name: string): Promise<ReadLines> {
  const digest = createHash('sha256');
  const taker = createTaker(range);
  let decoder: TextDecoder | undefined;
  const chunk = Buffer.alloc(64 * 1024);
  for (;;) {
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) break;
    const bytes = chunk.subarray(0, bytesRead);
    digest.update(bytes);
    decoder ??= decoderFor(bytes, name);
    taker.add(decoder.decode(bytes, { stream: true }));
  }
  taker.add(decoder?.decode() ?? '');
  return { ...taker.finish(), hash: digest.digest('hex') };
}

/** The same for text that is in memory already. */
export function takeLines(text: string, range: Range): Omit<ReadLines, 'hash'> {
  const taker = createTaker(range);
  taker.add(text);
  return taker.finish();
}

function decoderFor(start: Buffer, name: string): TextDecoder {
  if (start[0] === 0xff && start[1] === 0xfe) return new TextDecoder('utf-16le');
  if (start[0] === 0xfe && start[1] === 0xff) return new TextDecoder('utf-16be');
  if (start.subarray(0, 8_192).includes(0)) {
    throw new HubError('invalid', `${name} is a binary file.`, {
      denied: 'file:binary',
      hint: 'Read takes text, PDF, docx, xlsx, csv, html and ipynb.',
    });
  }
  return new TextDecoder('utf-8');
}

/** Of a line only its beginning is held, however long it is: a file may be a single one. */
function createTaker({ first, last = Infinity }: Range) {
  const lines: string[] = [];
  let line = { start: '', length: 0, endsInReturn: false };
  let number = 0;
  let size = 0;
  let truncated = false;
  const grow = (part: string) => {
    if (part === '') return;
    const start =
      line.start.length < MOST_LINE ? line.start + part.slice(0, MOST_LINE - line.start.length) : line.start;
    line = { start, length: line.length + part.length, endsInReturn: part.endsWith('\r') };
  };
  const take = () => {
    const { start, endsInReturn } = line;
    const length = line.length - (endsInReturn ? 1 : 0);
    line = { start: '', length: 0, endsInReturn: false };
    number += 1;
    if (number < first || number > last || truncated) return;
    const shown =
      length > MOST_LINE ? `${start}… (${length - MOST_LINE} more characters)` : start.slice(0, length);
    if (size + shown.length > MOST_TEXT && lines.length > 0) {
      truncated = true;
      return;
    }
    size += shown.length + 1;
    lines.push(shown);
  };
  return {
    add(text: string) {
      let at = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
        grow(text.slice(at, end));
        take();
        at = end + 1;
      }
      grow(text.slice(at));
    },
    finish() {
      if (line.length > 0) take();
      return { lines, totalLines: number, truncated };
    },
  };
}
