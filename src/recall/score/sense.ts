import type { Matched } from '../matched-terms.ts';
import { neighbourOf } from '../place.ts';
import type { QuestionAnalysis } from '../analyse/question.ts';
import type { IndexedItem } from '../postings.ts';
import { type Direction, likeness, type WordVectors } from '../sense/word-vectors.ts';
import type { Ranked } from './ranked.ts';
import { TURN_WEIGHTS } from './weights.ts';

/** Turns that are compared: the rest is too far behind. */
const COMPARED = 40;
/** What is said is about the same as what was said just before it, and next to it. */
const AROUND = [
  [-2, 0.5],
  [-1, 1],
  [0, 1],
  [1, 0.5],
] as const;

type Asked = Readonly<{ question: QuestionAnalysis; matched: Matched; vectors: WordVectors }>;

/** People remember the matter, not its words: a turn that is about what was asked, with those around it, is preferred. */
export function preferSense(
  turns: readonly Ranked[],
  around: readonly IndexedItem[],
  asked: Asked,
): Ranked[] {
  const sorted = turns.toSorted((a, b) => b.score - a.score || b.item.number - a.item.number);
  const meant = directionAsked(asked);
  const texts = new Map(around.map(({ number, terms }) => [number, terms]));
  const known = new Map<number, Direction>();
  const directionAt = (number: number | undefined): Direction | undefined => {
    const text = number === undefined ? undefined : texts.get(number);
    if (number === undefined || text === undefined) return undefined;
    let direction = known.get(number);
    if (!direction) known.set(number, (direction = asked.vectors.directionOf(text)));
    return direction;
  };
  return sorted.map((turn, i) => {
    if (i >= COMPARED) return turn;
    const sum = new Float64Array(meant.length);
    for (const [offset, share] of AROUND) {
      const near = directionAt(neighbourOf(turn.item.number, offset));
      if (near) for (let k = 0; k < sum.length; k += 1) sum[k]! += share * near[k]!;
    }
    const sense = TURN_WEIGHTS.sense * likeness(meant, sum);
    return sense === 0 ? turn : { ...turn, score: turn.score + sense, parts: { ...turn.parts, sense } };
  });
}

/** Whom the question names, and the words of asking, say nothing about its matter. */
function directionAsked({ question, matched, vectors }: Asked): Direction {
  const people = new Set(matched.terms.filter(({ isPerson }) => isPerson).map(({ group }) => group));
  const words = question.terms.filter(({ inTalk }, group) => inTalk > 0 && !people.has(group));
  return vectors.directionOf(words.map(({ term }) => term).join(' '));
}
