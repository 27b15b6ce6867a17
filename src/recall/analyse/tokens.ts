import { hintsOf, type WordHints } from './hints.ts';
import { readIdentifier } from './identifier.ts';
import { BASE_FORMS, STOP_WORDS } from './lexicon.ts';
import { stem } from './stem.ts';

/** What is known of a word however often it is written: the terms it is found by (a stop word has none), and its hints. */
type Word = Readonly<{ terms: readonly string[]; hints: WordHints }>;

export type Token = Word & Readonly<{ written: string; start: number }>;

/** Longer than any word: what remains of a blob or a base64 line is not worth a term of its own. */
const MAX_TERM = 48;

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:[._\-/:'’][\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*/gu;
/** The same where nothing but ASCII is written, found in half the time. */
const ASCII_WORD = /[A-Za-z0-9]+(?:[._\-/:'][A-Za-z0-9]+)*/g;
const ASCII = /^[\x00-\x7f]*$/;

export const isAscii = (text: string): boolean => ASCII.test(text);

/** Scripts written without spaces: pairs of letters stand in for words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]+/gu;
const HAS_UNSPACED =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]|[\ud840-\ud8ff]/;
const CLITIC = /(?:n['’]t|['’](?:s|re|ve|ll|d|m|t|em))$/iu;
/** Written whole, because what is left of "can't" without its ending is no word. */
const CONTRACTED: ReadonlyMap<string, string> = new Map([
  ["can't", 'can'],
  ["won't", 'will'],
  ["shan't", 'shall'],
]);

/** One pass for text and for queries: whatever is done here happens to both, so they meet. */
export function tokenise(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of isAscii(text) ? text.matchAll(ASCII_WORD) : normalise(text).matchAll(WORD)) {
    const written = match[0];
    const { terms, hints } = readWord(written);
    tokens.push({ written, terms, hints, start: match.index });
  }
  return tokens;
}

/** Ordering a long run of marks takes the square of its length, and no word has one. */
export function normalise(text: string): string {
  return isAscii(text) ? text : text.replace(/(\p{M}{30})\p{M}+/gu, '$1').normalize('NFKC');
}

/** The terms of one written word, for callers that have the word already. */
export function termsOf(written: string): readonly string[] {
  return readWord(written).terms;
}

/** Every save asks this of every word, and most words come again. */
function readWord(written: string): Word {
  const known = memo.get(written);
  if (known) return known;
  if (memo.size >= MEMO_LIMIT) memo.clear();
  const terms = HAS_UNSPACED.test(written) ? unspacedTerms(written) : spacedTerms(written);
  const word = { terms, hints: hintsOf(written) };
  if (written.length <= MAX_TERM) memo.set(written, word);
  return word;
}

const MEMO_LIMIT = 20_000;
const memo = new Map<string, Word>();

function spacedTerms(written: string): readonly string[] {
  if (/^[A-Za-z]?[a-z]*$/.test(written)) return wordTerm(written.toLowerCase());
  const word = CONTRACTED.get(written.toLowerCase().replace('’', "'")) ?? written.replace(CLITIC, '');
  const { parts, wholes } = readIdentifier(word);
  const terms = new Set(parts.flatMap((part) => wordTerm(fold(part))));
  // openChunk, open_chunk and open-chunk are one identifier, however it is written.
  for (const whole of wholes) if (whole !== '' && whole.length <= MAX_TERM) terms.add(stem(fold(whole)));
  return [...terms];
}

function wordTerm(word: string): readonly string[] {
  if (word === '' || STOP_WORDS.has(word)) return [];
  return [shortened(stem(BASE_FORMS.get(word) ?? word))];
}

/** Half of a character at the end would make PostgreSQL refuse the whole list of words. */
function shortened(term: string): string {
  return term.length <= MAX_TERM ? term : term.slice(0, MAX_TERM).replace(/[\ud800-\udbff]$/, '');
}

function unspacedTerms(written: string): readonly string[] {
  const terms: string[] = [];
  for (const [run] of written.matchAll(UNSPACED)) {
    const letters = Array.from(run);
    if (letters.length === 1) terms.push(run);
    for (let i = 0; i + 1 < letters.length; i++) terms.push(letters[i]! + letters[i + 1]!);
    if (letters.length > 1)
      for (const letter of letters) if (/\p{Script=Han}/u.test(letter)) terms.push(letter);
  }
  for (const rest of written.replace(UNSPACED, ' ').split(' '))
    if (rest !== '') terms.push(...spacedTerms(rest));
  return terms;
}

/** Lower case without marks. Marks are letters' dress in Latin and Arabic; in kana they make another sound, so they stay. */
function fold(word: string): string {
  const lower = word.toLowerCase();
  if (/^[a-z0-9]*$/.test(lower)) return lower;
  if (/[\u0600-\u06ff]/.test(lower)) {
    return lower
      .replace(/[\u064b-\u065f\u0670\u0640]/g, '')
      .replace(/[أإآ]/g, 'ا')
      .replace(/ى/g, 'ي');
  }
  if (/\p{Script=Latin}|\p{Script=Greek}|\p{Script=Cyrillic}/u.test(lower)) {
    return lower
      .normalize('NFD')
      .replace(/\p{Mn}/gu, '')
      .replace(/ß/g, 'ss')
      .replace(/ø/g, 'o')
      .replace(/æ/g, 'ae')
      .normalize('NFC');
  }
  return lower;
}

/** The words a text is found by, stemmed. */
export function wordsOf(text: string): string[] {
  return tokenise(text).flatMap((token) => [...token.terms]);
}
