import type { IndexedItem } from './postings.ts';

/** Items as they were read, for the next question: whoever asks again, or beside another, reads most of them again. */
export type KeptItems = Readonly<{
  get(number: number): IndexedItem | undefined;
  add(item: IndexedItem): void;
}>;

/** Half a megabyte of short notes; of pages a few, and then all are let go. */
const MOST_ITEMS = 1_000;
const MOST_LETTERS = 500_000;

export function createKeptItems(): KeptItems {
  const items = new Map<number, IndexedItem>();
  let letters = 0;
  return {
    get: (number) => items.get(number),
    add(item) {
      letters += item.terms.length;
      if (items.size >= MOST_ITEMS || letters > MOST_LETTERS) {
        items.clear();
        letters = item.terms.length;
      }
      items.set(item.number, item);
    },
  };
}
