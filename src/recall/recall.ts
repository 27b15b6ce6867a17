import type { Query, Tx } from '../store/database.ts';
import { type ItemText, PROCEDURE_MARK } from './analyse/analyse.ts';
import { readIdentifier } from './analyse/identifier.ts';
import { isConfident } from './confidence.ts';
import { explainHit } from './explain.ts';
import { type Findings, findItems, type FindOptions } from './find.ts';
import { addItem, type Filed, type ItemKind, type NewItem, removeItem, retireItem } from './index-store.ts';
import { type ItemUse, learn, relearn } from './learnt/learnt-words.ts';
import { learntOf, type LearntRow } from './learnt/rows.ts';
import { createMemoryIndex } from './memory-index.ts';
import { newerFirst } from './newer-first.ts';
import type { PostingList, Postings } from './postings.ts';
import { ensureScope } from './rows.ts';
import type { ScopeTags, Sight } from './scopes.ts';
import type { Ranked } from './score/ranked.ts';
import type { ScoreParts } from './score/weights.ts';
import { storedPostings } from './stored-postings.ts';

/**
 * The front door of recall: everything outside this folder comes in here. A space is a wall; what one room files nobody
 * finds through another's. `createRecall` keeps items in the database, `createCards` a few hundred cards in memory.
 */
export interface Recall {
  /** The number of the scope with exactly these tags, made when it is new. */
  scope(tx: Tx, tags: Omit<ScopeTags, 'space'>): Promise<number>;
  add(tx: Tx, item: NewItem): Promise<Filed>;
  /** It no longer holds: found only by questions about the past. */
  retire(tx: Tx, number: number): Promise<void>;
  /** Gone for good: words, vectors, counts. */
  forget(tx: Tx, number: number): Promise<void>;
  /** Somebody took an item after a question: the words of it that the item lacks find it from now on. */
  learn(tx: Tx, use: ItemUse): Promise<void>;
  /** What an item learnt, for the item that takes its place. */
  learntOf(tx: Tx, number: number): Promise<readonly LearntRow[]>;
  relearn(tx: Tx, number: number, learnt: readonly LearntRow[]): Promise<void>;
  search(q: Query, request: RecallRequest): Promise<RecallAnswer>;
  /** Why an item of that answer was found, in words. */
  explain(answer: RecallAnswer, item: RecallHit): string;
}

type RecallRequest = FindOptions &
  Readonly<{
    text: string;
    sight: Omit<Sight, 'space'>;
    kind?: ItemKind | undefined;
    /** For questions about the past: which of the numbers count. What no longer holds is considered as well. */
    heldThen?: ((numbers: readonly number[]) => Promise<ReadonlySet<number>>) | undefined;
  }>;

export type RecallHit = Readonly<{
  number: number;
  id: string;
  kind: ItemKind;
  /** Comparable within one answer. */
  score: number;
  /** Points per signal. */
  parts: ScoreParts;
}>;

export type RecallAnswer = Readonly<{
  /** Best first. */
  hits: readonly RecallHit[];
  /** False when the best hit is probably about something else. */
  isConfident: boolean;
  /** False when there is no word in the question that one could look for. */
  hasWords: boolean;
  findings: Findings;
}>;

type RecallOptions = Readonly<{ space: string; learns?: boolean }>;

/** `learns`: whether its items are also found by words that use taught. */
export function createRecall({ space, learns = false }: RecallOptions): Recall {
  return {
    scope: (tx, tags) => ensureScope(tx, { space, ...tags }),
    add: (tx, item) => addItem(tx, space, item),
    retire: (tx, number) => retireItem(tx, space, number),
    forget: (tx, number) => removeItem(tx, space, number),
    learn: (tx, use) => learn(tx, space, use),
    learntOf,
    relearn,
    async search(q, { text, sight, kind, heldThen, ...options }) {
      const stored = storedPostings(q, { space, ...sight }, heldThen !== undefined);
      const known = learns ? stored : { ...stored, learnt: undefined };
      const held = heldThen ? filtered(known, heldThen) : known;
      return answerOf(await findItems(text, kind === undefined ? held : ofKind(held, kind), options));
    },
    explain: explainOf,
  };
}

/** A few hundred things that live and die with one question. */
interface BriefRecall {
  add(item: ItemText & Readonly<{ id: string }>): void;
  search(text: string): Promise<RecallAnswer>;
}

export function createBriefRecall(): BriefRecall {
  const index = createMemoryIndex();
  return {
    // Every item is an episode of its own: what stands beside it in a list says nothing about it.
    add: (item) => index.add({ ...item, episode: item.id }),
    search: async (text) => answerOf(await findItems(text, index.postings())),
  };
}

function answerOf(findings: Findings): RecallAnswer {
  const ranked = newerFirst(findings.ranked);
  const { terms, names, dates } = findings.question;
  return {
    hits: ranked.map(toHit),
    isConfident: isConfident(findings),
    hasWords: terms.length + names.length + dates.length > 0,
    findings: { ...findings, ranked },
  };
}

function toHit({ item, score, parts }: Ranked): RecallHit {
  return {
    number: item.number,
    id: item.id,
    kind: item.flags.isProcedure ? 'procedure' : 'fact',
    score,
    parts,
  };
}

function explainOf({ findings }: RecallAnswer, { number }: RecallHit): string {
  const ranked = findings.ranked.find(({ item }) => item.number === number);
  return ranked ? explainHit(findings, ranked) : 'similar in meaning';
}

/** Filters come before anything is ranked or cut off. */
function filtered(
  postings: Postings,
  keep: (numbers: readonly number[]) => Promise<ReadonlySet<number>>,
): Postings {
  const apply = async (lists: readonly PostingList[]): Promise<readonly PostingList[]> => {
    const kept = await keep([...new Set(lists.flat())]);
    return lists.map((list) => list.filter((number) => kept.has(number)));
  };
  const { learnt } = postings;
  return {
    ...postings,
    listsOfQuestion: undefined,
    lists: async (terms) => apply(await postings.lists(terms)),
    listsOfPrefixes: async (prefixes) => apply(await postings.listsOfPrefixes(prefixes)),
    learnt:
      learnt &&
      (async (terms) => {
        const known = await learnt(terms);
        const kept = await keep([...known.keys()]);
        return new Map([...known].filter(([number]) => kept.has(number)));
      }),
  };
}

function ofKind(postings: Postings, kind: ItemKind): Postings {
  const procedures = postings.lists([PROCEDURE_MARK]).then(([list]) => new Set(list));
  return filtered(postings, async (numbers) => {
    const known = await procedures;
    return new Set(numbers.filter((number) => known.has(number) === (kind === 'procedure')));
  });
}

/** The words of what code writes as one: `getUserById`, `get_user_by_id`. Nothing inside a hash or a version is one. */
export function identifierParts(written: string): readonly string[] {
  return readIdentifier(written).parts;
}

export { innerWords } from './analyse/inner-words.ts';
export { wordsOf } from './analyse/tokens.ts';
export { findContradictions } from './claims/contradictions.ts';
export type { Clash } from './claims/contradictions.ts';
export { findRivals } from './claims/rivals.ts';
export { createCards } from './cards/cards.ts';
export type { ItemUse } from './learnt/learnt-words.ts';
export { moveLearnt } from './learnt/rows.ts';
export { differenceOf, overlap } from './near-duplicates.ts';
export type { ItemKind } from './index-store.ts';
export type { ScopeTags, Sight } from './scopes.ts';
export { positionOf, scopeOf, STRETCH_SIZE, stretchOf } from './place.ts';
export { countItemsOf, moveScopes, scopesSeen } from './rows.ts';
export type { ScopePair } from './rows.ts';
export { refillWords } from './refill.ts';
export { startReindexing } from './reindex.ts';
export type { ReadItemTexts } from './reindex.ts';
export { countOld as countOldItems } from './rows.ts';
export { awaitEmbedding, startEmbedding } from './vectors/embedding-queue.ts';
export type { ReadTexts } from './vectors/embedding-queue.ts';
export { findLocalEndpoints } from './vectors/local-endpoints.ts';
export { createMeaning } from './vectors/meaning.ts';
export type { Meaning, Near } from './vectors/meaning.ts';
export { embeddingSettings } from './vectors/provider.ts';
export type { EmbeddingProvider, EmbeddingSettings } from './vectors/provider.ts';
export { functionProvider } from './vectors/embed-function.ts';
export type { EmbedFunction } from './vectors/embed-function.ts';
export { MAX_TEXT } from './vectors/meaning.ts';
export { putNeighbours } from './vectors/pgvector/neighbours.ts';
export { countVectors, hasNoVector, putVector, vectorsByNumber } from './vectors/rows.ts';
