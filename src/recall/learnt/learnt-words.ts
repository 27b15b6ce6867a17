// Other words for the same thing, learnt from use: the words of a question after which somebody took an item, as far as
// the item lacks them. They are few, they go with the item, and nobody is ever shown them.
import { sha256 } from '../../kernel/digest.ts';
import type { Tx } from '../../store/database.ts';
import { analyseQuestion } from '../analyse/question.ts';
import { ensureScope, itemByNumber } from '../rows.ts';
import { type Sight, wordPrefix } from '../scopes.ts';
import { askedIn } from './askers.ts';
import * as rows from './rows.ts';

/** Somebody took an item after asking these questions. */
export type ItemUse = Readonly<{
  number: number;
  questions: readonly string[];
  /** What the asker saw: whoever sees less does not profit, for a question may be made of anything its asker could read. */
  sight: Omit<Sight, 'space'>;
  /** Who it was. Only a digest is kept, to count each once. */
  by: string;
}>;

/** A pasted log is not a way of putting it. */
const LONGEST = 16;
/** Most words that one user may lend an item, and that an item keeps. */
const PER_USER = 16;
const PER_ITEM = 64;
/** Figures and identifiers are no other words for anything, and may be somebody's number. */
const PLAIN_WORD = /^[\p{L}\p{M}]+$/u;

export async function learn(tx: Tx, space: string, { number, questions, sight, by }: ItemUse): Promise<void> {
  const item = await itemByNumber(tx, number);
  if (!item || item.isPast) return;
  const lacking = wordsToLearn(questions, item.terms);
  if (lacking.length === 0) return;
  const scope = await ensureScope(tx, askedIn({ space, ...sight }));
  const prefix = wordPrefix(space, false);
  const user = sha256(by, 'base64url').slice(0, 22);
  await relearn(
    tx,
    number,
    lacking.map((word) => ({ word: prefix + word, scopeNo: scope, by: user, at: tx.now })),
  );
  await rows.trim(tx, number, { user, most: PER_USER });
}

/** What an item had learnt before it was replaced, for the item that took its place. */
export async function relearn(tx: Tx, number: number, words: readonly rows.LearntRow[]): Promise<void> {
  if (words.length === 0) return;
  const once = new Map(words.map((one) => [JSON.stringify([one.word, one.scopeNo, one.by]), one]));
  await rows.addLearnt(tx, number, [...once.values()]);
  await rows.trim(tx, number, { most: PER_ITEM });
}

/** The plain words of the questions that an item with these terms lacks. */
export function wordsToLearn(questions: readonly string[], terms: string): string[] {
  const own = new Set(terms.split(' '));
  const asked = questions.map((text) => analyseQuestion(text).terms).filter((all) => all.length <= LONGEST);
  const words = new Set(asked.flat().map(({ term }) => term));
  return [...words].filter((word) => PLAIN_WORD.test(word) && !own.has(word)).slice(0, PER_USER);
}
