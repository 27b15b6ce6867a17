import { DATE_MARK, nameTerm } from './analyse.ts';
import type { PartialDate } from './dates.ts';
import { findDates } from './dates.ts';
import { KINDS, NEIGHBOURS } from './kin.ts';
import { HALF_FILLER, QUESTION_FILLER } from './lexicon.ts';
import { termsOf, tokenise } from './tokens.ts';
import type { Token } from './tokens.ts';

/** A question, taken apart by the same analyser as the items. */
export type QueryAnalysis = Readonly<{
  /** Distinct, in order. `weight` is below 1 for words the asker did not use themselves. */
  terms: readonly QueryTerm[];
  /** Words that may be somebody's name. The index knows whose: one that names a speaker stops being a term. */
  names: readonly Readonly<{ name: string; terms: readonly string[] }>[];
  /** `name` as written: June may be a month or a person, and the index knows which. */
  dates: readonly (PartialDate & Readonly<{ name: string }>)[];
  asksWhen: boolean;
  asksNumber: boolean;
  /** Who, where, what is it called: the answer has a name in it. */
  asksName: boolean;
}>;

/** `kinOf`: the asker's own word that this one stands in for. */
export type QueryTerm = Readonly<{ term: string; weight: number; kinOf?: string }>;

/** A pasted page is not a question; its first words say what it is about. */
export const MAX_QUERY_TERMS = 48;
const KIN_WEIGHT = 0.4;
const HALF_WEIGHT = 0.6;

const WHEN =
  /\b(?:when|what (?:date|day|month|year|time)|which (?:date|day|month|year)|how long(?: ago)?|how recently)\b|\bwann\b|(?<!\p{L})когда(?!\p{L})|\bquand\b|\bcu[aá]ndo\b|いつ|متى/iu;
const NUMBER =
  /\bhow (?:many|much|old|often|long|far|big|tall)\b|\bwie ?viele?\b|(?<!\p{L})сколько(?!\p{L})|\bcombien\b|\bcu[aá]nt[oa]s?\b|いくつ|何(?:人|個|回|歳|匹|冊)|كم/iu;
const NAME =
  /\b(?:who|whom|whose|where|which|names?|named|called)\b|\b(?:wer|wen|wem|wo|qui|où|quién|dónde)(?!\p{L})|(?<!\p{L})(?:кто|кого|где)(?!\p{L})|誰|どこ|أين/iu;

export function analyseQuery(raw: string): QueryAnalysis {
  const text = raw.normalize('NFKC');
  const dates = findDates(text);
  const all = tokenise(text);
  const inDate = new Set(all.filter(({ start }) => dates.some((date) => start >= date.start && start < date.end)));
  const tokens = all.filter((token) => !inDate.has(token));
  const isCased = /\p{Lu}/u.test(text.slice(1));
  const kept = tokens.filter((token) => !QUESTION_FILLER.has(token.written.toLowerCase()));
  const asked = weigh([...(kept.some((token) => token.terms.length > 0) ? kept : tokens), ...inDate], inDate);
  return {
    terms: [...asked, ...derived(asked), ...kin(asked)].slice(0, 2 * MAX_QUERY_TERMS),
    names: namesAmong(all, isCased),
    dates: dates.map(({ start, end, ...date }) => ({ ...date, name: nameTerm(text.slice(start, end)) })),
    asksWhen: WHEN.test(text),
    asksNumber: NUMBER.test(text),
    asksName: NAME.test(text),
  };
}

/** In a query with capitals only capitalised words can be names; a query typed in lower case may mean anyone. */
function namesAmong(tokens: readonly Token[], isCased: boolean): QueryAnalysis['names'] {
  const names = new Map<string, readonly string[]>();
  for (const token of tokens) {
    const isCapital = token.written[0] !== token.written[0]!.toLowerCase();
    for (const [run] of token.written.matchAll(CASELESS_NAME)) names.set(run, termsOf(run));
    if (token.terms.length === 0 || (isCased && !isCapital)) continue;
    names.set(nameTerm(token.written), token.terms);
  }
  return [...names].slice(0, MAX_QUERY_TERMS).map(([name, terms]) => ({ name, terms }));
}

/** Where words are not set apart, a name is a run of one script inside the sentence. */
const CASELESS_NAME =
  /[\p{Script=Han}々]{1,6}|[\p{Script=Katakana}ー]{2,12}|[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{M}]{2,20}/gu;

/** A date is above all when something was said; that somebody also mentioned it counts a little. */
function weigh(tokens: readonly Token[], inDate: ReadonlySet<Token>): QueryTerm[] {
  const weights = new Map<string, number>();
  for (const token of tokens) {
    const weight = inDate.has(token) || HALF_FILLER.has(token.written.toLowerCase()) ? HALF_WEIGHT : 1;
    for (const term of token.terms) weights.set(term, Math.max(weight, weights.get(term) ?? 0));
  }
  return [...weights].slice(0, MAX_QUERY_TERMS).map(([term, weight]) => ({ term, weight }));
}

/** Who teaches is a teacher: the stemmer keeps short doers apart from their deeds, a question should not. */
function derived(asked: readonly QueryTerm[]): QueryTerm[] {
  const said = new Set(asked.map(({ term }) => term));
  return asked.flatMap(({ term, weight }) => {
    if (weight < 1 || !/^[a-z]{3,}$/.test(term)) return [];
    const other = /^[a-z]{3,}er$/.test(term) ? term.slice(0, -2) : `${term}er`;
    return said.has(other) ? [] : [{ term: other, weight: HALF_WEIGHT }];
  });
}

const termsIn = (text: string): string[] => tokenise(text).flatMap((token) => token.terms);

const KIN = buildKin();

function buildKin(): ReadonlyMap<string, ReadonlySet<string>> {
  const table = new Map<string, Set<string>>();
  const add = (term: string, others: readonly string[]): void => void table.set(term, new Set([...(table.get(term) ?? []), ...others]));
  for (const line of NEIGHBOURS) {
    const terms = termsIn(line);
    for (const term of terms) add(term, terms);
  }
  for (const [kind, members] of Object.entries(KINDS)) for (const term of termsIn(kind)) add(term, termsIn(members));
  return table;
}

/** Each word once, as kin of the first that it stands in for. */
function kin(asked: readonly QueryTerm[]): QueryTerm[] {
  const taken = new Set(asked.map(({ term }) => term));
  return asked.flatMap(({ term, weight }) => {
    if (weight < 1) return [];
    const others = [...(KIN.get(term) ?? [])].filter((other) => !taken.has(other));
    for (const other of others) taken.add(other);
    return others.map((other) => ({ term: other, weight: KIN_WEIGHT, kinOf: term }));
  });
}

/** The index term under which items of that date are found, at the finest grain the index keeps. */
export function dateTerm(date: PartialDate): string | undefined {
  if (date.year !== undefined && date.month !== undefined) return `${DATE_MARK}${date.year}-${date.month}`;
  if (date.year !== undefined) return `${DATE_MARK}${date.year}`;
  return date.month === undefined ? undefined : `${DATE_MARK}m${date.month}`;
}
