import { NUMBER_WORDS, TEMPORAL_WORDS } from './lexicon.ts';
import { personOf } from './voice.ts';

/** What one word, as written, tells about the text it stands in. */
export type Hints = Readonly<{ isTemporal: boolean; hasNumber: boolean; person: number }>;

export function hintsOf(written: string): Hints {
  const word = written.toLowerCase().replace('’', "'");
  return {
    isTemporal: TEMPORAL_WORDS.has(word) || /^(?:19|20)\d\d$/.test(word),
    hasNumber: /^\d/.test(word) || NUMBER_WORDS.has(word),
    person: personOf(word),
  };
}
