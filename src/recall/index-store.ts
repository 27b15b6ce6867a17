// Items of the index: added, analysed again, retired, removed. Words, counts and text of an item change in
// one transaction.
import { sha256 } from '../kernel/digest.ts';
import { HubError } from '../kernel/errors.ts';
import type { Tx } from '../store/database.ts';
import { analyse, type Analysis, indexTerms, type ItemText, PROCEDURE_MARK } from './analyse/analyse.ts';
import { writeDate } from './analyse/dates.ts';
import { EPISODE_GAP_MS, episodeOf } from './episodes.ts';
import { type FiledAs, packFlags, unpackFlags } from './item-flags.ts';
import { dropLearnt } from './learnt/rows.ts';
import { fingerprints, overlap } from './near-duplicates.ts';
import { MAX_SCOPES, MAX_STRETCHES, numberOf, scopeOf, STRETCH_SIZE } from './place.ts';
import * as rows from './rows.ts';
import { wordPrefix } from './scopes.ts';
import { dropVectors } from './vectors/rows.ts';

export type NewItem = ItemText &
  Readonly<{
    id: string;
    /** The scope's number, from `ensureScope`. */
    scope: number;
    /** The connection it came through, or who called when there is none. */
    seat: string;
    /** A fact unless said otherwise. */
    kind?: ItemKind | undefined;
  }>;

export type ItemKind = 'fact' | 'procedure';

/** Where an item was filed, and the ids of those of its scope that say nearly the same. */
export type Filed = Readonly<{ number: number; similar: readonly string[] }>;

/** Counters of one scope are spread, so that writers of one team do not queue for one row. */
const SHARDS = 8;
/** Share of words two texts must have in common to be near-duplicates, and how many words make a text worth comparing. */
const NEAR = 0.75;
const FEW_WORDS = 2;

/**
 * Files an item: finds its place, writes its words. Costs the same for the first and the two-thousandth item of an
 * episode, because context is arithmetic on numbers and never written down.
 */
export async function addItem(tx: Tx, space: string, item: NewItem): Promise<Filed> {
  const analysis = analyse(item);
  const key = episodeOf({
    episode: item.episode,
    tags: item.tags ?? [],
    seat: item.seat,
    date: analysis.date,
  });
  const number = await findPlace(tx, item.scope, key);
  const filed = { isNamedEpisode: key.isNamed, isProcedure: item.kind === 'procedure' };
  const { row, words } = readRow(number, analysis, filed);
  await rows.insertItem(tx, { ...row, id: item.id }, keyed(space, false, words));
  await rows.countItem(tx, countedAt(tx, number), { items: 1, terms: row.length });
  const plain = new Set(analysis.terms);
  return { number, similar: plain.size < FEW_WORDS ? [] : await findSimilar(tx, number, plain) };
}

/** Reads the text of an item anew: same place, same id, other words. */
export async function reanalyseItem(
  tx: Tx,
  { space, old }: Readonly<{ space: string; old: rows.ItemRow }>,
  text: ItemText,
): Promise<void> {
  const isPast = old.isPast;
  const filed = unpackFlags(old.flags, '');
  const analysis = analyse({ ...text, episode: filed.isNamedEpisode ? 'as it was filed' : undefined });
  const { row, words } = readRow(old.no, analysis, filed);
  await tx.dialect.words.replace(tx, old.no, {
    before: keyed(space, isPast, wordsOf(old)),
    after: keyed(space, isPast, words),
  });
  await rows.removeFingerprints(tx, old.no, fingerprintsOf(old));
  await rows.updateItem(tx, row);
  await rows.addFingerprints(tx, old.no, fingerprints(new Set(analysis.terms), scopeOf(old.no)));
  if (!isPast)
    await rows.countItem(tx, countedAt(tx, old.no), {
      items: 0,
      terms: row.length - old.length,
    });
}

/** The item is gone: words, vectors, and its share of the counters. */
export async function removeItem(tx: Tx, space: string, number: number): Promise<void> {
  const row = await rows.itemByNumber(tx, number);
  if (!row) return;
  await tx.dialect.words.remove(tx, row.no, keyed(space, row.isPast, wordsOf(row)));
  await rows.removeFingerprints(tx, row.no, fingerprintsOf(row));
  await dropVectors(tx, row.no);
  await dropLearnt(tx, row.no);
  await rows.deleteItem(tx, row.no);
  await uncount(tx, row);
}

/** The item no longer holds: found by a question about the past, and by no other. */
export async function retireItem(tx: Tx, space: string, number: number): Promise<void> {
  const row = await rows.itemByNumber(tx, number);
  if (!row || row.isPast) return;
  const words = wordsOf(row);
  await tx.dialect.words.replace(tx, row.no, {
    before: keyed(space, false, words),
    after: keyed(space, true, words),
  });
  await dropVectors(tx, row.no);
  await dropLearnt(tx, row.no);
  await rows.markPast(tx, row.no);
  await uncount(tx, row);
}

function readRow(
  number: number,
  analysis: Analysis,
  filed: FiledAs,
): Readonly<{ row: Omit<rows.ReadItem, 'id'>; words: readonly string[] }> {
  const words = [...indexTerms(analysis), ...(filed.isProcedure ? [PROCEDURE_MARK] : [])];
  const plain = new Set(analysis.terms);
  const row = {
    no: number,
    terms: analysis.terms.join(' '),
    marks: words.filter((word) => !plain.has(word)).join(' '),
    length: analysis.terms.length,
    flags: packFlags(analysis, filed),
    day: writeDate(analysis.date),
  };
  return { row, words };
}

/** The words an item is stored under, as they were when it was read. */
export function keyedWordsOf(space: string, row: rows.ItemRow): string[] {
  return keyed(space, row.isPast, wordsOf(row));
}

function keyed(space: string, isPast: boolean, words: readonly string[]): string[] {
  const prefix = wordPrefix(space, isPast);
  return words.map((word) => prefix + word);
}

function wordsOf(row: rows.ItemRow): string[] {
  const plain = row.terms === '' ? [] : row.terms.split(' ');
  const marks = row.marks === '' ? [] : row.marks.split(' ');
  return [...new Set(plain), ...marks];
}

function fingerprintsOf(row: rows.ItemRow): ReturnType<typeof fingerprints> {
  return fingerprints(new Set(row.terms.split(' ')), scopeOf(row.no));
}

async function uncount(tx: Tx, row: rows.ItemRow): Promise<void> {
  if (row.isPast) return;
  await rows.countItem(tx, countedAt(tx, row.no), { items: -1, terms: -row.length });
}

/** Where an item counts. Many writers at once would wait for one row, so where there can be many, there are several. */
function countedAt(tx: Tx, number: number): Readonly<{ scope: number; shard: number }> {
  const shard = tx.dialect.isShared ? Math.floor(number / STRETCH_SIZE) % SHARDS : 0;
  return { scope: scopeOf(number), shard };
}

/** Two writers of one episode must not get one position: the lock, and its race test, see to that. */
async function findPlace(
  tx: Tx,
  scope: number,
  { key, isNamed }: ReturnType<typeof episodeOf>,
): Promise<number> {
  if (scope >= MAX_SCOPES) throw new HubError('limited', `There are more than ${MAX_SCOPES} memory scopes.`);
  // The key may hold a tag somebody will want forgotten, so only its hash is kept.
  const hashed = sha256(key, 'base64url').slice(0, 22);
  await tx.lock(`recall:${scope}:${hashed}`);
  const since = isNamed ? 0 : tx.now - EPISODE_GAP_MS;
  const running = await rows.growEpisode(tx, { scope, key: hashed }, { since, below: STRETCH_SIZE });
  if (running) return numberOf({ scope, stretch: running.stretch, position: running.size - 1 });
  const stretch = await rows.startStretch(tx, { scope, key: hashed });
  if (stretch >= MAX_STRETCHES) throw new HubError('limited', 'This memory scope is full.');
  return numberOf({ scope, stretch, position: 0 });
}

/** Items of the same scope that say nearly the same. */
async function findSimilar(tx: Tx, number: number, terms: ReadonlySet<string>): Promise<string[]> {
  const near = await rows.addFingerprints(tx, number, fingerprints(terms, scopeOf(number)));
  if (near.length === 0) return [];
  const items = await rows.contextByNumber(tx, near, false);
  return items
    .filter((item) => overlap(terms, new Set(item.terms.split(' '))) >= NEAR)
    .map((item) => item.id);
}
