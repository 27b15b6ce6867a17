import { describe, expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { chanceOf } from './generate.ts';
import { fuzzReader, judgeTimes, timedReading } from './guided.ts';
import { casesOf, madeCasesOf, READERS } from './readers.ts';

/** The same for a second try: another seed would hide what the first one found. */
const seed = Number(process.env['HOLDFAST_FUZZ_SEED'] ?? Date.now() % 1_000_000);

describe.each(READERS)('what reads $name', (reader) => {
  it('refuses the cases that once broke it, and in time', { timeout: 60_000 }, async () => {
    const folder = freshFolder();
    for (const bytes of [...reader.seeds, ...casesOf(reader), ...madeCasesOf(reader)])
      expect(await timedReading(reader, bytes, folder)).toBeUndefined();
  });

  it('neither breaks nor hangs on 300 damaged inputs', { timeout: 120_000 }, async () => {
    const { sent, found } = await fuzzReader({
      reader,
      inputs: 300,
      chance: chanceOf(seed),
      folder: freshFolder(),
    });
    const why = found.map((each) => each.why);
    expect(why, `HOLDFAST_FUZZ_SEED=${seed} brings them back`).toEqual([]);
    expect(sent).toBe(300);
  });
});

it('a reader that breaks is found, and which input it was', async () => {
  const reader = {
    name: 'broken',
    seeds: [Buffer.from('abc')],
    read: (bytes: Buffer) => {
      if (bytes.includes('{')) throw new TypeError('no braces');
    },
  };
  const { found } = await fuzzReader({ reader, inputs: 5_000, chance: chanceOf(1), folder: '' });
  expect(found).toHaveLength(1);
  expect(found[0]!.why).toContain('no braces');
  expect(found[0]!.bytes.includes('{')).toBe(true);
});

it('a reader is late by its own work, and by the clock only when nobody could have held it up so long', () => {
  expect(judgeTimes('x', 15_000, 1_900)).toBeUndefined();
  expect(judgeTimes('x', 2_200, 2_100)).toBe('x took 2100 ms of a core');
  expect(judgeTimes('x', 20_001, 3)).toBe('x was back after 20001 ms');
});
