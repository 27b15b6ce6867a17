// What is asked of every hub must not cost more where there is more: the statements behind it are read off a real hub, and
// SQLite says of each how it would find its rows. What it costs then is `npm run bench -- growth`.
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it, vi } from 'vitest';
import { askerOf, OPERATIONS } from '../../bench/growth-operations.ts';
import { seed } from '../../bench/growth-seed.ts';
import { openDatabase } from '../../src/store/open.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { openTestHub } from '../fixtures/hub.ts';

const SIZE = 200;
const MANY =
  'tasks|tool_audit|events|peer_messages|transcript_turns|transcripts|memory_facts|recall_items|being_nodes';
/** A scan by number is a list's own order, begun at its end and left after a page. */
const WHOLE = new RegExp(`^SCAN (?:${MANY})\\b(?! USING)`);
const SORTED = /^USE TEMP B-TREE FOR ORDER BY/;
const FROM_MANY = new RegExp(`\\bfrom (?:${MANY})\\b`);
/** What was found, or has lapsed and is not swept, is put in another order; the newest by number are read from the end on. */
const BOUNDED = [
  /from transcript_turns.* t\b.*json_each/,
  /from transcript_turns where \(session = \? and turn between/,
  /from tasks where .*status = 'in_progress' and lease_until <= \?/,
  /from tool_audit (?:where [^()]*)?order by seq desc limit/,
];

it('what is asked of a hub of any size is found along an index', async () => {
  const home = freshFolder();
  const file = join(home, 'holdfast.db');
  const db = await openDatabase(file);
  await seed(db, SIZE, 40);
  await db.close();
  const { address, token } = await openTestHub({ home });
  const asker = await askerOf({ address, token });
  const prepare = vi.spyOn(BetterSqlite3.prototype, 'prepare');
  const found: string[] = [];
  const reader = new BetterSqlite3(file, { readonly: true });
  for (const { what, ask, isLinear } of OPERATIONS) {
    prepare.mockClear();
    await ask(asker, 0);
    const asked = new Set(
      prepare.mock.calls.map(([text]) => text).filter((text) => /^\s*(select|with|update|delete)/.test(text)),
    );
    if (isLinear) continue;
    for (const text of asked) found.push(...planOf(reader, text).map((line) => `${what}: ${line}`));
  }
  reader.close();
  expect(found).toEqual([]);
});

function planOf(reader: BetterSqlite3.Database, text: string): string[] {
  const params = Array.from(text.replace(/'[^']*'/g, '').matchAll(/\?/g), () => null);
  const rows = reader.prepare<unknown[], { detail: string }>(`explain query plan ${text}`).all(...params);
  const flat = text.replace(/\s+/g, ' ').trim();
  if (BOUNDED.some((known) => known.test(flat))) return [];
  return rows
    .map(({ detail }) => detail)
    .filter((detail) => WHOLE.test(detail) || (SORTED.test(detail) && FROM_MANY.test(flat)))
    .map((detail) => `${detail} in ${flat}`);
}
