import { isSessionLike } from '../episodes.ts';
import type { PartialDate } from './dates.ts';
import { readHeader } from './header.ts';
import type { Hints } from './hints.ts';
import { TEMPORAL_WORDS } from './lexicon.ts';
import { namesSomething } from './voice.ts';
import { tokenise } from './tokens.ts';
import type { Token } from './tokens.ts';

/** What a caller has to say about one thing worth remembering. */
export type ItemText = Readonly<{ title: string; content: string; tags?: readonly string[] }>;

/** An item as the index sees it. Pure data: the same text gives the same analysis, on any engine. */
export type Analysis = Readonly<{
  /** In order, with repeats. */
  terms: readonly string[];
  /** Names of who said it, as entity terms. */
  speakers: readonly string[];
  date: PartialDate | undefined;
  isQuestion: boolean;
  /** Has words that place it in time. */
  isTemporal: boolean;
  hasNumber: boolean;
  /** Names somebody or something, other than in a greeting. */
  hasName: boolean;
  /** More about who says it than about whom they talk to. */
  isAboutSelf: boolean;
}>;

/** Entity and date terms live beside the words in one index, told apart by a mark that no word can begin with. */
export const SPEAKER_MARK = '@';
export const DATE_MARK = '~';

const QUESTION = /[?？؟]\s*$/u;

export function analyse(item: ItemText): Analysis {
  const header = readHeader(item.title, item.content);
  const content = tokenise(header.content);
  const title = header.title === '' ? [] : tokenise(header.title);
  // A tag that names an occasion decides the episode; as a word it would match every question with a number in it.
  const tags = (item.tags ?? []).filter((tag) => !isSessionLike(tag)).flatMap(tokenise);
  const said = countHints(content);
  return {
    terms: [...title, ...content, ...tags].flatMap((token) => token.terms),
    speakers: header.speakers.map((name) => nameTerm(name)),
    date: header.date,
    isQuestion: QUESTION.test(header.content),
    isTemporal: said.isTemporal || saysWhen(header.content),
    hasNumber: said.hasNumber,
    hasName: namesSomething(header.content),
    isAboutSelf: said.person > 0,
  };
}

function countHints(tokens: readonly Token[]): Hints {
  const all = { isTemporal: false, hasNumber: false, person: 0 };
  for (const { hints } of tokens) {
    all.isTemporal ||= hints.isTemporal;
    all.hasNumber ||= hints.hasNumber;
    all.person += hints.person;
  }
  return all;
}

const TEMPORAL_UNSPACED = [...TEMPORAL_WORDS].filter((word) => /^\p{Script=Han}/u.test(word));
/** Where words are not set apart, they are looked for inside the sentence. */
function saysWhen(text: string): boolean {
  return /\p{Script=Han}/u.test(text) && TEMPORAL_UNSPACED.some((word) => text.includes(word));
}

/**
 * A name is compared without case and possessive, and never stemmed. Other marks become hyphens: the full-text index of
 * SQLite would take a term with a slash or an apostrophe for two words.
 */
export function nameTerm(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
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
  if (date?.year !== undefined && date.month !== undefined) terms.add(`${DATE_MARK}${date.year}-${date.month}`);
  return [...terms];
}
