import { MOMENTS, NUMBER_WORDS, POINTERS, TIME_UNITS } from './lexicon.ts';

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

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const FIRST_PERSON = words(`
  i i'm i've i'd i'll my me mine myself we we're we've we'd we'll our us ours ich mein meine meinen mir mich wir uns unser unsere
  je mon mes moi nous notre nos yo mi mis nosotros nuestra nuestro я мой моя мне меня мы наш наша нам нас
`);
const SECOND_PERSON = words(`
  you you're you've you'd you'll your yours yourself du dein deine dir dich euch ihr euer tu ton tes toi vous votre vos tú ti ты твой твоя тебе тебя вы ваш вам вас
`);

/** Who a word is about: 1 the speaker, -1 the one spoken to, 0 neither. In lower case, with a straight apostrophe. */
function personOf(word: string): number {
  return FIRST_PERSON.has(word) ? 1 : SECOND_PERSON.has(word) ? -1 : 0;
}
