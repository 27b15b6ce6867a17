import type { Ranked } from './ranked.ts';
import { NOTE_WEIGHTS } from './weights.ts';
import { wordHashes } from './word-hashes.ts';

/** The hits that show what a question is about, if several of them are about one thing. */
const BEST = 10;

/** Notes of the topic that most of the best hits share are more likely to be the answer. Titles and tags name topics. */
export function preferTopic(notes: readonly Ranked[]): Ranked[] {
  const best = notes.toSorted((a, b) => b.score - a.score).slice(0, BEST);
  const sum = best.reduce((total, { score }) => total + score, 0);
  if (best.length < 2 || sum <= 0) return [...notes];
  const shares = new Map<number, number>();
  for (const note of best)
    for (const word of new Set(headOf(note))) shares.set(word, (shares.get(word) ?? 0) + note.score / sum);
  return notes.map((note) => {
    const own = best.includes(note) ? note.score / sum : 0;
    let most = 0;
    for (const word of headOf(note)) most = Math.max(most, (shares.get(word) ?? 0) - own);
    if (most <= 0) return note;
    const topic = NOTE_WEIGHTS.topic * most;
    return { ...note, score: note.score + topic, parts: { ...note.parts, topic } };
  });
}

/** Words of title and tags; one may stand there twice. */
function headOf({ item }: Ranked): readonly number[] {
  const { headLetters } = item.flags;
  return headLetters === 0 ? [] : wordHashes(item.terms, headLetters);
}
