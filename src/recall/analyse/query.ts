import { DATE_MARK, nameTerm } from './analyse.ts';
import type { PartialDate } from './dates.ts';
import { findDates } from './dates.ts';
import { kinOf } from './kin/kin.ts';
import { HALF_FILLER, QUESTION_FILLER } from './lexicon.ts';
import { normalise, termsOf, tokenise } from './tokens.ts';
import type { Token } from './tokens.ts';

/** A question, taken apart by the same analyser as the items. */
export type QueryAnalysis = Readonly<{
  /** Distinct, in order. */
  terms: readonly QueryTerm[];
  /** Words that may be somebody's name. The index knows whose: one that names a speaker stops being a term. */
  names: readonly Readonly<{ name: string; terms: readonly string[] }>[];
  /** `name` as written: June may be a month or a person, and the index knows which. */
  dates: readonly (PartialDate & Readonly<{ name: string }>)[];
  asksWhen: boolean;
  asksNumber: boolean;
}>;

export type QueryTerm = WeightedTerm & Readonly<{ kin: readonly WeightedTerm[] }>;

/** `weight` is below 1 for words that may be about the asking, and for those the asker did not use. */
type WeightedTerm = Readonly<{ term: string; weight: number }>;

/** A pasted page is not a question; its first words say what it is about. */
export const MAX_QUERY_TERMS = 48;
const MAX_QUERY_LENGTH = 4_000;
/** Each is looked up, so there is an end to it. */
const MAX_KIN = 64;
const KIN_WEIGHT = 0.3;
const HALF_WEIGHT = 0.6;

const ASKS_WHEN = [
  /^\P{L}*(?:(?:since|by|until|around|from) )?when\b/iu,
  // Elsewhere the word may only join: "what did she say when he told her".
  /\bwhen (?:did|does|do|is|was|were|are|will|would|has|have|had|can|could|should)\b/iu,
  /\b(?:what|which) (?:date|day|week|weekend|month|season|year|time)\b|\bhow (?:long|recently)\b/iu,
  /\bwann\b|(?<!\p{L})когда(?!\p{L})|\bquand\b|\bcu[aá]ndo\b|いつ|متى/iu,
];
const NUMBER =
  /\bhow (?:many|much|old|often|long|far|big|tall)\b|\bwie ?viele?\b|(?<!\p{L})сколько(?!\p{L})|\bcombien\b|\bcu[aá]nt[oa]s?\b|いくつ|何(?:人|個|回|歳|匹|冊)|كم/iu;

export function analyseQuery(raw: string): QueryAnalysis {
  const text = normalise(raw.slice(0, MAX_QUERY_LENGTH));
  const dates = findDates(text);
  const all = tokenise(text);
  const inDate = new Set(all.filter(({ start }) => dates.some((date) => start >= date.start && start < date.end)));
  const tokens = all.filter((token) => !inDate.has(token));
  const isCased = all.some((token, i) => i > 0 && isCapital(token) && !SAYS_LITTLE.test(token.written) && token.hints.time === undefined);
  const kept = tokens.filter((token) => !QUESTION_FILLER.has(token.written.toLowerCase()));
  return {
    terms: withKin(weigh([...(kept.some((token) => token.terms.length > 0) ? kept : tokens), ...inDate], inDate)),
    names: namesAmong(all, isCased),
    dates: dates.map(({ start, end, ...date }) => ({ ...date, name: nameTerm(text.slice(start, end)) })),
    asksWhen: ASKS_WHEN.some((pattern) => pattern.test(text)),
    asksNumber: NUMBER.test(text),
  };
}

const isCapital = ({ written }: Token): boolean => written[0] !== written[0]!.toLowerCase();
/** Has a capital wherever it stands. */
const SAYS_LITTLE = /^I(?:['’]\p{L}+)?$/u;

/**
 * In a query with capitals only capitalised words can be names; a query typed in lower case may mean anyone, and then, as at
 * its beginning, an everyday word is nobody's name.
 */
function namesAmong(tokens: readonly Token[], isCased: boolean): QueryAnalysis['names'] {
  const names = new Map<string, readonly string[]>();
  for (const token of tokens) {
    for (const [run] of token.written.matchAll(CASELESS_NAME)) names.set(run, termsOf(run));
    const isSure = isCased && token !== tokens[0] && isCapital(token);
    if (!isSure && ((isCased && !isCapital(token)) || token.terms.length === 0 || token.terms.some((term) => kinOf(term).length > 0)))
      continue;
    names.set(nameTerm(token.written), token.terms);
  }
  return [...names].slice(0, MAX_QUERY_TERMS).map(([name, terms]) => ({ name, terms }));
}

/** Where words are not set apart, a name is a run of one script inside the sentence. */
const CASELESS_NAME =
  /[\p{Script=Han}々]{1,6}|[\p{Script=Katakana}ー]{2,12}|[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{M}]{2,20}/gu;

/** A date is above all when something was said; that somebody also mentioned it counts a little. */
function weigh(tokens: readonly Token[], inDate: ReadonlySet<Token>): WeightedTerm[] {
  const weights = new Map<string, number>();
  for (const token of tokens) {
    const weight = inDate.has(token) || HALF_FILLER.has(token.written.toLowerCase()) ? HALF_WEIGHT : 1;
    for (const term of token.terms) weights.set(term, Math.max(weight, weights.get(term) ?? 0));
  }
  return [...weights].slice(0, MAX_QUERY_TERMS).map(([term, weight]) => ({ term, weight }));
}

/** Each stand-in once, beside the first word that it stands in for. */
function withKin(asked: readonly WeightedTerm[]): QueryTerm[] {
  const taken = new Set(asked.map(({ term }) => term));
  const limit = taken.size + MAX_KIN;
  return asked.map(({ term, weight }) => {
    if (weight < 1) return { term, weight, kin: [] };
    const kin = [...derived(term), ...kinOf(term).map((other) => ({ term: other, weight: KIN_WEIGHT }))].filter((other) => {
      if (taken.has(other.term) || taken.size >= limit) return false;
      taken.add(other.term);
      return true;
    });
    return { term, weight, kin };
  });
}

/** Who teaches is a teacher: the stemmer keeps short doers apart from their deeds, a question should not. */
function derived(term: string): WeightedTerm[] {
  if (!/^[a-z]{3,}$/.test(term)) return [];
  return [{ term: /^[a-z]{3,}er$/.test(term) ? term.slice(0, -2) : `${term}er`, weight: HALF_WEIGHT }];
}

/** The index term under which items of that date are found, at the finest grain the index keeps. */
export function dateTerm(date: PartialDate): string | undefined {
  if (date.year !== undefined && date.month !== undefined) return `${DATE_MARK}${date.year}-${date.month}`;
  if (date.year !== undefined) return `${DATE_MARK}${date.year}`;
  return date.month === undefined ? undefined : `${DATE_MARK}m${date.month}`;
}
