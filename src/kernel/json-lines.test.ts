import { describe, expect, it } from 'vitest';
import { batchesOf, readJsonLines } from './json-lines.ts';

describe('lines of JSON', () => {
  it('keep their numbers, without blank ones and a byte order mark', () => {
    expect([...readJsonLines('\uFEFF{"a":1}\n\n[2]\r\n', String)]).toEqual([
      { number: 1, record: { a: 1 } },
      { number: 3, record: [2] },
    ]);
  });

  it('that are none say where', () => {
    expect(() => [...readJsonLines('{}\n{half', (line) => `notes.jsonl:${line}`)]).toThrow(
      'notes.jsonl:2 is not JSON.',
    );
  });
});

describe('batches', () => {
  it('hold all records in their order, none without any', async () => {
    const records = Array.from({ length: 401 }, (_, i) => i);
    const batches = await all(batchesOf(records));
    expect(batches.map((batch) => batch.length)).toEqual([200, 200, 1]);
    expect(batches.flat()).toEqual(records);
    expect(await all(batchesOf([]))).toEqual([]);
  });

  it('are not too large, unless one record is', async () => {
    const long = 'x'.repeat(500_000);
    const batches = await all(batchesOf([long, long, 'y'.repeat(900_000), 'z']));
    expect(batches.map((batch) => batch.length)).toEqual([1, 1, 1, 1]);
  });
});

async function all<T>(given: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of given) found.push(each);
  return found;
}
