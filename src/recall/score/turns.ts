import type { QuestionAnalysis } from '../analyse/question.ts';
import { dateAgreement, readDate } from '../analyse/dates.ts';
import { idf, type Matched } from '../matched-terms.ts';
import { countBetween, shareOf } from '../numbers.ts';
import { neighbourOf, positionOf, STRETCH_SIZE, stretchOf } from '../place.ts';
import type { IndexedItem, IndexSize, PostingList } from '../postings.ts';
import { type Judging, total } from './notes.ts';
import { boundedPrior, type Ranked } from './ranked.ts';
import { type ScoreParts, type SignalName, TURN_WEIGHTS } from './weights.ts';
import { findWords, type FoundWords, okapi, PLAIN, standTogether } from './words.ts';

/** The items around one that are its context: what is told follows what it is about. */
const BEFORE = 3;
const AFTER = 1;

const K1 = 1.2;
const B = 0.75;
const LONG_ITEM = 40;
/** A question is short beside the item it stands in; its length is measured against other questions. */
const ASKED_WIDTH = 0.4;
const SHORT_QUESTION = 3;

/**
 * Turns of a dialogue are understood by their neighbours, so they are scored with them. What the neighbours have follows
 * from the posting lists: their numbers are next to each other.
 */
export function rankTurns(
  items: readonly IndexedItem[],
  around: readonly IndexedItem[],
  judging: Judging,
): Ranked[] {
  const talk = readTalk(judging.matched, judging.size);
  const known = new Map<number, Turn>();
  for (const item of around) known.set(item.number, readTurn(item, judging, talk));
  for (const item of items)
    if (!known.has(item.number)) known.set(item.number, readTurn(item, judging, talk));
  const windows = new Map(items.map(({ number }) => [number, windowOf(number, judging.matched, talk)]));
  const episodes = new Map<number, number>();
  for (const { number } of items) {
    const stretch = stretchOf(number);
    if (!episodes.has(stretch)) episodes.set(stretch, episodeOf(stretch, judging.matched, talk));
  }
  const isThere = (stretch: number): boolean => talk.circle === undefined || talk.circle.has(stretch);
  const turns = items.map((item) => known.get(item.number)!);
  const scale: Scale = {
    own: highest(turns.filter(({ item }) => isThere(stretchOf(item.number))).map(({ own }) => own)),
    window: highest(
      [...windows].filter(([number]) => isThere(stretchOf(number))).map(([, window]) => window.score),
    ),
    episode: highest([...episodes].filter(([stretch]) => isThere(stretch)).map(([, score]) => score)),
    asked: talk.weight || 1,
  };
  const pairs = pairsOf(judging.question, judging.matched);
  return turns.map((turn) => {
    const window = windows.get(turn.item.number)!;
    const parts = signals(turn, {
      judging,
      known,
      window,
      episode: episodes.get(stretchOf(turn.item.number))!,
      scale,
      pairs,
    });
    return {
      item: turn.item,
      parts,
      score: total(parts, judging.without),
      covered: coveredBy(turn, window, { matched: judging.matched, asked: scale.asked, idfs: talk.idfs }),
    };
  });
}

/** What stands around a turn counts half: a note has to have all of it by itself. */
const AROUND_SHARE = 0.5;

function coveredBy(
  { found }: Turn,
  { covered }: Window,
  { matched: { terms, parties }, asked, idfs }: Asked,
): number {
  let own = 0;
  for (let i = 0; i < terms.length; i += 1) if (found.places[i]! >= 0 && !terms[i]!.isRoot) own += idfs[i]!;
  const share = (own + AROUND_SHARE * (covered - own)) / asked;
  // Whoever is named there takes part here, and that is half of what was asked.
  return parties.length === 0 || share === 0 ? share : (1 + share) / 2;
}

/** How much was asked for altogether, and how rare each word of it is. */
type Asked = Readonly<{ matched: Matched; asked: number; idfs: Float64Array }>;
type Turn = Readonly<{ item: IndexedItem; found: FoundWords; own: number; asked: number }>;
type Window = Readonly<{ score: number; covered: number }>;
type Scale = Readonly<{ own: number; window: number; episode: number; asked: number }>;

/** How rare each word is in talk: among the conversations of the people named, if any. */
type Talk = Readonly<{
  idfs: Float64Array;
  stretchIdfs: Float64Array;
  /** Of the words that the asker used. */
  weight: number;
  circle: ReadonlySet<number> | undefined;
  mean: number;
}>;

/**
 * How rare a word is among the conversations of those whom the question names is what counts: a store of many
 * conversations then ranks each of them as a store of its own would.
 */
function readTalk({ terms, parties }: Matched, size: IndexSize): Talk {
  const circle = parties.length === 0 ? undefined : new Set(parties.flatMap((party) => [...party]));
  const perStretch = size.items / Math.max(1, size.stretches);
  const all = circle ? { items: Math.round(circle.size * perStretch), stretches: circle.size } : size;
  const idfs = new Float64Array(terms.length);
  const stretchIdfs = new Float64Array(terms.length);
  let weight = 0;
  for (const [i, term] of terms.entries()) {
    const share = term.isPerson ? 0 : term.inTalk * (term.isRoot ? ROOT_SHARE : 1);
    if (share === 0) continue;
    const having = countIn(term.list, circle);
    idfs[i] = share * idf(having.items, all.items);
    stretchIdfs[i] = share * idf(having.stretches, all.stretches);
    if (!term.isRoot) weight += idfs[i];
  }
  return { idfs, stretchIdfs, weight, circle, mean: size.terms / Math.max(1, size.items) };
}

const ROOT_SHARE = 0.5;

function countIn(
  list: PostingList,
  circle: ReadonlySet<number> | undefined,
): Readonly<{ items: number; stretches: number }> {
  let [items, stretches, last] = [0, 0, -1];
  for (const number of list) {
    const stretch = stretchOf(number);
    if (circle && !circle.has(stretch)) continue;
    items += 1;
    if (stretch !== last) stretches += 1;
    last = stretch;
  }
  return { items, stretches };
}

function readTurn(item: IndexedItem, { matched }: Judging, talk: Talk): Turn {
  const found = findWords(item, matched.terms, PLAIN);
  const own = okapi({ matched, k1: K1, b: B, mean: talk.mean, idfs: talk.idfs }, found.counts, item.length);
  return { item, found, own, asked: askedScore(item, matched, talk) };
}

/** How well the sentences of an item that ask ask what is asked now. */
function askedScore(item: IndexedItem, matched: Matched, talk: Talk): number {
  const { asked } = item.flags;
  if (asked === 0) return 0;
  const words = item.terms.split(' ').slice(-asked).join(' ');
  const { counts } = findWords({ ...item, terms: words }, matched.terms, PLAIN);
  const scale = { matched, k1: K1, b: B, mean: talk.mean * ASKED_WIDTH, idfs: talk.idfs };
  return okapi(scale, counts, Math.max(SHORT_QUESTION, asked));
}

/** The item and its neighbours read as one text, as far as the posting lists tell. */
function windowOf(number: number, { terms, groups }: Matched, talk: Talk): Window {
  const [first, last] = windowAround(number);
  let covered = 0;
  let score = 0;
  const parts = new Float64Array(groups);
  for (let i = 0; i < terms.length; i += 1) {
    const { list, isRoot, group } = terms[i]!;
    const count = talk.idfs[i] === 0 ? 0 : countBetween(list, first, last);
    if (count === 0) continue;
    if (!isRoot) covered += talk.idfs[i]!;
    const part = (talk.idfs[i]! * count * (K1 + 1)) / (count + K1);
    if (part <= parts[group]!) continue;
    score += part - parts[group]!;
    parts[group] = part;
  }
  return { score, covered };
}

/** The first and the last number of what is read together with an item. */
function windowAround(number: number): readonly [first: number, last: number] {
  const position = positionOf(number);
  return [number - Math.min(BEFORE, position), number + Math.min(AFTER, STRETCH_SIZE - 1 - position)];
}

/** Sum of the rarity of the words a stretch has, with diminishing returns for repeats. */
function episodeOf(stretch: number, matched: Matched, talk: Talk): number {
  const first = stretch * STRETCH_SIZE;
  const counts = matched.terms.map(({ list }) => countBetween(list, first, first + STRETCH_SIZE - 1));
  return okapi({ matched, k1: K1, b: 0, mean: 1, idfs: talk.stretchIdfs }, counts, 1);
}

type Pair = readonly [first: string, second: string];

function pairsOf({ terms, pairs }: QuestionAnalysis, matched: Matched): readonly Pair[] {
  const known = new Set(
    matched.terms
      .filter(({ isPerson, isRoot, inTalk }) => !isPerson && !isRoot && inTalk > 0)
      .map(({ term }) => term),
  );
  return pairs
    .map(([a, b]) => [terms[a]!.term, terms[b]!.term] as const)
    .filter((pair) => pair.every((term) => known.has(term)));
}

type Context = Readonly<{
  judging: Judging;
  known: ReadonlyMap<number, Turn>;
  window: Window;
  episode: number;
  scale: Scale;
  pairs: readonly Pair[];
}>;

function signals(turn: Turn, { judging, known, window, episode, scale, pairs }: Context): ScoreParts {
  const { question, matched } = judging;
  const { number, flags, length } = turn.item;
  const at = (offset: number): Turn | undefined => known.get(neighbourOf(number, offset) ?? -1);
  const spoken = shareOf(matched.speakers, number);
  const together = pairs.filter(([first, second]) => standTogether(turn.found, first, second)).length;
  const parts: Partial<Record<SignalName, number>> = {
    item: TURN_WEIGHTS.item * part(turn.own, scale.own),
    window: TURN_WEIGHTS.window * part(window.score, scale.window),
    episode: TURN_WEIGHTS.episode * part(episode, scale.episode),
    coverage: (TURN_WEIGHTS.coverage * window.covered) / scale.asked,
    phrase: pairs.length === 0 ? 0 : (TURN_WEIGHTS.phrase * together) / pairs.length,
    before:
      TURN_WEIGHTS.before[0] * part(at(-1)?.own ?? 0, scale.own) +
      TURN_WEIGHTS.before[1] * part(at(-2)?.own ?? 0, scale.own),
    answer: TURN_WEIGHTS.answer * part(at(-1)?.asked ?? 0, scale.own),
    speaker: TURN_WEIGHTS.speaker * spoken,
    self: flags.isAboutSelf ? TURN_WEIGHTS.self * spoken : 0,
    party: TURN_WEIGHTS.party * shareOf(matched.parties, stretchOf(number)),
    date: TURN_WEIGHTS.date * dateFit(question, matched, flags.date),
    temporal: question.asksWhen && flags.isTemporal ? TURN_WEIGHTS.temporal : 0,
    moment: question.asksWhen && flags.tellsWhen ? TURN_WEIGHTS.moment : 0,
    number: question.asksNumber && flags.hasNumber ? TURN_WEIGHTS.number : 0,
    question: flags.isQuestion ? TURN_WEIGHTS.question : 0,
    length: TURN_WEIGHTS.length * Math.min(1, Math.log1p(length) / Math.log1p(LONG_ITEM)),
    ...boundedPrior(number, judging.prior),
  };
  return parts;
}

function dateFit({ dates }: QuestionAnalysis, { people }: Matched, day: string): number {
  const asked = dates.filter((date) => !people.has(date.name));
  return asked.length === 0
    ? 0
    : highest(
        asked.map((date) => dateAgreement(date, readDate(day))),
        0,
      );
}

function highest(values: readonly number[], least = 1e-9): number {
  return values.reduce((most, value) => Math.max(most, value), least);
}

const part = (score: number, best: number): number => Math.min(1, score / best);
