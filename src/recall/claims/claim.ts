// Sentences as claims that can be laid beside each other. Only what decides whether two of them agree is kept.
import { remembered } from '../../kernel/remembered.ts';
import { stem } from '../analyse/stem.ts';
import { kindOf, type ValueKind } from './values.ts';

export type ClaimWord = Readonly<{
  /** As it was written, without quotes. */
  text: string;
  /** By which two words are the same. */
  key: string;
  kind: ValueKind;
}>;

export type Claim = Readonly<{
  text: string;
  words: readonly ClaimWord[];
  isDenied: boolean;
  /** Words of what it stands under that it does not say itself: a title, the name of a memory. */
  about: ReadonlySet<string>;
}>;

const LONGEST = 300;
const SHORTEST = 8;
/** Enough for any note that is about one thing; a book is compared by its first pages. */
const MOST_CLAIMS = 200;

const DENIAL = /^(?:not|no|never|cannot|without|.+n['’]t|nicht|kein(?:e[nmrs]?)?|nie|pas|jamais|nunca)$/iu;
/** Words that carry no claim, and helpers that come and go with a denial. */
const CARRIED = new Set(
  'the a an this that these those do does did to be been being now currently still already just really very only our my your its longer any anymore need needs must can could should will would shall may might der die das ein eine le la les un une el los las'.split(
    ' ',
  ),
);

/** Bullets, and sentences of prose; headings claim nothing. */
export function claimsOf(text: string, title: string): Claim[] {
  const about = keysIn(title);
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .flatMap((line) => line.replace(/^\s*(?:[-*+]|\d+\.)\s+/, '').split(/(?<=[.!?;])\s+/))
    .map((sentence) => sentence.trim().slice(0, LONGEST))
    .filter((sentence) => sentence.length >= SHORTEST && !sentence.endsWith('?'))
    .slice(0, MOST_CLAIMS)
    .map((sentence) => claimOf(sentence, about))
    .filter(({ words }) => words.length >= 2);
}

function claimOf(text: string, title: ReadonlySet<string>): Claim {
  const written = wordsIn(text);
  const denials = written.filter((word) => DENIAL.test(word)).length;
  const words = written.filter((word) => !DENIAL.test(word) && !CARRIED.has(word.toLowerCase())).map(wordOf);
  const own = new Set(words.map(({ key }) => key));
  return {
    text,
    words,
    isDenied: denials % 2 === 1,
    about: new Set([...title].filter((key) => !own.has(key))),
  };
}

function keysIn(title: string): Set<string> {
  const words = wordsIn(title.replace(/-/g, ' ')).filter((word) => !CARRIED.has(word.toLowerCase()));
  return new Set(words.map((word) => wordOf(word).key));
}

/** What stands in backticks as one word; a URL, a date, a number with its sign, a word. */
function wordsIn(text: string): string[] {
  // "Test framework: vitest" says what it is.
  const said = text.replace(/(?<=^[\p{L}\p{N} _-]{3,60}):\s+/u, ' is ');
  const words =
    said.match(
      /`[^`]+`|https?:\/\/[^\s)>\]]*[^\s)>\].,;:!?]|[\p{L}\p{N}_$@#+-](?:[\p{L}\p{M}\p{N}_$@#+.:/'’%-]*[\p{L}\p{M}\p{N}_$@#+%])?/gu,
    ) ?? [];
  return words.map((word) => word.replace(/^`|`$/g, ''));
}

/** Every save asks this of every word, and most words come again. */
const MOST_WORDS = 10_000;
const wordOf = remembered(
  (text): ClaimWord => ({ text, key: stem(text.toLowerCase()), kind: kindOf(text) }),
  MOST_WORDS,
);
