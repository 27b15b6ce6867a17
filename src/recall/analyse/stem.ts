/**
 * Porter's algorithm for English, plus light ending-strippers for Cyrillic and Arabic. Text and
 * query pass through the same code, so a stem need not be a word; it only has to be the same on both sides.
 */
export function stem(word: string): string {
  if (/^[a-z]+$/.test(word)) return stemEnglish(word);
  if (/^[\u0400-\u04ff]+$/.test(word)) return stemCyrillic(word);
  if (/^[\u0600-\u06ff]+$/.test(word)) return stemArabic(word);
  return word;
}

const CONSONANT = '(?:[^aeiouy]|(?<![^aeiou])y|(?<=^)y)';
const VOWEL = '(?:[aeiou]|(?<=[^aeiou])y)';
const ONE_MEASURE = new RegExp(`^${CONSONANT}*${VOWEL}+${CONSONANT}`);
const TWO_MEASURES = new RegExp(`^${CONSONANT}*(?:${VOWEL}+${CONSONANT}+){2}`);
const EXACTLY_ONE = new RegExp(`^${CONSONANT}*${VOWEL}+${CONSONANT}+${VOWEL}*$`);
const HAS_VOWEL = new RegExp(VOWEL);
/** Ends consonant-vowel-consonant where the last is not w, x or y: the shape that wants its e back. */
const SHORT_END = new RegExp(`${CONSONANT}${VOWEL}[^aeiouwxy]$`);
const DOUBLE_END = /([^aeiou])\1$/;

const LONG_SUFFIXES: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['logi', 'log'],
];
const MIDDLE_SUFFIXES: readonly (readonly [string, string])[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];
const LAST_SUFFIXES = /(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|(?<=[st])ion|ou|ism|ate|iti|ous|ive|ize)$/;

function stemEnglish(word: string): string {
  if (word.length < 3) return word;
  let w = stripPlural(word);
  w = stripPast(w);
  if (w.endsWith('y') && HAS_VOWEL.test(w.slice(0, -1))) w = `${w.slice(0, -1)}i`;
  w = swapSuffix(w, LONG_SUFFIXES);
  w = swapSuffix(w, MIDDLE_SUFFIXES);
  const last = LAST_SUFFIXES.exec(w);
  if (last && TWO_MEASURES.test(w.slice(0, last.index))) w = w.slice(0, last.index);
  return tidyEnd(w);
}

function stripPlural(w: string): string {
  if (w.endsWith('sses') || w.endsWith('ies')) return w.slice(0, -2);
  return w.endsWith('s') && !w.endsWith('ss') ? w.slice(0, -1) : w;
}

function stripPast(w: string): string {
  if (w.endsWith('eed')) return ONE_MEASURE.test(w.slice(0, -3)) ? w.slice(0, -1) : w;
  const suffix = w.endsWith('ed') ? 2 : w.endsWith('ing') ? 3 : 0;
  const base = w.slice(0, w.length - suffix);
  if (suffix === 0 || !HAS_VOWEL.test(base)) return w;
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`;
  if (DOUBLE_END.test(base) && !/[lsz]$/.test(base)) return base.slice(0, -1);
  return EXACTLY_ONE.test(base) && SHORT_END.test(base) ? `${base}e` : base;
}

function swapSuffix(w: string, table: readonly (readonly [string, string])[]): string {
  for (const [suffix, replacement] of table) {
    if (!w.endsWith(suffix)) continue;
    const base = w.slice(0, -suffix.length);
    return ONE_MEASURE.test(base) ? base + replacement : w;
  }
  return w;
}

function tidyEnd(w: string): string {
  let out = w;
  if (out.endsWith('e')) {
    const base = out.slice(0, -1);
    if (TWO_MEASURES.test(base) || (EXACTLY_ONE.test(base) && !SHORT_END.test(base))) out = base;
  }
  return out.endsWith('ll') && TWO_MEASURES.test(out) ? out.slice(0, -1) : out;
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
