import { REDACTED, redact } from '../../kernel/redact.ts';
import { DATE_MARK, nameTerm } from './analyse.ts';
import { findDates, type PartialDate } from './dates.ts';
import { HALF_FILLER, QUESTION_FILLER } from './lexicon.ts';
import { isAscii, normalise, termsOf, type Token, tokenise } from './tokens.ts';

/** A question, taken apart by the same analyser as the items. */
export type QuestionAnalysis = Readonly<{
  /** Distinct, in order. */
  terms: readonly QuestionTerm[];
  /** Pairs of terms that stand side by side in it, as places in `terms`. */
  pairs: readonly (readonly [number, number])[];
  /** Words that may be somebody's name. The index knows whose. */
  names: readonly Readonly<{ name: string; terms: readonly string[] }>[];
  /** `name` as written: June may be a month or a person, and the index knows which. */
  dates: readonly (PartialDate & Readonly<{ name: string }>)[];
  asksWhen: boolean;
  asksNumber: boolean;
}>;

type QuestionTerm = Readonly<{
  term: string;
  /** The word it comes from, as the asker wrote it. */
  written: string;
  /** What it counts in talk, where some words are about the asking: 0 to 1. In a note every word is about the matter. */
  inTalk: number;
}>;

/** A pasted log or page is not a question: its beginning and its end say what it is about. */
const MAX_TERMS = 48;
const FROM_END = 16;
const MAX_LENGTH = 4_000;
const HALF = 0.6;

const AUXILIARY = 'did|does|do|is|was|were|are|will|would|has|have|had|can|could|should|exactly';
const ASKS_WHEN = [
  // "When backing up, is it safe …" only sets the scene, and "what did she say when he told her" only joins.
  new RegExp(`\\bwhen (?:${AUXILIARY})\\b`, 'iu'),
  /^\P{L}*when\P{L}*$/iu,
  /\b(?:since|by|until) when\b/iu,
  /\b(?:what|which) (?:date|day|week|weekend|month|season|year|time)\b|\bhow (?:long ago|recently)\b/iu,
  /\bwann\b|(?<!\p{L})когда(?!\p{L})|\bquand\b|\bcu[aá]ndo\b|いつ|متى/iu,
];
const NUMBER =
  /\bhow (?:many|much|old|often|long|far|big|tall)\b|\bwie ?viele?\b|(?<!\p{L})сколько(?!\p{L})|\bcombien\b|\bcu[aá]nt[oa]s?\b|いくつ|何(?:人|個|回|歳|匹|冊)|كم/iu;

/**
 * Secrets are left out before it is taken apart: nothing that is kept holds one, a part of one looks like none, and words
 * of the question are told back and learnt.
 */
export function analyseQuestion(raw: string): QuestionAnalysis {
  const text = normalise(shorten(redact(raw).replaceAll(REDACTED, ' ')));
  const dates = findDates(text);
  const tokens = tokenise(text);
  const inDate = new Set(
    tokens.filter(({ start }) => dates.some((date) => start >= date.start && start < date.end)),
  );
  const isCased = tokens.some(
    (token, i) =>
      i > 0 && isCapital(token) && !SAYS_LITTLE.test(token.written) && token.hints.time === undefined,
  );
  const terms = weigh(tokens, inDate);
  return {
    terms,
    pairs: pairsAmong(tokens, terms),
    names: namesAmong(tokens, isCased),
    dates: dates.map(({ start, end, ...date }) => ({ ...date, name: nameTerm(text.slice(start, end)) })),
    asksWhen: ASKS_WHEN.some((pattern) => pattern.test(text)),
    asksNumber: NUMBER.test(text),
  };
}

function shorten(raw: string): string {
  return raw.length <= MAX_LENGTH ? raw : `${raw.slice(0, MAX_LENGTH / 2)}\n${raw.slice(-MAX_LENGTH / 2)}`;
}

const isCapital = ({ written }: Token): boolean => written[0] !== written[0]!.toLowerCase();
/** Has a capital wherever it stands. */
const SAYS_LITTLE = /^I(?:['’]\p{L}+)?$/u;

/**
 * In a question with capitals only capitalised words can be names; one typed in lower case may mean anyone. That a word
 * is in fact somebody's name, the index decides.
 */
function namesAmong(tokens: readonly Token[], isCased: boolean): QuestionAnalysis['names'] {
  const names = new Map<string, readonly string[]>();
  for (const token of tokens) {
    if (!isAscii(token.written))
      for (const [run] of token.written.matchAll(CASELESS_NAME)) names.set(run, termsOf(run));
    // With a capital inside a sentence even an everyday word is a name: Will, May.
    const isSure = isCased && token !== tokens[0] && isCapital(token);
    if (isSure || (token.terms.length > 0 && (!isCased || isCapital(token))))
      names.set(nameTerm(token.written), token.terms);
  }
  return [...names].slice(0, MAX_TERMS).map(([name, terms]) => ({ name, terms }));
}

/** Where words are not set apart, a name is a run of one script inside the sentence. */
const CASELESS_NAME =
  /[\p{Script=Han}々]{1,6}|[\p{Script=Katakana}ー]{2,12}|[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{M}]{2,20}/gu;

function weigh(tokens: readonly Token[], inDate: ReadonlySet<Token>): QuestionTerm[] {
  const terms = new Map<string, QuestionTerm>();
  for (const token of tokens) {
    const inTalk = talkWeight(token, inDate);
    for (const term of token.terms) {
      const known = terms.get(term);
      if (!known || known.inTalk < inTalk) terms.set(term, { term, written: token.written, inTalk });
    }
  }
  const all = [...terms.values()];
  return all.length <= MAX_TERMS ? all : [...all.slice(0, MAX_TERMS - FROM_END), ...all.slice(-FROM_END)];
}

/** A date is above all when something was said; that somebody also mentioned it counts a little. */
function talkWeight(token: Token, inDate: ReadonlySet<Token>): number {
  const word = token.written.toLowerCase();
  if (inDate.has(token)) return HALF;
  if (QUESTION_FILLER.has(word)) return 0;
  return HALF_FILLER.has(word) ? HALF : 1;
}

/** Stop words between two words do not set them apart: none is kept in the index. */
function pairsAmong(tokens: readonly Token[], terms: readonly QuestionTerm[]): QuestionAnalysis['pairs'] {
  const place = new Map(terms.map(({ term }, i) => [term, i]));
  const order = tokens.flatMap((token) =>
    token.terms.map((term) => place.get(term)).filter((at) => at !== undefined),
  );
  const pairs = new Map<string, readonly [number, number]>();
  for (let i = 1; i < order.length; i += 1) {
    const [first, second] = [order[i - 1]!, order[i]!];
    if (first !== second) pairs.set(`${first} ${second}`, [first, second]);
  }
  return [...pairs.values()];
}

/** The index term under which items of that date are found, at the finest grain the index keeps. */
export function dateTerm(date: PartialDate): string | undefined {
  if (date.year !== undefined && date.month !== undefined) return `${DATE_MARK}${date.year}-${date.month}`;
  if (date.year !== undefined) return `${DATE_MARK}${date.year}`;
  return date.month === undefined ? undefined : `${DATE_MARK}m${date.month}`;
}
