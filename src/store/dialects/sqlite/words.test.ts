import { expect, it } from 'vitest';
import { freshDatabase } from '../../../../test/fixtures/databases.ts';
import { systemActor } from '../../../kernel/principal.ts';
import { sql } from '../../sql.ts';

it('a small index is kept in one part, and every word of it is found', async () => {
  const db = await freshDatabase('sqlite');
  const count = 6 * 64;
  for (let from = 0; from < count; from += 64)
    await db.write(systemActor, async (tx) => {
      for (let no = from; no < from + 64; no += 1)
        await tx.dialect.words.add(tx, no, [`own${no}`, 'common', `third${no % 3}`]);
    });
  const [parts, found] = await db.read(async (q) => [
    await q.get(sql`select count(distinct segid) as parts from recall_text_idx`),
    await q.dialect.words.reader(q, { rare: 5, bounds: async () => [0, count] })(
      ['own7', 'own383', 'common', 'third2', 'nobody'].map((word) => ({ word, isPrefix: false })),
    ),
  ]);
  expect(parts).toEqual({ parts: 1 });
  expect(found.map(({ numbers }) => numbers.length)).toEqual([1, 1, count, count / 3, 0]);
});
