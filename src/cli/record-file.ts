// Records out of the hub into a file of lines, and the guards that every such command has.
import { existsSync } from 'node:fs';
import { HubError } from '../kernel/errors.ts';
import type { OpenCommand } from './client.ts';
import { progressOf } from './progress.ts';
import { jsonLine } from './screen.ts';
import { writeWhole } from './whole-file.ts';

/** What is there already is replaced only by who says so. */
export function refuseExisting(file: string, { options }: Pick<OpenCommand, 'options'>): void {
  if (file === '-' || !existsSync(file) || options['force'] === true) return;
  throw new HubError('conflict', `${file} already exists.`, {
    hint: 'Give another name, or --force to replace it.',
  });
}

export type RecordFile<T> = Readonly<{
  /** `-` is the terminal. */
  file: string;
  records: AsyncIterable<T> | Iterable<T>;
  /** One line of JSON unless given. */
  lineOf?(record: T): string;
  /** Said after what was written. */
  note?: string;
}>;

/** The name of a file appears only when everything is in it. */
export async function writeRecords<T>(
  { world, options }: Pick<OpenCommand, 'world' | 'options'>,
  { file, records, lineOf = jsonLine, note = '' }: RecordFile<T>,
): Promise<void> {
  const progress = progressOf(world, options);
  let count = 0;
  async function* lines(): AsyncGenerator<string> {
    for await (const record of records) {
      yield lineOf(record);
      count += 1;
      if (file !== '-') progress(count, 'records');
    }
  }
  if (file === '-') {
    for await (const line of lines()) world.print(line);
    return;
  }
  await writeWhole(file, lines());
  world.print(
    options['json'] ? JSON.stringify({ file, records: count }) : `Wrote ${count} records to ${file}.${note}`,
  );
}
