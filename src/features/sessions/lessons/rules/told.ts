// "Remember", "from now on", "never": a person says how it is to be done, whatever is being done.
import { type LessonRule, titleOf } from '../lesson.ts';
import { isQuestion, sentencesOf, wordsIn } from '../sentences.ts';

const TOLD: readonly RegExp[] = [
  /\bfrom now on\b|\bgoing forward\b|\bin (?:the )?future\b/i,
  /(?:^|[,;:] |\bplease )(?:remember|note|keep in mind|bear in mind)(?: that\b|:| this\b)/i,
  /\bremember to (?:always|never)\b|\bremember to .*\b(?:every|each|whenever)\b/i,
  // Said to whoever works here: "never …" at the beginning, or of all of us.
  /(?:^|[,;:] |\bplease )(?:always|never|don['’]?t ever|do not ever) (?!mind\b|the same\b|again$)[a-z]+ /i,
  /\b(?:we|you (?:must|should)|agents?) (?:always|never) [a-z]+ /i,
  /\b(?:we|I) (?:strongly )?prefer\b/i,
  /\bwe(?:['’]ve| have)? (?:decided|agreed) (?:on|to|that|against)\b/i,
  /\bwe (?:only )?(?:use|don['’]?t use|do not use|do not|don['’]?t) .*\b(?:here|in (?:this|our)\b|everywhere)/i,
  /\b(?:in|of) (?:this|our) (?:repo(?:sitory)?|project|code ?base|team)\b/i,
];

/** Of oneself, of what was, or of one thing only. */
const NOT_TOLD = /\bI(?:['’]ll| will| have|['’]ve| had| would)? never\b|\bdo you remember\b|\bI remember\b/i;
const FEWEST_WORDS = 5;

export const told: LessonRule = (turns, at) => {
  const { kind, text, turn } = turns[at]!;
  if (kind !== 'person') return undefined;
  const said = sentencesOf(text).filter(
    (sentence) =>
      !isQuestion(sentence) &&
      wordsIn(sentence) >= FEWEST_WORDS &&
      !NOT_TOLD.test(sentence) &&
      TOLD.some((sign) => sign.test(sentence)),
  );
  if (said.length === 0) return undefined;
  return { turn, kind: 'told', title: titleOf(said[0]!), text: sentencesOf(text).join(' ') };
};
