import { HubError } from '../kernel/errors.ts';
import type { Tx } from '../store/database.ts';
import { keyedWordsOf } from './index-store.ts';
import { scopeOf } from './place.ts';
import { allSpaces, itemsAfter } from './rows.ts';

const PAGE = 500;

/**
 * Makes the full text again from the items, for rows that came from another database: each engine keeps its words in a
 * way of its own.
 */
export async function refillWords(tx: Tx): Promise<void> {
  await tx.dialect.words.empty(tx);
  const spaces = new Map((await allSpaces(tx)).map(({ no, space }) => [no, space]));
  for (let after = -1; ;) {
    const items = await itemsAfter(tx, after, PAGE);
    for (const item of items) {
      const space = spaces.get(scopeOf(item.no));
      if (space === undefined) throw new HubError('invalid', `The item ${item.no} stands in no scope.`);
      await tx.dialect.words.refill(tx, item.no, keyedWordsOf(space, item));
    }
    if (items.length < PAGE) return;
    after = items.at(-1)!.no;
  }
}
