// Memory in and out of files, in requests that the hub can read.
import { HubError } from '../../kernel/errors.ts';
import { readRecords } from '../../features/memory/exchange.ts';
import { writeMarkdown } from '../../features/memory/markdown.ts';
import type { Api } from '../../features/api.ts';
import type { ExchangeRecord } from '../../features/memory/record.ts';
import type { HubCommand, Client } from '../client.ts';
import type { Options } from '../options.ts';
import { scopeOf } from './scope.ts';
import { pagesOf, readText, refuseExisting, sendRecords, writeRecords } from '../files/record-file.ts';
import { printable } from '../terminal/table.ts';
import type { World } from '../world.ts';

type Counts = Api['POST /api/memory/import']['answer'];

export async function importMemory(
  { world, client, options }: HubCommand,
  files: readonly string[],
): Promise<void> {
  const total: Counts = { saved: 0, duplicates: 0, declined: 0 };
  // All are read before anything is saved, so a mistake in the last one leaves nothing half done.
  const readable = files.map((file) => ({
    file,
    records: readRecords(readText(file, 'Name a file of JSON lines or markdown.'), file),
  }));
  if (options['dryRun'] === true) return showRecords(world, readable, options);
  for (const { file, records } of readable)
    await sendRecords(
      { world, options },
      {
        records,
        what: `of ${records.length} records of ${file}`,
        async send(batch) {
          const source = `import:${file}`.slice(0, 500);
          const counts = await client.ask('POST /api/memory/import', { records: [...batch], source });
          for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += counts[key];
        },
      },
    );
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

/** `-` is the terminal, here as in `holdfast export`. */
export async function exportMemory(
  { world, client, options }: HubCommand,
  given: string | undefined,
): Promise<void> {
  const file = given ?? '-';
  const format = options['format'] ?? (file.endsWith('.md') ? 'md' : 'jsonl');
  if (format !== 'jsonl' && format !== 'md') throw new HubError('invalid', '--format must be jsonl or md.');
  refuseExisting(file, options);
  const records = recordsOf(client, options);
  await writeRecords(
    { world, options },
    { file, records, ...(format === 'md' && { lineOf: writeMarkdown }) },
  );
}

function recordsOf(client: Client, options: Options): AsyncGenerator<ExchangeRecord> {
  return pagesOf((after = '') => client.ask('GET /api/memory/export', { ...scopeOf(options), after }));
}
