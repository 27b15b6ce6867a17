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
    PLAIN_IN_FIELD.test(char) ? char : percentEncode(char),
  ).join('');
}

/**
 * What a reader does not see and a model does: C1 controls, marks of direction, tags (which spell ASCII invisibly),
 * selectors beyond the one that chooses an emoji, fillers and other format characters. The joiners of scripts and emoji stay.
 */
const HIDDEN_RANGES: readonly string[] = [
  String.raw`\u0080-\u009f`, // C1
  String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`, // direction
  String.raw`\u00ad\u034f\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb`, // width and format
  String.raw`\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0`, // fillers of scripts
  String.raw`\ufe00-\ufe0e\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}`, // selectors, shorthand, music
  String.raw`\u{e0000}-\u{e0fff}`, // tags, and selectors beyond the first sixteen
];
const HIDDEN = new RegExp(`[${HIDDEN_RANGES.join('')}]`, 'gu');

/** Every line behind a mark of its own, with what moves a cursor or turns the direction of writing made visible. */
export function quoteLines(text: string): string {
  return text
    .toWellFormed()
    .split(new RegExp(LINE_BREAK, 'gu'))
    .map((line) => `| ${showControls(line)}`)
    .join('\n');
}

const BEYOND_ASCII = /[^\u0001-\u007f]/;

/** The same JSON with what is hidden written as escapes: parsed it is what it was, read it can be seen. */
export function showHidden(json: string): string {
  if (!BEYOND_ASCII.test(json)) return json; // most answers, and much quicker to see
  return json.replace(HIDDEN, (char) =>
    Array.from(
      { length: char.length },
      (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

function showControls(line: string): string {
  return line
    .replace(/[\u0000-\u0008\u000e-\u001f]/gu, (char) => String.fromCodePoint(0x2400 + char.codePointAt(0)!))
    .replace(/\u007f/gu, '\u2421')
    .replace(HIDDEN, '\ufffd');
}

function percentEncode(char: string): string {
  return [...Buffer.from(char)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
