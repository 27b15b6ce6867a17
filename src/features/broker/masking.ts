import { redact, REDACTED, redactValue } from '../../kernel/redact.ts';

/**
 * Arguments as an approver and the audit see them: secrets are hidden as values, and never what stands behind
 * them. What the general rules would take out is looked at once more: where it has room for a command
 * (blanks, quotes, operators), only its first word and what is a secret by itself is hidden. A passphrase of
 * several words shows all but its first; a command that hides behind one shows whole.
 */
export function maskArgs(value: unknown, name = ''): unknown {
  if (typeof value === 'string')
    return isSecretName(name) ? maskSpan(value, { before: '=', depth: 0 }) : maskText(value);
  if (value === null || typeof value !== 'object')
    return isSecretName(name) && value !== null ? REDACTED : value;
  if (Array.isArray(value)) return value.map((item) => maskArgs(item, name));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [maskText(key), maskArgs(item, key)]));
}

export function maskText(text: string, depth = 0): string {
  const redacted = redact(text);
  if (redacted === text) return text;
  const whole = text.replace(KEY, ({ length }) => `[REDACTED private key of ${length} characters]`);
  return whole === text ? showBetween(text, redacted, depth) : showBetween(whole, redact(whole), depth);
}

/**
 * What was kept stands in the text in the same order, so what lies between was taken out. Whatever is found
 * where, every character of the text is either kept or goes through `maskSpan`.
 */
function showBetween(text: string, redacted: string, depth: number): string {
  const kept = redacted.split(REDACTED);
  let out = kept[0]!;
  let at = kept[0]!.length;
  for (const [i, part] of kept.slice(1).entries()) {
    const found = i === kept.length - 2 ? text.length - part.length : text.indexOf(part, at);
    const from = found < at ? at : found;
    out +=
      maskSpan(text.slice(at, from), { before: text.slice(Math.max(0, at - 80), at), depth }) +
      text.slice(from, from + part.length);
    at = from + part.length;
  }
  return out;
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

/**
 * The first word is the value, if something before it says so; else it is hidden only if it is a secret by
 * itself. What follows is looked at like any text, since it may hold secrets of its own.
 */
function maskSpan(span: string, { before, depth }: Around): string {
  if (span === '' || span === REDACTED) return span;
  const [, gap = '', word = ''] = FIRST_WORD.exec(span) ?? [];
  const isKey = word === '-----BEGIN';
  const isValue = isKey || (!OPENS.test(gap) && GIVES.test(before));
  const bare = span.replace(/^\\{0,3}["']|\\{0,3}["']$/g, '');
  if (!/[\s;&|<>()$`'"\\{}]/.test(bare)) return isValue ? REDACTED : redact(span);
  if (depth >= DEEPEST) return span;
  const rest = span.slice(gap.length + (isValue ? word.length : 0));
  const shown = maskText(isKey ? rest.replace(LONG_KEY_LINE, REDACTED) : rest, depth + 1);
  return `${gap}${isValue ? REDACTED : ''}${shown}`;
}

function isSecretName(name: string): boolean {
  return name !== '' && redactValue('', name) === REDACTED;
}
