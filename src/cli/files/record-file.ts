// Records out of the hub into a file of lines, and back in requests that the hub can read: what every export and
// import shares. A room says only what its records are.
import { existsSync, readFileSync, createWriteStream, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { HubError } from '../../kernel/errors.ts';
import { reasonOf } from '../../kernel/file-faults.ts';
import { batchesOf } from '../../kernel/json-lines.ts';
import type { Options } from '../options.ts';
import { progressOf } from '../terminal/progress.ts';
import { jsonLine } from '../terminal/screen.ts';
import type { World } from '../world.ts';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { cannotWrite } from '../../kernel/cannot-write.ts';

type Command = Readonly<{ world: World; options: Options }>;

/** What is there already is replaced only by who says so. `-` is the terminal. */
export function refuseExisting(file: string, options: Options): void {
  if (file === '-' || !existsSync(file) || options['force'] === true) return;
  throw new HubError('conflict', `${file} already exists.`, {
    hint: 'Give another name, or --force to replace it.',
  });
}

export type RecordFile<T> = Readonly<{
  file: string;
  records: AsyncIterable<T> | Iterable<T>;
  /** One line of JSON unless given. */
  lineOf?(record: T): string;
  /** Said after what was written. */
  note?: string;
}>;

/** The name of a file appears only when everything is in it. */
export async function writeRecords<T>(
  { world, options }: Command,
  { file: given, records, lineOf = jsonLine, note = '' }: RecordFile<T>,
): Promise<void> {
  const progress = progressOf(world, options);
  let count = 0;
  async function* lines(): AsyncGenerator<string> {
    for await (const record of records) {
      yield lineOf(record);
      count += 1;
      if (given !== '-') progress(count, 'records');
    }
  }
  if (given === '-') {
    for await (const line of lines()) world.print(line);
    return;
  }
  const file = resolve(given);
  await writeWhole(file, lines());
  world.print(
    options['json'] ? JSON.stringify({ file, records: count }) : `Wrote ${count} records to ${file}.${note}`,
  );
}

type Page<T> = Readonly<{ records: readonly T[]; next: string | null | undefined }>;

/** What the hub answers page by page, until it names no further one. */
export async function* pagesOf<T>(ask: (after: string | undefined) => Promise<Page<T>>): AsyncGenerator<T> {
  for (let after: string | null | undefined, isFirst = true; isFirst || after; isFirst = false) {
    const page = await ask(after ?? undefined);
    yield* page.records;
    after = page.next;
  }
}

export function readText(file: string, hint?: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new HubError('not_found', `${file} cannot be read (${reasonOf(error)}).`, {
      ...(hint !== undefined && { hint }),
    }).because(error);
  }
}

type Sending<T> = Readonly<{
  records: AsyncIterable<T> | Iterable<T>;
  /** Said after how many there are so far: `of 12 records of notes.md`. */
  what: string;
  /** In one request. */
  most?: number;
  send(batch: readonly T[]): Promise<void>;
}>;

/** Stops between two requests when it is asked to. The same import again goes on: what is known is not taken twice. */
export async function sendRecords<T>(
  { world, options }: Command,
  { records, what, most, send }: Sending<T>,
): Promise<number> {
  const progress = progressOf(world, options);
  let done = 0;
  for await (const batch of batchesOf(records, most)) {
    if (world.interrupted.aborted)
      throw new HubError('unavailable', `Stopped after ${done} ${what}; what was saved stays.`);
    await send(batch);
    progress((done += batch.length), what);
  }
  return done;
}

/** The name appears only when everything is in it. */
async function writeWhole(file: string, lines: AsyncGenerator<string>): Promise<void> {
  const draft = `${file}.partial`;
  async function* ended(): AsyncGenerator<string> {
    for await (const line of lines) yield `${line}\n`;
  }
  try {
    // Made anew: a link that waits at this name in a shared folder is neither followed nor kept.
    rmSync(draft, { force: true });
    await pipeline(Readable.from(ended()), createWriteStream(draft, { mode: 0o600, flags: 'wx' }));
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw cannotWrite(file, error);
  }
}
