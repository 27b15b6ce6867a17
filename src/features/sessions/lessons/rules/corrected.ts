// A person corrects an agent, and says more than what to do this once: why, or what holds for all of it.
import { type LessonRule, titleOf } from '../lesson.ts';
import { isQuestion, sentencesOf, wordsIn } from '../sentences.ts';

const REFUSAL =
  /^(?:no\b|nope\b|wrong\b|don['’]?t\b|do not\b|stop\b|actually\b|that(?:['’]s| is) (?:not|wrong|the wrong)|this is (?:not|wrong|the wrong)|not like that|please don['’]?t\b|you (?:should not|shouldn['’]?t|must not))/i;

/** What holds beyond this one time, or the reason for it. */
const BEYOND =
  /\b(?:here|everywhere|always|never|ever|every|each|all|everything|because|since|otherwise|convention|we|our|must|still|makes?|lives?|belongs?)\b/i;
/** To a thing that was asked, or to the work at hand. */
const ONLY_NOW =
  /^(?:no|nope)[,.]? (?:wait|worries|problem|need|thanks|thank you|go ahead|I (?:wanted|meant))\b/i;
const FEWEST_WORDS = 7;

export const corrected: LessonRule = (turns, at) => {
  const { kind, text, turn } = turns[at]!;
  const before = turns[at - 1];
  if (kind !== 'person' || before === undefined || before.kind === 'person') return undefined;
  const sentences = sentencesOf(text);
  const [first] = sentences;
  if (first === undefined || isQuestion(first) || !REFUSAL.test(first) || ONLY_NOW.test(first))
    return undefined;
  const whole = sentences.filter((sentence) => !isQuestion(sentence)).join(' ');
  if (wordsIn(whole) < FEWEST_WORDS || !BEYOND.test(whole.replace(REFUSAL, ''))) return undefined;
  return { turn, kind: 'corrected', title: titleOf(first), text: whole };
};
