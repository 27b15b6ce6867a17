import { foldUnicode } from './normalise.ts';
import { INJECTION } from './patterns/injection.ts';
import { DESTRUCTIVE } from './patterns/destructive.ts';
import { EXFIL } from './patterns/exfil.ts';
import { POISON } from './patterns/poison.ts';
import { isAboutAttacks, sentencesOf, withoutMentions } from './sentences.ts';
import { decodedIn, viewsOf } from './views.ts';

/** What words say to whoever reads them. `start` and `end` are the sentence, or all of the text where it was disguised. */
export type WordFinding = Readonly<{ label: string; what: string; start: number; end: number }>;

type Look = Readonly<{ label: string; what: string; finds(sentence: string): boolean }>;

const WEIGHED = new Set(['shadowing', 'beyond-its-tool', 'private-data', 'sends-away', 'unasked-action']);
const RUNS = [...EXFIL, ...DESTRUCTIVE];
/** A command that is shown is documentation; one that is to be run is not. */
const IS_ORDER =
  /(?:^|[,;:>] ?|\b(?:and|then|must|to|should|please|first|you|always|before|also|case of an error|use) )(?:run|execute|start|invoke|call|type|enter|launch|exec|open)\b/u;
const COMMANDS: readonly Look[] = RUNS.map(({ label, meaning, finds }) => ({
  label,
  what: `has a command run that ${meaning}`,
  finds: (sentence) => IS_ORDER.test(sentence) && viewsOf(sentence).texts.some(finds),
}));
const WRAPPED: readonly Look[] = RUNS.map(({ label, meaning, finds }) => ({
  label,
  what: `has a command run that ${meaning}`,
  finds,
}));
const SENTENCE_IN_CODE: Look = {
  label: 'wrapped-sentence',
  what: 'a sentence in code, for nobody to read but a model',
  finds: (text) => /(?:\b[a-z]{2,}\b[ ,.]{1,2}){4}/u.test(text),
};
/** What encodes or decodes may show how; what an example says is still looked at. */
const IS_ABOUT_CODE = /\b(?:en|de)codes\b/iu;
const PLAIN: readonly Look[] = [
  // A tool may well show secrets or ask for approvals: who misuses them is found by the signs that stand around them.
  ...INJECTION.filter(({ label }) => label !== 'reveal-secrets' && label !== 'forged-approval').map(
    ({ label, meaning, finds }) => ({
      label,
      what: meaning,
      finds,
    }),
  ),
  ...POISON,
];
const SENTENCES = [...PLAIN, ...COMMANDS];
const INSIDE = [...PLAIN, ...WRAPPED];
/** Read backwards or thirteen letters on, an honest text is noise: only whole phrases count there. */
const PHRASES = PLAIN.filter(({ label }) => !WEIGHED.has(label));

/** One short word says nothing. */
const FEWEST = 12;

/**
 * The one inspector of words that a model will read as part of a definition. It reads them as the inspector of arguments
 * does, decoded and without disguises, and leaves out what is only named: attacks in quotes, and what tools against attacks
 * say of them.
 */
export function inspectWords(text: string): WordFinding[] {
  if (text.length < FEWEST && /^[\x21-\x7e]*$/.test(text)) return [];
  const found: WordFinding[] = [];
  const heard: string[] = [];
  for (const { start, end, text: sentence } of sentencesOf(text)) {
    const said = saidIn(foldUnicode(sentence));
    if (said === undefined) continue;
    heard.push(withoutMentions(sentence));
    for (const { label, what } of SENTENCES.filter(({ finds }) => finds(said)))
      found.push({ label, what, start, end });
  }
  const { unescaped, wrapped, readings } = decodedIn(heard.join(''));
  const disguised = [
    ...inSentences(unescaped, PLAIN),
    ...inSentences(wrapped, IS_ABOUT_CODE.test(text) ? INSIDE : [...INSIDE, SENTENCE_IN_CODE]),
    ...inSentences(/\s/u.test(text) ? readings.filter(isWorthReading) : [], PHRASES),
  ];
  for (const { label, what } of disguised)
    if (!found.some((one) => one.what === what)) found.push({ label, what, start: 0, end: text.length });
  return found;
}

function isWorthReading(reading: string): boolean {
  return /instruct|prompt|user|ignor|disregard|system|secret|reveal|approv|password|forget|human/u.test(
    reading,
  );
}

function inSentences(texts: readonly string[], looks: readonly Look[]): Look[] {
  return texts.flatMap((text) =>
    sentencesOf(text).flatMap((one) => {
      const said = saidIn(one.text);
      return said === undefined ? [] : looks.filter(({ finds }) => finds(said));
    }),
  );
}

/** What a sentence says to its reader; nothing where it only speaks of attacks. */
function saidIn(sentence: string): string | undefined {
  return isAboutAttacks(sentence) ? undefined : withoutMentions(sentence).replace(/\s+/gu, ' ').trim();
}
