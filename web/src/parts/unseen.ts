/**
 * The hub's list of what a reader does not see (`src/kernel/unseen.ts`), for text that is read: line ends, tabs and the
 * joiners of scripts and emoji stay. `test/unseen.test.ts` holds the two together.
 */
const CONTROLS = String.raw`\p{Cc}\p{Zl}\p{Zp}`;
const WIDTHLESS = String.raw`\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\u070f\ufff0-\ufffb\u{1107f}\u{13430}-\u{13440}\u{16fe4}`;
const BLANKS = String.raw`\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800\u{1d159}`;
const JOINED = String.raw`(?<=[^\x00-\x7f])[\u200c\u200d\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)`;

/** With a group, so that splitting by it keeps what parted the text. */
export const UNSEEN = new RegExp(`((?!${JOINED}|[\\t\\n])[${CONTROLS}${WIDTHLESS}${BLANKS}])`, 'u');
export const BLANK = new RegExp(`[${BLANKS}]`, 'u');
