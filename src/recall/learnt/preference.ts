// What an item gains by words that it lacks and that others asked with before they took it.
import type { QuestionAnalysis } from '../analyse/question.ts';
import { idf, type Matched } from '../matched-terms.ts';
import { bestOf, lowerBound } from '../numbers.ts';
import type { LearntWords } from '../postings.ts';
import type { Ranked } from '../score/ranked.ts';

/**
 * The most that learnt words can do, at which they never arrive: with one user it is half of this, no more than any
 * prior may have, and every further one adds less.
 */
const WEIGHT = 0.4;
/** Items that only learnt words bring in. */
const CONSIDERED = 20;

/** What use says for an item, and how many users say it. */
export type Learnt = Readonly<{ points: number; users: number }>;

/**
 * The share of the question, by weight, that an item lacks and has learnt. A word that it has itself counts for nothing
 * here: what is taken often would otherwise stand before what was never needed yet.
 */
export function weighLearnt(
  { terms }: QuestionAnalysis,
  matched: Matched,
  learnt: LearntWords,
): ReadonlyMap<number, Learnt> {
  const found = new Map(matched.terms.filter(({ isRoot }) => !isRoot).map((one) => [one.term, one]));
  const unknown = idf(0, matched.size.items);
  const weighed = new Map<number, Learnt>();
  for (const [number, words] of learnt) {
    let [sum, most] = [0, 0];
    for (const { term } of terms) {
      const users = words.get(term) ?? 0;
      const known = found.get(term);
      if (users === 0 || (known && known.list[lowerBound(known.list, number)] === number)) continue;
      sum += ((known?.idf ?? unknown) * users) / (users + 1);
      most = Math.max(most, users);
    }
    if (sum > 0 && matched.weight > 0)
      weighed.set(number, { points: (WEIGHT * sum) / matched.weight, users: most });
  }
  if (weighed.size <= CONSIDERED) return weighed;
  const best = bestOf([...weighed.keys()], CONSIDERED, (number) => weighed.get(number)!.points);
  return new Map(best.map((number) => [number, weighed.get(number)!]));
}

export function preferLearnt(
  notes: readonly Ranked[],
  learnt: ReadonlyMap<number, Learnt>,
): readonly Ranked[] {
  if (learnt.size === 0) return notes;
  return notes.map((note) => {
    const { points = 0 } = learnt.get(note.item.number) ?? {};
    if (points === 0) return note;
    return { ...note, score: note.score + points, parts: { ...note.parts, learnt: points } };
  });
}
