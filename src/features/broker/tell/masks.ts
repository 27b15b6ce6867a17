import { redact, REDACTED, redactValue } from '../../../kernel/redact.ts';
import { isDecidingName } from '../judge/policy/deciding-names.ts';

/**
 * Arguments as an approver and the audit see them: secrets are hidden as values, and never what stands behind
 * them. What the general rules would take out is looked at once more: where it has room for a command
 * (blanks, quotes, operators), only its first word and what is a secret by itself is hidden. A passphrase of
 * several words shows all but its first; a command that hides behind one shows whole.
 */
export function maskArgs(value: unknown, name = ''): unknown {
  return mapTexts(value, name, (text, isSecret) =>
    write(text, isSecret ? valueIn(text) : masksIn(text), whole),
  );
}

/**
 * The same for whoever decides: a long value keeps its ends, so that two of them can be told apart, and a name that says what
 * is decided on (`token_path`) hides nothing. What a mask would cover there is refused before (`masked-places.ts`).
 */
export function maskForApproval(value: unknown, name = ''): unknown {
  return mapTexts(value, name, (text, isSecret, of) =>
    write(text, isSecret && !isDecidingName(of) ? valueIn(text) : masksIn(text), ends),
  );
}

export function maskText(text: string): string {
  return write(text, masksIn(text), whole);
}

/** The text with `sign` in place of everything that would be masked. */
export function maskWith(text: string, sign: string): string {
  return write(text, masksIn(text), () => sign);
}

type Shown = (text: string, isSecret: boolean, name: string) => string;

function mapTexts(value: unknown, name: string, show: Shown): unknown {
  if (typeof value === 'string') return show(value, isSecretName(name), name);
  if (value === null || typeof value !== 'object')
    return isSecretName(name) && value !== null ? REDACTED : value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, name, show));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [show(key, false, ''), mapTexts(item, key, show)]),
  );
}

/** What of a text is hidden, in order and apart. */
type Mask = Readonly<{ from: number; to: number; isKey?: true }>;

function write(text: string, masks: readonly Mask[], show: (hidden: string, mask: Mask) => string): string {
  let out = '';
  let at = 0;
  for (const mask of masks) {
    out += text.slice(at, mask.from) + show(text.slice(mask.from, mask.to), mask);
    at = mask.to;
  }
  return out + text.slice(at);
}

function whole(hidden: string, { isKey }: Mask): string {
  return isKey ? `[REDACTED private key of ${hidden.length} characters]` : REDACTED;
}

/** From so many characters on a value is known by its first four and last two, and not by them alone. */
const LONG_VALUE = 20;

function ends(hidden: string, mask: Mask): string {
  const value = hidden.replace(/^\\{0,3}["']|\\{0,3}["']$/g, '');
  if (mask.isKey || value.length < LONG_VALUE || /\s/.test(value)) return whole(hidden, mask);
  return `[REDACTED ${value.slice(0, 4)}…${value.slice(-2)}]`;
}

/** What an earlier masking left. It hides nothing more, and is masked no further. */
const MARK = /\[REDACTED(?: [^\]\s]{4}…[^\]\s]{2}| private key of \d{1,9} characters)?\]/g;

/** For the audit: what was shown by its ends is masked whole. */
export function maskEnds(shown: string): string {
  return shown.replace(MARK, (mark) => (mark.includes('…') ? REDACTED : mark));
}

function masksIn(text: string, depth = 0): readonly Mask[] {
  if (redact(text) === text) return [];
  const keys = Array.from(text.matchAll(KEY), ({ 0: key, index }): Mask => {
    return { from: index, to: index + key.length, isKey: true };
  });
  // Blotted out in place, by what no rule takes for a value, so that all positions stay what they are.
  const plain = [KEY, MARK].reduce((all, each) => all.replace(each, blot), text);
  const values = between(plain, redact(plain), depth);
  return [...keys, ...values.filter(({ from, to }) => !isBlot(plain.slice(from, to)))].sort(
    (a, b) => a.from - b.from,
  );
}

function blot(text: string): string {
  return '['.repeat(text.length);
}

function isBlot(text: string): boolean {
  return /^["'\\]*\[+["'\\]*$/.test(text);
}

/**
 * What was kept stands in the text in the same order, so what lies between was taken out. Whatever is found
 * where, every character of the text is either kept or goes through `spanMasks`.
 */
function between(text: string, redacted: string, depth: number): readonly Mask[] {
  const kept = redacted.split(REDACTED);
  const masks: Mask[] = [];
  let at = kept[0]!.length;
  for (const [i, part] of kept.slice(1).entries()) {
    const found = i === kept.length - 2 ? text.length - part.length : text.indexOf(part, at);
    const from = found < at ? at : found;
    const before = text.slice(Math.max(0, at - 80), at);
    masks.push(...moved(spanMasks(text.slice(at, from), { before, depth }), at));
    at = from + part.length;
  }
  return masks;
}

function moved(masks: readonly Mask[], by: number): readonly Mask[] {
  return masks.map(({ from, to }) => ({ from: from + by, to: to + by }));
}

/** A private key from its first line to its last, with nothing in it but a key. */
const LINE_END = String.raw`(?:\r?\n|\\r\\n|\\n)`;
const KEY = new RegExp(
  String.raw`-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY-----${LINE_END}(?:[A-Za-z0-9+/=]{60,76}${LINE_END}){1,400}(?:[A-Za-z0-9+/=]{1,76}${LINE_END})?-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY-----`,
  'g',
);

/** What only stands around a value, or opens an expansion or another command, and then the first word. */
const FIRST_WORD = /^([\s;&|<>()$`'"\\{},!#*?~]*)([^\s;&|<>()$`'"\\{},!#*?~]+)/;
const OPENS = /[;&|<>($`]/;
const LONG_KEY_LINE = /(?<![\w+/=])[A-Za-z0-9+/=]{48,}(?![\w+/=])/g;
/** A secret behind a secret behind a secret: after so many the rest is shown as it is, rather than hidden. */
const DEEPEST = 6;

/** What says that a value follows. */
const GIVES = /[=:>/]["'*\\\s]{0,8}$|\b(?:bearer|basic)\s+$/i;

type Around = Readonly<{ before: string; depth: number }>;

/** A text that is a value by the name it is given to. */
function valueIn(text: string): readonly Mask[] {
  const plain = text.replace(MARK, blot);
  return spanMasks(plain, { before: '=', depth: 0 }).filter(({ from, to }) => !isBlot(plain.slice(from, to)));
}

/**
 * The first word is the value, if something before it says so; else it is hidden only if it is a secret by
 * itself. What follows is looked at like any text, since it may hold secrets of its own.
 */
function spanMasks(span: string, { before, depth }: Around): readonly Mask[] {
  if (span === '' || span === REDACTED) return [];
  const [, gap = '', word = ''] = FIRST_WORD.exec(span) ?? [];
  const isKey = word === '-----BEGIN';
  const isValue = isKey || (!OPENS.test(gap) && GIVES.test(before));
  const bare = span.replace(/^\\{0,3}["']|\\{0,3}["']$/g, '');
  if (!/[\s;&|<>()$`'"\\{}]/.test(bare))
    return isValue ? [{ from: 0, to: span.length }] : pieces(span, redact(span));
  if (depth >= DEEPEST) return [];
  const at = gap.length + (isValue ? word.length : 0);
  const lines = isKey
    ? Array.from(span.slice(at).matchAll(LONG_KEY_LINE), ({ 0: line, index }) => {
        return { from: at + index, to: at + index + line.length };
      })
    : [];
  const rest = isKey ? span.slice(at).replace(LONG_KEY_LINE, blot) : span.slice(at);
  const first = isValue ? [{ from: gap.length, to: at }] : [];
  return [...first, ...lines, ...moved(masksIn(rest, depth + 1), at)].sort((a, b) => a.from - b.from);
}

/** What was taken out, each as it is. */
function pieces(text: string, redacted: string): readonly Mask[] {
  const kept = redacted.split(REDACTED);
  let at = kept[0]!.length;
  return kept.slice(1).map((part, i) => {
    const found = i === kept.length - 2 ? text.length - part.length : text.indexOf(part, at);
    const mask = { from: at, to: Math.max(at, found) };
    at = mask.to + part.length;
    return mask;
  });
}

function isSecretName(name: string): boolean {
  return name !== '' && redactValue('', name) === REDACTED;
}
