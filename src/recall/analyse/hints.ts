import { MOMENTS, NUMBER_WORDS, POINTERS, TIME_UNITS } from './lexicon.ts';
import { personOf } from './person.ts';

/** What one word, as written, tells about the text it stands in. */
export type WordHints = Readonly<{
  /** "yesterday", "in 2021"; "week"; "last", "three". */
  time: 'moment' | 'unit' | 'pointer' | undefined;
  hasNumber: boolean;
  person: number;
}>;

export function hintsOf(written: string): WordHints {
  const word = written.toLowerCase().replace('’', "'");
  const hasNumber = /^\d/.test(word) || NUMBER_WORDS.has(word);
  return { time: timeOf(written, word, hasNumber), hasNumber, person: personOf(word) };
}

const DATE_OR_TIME =
  /^(?:(?:19|20)\d\d(?:-\d\d(?:-\d\d.*)?)?|\d{1,2}[/.]\d{1,2}[/.](?:\d\d){1,2}|\d{1,2}:\d\d(?::\d\d)?)$/;
/** Ordinary words unless they have a capital. */
const MONTH = /^(?:May|Mar|Jan|Dec|Sep)$/;

function timeOf(written: string, word: string, hasNumber: boolean): WordHints['time'] {
  if (MOMENTS.has(word) || DATE_OR_TIME.test(word)) return 'moment';
  if (TIME_UNITS.has(word) || MONTH.test(written)) return 'unit';
  return hasNumber || POINTERS.has(word) ? 'pointer' : undefined;
}
