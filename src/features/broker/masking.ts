import { redact, REDACTED, redactValue } from '../../kernel/redact.ts';

/**
 * Arguments as an approver and the audit see them: secrets are hidden as values, and never what stands behind them. What the
 * general rules would take out is looked at once more: where it has room for a command (blanks, quotes, operators), only its
 * first word and what is a secret by itself is hidden. A passphrase of several words shows all but its first; a command that
 * hides behind one shows whole.
 */
export function maskArgs(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return isSecretName(name) ? maskSpan(value) : maskText(value);
  if (value === null || typeof value !== 'object') return isSecretName(name) && value !== null ? REDACTED : value;
  if (Array.isArray(value)) return value.map((item) => maskArgs(item, name));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [maskText(key), maskArgs(item, key)]));
}

export function maskText(text: string): string {
  const redacted = redact(text);
  if (redacted === text) return text;
  const whole = text.replace(KEY, ({ length }) => `[REDACTED private key of ${length} characters]`);
  return whole === text ? showBetween(text, redacted) : showBetween(whole, redact(whole));
}

/**
 * What was kept stands in the text in the same order, so what lies between was taken out. Whatever is found where, every
 * character of the text is either kept or goes through `maskSpan`.
 */
function showBetween(text: string, redacted: string): string {
  const kept = redacted.split(REDACTED);
  let out = kept[0]!;
  let at = kept[0]!.length;
  for (const [i, part] of kept.slice(1).entries()) {
    const found = i === kept.length - 2 ? text.length - part.length : text.indexOf(part, at);
    const from = found < at ? at : found;
    out += maskSpan(text.slice(at, from)) + text.slice(from, from + part.length);
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

/** Where a shell could begin another word. */
const PIECE = /([\s;&|<>()$`'"\\{},!#*?~]+)|([^\s;&|<>()$`'"\\{},!#*?~]+)/g;
const LONG_KEY_LINE = /^[A-Za-z0-9+/=]{48,}$/;

function maskSpan(span: string): string {
  if (span === '' || span === REDACTED) return span;
  const bare = span.replace(/^\\{0,3}["']|\\{0,3}["']$/g, '');
  if (!/[\s;&|<>()$`'"\\{}]/.test(bare)) return REDACTED;
  let isFirst = true;
  return span.replace(PIECE, (piece: string, gap: string | undefined) => {
    // What an expansion or an operator opens is no value any more.
    if (gap !== undefined && /[;&|<>($`]/.test(gap)) isFirst = false;
    if (gap !== undefined) return piece;
    const isHidden = isFirst || LONG_KEY_LINE.test(piece);
    isFirst = false;
    return isHidden ? REDACTED : redact(piece);
  });
}

function isSecretName(name: string): boolean {
  return name !== '' && redactValue('', name) === REDACTED;
}
