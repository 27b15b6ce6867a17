// Memory in and out of files, in requests that the hub can read.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { HubError } from '../kernel/errors.ts';
import { readRecords } from '../features/memory/exchange.ts';
import { writeMarkdown } from '../features/memory/markdown.ts';
import type { Api } from '../features/api.ts';
import type { ExchangeRecord } from '../features/memory/record.ts';
import type { Asked, Client } from './client.ts';
import { type Options, textOf } from './options.ts';
import { writeWhole } from './whole-file.ts';
import { progressOf } from './progress.ts';
import { jsonLine } from './screen.ts';
import { printable } from './table.ts';
import type { World } from './world.ts';

type Counts = Api['POST /api/memory/import']['answer'];

/** A request stays far below the hub's body limit, whatever the records hold. */
const BATCH_RECORDS = 200;
const BATCH_BYTES = 1_000_000;

export async function importMemory(
  { world, client, options }: Asked,
  files: readonly string[],
): Promise<void> {
  const total: Counts = { saved: 0, duplicates: 0, declined: 0 };
  // All are read before anything is saved, so a mistake in the last one leaves nothing half done.
  const readable: Readable[] = [];
  for (const file of files) readable.push({ file, records: readRecords(await read(file), file) });
  if (options['dryRun'] === true) return showRecords(world, readable, options);
  const progress = progressOf(world, options);
  for (const { file, records } of readable) {
    let done = 0;
    for (const batch of batches(records)) {
      const counts = await client.ask('POST /api/memory/import', {
        records: batch,
        source: `import:${file}`.slice(0, 500),
      });
      for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += counts[key];
      done += batch.length;
      progress(done, `of ${records.length} records of ${file}`);
      if (world.interrupted.aborted)
        throw new HubError(
          'unavailable',
          `Stopped after ${done} of ${records.length} records of ${file}; what was saved stays.`,
        );
    }
  }
  world.print(
    options['json']
      ? JSON.stringify(total)
      : `saved ${total.saved}, known already ${total.duplicates}, declined ${total.declined}`,
  );
}

type Readable = Readonly<{ file: string; records: ExchangeRecord[] }>;

function showRecords(world: World, readable: readonly Readable[], options: Options): void {
  if (options['json'])
    return world.print(
      JSON.stringify(readable.map(({ file, records }) => ({ file, records: records.length }))),
    );
  for (const { file, records } of readable) {
    world.print(`Would read ${records.length} notes of ${file}; what is known already is not saved twice.`);
    for (const { title } of records.slice(0, 20)) world.print(`  ${printable(title)}`);
    if (records.length > 20) world.print(`  … and ${records.length - 20} more`);
  }
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new HubError(
      'not_found',
      `The file ${file} cannot be read.`,
      { hint: 'Name a file of JSON lines or markdown.' },
      cause,
    );
  }
}

function* batches(records: readonly ExchangeRecord[]): Iterable<ExchangeRecord[]> {
  let batch: ExchangeRecord[] = [];
  let size = 0;
  for (const record of records) {
    const bytes = Buffer.byteLength(JSON.stringify(record));
    if (batch.length > 0 && (batch.length >= BATCH_RECORDS || size + bytes > BATCH_BYTES)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(record);
    size += bytes;
  }
  if (batch.length > 0) yield batch;
}

export function scopeOf(
  options: Options,
): Pick<Api['GET /api/memory']['given'], 'scopeTeamId' | 'scopeAgentId'> {
  return { scopeTeamId: textOf(options, 'team'), scopeAgentId: textOf(options, 'agent') };
}

/** `-` is the terminal, here as in `holdfast export`. */
export async function exportMemory(
  { world, client, options }: Asked,
  given: string | undefined,
): Promise<void> {
  const file = given === '-' ? undefined : given;
  const format = options['format'] ?? (file?.endsWith('.md') === true ? 'md' : 'jsonl');
  if (format !== 'jsonl' && format !== 'md') throw new HubError('invalid', '--format must be jsonl or md.');
  if (file !== undefined && existsSync(file) && options['force'] !== true) {
    throw new HubError('conflict', `${file} already exists.`, {
      hint: 'Give another name, or --force to replace it.',
    });
  }
  const progress = progressOf(world, options);
  let count = 0;
  async function* lines(): AsyncGenerator<string> {
    for await (const page of pagesOf(client, options)) {
      for (const record of page) yield format === 'md' ? writeMarkdown(record) : jsonLine(record);
      count += page.length;
      if (file !== undefined) progress(count, 'records');
    }
  }
  if (file === undefined) {
    for await (const line of lines()) world.print(line);
    return;
  }
  await writeWhole(file, lines());
  world.print(
    options['json'] ? JSON.stringify({ file, records: count }) : `Wrote ${count} records to ${file}.`,
  );
}

type Page = Api['GET /api/memory/export']['answer'];

async function* pagesOf(client: Client, options: Options): AsyncGenerator<ExchangeRecord[]> {
  for (let after: string | null = ''; after !== null;) {
    const page: Page = await client.ask('GET /api/memory/export', { ...scopeOf(options), after });
    yield page.records;
    after = page.next;
  }
}
