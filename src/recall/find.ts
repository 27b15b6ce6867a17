// From a question to ranked items: matched, shortlisted, read once, judged by kind.
import { analyseQuestion, type QuestionAnalysis } from './analyse/question.ts';
import { type Learnt, preferLearnt, weighLearnt } from './learnt/preference.ts';
import { type Matched, matchQuestion } from './matched-terms.ts';
import type { IndexedItem, IndexSize, Postings } from './postings.ts';
import { preferCompany } from './score/company.ts';
import { preferMeaning } from './score/meaning.ts';
import { mergeProfiles } from './score/merge.ts';
import { type Judging, rankNotes } from './score/notes.ts';
import type { SignalName } from './score/weights.ts';
import type { Ranked } from './score/ranked.ts';
import { preferSense } from './score/sense.ts';
import { preferTopic } from './score/topics.ts';
import { rankTurns } from './score/turns.ts';
import { wordVectors } from './sense/word-vectors.ts';
import { shortlist } from './shortlist.ts';
import { tellApart } from './tell-apart.ts';

export type FindOptions = Readonly<{
  /** Similarity by meaning, 0…1: those items are considered beside the ones that words find. */
  similarity?: ReadonlyMap<number, number> | undefined;
  prior?: ((number: number) => number) | undefined;
  /** Leaves one signal out, to measure what it is worth. */
  without?: SignalName | undefined;
}>;

export type Findings = Readonly<{
  question: QuestionAnalysis;
  matched: Matched;
  ranked: readonly Ranked[];
  /** What use says, by item. */
  learnt: ReadonlyMap<number, Learnt>;
}>;

/** Everything that matches the question at all, best first; empty only when no word, name or date of it is known. */
export async function findItems(
  text: string,
  postings: Postings,
  options: FindOptions = {},
): Promise<Findings> {
  const question = analyseQuestion(text);
  const isLearnt = options.without !== 'learnt' && question.terms.length > 0;
  // Asked for at once: on PostgreSQL it travels with the lists.
  const [matched, words] = await Promise.all([
    // What only meaning finds is looked through for all words, so all are listed.
    matchQuestion(question, options.similarity ? { ...postings, listsOfQuestion: undefined } : postings),
    isLearnt ? postings.learnt?.(question.terms.map(({ term }) => term)) : undefined,
  ]);
  const learnt = words && words.size > 0 ? weighLearnt(question, matched, words) : NOTHING_LEARNT;
  const { size } = matched;
  const chosen = shortlist(matched);
  const meant = options.similarity?.keys() ?? [];
  const numbers = [...new Set([...chosen.best, ...meant, ...learnt.keys()])];
  if (numbers.length === 0) return { question, matched, ranked: [], learnt };
  const items = await postings.load(numbers);
  const { notes, turns, around } = await tellApart(items, postings, { matched, own: chosen.own });
  const judging = { question, matched, size, mean: meanLength(notes, turns, size), ...options };
  const byWords = new Set(chosen.best);
  const ranked = mergeProfiles(
    judgeNotes(notes, judging, { byWords, learnt }),
    judgeTurns(turns, around, judging),
  );
  return { question, matched, ranked, learnt };
}

const NOTHING_LEARNT: ReadonlyMap<number, Learnt> = new Map();

function judgeNotes(
  notes: readonly IndexedItem[],
  judging: Judging,
  { byWords, learnt }: Readonly<{ byWords: ReadonlySet<number>; learnt: ReadonlyMap<number, Learnt> }>,
): readonly Ranked[] {
  const { similarity } = judging;
  if (!similarity) return judgeWords(notes, judging, learnt);
  // What only meaning recommends must not change how words rank what they find.
  const isFound = ({ number }: IndexedItem): boolean => byWords.has(number) || learnt.has(number);
  const found = {
    byWords: judgeWords(notes.filter(isFound), judging, learnt),
    byMeaning: rankNotes(notes, judging).filter(({ item }) => !isFound(item)),
  };
  if (judging.without === 'vector') return [...found.byWords, ...found.byMeaning];
  return preferMeaning(found, similarity);
}

function judgeWords(
  notes: readonly IndexedItem[],
  judging: Judging,
  learnt: ReadonlyMap<number, Learnt>,
): readonly Ranked[] {
  const own = preferLearnt(rankNotes(notes, judging), learnt);
  const ofTopic = judging.without === 'topic' ? own : preferTopic(own);
  return judging.without === 'company' ? ofTopic : preferCompany(ofTopic);
}

function judgeTurns(
  turns: readonly IndexedItem[],
  around: readonly IndexedItem[],
  judging: Judging,
): readonly Ranked[] {
  if (turns.length === 0) return [];
  const own = rankTurns(turns, around, judging);
  return judging.without === 'sense' ? own : preferSense(own, around, { ...judging, vectors: wordVectors() });
}

/** Turns are short; where there are some, notes are measured by notes. */
function meanLength(notes: readonly IndexedItem[], turns: readonly IndexedItem[], size: IndexSize): number {
  if (turns.length === 0 || notes.length === 0) return size.terms / Math.max(1, size.items);
  return notes.reduce((sum, { length }) => sum + length, 0) / notes.length;
}
