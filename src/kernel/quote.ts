import { isBlank, isUnseen, replaceUnseenInText, spell } from './unseen.ts';

/**
 * Text written by somebody else, made safe to show inside text of ours. Invariant: whatever goes in, no line of it begins
 * outside the quote and no header field ends early (proven by the forging corpus of the envelope).
 */

/** Everything some reader takes for the end of a line: C0, C1 and Unicode separators. */
const LINE_BREAK = /\r\n|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]/u;

/** Letters, digits and what names are usually made of; anything that could end or imitate a field is left out. */
const PLAIN_IN_FIELD = /^[\p{L}\p{N}\p{M} ._:@/+-]$/u;

/** One value of a header line. What is not plain is percent-encoded, so that the original can be read back. */
export function headerField(value: string): string {
  return Array.from(value.toWellFormed(), (char) =>
    PLAIN_IN_FIELD.test(char) && !isUnseen(char) ? char : percentEncode(char),
  ).join('');
}

/** Every line behind a mark of its own, with what moves a cursor or turns the direction of writing made visible. */
export function quoteLines(text: string): string {
  return text
    .toWellFormed()
    .split(new RegExp(LINE_BREAK, 'gu'))
    .map((line) => `| ${showControls(line)}`)
    .join('\n');
}

/** The same JSON with what is hidden written as escapes: parsed it is what it was, read it can be seen. */
export function showHidden(json: string): string {
  return replaceUnseenInText(json, spell);
}

/** Controls as their pictures, other blanks as the blank, and what takes no room as a mark. */
function showControls(line: string): string {
  return replaceUnseenInText(line, (char) => {
    const code = char.codePointAt(0)!;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return '\u2421';
    return isBlank(char) ? ' ' : '\ufffd';
  });
}

function percentEncode(char: string): string {
  return [...Buffer.from(char)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
