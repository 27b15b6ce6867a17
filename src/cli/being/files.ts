import type { BeingRecord } from '../../features/being/record.ts';
import { HubError } from '../../kernel/errors.ts';
import { type NumberedRecord, readJsonLines } from '../../kernel/json-lines.ts';
import { type Named, withBeing } from './id.ts';
import { withClient } from '../client.ts';
import type { Options } from '../options.ts';
import { readText, refuseExisting, sendRecords, writeRecords } from '../files/record-file.ts';
import type { World } from '../world.ts';

export async function exportBeing(named: Named, file: string): Promise<void> {
  const { world, options } = named;
  refuseExisting(file, options);
  const { records } = await withBeing(named, (client, id) => client.ask('GET /v1/beings/:id/export', { id }));
  await writeRecords({ world, options }, { file, records, note: ' It holds secrets: keep it safe.' });
}

export async function importBeing(world: World, file: string, options: Options): Promise<void> {
  const records = [...readJsonLines(readText(file), (line) => `Line ${line} of ${file}`)];
  if (records.length === 0) throw new HubError('invalid', `${file} holds no records.`);
  let id: string | undefined;
  await withClient(world, options, (client) =>
    sendRecords(
      { world, options },
      {
        records,
        what: `of ${records.length} records of ${file}`,
        async send(page) {
          // The first page makes the Being that the others belong to.
          id = await sendPage(page, async (records) => {
            if (id === undefined) return (await client.ask('POST /v1/beings/import', { records })).id;
            await client.ask('POST /v1/beings/:id/import', { id, records });
            return id;
          });
        },
      },
    ),
  );
  world.print(
    options['json']
      ? JSON.stringify({ id, records: records.length })
      : `Read ${records.length} records; the Being is ${id}.`,
  );
}

/** What is wrong with a record is said of the line it stands in. */
async function sendPage<T>(
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
