import { readIdentifier } from './identifier.ts';

/** As a full-text index of the engines takes text apart: letters and digits between anything else. */
const RUN = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;
const MAY_HAVE = /[\p{L}\p{N}]\p{Lu}/u;
/** The same where nothing but ASCII is written, found in less than half the time. */
const ASCII_RUN = /[A-Za-z0-9]+/g;
const ASCII_MAY_HAVE = /[A-Za-z0-9][A-Z]/;
const ASCII = /^[\x00-\x7f]*$/;

/** Longer than any name; what is longer is data. */
const LONGEST = 64;
/** Digests and keys as base64 writes them: figures all over. */
const RANDOM = /^(?=.{12})\P{N}*\p{N}+\P{N}+\p{N}+\P{N}+\p{N}/u;
/** Of one text: a file of data written as text has more of them than anybody looks for. */
const MOST_LETTERS = 16_384;

/**
 * The words that stand in a text only inside other words: `user` in `getUserById`. Whoever indexes a text by its own words finds
 * a name by its parts with them. What is no name of code by `readIdentifier` has none.
 */
export function innerWords(text: string): string {
  const isAscii = ASCII.test(text);
  if (!(isAscii ? ASCII_MAY_HAVE : MAY_HAVE).test(text)) return '';
  const own = new Set<string>();
  const inner = new Set<string>();
  for (const [run] of text.matchAll(isAscii ? ASCII_RUN : RUN)) {
    const parts = partsInside(run);
    if (parts.length === 0) own.add(run.toLowerCase());
    else for (const part of parts) inner.add(part);
  }
  let letters = 0;
  return [...inner]
    .filter((part) => !own.has(part))
    .filter((part) => (letters += part.length + 1) <= MOST_LETTERS)
    .join(' ');
}

/** In lower case. A letter alone tells nothing. */
function partsInside(run: string): readonly string[] {
  if (run.length < 3 || run.length > LONGEST || !MAY_HAVE.test(run) || RANDOM.test(run)) return [];
  const known = memo.get(run);
  if (known) return known;
  if (memo.size >= MEMO_LIMIT) memo.clear();
  const { parts } = readIdentifier(run);
  const inside =
    parts.length < 2 ? [] : parts.map((part) => part.toLowerCase()).filter((part) => part.length > 1);
  memo.set(run, inside);
  return inside;
}

/** Names come again, in a session most of all. */
const MEMO_LIMIT = 20_000;
const memo = new Map<string, readonly string[]>();
