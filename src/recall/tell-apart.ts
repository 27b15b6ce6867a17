// Which of the items that match are turns of a dialogue, and which are notes: each kind is ranked by its own signals.
import type { Matched } from './matched-terms.ts';
import { neighbourOf } from './place.ts';
import type { IndexedItem, Postings } from './postings.ts';
import { type Shortlist, shortlistTurns, withNeighbours } from './shortlist.ts';

type Kinds = Readonly<{
  notes: readonly IndexedItem[];
  turns: readonly IndexedItem[];
  around: readonly IndexedItem[];
}>;

/** What is read around a turn: the two before it, and the one after to tell whether it is one. */
const AROUND = [-2, -1, 1] as const;
const BESIDE = [-1, 1] as const;
/** What is heard around a turn of which nobody says whose it is. */
const HEARD = [-2, -1, 1, 2] as const;

const FIRST = 12;

/** A turn names who said it, or it is of one occasion and speaks of me and you. */
const isSaid = ({ flags }: IndexedItem): boolean => flags.isSpoken || flags.isTalk;

/**
 * A turn of a dialogue names who said it, and so does the one before or after it. Where there are some, the shortlist is
 * made again with what stands around each, for that is how turns are understood. For notes nothing more is read.
 */
export async function tellApart(
  items: readonly IndexedItem[],
  postings: Postings,
  { matched, own }: Pick<Shortlist, 'own'> & Readonly<{ matched: Matched }>,
): Promise<Kinds> {
  const nothing = { notes: items, turns: [], around: [] };
  if (!items.some(isSaid)) return nothing;
  const known = new Map(items.map((item) => [item.number, item]));
  const read = async (numbers: Iterable<number>): Promise<void> => {
    const wanted = [...new Set(numbers)].filter((number) => !known.has(number));
    for (const item of wanted.length === 0 ? [] : await postings.load(wanted)) known.set(item.number, item);
  };
  // "Careful: …" begins many a note; that it is talk, what stands beside it tells. Where the best of them are none, none is.
  await read(evidenceFor(items.filter(isSaid).slice(0, FIRST)));
  if (!items.some((item) => isTurn(item, known))) return nothing;
  await read(evidenceFor(items));
  const candidates = shortlistTurns(matched, own);
  await read(withNeighbours(candidates, AROUND));
  const maybe = candidates.flatMap((number) => known.get(number) ?? []);
  await read(evidenceFor(maybe));
  return {
    notes: items.filter((item) => !isTurn(item, known)),
    turns: maybe.filter((item) => isTurn(item, known)),
    around: [...known.values()],
  };
}

function evidenceFor(items: readonly IndexedItem[]): number[] {
  return items.flatMap(({ number, flags }) => {
    if (flags.isSpoken) return [...withNeighbours([number], BESIDE)];
    return flags.isNamedEpisode ? [...withNeighbours([number], HEARD)] : [];
  });
}

/**
 * Where nobody is named, people are heard by what they say to each other: most of it speaks of me and you, and some of it asks.
 * Notes of one session do not: of 620 that were tagged so, none was taken for a turn.
 */
function isTurn(item: IndexedItem, known: ReadonlyMap<number, IndexedItem>): boolean {
  const { number, flags } = item;
  const near = (offsets: readonly number[]): IndexedItem[] =>
    offsets.flatMap((offset) => known.get(neighbourOf(number, offset) ?? -1) ?? []);
  if (flags.isSpoken) return near(BESIDE).some(isSaid);
  if (!flags.isNamedEpisode) return false;
  const heard = [item, ...near(HEARD)];
  if (heard.length === 1 || !heard.some(({ flags: { asked } }) => asked > 0)) return false;
  return 2 * heard.filter(isSaid).length > heard.length;
}
