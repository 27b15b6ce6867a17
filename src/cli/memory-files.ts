// Memory in and out of files, in requests that the hub can read.
import { readFile } from 'node:fs/promises';
import { HubError } from '../kernel/errors.ts';
import { batchesOf } from '../kernel/json-lines.ts';
import { readRecords } from '../features/memory/exchange.ts';
import { writeMarkdown } from '../features/memory/markdown.ts';
import type { Api } from '../features/api.ts';
import type { ExchangeRecord } from '../features/memory/record.ts';
import type { HubCommand, Client } from './client.ts';
import { type Options, textOf } from './options.ts';
import { progressOf } from './progress.ts';
import { refuseExisting, writeRecords } from './record-file.ts';
import { printable } from './table.ts';
import type { World } from './world.ts';

type Counts = Api['POST /api/memory/import']['answer'];

export async function importMemory(
  { world, client, options }: HubCommand,
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
    for (const batch of batchesOf(records)) {
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
    throw new HubError('not_found', `The file ${file} cannot be read.`, {
      hint: 'Name a file of JSON lines or markdown.',
    }).because(cause);
  }
}

export function scopeOf(
  options: Options,
): Pick<Api['GET /api/memory']['given'], 'scopeTeamId' | 'scopeAgentId'> {
  return { scopeTeamId: textOf(options, 'team'), scopeAgentId: textOf(options, 'agent') };
}

/** `-` is the terminal, here as in `holdfast export`. */
export async function exportMemory(
  { world, client, options }: HubCommand,
  given: string | undefined,
): Promise<void> {
  const file = given ?? '-';
  const format = options['format'] ?? (file.endsWith('.md') ? 'md' : 'jsonl');
  if (format !== 'jsonl' && format !== 'md') throw new HubError('invalid', '--format must be jsonl or md.');
  refuseExisting(file, { options });
  const records = recordsOf(client, options);
  await writeRecords(
    { world, options },
    { file, records, ...(format === 'md' && { lineOf: writeMarkdown }) },
  );
}

type Page = Api['GET /api/memory/export']['answer'];

async function* recordsOf(client: Client, options: Options): AsyncGenerator<ExchangeRecord> {
  for (let after: string | null = ''; after !== null;) {
    const page: Page = await client.ask('GET /api/memory/export', { ...scopeOf(options), after });
    yield* page.records;
    after = page.next;
  }
}
