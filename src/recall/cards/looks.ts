// Who asks wants to know: what changes something is hardly what was meant. "How many tasks are open" and "open a task" have
// nearly the same words.
import { termsOf } from '../analyse/tokens.ts';

/** How a question begins; "how do I …" and "can you …" ask for the deed. */
const ASKS =
  /^\s*(?:what|which|who|whose|where|when|why|is|are|am|was|were|does|did|has|how(?!\s+(?:do|to|can|could|should|would)\b))\b/i;

/** The verbs by which calls are named that only look, and that change something. */
const LOOKS = stems('get list search find read describe show query fetch retrieve check view');
const CHANGES = stems('create add insert update set edit write change delete remove move upload send');

const OF_LOOKING = 1.1;
const OF_CHANGING = 0.8;

export function isQuestion(text: string): boolean {
  return ASKS.test(text);
}

/** What a card is worth to a question. `isReading`: it says itself that it changes nothing; else the verb of its name tells. */
export function worthToQuestion(name: Iterable<string>, isReading: boolean): number {
  if (isReading) return OF_LOOKING;
  for (const word of name) {
    if (LOOKS.has(word)) return OF_LOOKING;
    if (CHANGES.has(word)) return OF_CHANGING;
  }
  return 1;
}

function stems(words: string): ReadonlySet<string> {
  return new Set(words.split(' ').flatMap((word) => termsOf(word)));
}
