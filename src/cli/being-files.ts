import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BeingRecord } from '../features/being/record.ts';
import { HubError } from '../kernel/errors.ts';
import { reasonOf } from '../kernel/file-faults.ts';
import { batchesOf, type NumberedRecord, readJsonLines } from '../kernel/json-lines.ts';
import { type Named, withBeing } from './being-id.ts';
import { withClient } from './client.ts';
import type { Options } from './options.ts';
import { refuseExisting, writeRecords } from './record-file.ts';
import type { World } from './world.ts';

export async function exportBeing(named: Named, given: string): Promise<void> {
  const { world, options } = named;
  refuseExisting(given, named);
  const { records } = await withBeing(named, (client, id) => client.ask('GET /v1/beings/:id/export', { id }));
  const file = given === '-' ? given : resolve(given);
  await writeRecords({ world, options }, { file, records, note: ' It holds secrets: keep it safe.' });
}

export async function importBeing(world: World, file: string, options: Options): Promise<void> {
  const records = [...readJsonLines(readFile(file), (line) => `Line ${line} of ${file}`)];
  const id = await withClient(world, options, async (client) => {
    const [first = [], ...rest] = batchesOf(records);
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

/** What is wrong with a record is said of the line it stands in. */
async function send<T>(
  page: readonly NumberedRecord[],
  post: (records: BeingRecord[]) => Promise<T>,
): Promise<T> {
  try {
    return await post(page.map(({ record }) => record as BeingRecord));
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== 'invalid') throw error;
    const message = error.message.replace(
      /\brecords\.(\d+)\.?/g,
      (_, at: string) => `line ${page[Number(at)]?.number}, `,
    );
    throw new HubError('invalid', message, { hint: 'Mend the line, or leave it out.' }).because(error);
  }
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new HubError('not_found', `${file} cannot be read (${reasonOf(error)}).`).because(error);
  }
}
