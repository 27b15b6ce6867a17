import { readJson } from '../loose-json.ts';
import {
  collapse,
  decodeEscapes,
  foldShell,
  foldUnicode,
  readings,
  unseenTexts,
  unwrapCommands,
} from './normalise.ts';

/** The texts of an argument as inspectors match them. `whole` joins neighbours, so that `["rm", "-rf", "/"]` is one command. */
const MAX_VIEWS = 400;
/** Beyond this a text is not inspected; who acts on it must be asked. */
export const MAX_TEXT = 32 * 1024;
/** All views together: what is inspected on the way of a call must not hold up everybody else's. */
const MAX_TOTAL = 8 * MAX_TEXT;
const MAX_DEPTH = 6;
/** How many wrapped texts are looked at, and how deep. */
const MAX_WRAPPED = 40;
const MAX_WRAPPED_DEPTH = 2;

export type Views = Readonly<{
  texts: readonly string[];
  /** Further readings of the texts as sentences; no command is to be found there. */
  prose: readonly string[];
  /** False when something was left out, because it was too long, too much or too deep: it may hold anything. */
  isWhole: boolean;
}>;

type Collected = {
  readonly texts: Set<string>;
  readonly prose: Set<string>;
  total: number;
  isWhole: boolean;
};

export function viewsOf(value: unknown): Views {
  const views: Collected = { texts: new Set(), prose: new Set(), total: 0, isWhole: true };
  addValue(value, views, 0);
  return { isWhole: views.isWhole, texts: [...views.texts], prose: [...views.prose] };
}

function addValue(value: unknown, views: Collected, depth: number): void {
  if (typeof value !== 'string' && (value === null || typeof value !== 'object')) return;
  if (depth > MAX_DEPTH || views.texts.size >= MAX_VIEWS || views.total >= MAX_TOTAL)
    return void (views.isWhole = false);
  if (typeof value === 'string') return addText(value, views, depth);
  const items = Array.isArray(value) ? value : Object.values(value);
  for (const item of items) addValue(item, views, depth + 1);
  if (!Array.isArray(value))
    for (const key of Object.keys(value)) if (key.length > 8) addText(key, views, depth + 1);
  const words = leavesOf(items);
  if (words.length > 1) addText(words.join(' '), views, depth + 1);
}

/** All texts below, so that `{ exe: 'rm', args: ['-rf', '/'] }` is one command. */
function leavesOf(items: readonly unknown[], depth = 0): string[] {
  return items.slice(0, MAX_VIEWS).flatMap((item) => {
    if (typeof item === 'string') return [item];
    return item !== null && typeof item === 'object' && depth < MAX_DEPTH
      ? leavesOf(Object.values(item), depth + 1)
      : [];
  });
}

function addText(whole: string, views: Collected, depth: number): void {
  if (whole.length > MAX_TEXT) views.isWhole = false;
  const text = whole.length > MAX_TEXT ? whole.slice(0, MAX_TEXT) : whole;
  const plain = foldUnicode(text);
  add(views, collapse(plain));
  const decoded = foldUnicode(decodeEscapes(decodeEscapes(text)));
  if (decoded !== plain) add(views, collapse(decoded));
  for (const each of decoded === plain ? [plain] : [plain, decoded]) {
    const shell = foldShell(each);
    add(views, shell);
    const bare = unwrapCommands(shell);
    if (bare !== shell) add(views, bare);
  }
  if (/\/\*/.test(plain)) add(views, collapse(plain.replace(/\/\*[^*]{0,200}\*\//g, ' ')));
  if (/^\S+\+\S+$/.test(plain)) add(views, foldShell(plain.replaceAll('+', ' ')));
  for (const reading of readings(text)) views.prose.add(reading);
  if (depth >= MAX_DEPTH) return;
  for (const inner of nested(text)) addValue(inner, views, depth + 1);
}

function add(views: Collected, view: string): void {
  if (view === '' || views.texts.has(view)) return;
  views.texts.add(view);
  views.total += view.length;
}

/** What a text says besides its letters; not the text itself. */
export type Decoded = Readonly<{
  /** With its escapes read. */
  unescaped: readonly string[];
  /** What is wrapped inside it: JSON, base64, hex, signs that are not seen. */
  wrapped: readonly string[];
  /** Read in other ways, on one line. */
  readings: readonly string[];
}>;

export function decodedIn(text: string): Decoded {
  const found = { unescaped: [] as string[], wrapped: [] as string[], readings: [] as string[] };
  addDecoded(text.slice(0, MAX_TEXT), found, 0);
  return found;
}

function addDecoded(text: string, found: Record<keyof Decoded, string[]>, depth: number): void {
  const decoded = decodeEscapes(decodeEscapes(text));
  if (decoded !== text) found.unescaped.push(foldUnicode(decoded));
  found.readings.push(...readings(text));
  for (const inner of [...unseenTexts(text), ...nested(text)]) {
    if (found.wrapped.length === MAX_WRAPPED) return;
    const words = typeof inner === 'string' ? inner : JSON.stringify(inner);
    found.wrapped.push(foldUnicode(words));
    if (depth < MAX_WRAPPED_DEPTH) addDecoded(words, found, depth + 1);
  }
}

/** What is wrapped inside a text: JSON, base64, hex. */
function* nested(text: string): Iterable<unknown> {
  const trimmed = text.trim();
  if (/^["[{]/.test(trimmed)) {
    const parsed = readJson(trimmed);
    if (parsed !== undefined) yield parsed;
  }
  for (const [candidate] of text.matchAll(/[A-Za-z0-9+/_-]{10,}={0,2}/g)) {
    const bytes = Buffer.from(candidate, 'base64');
    for (const decoded of [bytes.toString('utf8'), bytes.toString('utf16le')])
      if (isProse(decoded)) yield decoded;
  }
  for (const [candidate] of text.matchAll(/(?:[0-9a-f]{2}){6,}/gi)) {
    const decoded = Buffer.from(candidate, 'hex').toString('utf8');
    if (isProse(decoded)) yield decoded;
  }
  if (/\|\s*rev\b|\btac\b/.test(text)) yield text.slice(0, 2_000).split('').reverse().join('');
  if (/n-za-m/i.test(text)) yield text.slice(0, 2_000).replace(/[a-z]/gi, shift);
}

/** Letters thirteen places on, as `tr a-z n-za-m` has them. */
function shift(letter: string): string {
  const first = letter >= 'a' ? 97 : 65;
  return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first);
}

/** Random bytes decode to control and replacement characters; a hidden command does not. */
function isProse(text: string): boolean {
  return (
    text.length >= 5 &&
    !/[\u0000-\u0008\u000e-\u001f\ufffd\ud800-\udfff]/.test(text) &&
    /[a-z]{2}/i.test(text)
  );
}
