import { SPEAKER_MARK } from './analyse/analyse.ts';
import { analyseQuery, dateTerm } from './analyse/query.ts';
import type { QueryAnalysis } from './analyse/query.ts';
import { shortlist, withNeighbours } from './candidates.ts';
import type { Matched, MatchedTerm } from './candidates.ts';
import { stretchOf } from './place.ts';
import type { IndexSize, Postings } from './postings.ts';
import { rank } from './rank.ts';
import type { Ranked } from './rank.ts';

export type RecallOptions = Readonly<{
  /** Similarity by meaning, 0…1: those items are considered beside the ones that words find. */
  similarity?: ReadonlyMap<number, number>;
  prior?: (number: number) => number;
}>;

/** Everything that matches the question at all, best first; empty only when no word, name or date of it is known. */
export async function recall(text: string, postings: Postings, options: RecallOptions = {}): Promise<Ranked[]> {
  const asked = analyseQuery(text);
  const size = await postings.size();
  const { matched, people } = await match(asked, postings, size);
  const query = { ...asked, dates: asked.dates.filter((date) => !people.has(date.name)) };
  const chosen = new Set([...shortlist(matched), ...(options.similarity?.keys() ?? [])]);
  if (chosen.size === 0) return [];
  const items = await postings.load([...withNeighbours(chosen)]);
  return rank({ query, matched, size, items, shortlist: chosen, ...options });
}

/** A word that nobody ever used says nothing; those that stand in for it say more then. */
const ONLY_KIN = 2;

async function match(
  query: QueryAnalysis,
  postings: Postings,
  size: IndexSize,
): Promise<Readonly<{ matched: Matched; people: ReadonlySet<string> }>> {
  const marked = query.names.map(({ name }) => SPEAKER_MARK + name);
  const terms = query.terms.map(({ term }) => term);
  const dates = query.dates.flatMap((date) => ({ name: date.name, term: dateTerm(date) ?? '' })).filter(({ term }) => term !== '');
  const lists = await postings.lists([...marked, ...terms, ...dates.map(({ term }) => term)]);
  const spoken = lists.slice(0, marked.length);
  const written = lists.slice(marked.length, marked.length + terms.length);
  const people = query.names.filter((_, i) => spoken[i]!.length > 0);
  // A name is either a person or a word: as a word it would reward every greeting that mentions them.
  const taken = new Set(people.flatMap((person) => person.terms));
  const speakers = spoken.filter((list) => list.length > 0);
  const parties = speakers.map((list) => new Set(list.map(stretchOf)));
  const circle = circleOf(parties, size);
  const counts = written.map(circle.count);
  const known = new Set(terms.filter((_, i) => counts[i]!.items > 0));
  const matchedTerms = query.terms.flatMap(({ term, weight: given, kinOf }, i): MatchedTerm[] => {
    const list = written[i]!;
    if (list.length === 0 || taken.has(term)) return [];
    const weight = kinOf === undefined || known.has(kinOf) ? given : given * ONLY_KIN;
    const having = counts[i]!;
    return [
      {
        term,
        list,
        isAsked: weight === 1,
        kinOf,
        idf: weight * idf(having.items, circle.items),
        stretchIdf: weight * idf(having.stretches, circle.stretches),
      },
    ];
  });
  const names = new Set(people.map((person) => person.name));
  const matched = {
    terms: matchedTerms,
    speakers: speakers.map((list) => new Set(list)),
    mentions: people.map((person) => new Set(person.terms.flatMap((term) => written[terms.indexOf(term)] ?? []))),
    parties,
    dated: new Set(lists.slice(marked.length + terms.length).flatMap((list, i) => (names.has(dates[i]!.name) ? [] : list))),
  };
  return { matched, people: names };
}

function idf(having: number, all: number): number {
  // What no longer holds is found but not counted, so there can be more that have a word than there are.
  return Math.log(1 + (Math.max(all, having) - having + 0.5) / (having + 0.5));
}

type Counts = Readonly<{ items: number; stretches: number }>;

/**
 * The stretches in which the people of the question take part, or everything when it names nobody. How rare a word is
 * among them is what counts: a store of many conversations ranks each of them as a store of its own would.
 */
function circleOf(parties: readonly ReadonlySet<number>[], size: IndexSize): Counts & { count: (list: readonly number[]) => Counts } {
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
