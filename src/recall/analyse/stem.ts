import { stemmer } from 'stemmer';

/**
 * Porter's algorithm for Latin words, and light ending-strippers for scripts that do not tell the language. Text and
 * question pass through the same code, so a stem need not be a word; it only has to be the same on both sides.
 */
export function stem(word: string): string {
  if (/^[a-z]+$/.test(word)) return stemmer(word);
  if (/^[\u0400-\u04ff]+$/.test(word)) return stemCyrillic(word);
  if (/^[\u0600-\u06ff]+$/.test(word)) return stemArabic(word);
  return word;
}

const CYRILLIC_ENDINGS =
  /(?:иями|ями|ами|ого|ему|ому|ыми|ими|ией|ться|ется|ются|ешь|ишь|ая|яя|ое|ее|ые|ие|ый|ий|ой|ей|ых|их|ую|юю|ам|ям|ах|ях|ом|ем|ов|ев|ия|ию|ла|ло|ли|ть|ет|ит|ют|ут|ят|ат|а|я|ы|и|о|е|у|ю|й|ь|л)$/;

function stemCyrillic(word: string): string {
  const base = word.replace(CYRILLIC_ENDINGS, '');
  return base.length >= 3 ? base : word;
}

function stemArabic(word: string): string {
  const bare = word.replace(/^(?:وال|بال|كال|فال|لل|ال)(?=.{3})/, '');
  const base = bare.replace(/(?:ها|ان|ات|ون|ين|يه|ية|ه|ة|ي)$/, '');
  return base.length >= 2 ? base : bare;
}
