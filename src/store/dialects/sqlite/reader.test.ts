import { expect, it } from 'vitest';
import { freshDatabase } from '../../../../test/fixtures/databases.ts';
import { sql } from '../../sql.ts';

it('whoever reads page after page lets everybody else have a turn', async () => {
  const db = await freshDatabase('sqlite');
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  for (let page = 0; page < 60; page += 1) {
    await db.read((q) => q.get(sql`select 1`));
    const begun = performance.now();
    while (performance.now() - begun < 2);
  }
  clearImmediate(next);
  expect(turns).toBeGreaterThanOrEqual(4);
});
