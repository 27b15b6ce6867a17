import { isSessionLike } from '../episodes.ts';
import type { PartialDate } from './dates.ts';
import { readHeader } from './header.ts';
import type { WordHints } from './hints.ts';
import { MOMENTS } from './lexicon.ts';
import { normalise, type Token, tokenise } from './tokens.ts';

/** What a caller has to say about one thing worth remembering. */
export type ItemText = Readonly<{
  title: string;
  content: string;
  tags?: readonly string[];
  /** Named by the caller: items of one episode are context of each other. */
  episode?: string | undefined;
}>;

/** An item as the index sees it. Pure data: the same text gives the same analysis, on any engine. */
export type Analysis = Readonly<{
  /** In order, with repeats: title, topics, content; of what somebody said, what is told before what is asked. */
  terms: readonly string[];
  /** How many letters of the terms, joined by spaces, are the title's. */
  titleLetters: number;
  /** The same for title and topics together. */
  headLetters: number;
  /** How many of the terms, at the end, stand in sentences that ask. */
  asked: number;
  /** Names of who said it, as entity terms. */
  speakers: readonly string[];
  /** Somebody said it, if only a role. */
  isSpoken: boolean;
  /** Nobody is named, but it is of an occasion, and asks or speaks of me and you. */
  isTalk: boolean;
  date: PartialDate | undefined;
  isQuestion: boolean;
  /** Has words that may place it in time. */
  isTemporal: boolean;
  /** Says when: yesterday, last week, in 2021. */
  tellsWhen: boolean;
  hasNumber: boolean;
  /** More about who says it than about whom they talk to. */
  isAboutSelf: boolean;
}>;

/** Entity and date terms live beside the words in one index, told apart by a mark that no word can begin with. */
export const SPEAKER_MARK = '@';
export const DATE_MARK = '~';
/** Every procedure has it, so that a search can be for procedures only, or for none. */
export const PROCEDURE_MARK = ':procedure';

const QUESTION = /[?？؟]\s*$/u;

export function analyse(item: ItemText): Analysis {
  const isOfSession = item.tags?.some(isSessionLike) === true;
  // An episode may be an entity as well, and what is called "User" there is about the user.
  const header = readHeader(item.title, item.content, isOfSession);
  const content = tokenise(header.content);
  const title = header.title === '' ? [] : tokenise(header.title);
  // A tag that names an occasion decides the episode; as a word it would match every question with a number in it.
  const tags = (item.tags ?? []).filter((tag) => !isSessionLike(tag)).flatMap(tokenise);
  const said = readHints(content);
  const isQuestion = QUESTION.test(header.content);
  const isOfTalk = isOfSession || (item.episode ?? '') !== '';
  const isTalk = !header.isSpoken && isOfTalk && (isQuestion || said.persons > 0);
  // Only in talk does an answer follow a question; a note that asks something answers it itself.
  const isAsked = header.isSpoken || isTalk ? sentencesThatAsk(header.content) : undefined;
  const told = isAsked ? content.filter((token) => !isAsked(token)) : content;
  const asked = isAsked ? content.filter(isAsked).flatMap((token) => token.terms) : [];
  const isMoment = said.tellsWhen || hasMoment(header.content);
  const titleTerms = title.flatMap((token) => token.terms);
  const head = [...titleTerms, ...tags.flatMap((token) => token.terms)];
  return {
    terms: [...head, ...told.flatMap((token) => token.terms), ...asked],
    titleLetters: titleTerms.join(' ').length,
    headLetters: head.join(' ').length,
    asked: asked.length,
    speakers: header.speakers.map((name) => nameTerm(name)),
    isSpoken: header.isSpoken,
    isTalk,
    date: header.date,
    isQuestion,
    isTemporal: said.isTemporal || isMoment,
    tellsWhen: isMoment,
    hasNumber: said.hasNumber,
    isAboutSelf: said.person > 0,
  };
}

type Said = Pick<Analysis, 'isTemporal' | 'tellsWhen' | 'hasNumber'> &
  Readonly<{ person: number; persons: number }>;

function readHints(tokens: readonly Token[]): Said {
  const all = { isTemporal: false, tellsWhen: false, hasNumber: false, person: 0, persons: 0 };
  let before: WordHints['time'];
  for (const { hints } of tokens) {
    all.isTemporal ||= hints.time === 'moment' || hints.time === 'unit';
    all.tellsWhen ||=
      hints.time === 'moment' ||
      (hints.time === 'unit' && before === 'pointer') ||
      (hints.hasNumber && before === 'unit');
    all.hasNumber ||= hints.hasNumber;
    all.person += hints.person;
    all.persons += Math.abs(hints.person);
    before = hints.time;
  }
  return all;
}

const ASKS = /[?？؟]/u;
const SENTENCE_END = /[.!?؟。\n]/g;

/** Tells the words of sentences that ask from the others. Undefined where nothing is asked, which is most texts. */
function sentencesThatAsk(text: string): ((token: Token) => boolean) | undefined {
  if (!ASKS.test(text)) return undefined;
  const asking: (readonly [from: number, to: number])[] = [];
  let from = 0;
  for (const { 0: mark, index } of normalise(text).matchAll(SENTENCE_END)) {
    if (ASKS.test(mark)) asking.push([from, index]);
    from = index;
  }
  return ({ start }) => isWithin(asking, start);
}

function isWithin(ranges: readonly (readonly [from: number, to: number])[], place: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle]![1] <= place) low = middle + 1;
    else high = middle;
  }
  return low < ranges.length && ranges[low]![0] <= place;
}

const UNSPACED_MOMENTS = [...MOMENTS].filter((word) => /^\p{Script=Han}/u.test(word));
/** Where words are not set apart, they are looked for inside the sentence. */
function hasMoment(text: string): boolean {
  return /\p{Script=Han}/u.test(text) && UNSPACED_MOMENTS.some((word) => text.includes(word));
}

/** Longer than any name, and far shorter than what PostgreSQL takes for a word. */
const LONGEST_NAME = 120;

/**
 * A name is compared without case and possessive, and never stemmed. Other marks become hyphens: the full-text index of
 * SQLite would take a term with a slash or an apostrophe for two words.
 */
export function nameTerm(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .slice(0, LONGEST_NAME)
    .replace(/['’]s?$/u, '')
    .replace(/[^\p{L}\p{M}\p{N}._:-]+/gu, '-');
}

/** Everything the item is found by: words once each, who said it, and its date at three grains. */
export function indexTerms(analysis: Analysis): string[] {
  const { date } = analysis;
  const terms = new Set<string>(analysis.terms);
  for (const name of analysis.speakers) terms.add(SPEAKER_MARK + name);
  if (date?.year !== undefined) terms.add(`${DATE_MARK}${date.year}`);
  if (date?.month !== undefined) terms.add(`${DATE_MARK}m${date.month}`);
  if (date?.year !== undefined && date.month !== undefined)
    terms.add(`${DATE_MARK}${date.year}-${date.month}`);
  return [...terms];
}
