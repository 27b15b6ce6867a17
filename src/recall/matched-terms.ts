import { SPEAKER_MARK } from './analyse/analyse.ts';
import { dateTerm, type QuestionAnalysis } from './analyse/question.ts';
import { stretchOf } from './place.ts';
import type { IndexSize, PostingList, Postings, QuestionLists } from './postings.ts';

/** The parts of a question that the index knows, each with the numbers of the items that have it. */
export type Matched = Readonly<{
  /** How much the reader can see. */
  size: IndexSize;
  terms: readonly MatchedTerm[];
  /** How many words of the question they stand for. */
  groups: number;
  /** What all words of the question weigh, those that nobody ever used included. */
  weight: number;
  /** For each named speaker the items they said. */
  speakers: readonly ReadonlySet<number>[];
  /** The items that have the name of each such speaker among their words. */
  mentions: readonly ReadonlySet<number>[];
  /** Stretches in which each named speaker takes part. */
  parties: readonly ReadonlySet<number>[];
  dated: ReadonlySet<number>;
  /** Names of the question that turned out to be people. */
  people: ReadonlySet<string>;
}>;

export type MatchedTerm = Readonly<{
  term: string;
  written: string;
  /** Which word of the question this is, or is a form of. */
  group: number;
  /** Only the beginning of the word; the rest may differ. */
  isRoot: boolean;
  /** The name of somebody whose turns are in sight. */
  isPerson: boolean;
  inTalk: number;
  idf: number;
  /** How many items have it: more than the list has where that was too long to be read. */
  having: number;
  list: PostingList;
}>;

/** A word that so few items have may be written otherwise where the answer is; then its beginning is looked for too. */
export const RARE = 5;
const ROOT_LETTERS = 5;
const ROOT_WEIGHT = 0.5;
/** A beginning that this share of the items has tells nothing. */
const TOO_COMMON = 0.1;
const LATIN_WORD = /^[a-z]+$/;

/** With so many items of rarer words, a common word alone brings in nothing better. */
export const ENOUGH = 1_000;

export async function matchQuestion(question: QuestionAnalysis, postings: Postings): Promise<Matched> {
  const marked = question.names.map(({ name }) => SPEAKER_MARK + name);
  const words = question.terms.map(({ term }) => term);
  const dates = question.dates
    .flatMap((date) => ({ name: date.name, term: dateTerm(date) ?? '' }))
    .filter(({ term }) => term !== '');
  const marks = [...marked, ...dates.map(({ term }) => term)];
  const [{ lists, having }, size] = await Promise.all([listsOf(postings, words, marks), postings.size()]);
  const spoken = lists.slice(words.length, words.length + marked.length);
  const people = question.names.filter((_, i) => spoken[i]!.length > 0);
  const speakers = spoken.filter((list) => list.length > 0);
  const names = new Set(people.map((person) => person.name));
  const ofPeople = new Set(people.flatMap((person) => person.terms));
  const asked = question.terms.map((word, group) => {
    const list = lists[group]!;
    return {
      ...word,
      group,
      list,
      having: having[group]!,
      isRoot: false,
      isPerson: ofPeople.has(word.term),
      idf: idf(having[group]!, size.items),
    };
  });
  const terms = [...asked, ...(await matchRoots(asked, postings, size))].filter(
    ({ list }) => list.length > 0,
  );
  return {
    size,
    terms,
    groups: asked.length,
    weight: asked.reduce((sum, term) => sum + term.idf, 0),
    speakers: speakers.map((list) => new Set(list)),
    mentions: people.map(
      (person) => new Set(person.terms.flatMap((term) => lists[words.indexOf(term)] ?? [])),
    ),
    parties: speakers.map((list) => new Set(list.map(stretchOf))),
    dated: new Set(
      lists.slice(words.length + marked.length).flatMap((list, i) => (names.has(dates[i]!.name) ? [] : list)),
    ),
    people: names,
  };
}

async function listsOf(
  postings: Postings,
  words: readonly string[],
  marks: readonly string[],
): Promise<QuestionLists> {
  if (postings.listsOfQuestion) return postings.listsOfQuestion(words, marks);
  const lists = await postings.lists([...words, ...marks]);
  return { lists, having: lists.map((list) => list.length) };
}

/** The beginning that other forms of a word share, if it is one of those that have other forms. */
export function rootOf(term: string): string | undefined {
  return term.length >= ROOT_LETTERS && LATIN_WORD.test(term) ? term.slice(0, ROOT_LETTERS) : undefined;
}

/** "Replicating" finds "replica": other words of the same beginning, for less. */
async function matchRoots(
  asked: readonly MatchedTerm[],
  postings: Postings,
  size: IndexSize,
): Promise<MatchedTerm[]> {
  const rare = asked.flatMap((word) => {
    const root = word.having <= RARE ? rootOf(word.term) : undefined;
    return root === undefined ? [] : [{ word, root }];
  });
  if (rare.length === 0) return [];
  const lists = await postings.listsOfPrefixes(rare.map(({ root }) => root));
  return rare.flatMap(({ word, root }, i) => {
    const own = new Set(word.list);
    const list = lists[i]!.filter((number) => !own.has(number));
    if (list.length > Math.max(RARE, size.items * TOO_COMMON)) return [];
    const rarity = ROOT_WEIGHT * Math.min(word.idf, idf(list.length, size.items));
    return [{ ...word, term: root, isRoot: true, list, having: list.length, idf: rarity }];
  });
}

export function idf(having: number, all: number): number {
  // What no longer holds is found but not counted, so there can be more that have a word than there are.
  return Math.log(1 + (Math.max(all, having) - having + 0.5) / (having + 0.5));
}
