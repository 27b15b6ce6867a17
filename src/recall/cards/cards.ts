// A few hundred things that are there anyway, such as tools: found by name, by what is said of them, by their parameters.
import { analyseQuestion } from '../analyse/question.ts';
import { wordsOf } from '../analyse/tokens.ts';
import { idf, RARE, rootOf } from '../matched-terms.ts';
import { isQuestion, worthToQuestion } from './looks.ts';
import { tellingShare } from './spoken.ts';
import { wordSynonyms } from './synonyms.ts';

export type CardText = Readonly<Record<Field, string>> &
  Readonly<{
    id: string;
    /** It is said to change nothing. */
    isReading?: boolean | undefined;
  }>;

/** Where a word stands tells how much it says; chosen on tools of servers that docs/design/recall.md names. */
const FIELDS = { name: 2, group: 1, about: 1, parameters: 0.5, explained: 0.3 } as const;
type Field = keyof typeof FIELDS;
const NAMES = Object.keys(FIELDS) as Field[];
const K1 = 0.8;
const B = 0.75;
/** What is said first counts more, fading over the first words. */
const LEAD = 0.5;
const LEAD_WORDS = 8;
/** Whose card it is stands on all of its cards, once: its length says nothing. */
const UNMEASURED: Field = 'group';
/** A word that can stand for the one asked for counts at most this much of it. */
const SYNONYM = 0.4;
/** … and so does another word of the same beginning, where few cards have the one asked for. */
const ROOT = 0.5;

type CardHit = Readonly<{ id: string; score: number; why: string }>;

export interface Cards {
  /** Best first. `among` says which cards count; all do without it. */
  search(text: string, among?: (id: string) => boolean): readonly CardHit[];
}

type Read = Readonly<{
  id: string;
  weights: ReadonlyMap<string, number>;
  name: ReadonlySet<string>;
  toQuestion: number;
}>;
type Asked = Readonly<{ written: string; idf: number; forms: readonly (readonly [string, number])[] }>;

export function createCards(cards: readonly CardText[]): Cards {
  const { all, having } = readCards(cards);
  /** Rare among the cards, and not what everybody says whatever the matter. */
  const rarity = (term: string): number => idf(having.get(term) ?? 0, all.length) * tellingShare(term);
  const synonyms = wordSynonyms();

  function ask(text: string): readonly Asked[] {
    return analyseQuestion(text).terms.map(({ term, written }) => {
      const own = rarity(term);
      // A rare word in place of a common one is not what was asked for.
      const forms = othersFor(term).map(
        ([other, share]) =>
          [other, share * (having.has(term) ? Math.min(own, rarity(other)) : rarity(other))] as const,
      );
      return { written, idf: own, forms: [[term, own], ...forms] };
    });
  }

  /** Words that count for one that was asked for, each with its share of it. */
  function othersFor(term: string): readonly (readonly [string, number])[] {
    const alike = [...(synonyms.get(term) ?? [])]
      .filter(([other]) => having.has(other))
      .map(([other, share]) => [other, SYNONYM * share] as const);
    const root = (having.get(term) ?? 0) <= RARE ? rootOf(term) : undefined;
    if (root === undefined) return alike;
    const begun = [...having.keys()].filter((other) => other !== term && other.startsWith(root));
    return [...alike, ...begun.map((other) => [other, ROOT] as const)];
  }

  return {
    search(text, among = () => true) {
      const asked = ask(text);
      const total = asked.reduce((sum, word) => sum + word.idf, 0) || 1;
      const isAsked = isQuestion(text);
      return all
        .filter(({ id }) => among(id))
        .map((card) => judge(card, asked, isAsked ? card.toQuestion / total : 1 / total))
        .filter(({ score }) => score > 0)
        .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
    },
  };
}

function readCards(
  cards: readonly CardText[],
): Readonly<{ all: readonly Read[]; having: Map<string, number> }> {
  const fields = cards.map((card) => NAMES.map((field) => wordsOf(card[field])));
  const means = NAMES.map(
    (_, i) => fields.reduce((sum, words) => sum + words[i]!.length, 0) / Math.max(1, cards.length) || 1,
  );
  const having = new Map<string, number>();
  const all = cards.map(({ id, isReading = false }, at) => {
    const weights = new Map<string, number>();
    for (const [i, field] of NAMES.entries()) {
      const words = field === UNMEASURED ? [...new Set(fields[at]![i])] : fields[at]![i]!;
      const norm = field === UNMEASURED ? 1 : 1 - B + (B * words.length) / means[i]!;
      for (const [place, word] of words.entries()) {
        const weight = (FIELDS[field] * (1 + LEAD * Math.exp(-place / LEAD_WORDS))) / norm;
        weights.set(word, (weights.get(word) ?? 0) + weight);
      }
    }
    for (const word of weights.keys()) having.set(word, (having.get(word) ?? 0) + 1);
    const name = new Set(fields[at]![0]);
    return { id, weights, name, toQuestion: worthToQuestion(name, isReading) };
  });
  return { all, having };
}

/** Okapi over the fields as one: of a word and those that can stand for it the best counts. */
function judge({ id, weights, name }: Read, asked: readonly Asked[], unit: number): CardHit {
  let score = 0;
  const [had, named, like, lacking]: [string[], string[], string[], string[]] = [[], [], [], []];
  for (const { written, forms } of asked) {
    let best = 0;
    let form = '';
    for (const [term, rarity] of forms) {
      const weight = weights.get(term) ?? 0;
      const points = (rarity * weight * (K1 + 1)) / (weight + K1);
      if (points > best) [best, form] = [points, term];
    }
    score += best;
    const isItself = form === forms[0]![0];
    if (best === 0) lacking.push(written);
    else if (!isItself) like.push(written);
    else had.push(written);
    if (isItself && name.has(form)) named.push(written);
  }
  const inTitle =
    named.length === 0 ? '' : named.length === had.length ? 'in the title' : `${listed(named)} in the title`;
  const why = [
    had.length > 0 && `has ${listed(had)}`,
    inTitle,
    like.length > 0 && `has a word like ${listed(like)}`,
    lacking.length > 0 && `lacks ${listed(lacking)}`,
  ].filter(Boolean);
  return { id, score: score * unit, why: why.join('; ') };
}

const SHOWN = 6;

function listed(words: readonly string[]): string {
  const all = [...new Set(words)];
  const shown = all.slice(0, SHOWN).join(', ');
  return all.length > SHOWN ? `${shown} and ${all.length - SHOWN} more` : shown;
}
