import { SPEAKER_MARK } from './analyse/analyse.ts';
import { dateTerm } from './analyse/query.ts';
import type { QueryAnalysis, QueryTerm } from './analyse/query.ts';
import { stretchOf } from './place.ts';
import type { IndexSize, Postings } from './postings.ts';

/** The parts of a question that the index knows, each with the numbers of the items that have it. */
export type Matched = Readonly<{
  terms: readonly MatchedTerm[];
  /** How many words of the question they stand for. */
  groups: number;
  speakers: readonly ReadonlySet<number>[];
  /** The items that have the name of each such speaker among their words. */
  mentions: readonly ReadonlySet<number>[];
  /** Stretches in which each named speaker takes part. */
  parties: readonly ReadonlySet<number>[];
  dated: ReadonlySet<number>;
}>;

export type MatchedTerm = Readonly<{
  term: string;
  /** A word of the asker's own, not one that merely stands in for it. */
  isAsked: boolean;
  /** Which of the asker's words this is or stands in for, counted from 0. */
  group: number;
  idf: number;
  stretchIdf: number;
  list: readonly number[];
}>;

/** What the index knows of a question, and which of its words turned out to be people. */
export type Match = Readonly<{ matched: Matched; people: ReadonlySet<string> }>;

export async function match(query: QueryAnalysis, postings: Postings, size: IndexSize): Promise<Match> {
  const marked = query.names.map(({ name }) => SPEAKER_MARK + name);
  const words = query.terms.map(({ term }) => term);
  const dates = query.dates.flatMap((date) => ({ name: date.name, term: dateTerm(date) ?? '' })).filter(({ term }) => term !== '');
  const lists = await postings.lists([...marked, ...words, ...dates.map(({ term }) => term)]);
  const spoken = lists.slice(0, marked.length);
  const written = lists.slice(marked.length, marked.length + words.length);
  const people = query.names.filter((_, i) => spoken[i]!.length > 0);
  const names = new Set(people.map((person) => person.name));
  const speakers = spoken.filter((list) => list.length > 0);
  const parties = speakers.map((list) => new Set(list.map(stretchOf)));
  // A name is either a person or a word: as a word it would reward every greeting that mentions them.
  const taken = new Set(people.flatMap((person) => person.terms));
  const asked = query.terms.flatMap((word, i) => (taken.has(word.term) ? [] : [{ ...word, list: written[i]! }]));
  const matched = {
    terms: await matchTerms(asked, postings, circleOf(parties, size)),
    groups: asked.length,
    speakers: speakers.map((list) => new Set(list)),
    mentions: people.map((person) => new Set(person.terms.flatMap((term) => written[words.indexOf(term)] ?? []))),
    parties,
    dated: new Set(lists.slice(marked.length + words.length).flatMap((list, i) => (names.has(dates[i]!.name) ? [] : list))),
  };
  return { matched, people: names };
}

/** A word that so many items have fills the shortlist by itself: nothing needs to stand in for it. */
const COMMON = 300;
/** A word that nobody ever used says nothing; those that stand in for it say more then. */
const ONLY_KIN = 2;
const MOST_KIN = 0.6;

type Listed = QueryTerm & Readonly<{ list: readonly number[] }>;

/** The asker's own words, and beside the rarer ones those that stand in for them. */
async function matchTerms(asked: readonly Listed[], postings: Postings, circle: Circle): Promise<MatchedTerm[]> {
  const counts = asked.map(({ list }) => circle.count(list));
  const kin = asked.flatMap(({ kin: words }, group) => (counts[group]!.items < COMMON ? words.map((word) => ({ ...word, group })) : []));
  const lists = kin.length === 0 ? [] : await postings.lists(kin.map(({ term }) => term));
  const toTerm = (term: string, list: readonly number[], group: number, weight: number, isAsked: boolean): MatchedTerm => {
    const having = circle.count(list);
    return {
      term,
      list,
      group,
      isAsked,
      idf: weight * idf(having.items, circle.items),
      stretchIdf: weight * idf(having.stretches, circle.stretches),
    };
  };
  const terms = [
    ...asked.map(({ term, list, weight }, group) => toTerm(term, list, group, weight, true)),
    ...kin.map(({ term, weight, group }, i) =>
      toTerm(term, lists[i]!, group, counts[group]!.items > 0 ? weight : Math.min(MOST_KIN, weight * ONLY_KIN), false),
    ),
  ];
  return terms.filter(({ list }) => list.length > 0);
}

function idf(having: number, all: number): number {
  // What no longer holds is found but not counted, so there can be more that have a word than there are.
  return Math.log(1 + (Math.max(all, having) - having + 0.5) / (having + 0.5));
}

type Counts = Readonly<{ items: number; stretches: number }>;
type Circle = Counts & Readonly<{ count: (list: readonly number[]) => Counts }>;

/**
 * The stretches in which the people of the question take part, or everything when it names nobody. How rare a word is
 * among them is what counts: a store of many conversations ranks each of them as a store of its own would.
 */
function circleOf(parties: readonly ReadonlySet<number>[], size: IndexSize): Circle {
  const isOpen = parties.length === 0;
  const stretches = new Set(parties.flatMap((party) => [...party]));
  const perStretch = size.items / Math.max(1, size.stretches);
  return {
    items: isOpen ? size.items : Math.round(stretches.size * perStretch),
    stretches: isOpen ? size.stretches : stretches.size,
    count(list) {
      const having = { items: 0, stretches: 0 };
      let last = -1;
      for (const number of list) {
        const stretch = stretchOf(number);
        if (!isOpen && !stretches.has(stretch)) continue;
        having.items += 1;
        if (stretch !== last) having.stretches += 1;
        last = stretch;
      }
      return having;
    },
  };
}
