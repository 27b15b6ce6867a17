import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BeingRecord } from '../features/being/record.ts';
import { HubError } from '../kernel/errors.ts';
import { reasonOf } from '../kernel/file-faults.ts';
import { type Named, withBeing } from './being-id.ts';
import { withClient } from './client.ts';
import type { Options } from './options.ts';
import { writeWhole } from './whole-file.ts';
import type { World } from './world.ts';

/** A request stays well below the 2 MB that the hub reads. */
const BATCH = { records: 500, bytes: 800_000 };

export async function exportBeing(named: Named, file: string): Promise<void> {
  const { world, options } = named;
  if (file !== '-' && existsSync(file) && options['force'] !== true) {
    throw new HubError('conflict', `${file} already exists.`, {
      hint: 'Give another name, or --force to replace it.',
    });
  }
  const { records } = await withBeing(named, (client, id) => client.ask('GET /v1/beings/:id/export', { id }));
  if (file === '-') return records.forEach((record) => world.print(JSON.stringify(record)));
  await writeWhole(resolve(file), linesOf(records));
  const said = { file: resolve(file), records: records.length };
  world.print(
    options['json']
      ? JSON.stringify(said)
      : `Wrote ${said.records} records to ${said.file}. It holds secrets: keep it safe.`,
  );
}

async function* linesOf(records: readonly object[]): AsyncGenerator<string> {
  for (const record of records) yield JSON.stringify(record);
}

export async function importBeing(world: World, file: string, options: Options): Promise<void> {
  const records = readRecords(file);
  const id = await withClient(world, options, async (client) => {
    const [first = [], ...rest] = pagesOf(records);
    const { id: made } = await send(first, (records) => client.ask('POST /v1/beings/import', { records }));
    for (const page of rest)
      await send(page, (records) => client.ask('POST /v1/beings/:id/import', { id: made, records }));
    return made;
  });
  world.print(
    options['json']
      ? JSON.stringify({ id, records: records.length })
      : `Read ${records.length} records; the Being is ${id}.`,
  );
}

/** Checked by the hub, which says what is wrong with it. */
type Line = Readonly<{ number: number; record: BeingRecord }>;

/** What is wrong with a record is said of the line it stands in. */
async function send<T>(page: readonly Line[], post: (records: BeingRecord[]) => Promise<T>): Promise<T> {
  try {
    return await post(page.map(({ record }) => record));
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== 'invalid') throw error;
    const message = error.message.replace(
      /\brecords\.(\d+)\.?/g,
      (_, at: string) => `line ${page[Number(at)]?.number}, `,
    );
    throw new HubError('invalid', message, { hint: 'Mend the line, or leave it out.' }, error);
  }
}

function readRecords(file: string): Line[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new HubError('not_found', `${file} cannot be read (${reasonOf(error)}).`, {}, error);
  }
  return text
    .split('\n')
    .map((line, i) => ({ line, number: i + 1 }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, number }) => {
      try {
        return { number, record: JSON.parse(line) as BeingRecord };
      } catch (error) {
        throw new HubError('invalid', `Line ${number} of ${file} is not JSON.`, {}, error);
      }
    });
}

function pagesOf(records: readonly Line[]): Line[][] {
  const pages: Line[][] = [];
  let bytes = Infinity;
  for (const line of records) {
    const size = Buffer.byteLength(JSON.stringify(line.record));
    if (bytes + size > BATCH.bytes || pages.at(-1)!.length >= BATCH.records) {
      pages.push([]);
      bytes = 0;
    }
    pages.at(-1)!.push(line);
    bytes += size;
  }
  return pages;
}
