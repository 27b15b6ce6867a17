// Records as lines of JSON, and in requests of a size that the hub reads: what every export and import shares.
import { HubError } from './errors.ts';

/** A record, and the line it stands in: what is wrong with it is mended there. */
export type NumberedRecord = Readonly<{ number: number; record: unknown }>;

/** `where` says a line as its reader knows it; blank lines are none. */
export function* readJsonLines(text: string, where: (number: number) => string): Generator<NumberedRecord> {
  let number = 0;
  for (const line of text.replace(/^\uFEFF/, '').split('\n')) {
    number += 1;
    if (line.trim() !== '') yield { number, record: parseLine(line, where(number)) };
  }
}

function parseLine(line: string, where: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new HubError('invalid', `${where} is not JSON.`, {
      hint: 'Expected one record in each line.',
    }).because(cause);
  }
}

/** A request stays well below the 2 MB that the hub reads, whatever the records hold. */
const MOST_RECORDS = 200;
const MOST_BYTES = 800_000;

/** In their order, each batch at least one record: one that is too large is for the hub to refuse. */
export async function* batchesOf<T>(
  records: AsyncIterable<T> | Iterable<T>,
  most = MOST_RECORDS,
): AsyncGenerator<T[]> {
  let batch: T[] = [];
  let bytes = 0;
  for await (const record of records) {
    const size = Buffer.byteLength(JSON.stringify(record));
    if (batch.length > 0 && (batch.length === most || bytes + size > MOST_BYTES)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(record);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
