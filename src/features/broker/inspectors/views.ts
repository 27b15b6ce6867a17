import { collapse, decodeEscapes, foldShell, foldUnicode } from './normalise.ts';

/** The texts of an argument as inspectors match them. `whole` joins neighbours, so that `["rm", "-rf", "/"]` is one command. */
const MAX_VIEWS = 400;
/** Beyond this a text is not inspected; who acts on it must be asked. */
export const MAX_TEXT = 32 * 1024;
const MAX_DEPTH = 6;

export function viewsOf(value: unknown): Set<string> {
  const views = new Set<string>();
  addValue(value, views, 0);
  return views;
}

function addValue(value: unknown, views: Set<string>, depth: number): void {
  if (depth > MAX_DEPTH || views.size >= MAX_VIEWS) return;
  if (typeof value === 'string') return addText(value, views, depth);
  if (value === null || typeof value !== 'object') return;
  const items = Array.isArray(value) ? value : Object.values(value);
  for (const item of items) addValue(item, views, depth + 1);
  if (!Array.isArray(value)) for (const key of Object.keys(value)) if (key.length > 8) addText(key, views, depth + 1);
  const words = items.filter((item) => typeof item === 'string');
  if (words.length > 1) addText(words.join(' '), views, depth + 1);
}

function addText(whole: string, views: Set<string>, depth: number): void {
  const text = whole.length > MAX_TEXT ? whole.slice(0, MAX_TEXT) : whole;
  const plain = foldUnicode(text);
  add(views, collapse(plain));
  const decoded = foldUnicode(decodeEscapes(decodeEscapes(text)));
  if (decoded !== plain) add(views, collapse(decoded));
  add(views, foldShell(plain));
  if (decoded !== plain) add(views, foldShell(decoded));
  if (/(?:\S[ .\-_*]){6,}/.test(plain)) add(views, plain.replace(/(?<=\S)[ .\-_*](?=\S(?:[ .\-_*]|$))/g, ''));
  if (depth >= MAX_DEPTH) return;
  for (const inner of nested(text)) addValue(inner, views, depth + 1);
}

function add(views: Set<string>, view: string): void {
  if (view !== '') views.add(view);
}

/** Is there a text of which only the beginning can be inspected? */
export function isTooLong(value: unknown): boolean {
  if (typeof value === 'string') return value.length > MAX_TEXT;
  return value !== null && typeof value === 'object' && Object.values(value).some(isTooLong);
}

/** What is wrapped inside a text: JSON, base64, hex. */
function* nested(text: string): Iterable<unknown> {
  const trimmed = text.trim();
  if (/^["[{]/.test(trimmed)) {
    const parsed = parseJson(trimmed);
    if (parsed !== undefined) yield parsed;
  }
  for (const [candidate] of text.matchAll(/[A-Za-z0-9+/_-]{10,}={0,2}/g)) {
    const decoded = Buffer.from(candidate, 'base64').toString('utf8');
    if (isProse(decoded)) yield decoded;
  }
  for (const [candidate] of text.matchAll(/(?:[0-9a-f]{2}){6,}/gi)) {
    const decoded = Buffer.from(candidate, 'hex').toString('utf8');
    if (isProse(decoded)) yield decoded;
  }
  const reversed = text.slice(0, 2_000).split('').reverse().join('');
  if (/\|\s*rev\b|\btac\b/.test(text)) yield reversed;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Random bytes decode to control and replacement characters; a hidden command does not. */
function isProse(text: string): boolean {
  return text.length >= 5 && !/[\u0000-\u0008\u000e-\u001f\ufffd]/.test(text) && /[a-z]/i.test(text);
}
