import { HubError } from '../kernel/errors.ts';
import type { Tx } from '../store/database.ts';
import { addWords, emptyWords, replaceWords } from './fulltext/rows.ts';
import { keyedWordsOf } from './index-store.ts';
import { scopeOf } from './place.ts';
import { allSpaces, itemsAfter } from './rows.ts';

const PAGE = 500;

/**
 * Makes the full text again from the items, for rows that came from another database: each engine keeps its words in a
 * way of its own.
 */
export async function refillWords(tx: Tx): Promise<void> {
  await emptyWords(tx);
  const spaces = new Map((await allSpaces(tx)).map(({ no, space }) => [no, space]));
  for (let after = -1; ;) {
    const items = await itemsAfter(tx, after, PAGE);
    for (const item of items) {
      const space = spaces.get(scopeOf(item.no));
      if (space === undefined) throw new HubError('invalid', `The item ${item.no} stands in no scope.`);
      const words = keyedWordsOf(space, item);
      if (tx.dialect.engine === 'sqlite') await addWords(tx, item.no, words);
      else await replaceWords(tx, item.no, { before: [], after: words });
    }
    if (items.length < PAGE) return;
    after = items.at(-1)!.no;
  }
}
