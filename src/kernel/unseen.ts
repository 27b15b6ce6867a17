import { once } from './once.ts';

/**
 * The one list of characters that a reader does not see, or takes for something else. What a person decides on has none
 * of them raw; what is only read keeps line ends, tabs and the joiners of scripts and emoji. The page has a copy of the
 * list, since it takes no code from here: `test/unseen.test.ts` holds the two together.
 */

/** What moves a cursor or ends a line. */
const CONTROLS = String.raw`\p{Cc}\p{Zl}\p{Zp}`;
/**
 * What takes no room: default ignorables (bidi controls, tags, selectors, fillers of Hangul, vowels of Khmer, separators of
 * Mongolian, shorthand and music formats, …), and what fonts leave out without Unicode saying so.
 */
export const WIDTHLESS = String.raw`\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\u070f\ufff0-\ufffb\u{1107f}\u{13430}-\u{13440}\u{16fe4}`;
/** What looks like the blank and is none: other spaces, the empty Braille cell, the note without a head. */
export const BLANKS = String.raw`\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800\u{1d159}`;
/** What may look like anything: other marks of format, private use, and what Unicode does not know. */
const UNKNOWN = String.raw`\p{Cf}\p{Co}\p{Cn}`;
/** Scripts and emoji are written with joiners: behind one of their signs, or in a keycap. Behind plain ASCII they hide. */
export const JOINED = String.raw`(?<=[^\x00-\x7f])[\u200c\u200d\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)`;

const PLAIN = /^[\x20-\x7e]*$/;
/** Made when the first text needs one: their classes are thousands of characters, and a start should not wait for them. */
const unseen = once(() => new RegExp(`[${CONTROLS}${WIDTHLESS}${BLANKS}${UNKNOWN}]`, 'gu'));
const isOneUnseen = once(() => new RegExp(unseen(), 'u'));
const unseenInText = once(() => new RegExp(`(?!${JOINED}|[\\t\\n])[${CONTROLS}${WIDTHLESS}${BLANKS}]`, 'gu'));
const withoutWidth = once(() => new RegExp(`[${WIDTHLESS}]`, 'gu'));
const BLANK = new RegExp(`[${BLANKS}]`, 'gu');

export function isUnseen(char: string): boolean {
  return isOneUnseen().test(char);
}

/** For what is decided on: every one of them through `show`. */
export function replaceUnseen(text: string, show: (char: string) => string): string {
  return PLAIN.test(text) ? text : text.toWellFormed().replace(unseen(), show);
}

/** For what is read: line ends, tabs and joiners stay. */
export function replaceUnseenInText(text: string, show: (char: string) => string): string {
  return PLAIN.test(text) ? text : text.replace(unseenInText(), show);
}

/** As whoever looks for words reads it: what takes no room is not there, and a blank is a blank. */
export function asRead(text: string): string {
  return PLAIN.test(text) ? text : text.replace(withoutWidth(), '').replace(BLANK, ' ');
}

export function isBlank(char: string): boolean {
  return char.replace(BLANK, '') === '';
}

/** As JSON writes it, unit by unit: JSON stays the same JSON. */
export function spell(char: string): string {
  return Array.from(
    { length: char.length },
    (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');
}
