import { once } from './once.ts';
import { isRandom, redactAssignments } from './redact-assignments.ts';
import { VENDOR_KEYS } from './vendor-keys.ts';

/**
 * Secrets are removed from text before it is stored or shown. Patterns are anchored on
 * well-known prefixes and bounded, so that scanning is linear and ordinary prose survives.
 */
export const REDACTED = '[REDACTED]';
/** What a run says instead of its own token: which one it was is worth knowing. */
export const RUN_TOKEN = '[the token of this run]';
const BEARER_MARK = /\bBearer\s+(?=\[REDACTED\])/gi;

/** Keys that give themselves away, tried together in one pass. One that is longer than its vendor says is hidden to its end. */
const shape = once(
  () =>
    new RegExp(
      `\\b(?:${Object.values(VENDOR_KEYS)
        .flat()
        .map((each) => (each.endsWith('\\b') ? each : `${each}[\\w-]*`))
        .join('|')})`,
      'g',
    ),
);

/** What a key can be a part of. Only these runs are looked at closely, and prose has few of them. */
const SHORTEST_RUN = 15;
const RUN = new RegExp(`[\\w.~+/=$!:%-]{${SHORTEST_RUN},}`, 'g');

/** Certificates and public keys are for everybody; their lines look like those of a private key. */
const BLOCK_OR_RUN = new RegExp(
  `-----BEGIN (?![A-Z0-9 ]{0,32}PRIVATE)[A-Z0-9 ]{1,40}-----[^-]{1,65536}-----END [A-Z0-9 ]{1,40}-----|${RUN.source}`,
  'g',
);
/** One line of a private key, without those around it: as long as they are broken, and drawn by chance. */
const KEY_LINE = /(?<![\w+/=.-]|sha384:)(?:[A-Za-z0-9+/]{70}|[A-Za-z0-9+/]{64})(?![\w+/=.-])/g;
const SHORTEST_LINE = 64;

// A key ends where its dashes do; one that was cut off is hidden as far as it could reach. The next header ends the search.
const KEY_BLOCK =
  /-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,16384}(?:-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----)?/g;
const TELEGRAM = /(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{32,}/g;
/** What stands before these says what they are, and stays. */
const AFTER: readonly RegExp[] = [
  /\b(Bearer\s+)(?!authenti|authori)[A-Za-z0-9._~+/=-]{12,}/gi,
  /\b([Bb]asic\s+)(?![A-Z]?[a-z]+(?![A-Za-z0-9+/=]))[A-Za-z0-9+/]{12,}={0,2}/g,
  // A password may hold the sign that ends it: the last one before the host counts. Databases forgive a slash, too,
  // and where an address is taken for a path, one of its two slashes is lost.
  /(:\/\/?[^\s:/]{0,128}:)[^\s/]{1,256}(?=@)/g,
  /(\b(?:postgres(?:ql)?|mysql2?|mariadb|rediss?|valkey|mongodb|mongodb\+srv|amqps?|mssql|sqlserver):\/\/[^\s:/]{0,128}:)(?!\d{1,5}(?:\/|$)|\[REDACTED\])[^\s"'<>]{1,256}(?=@)/gi,
  /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9][A-Za-z0-9/_-]{15,}/gi,
  /(discord(?:app)?\.com\/api\/webhooks\/\d{10,20}\/)[A-Za-z0-9_-]{20,}/gi,
  /\b(SharedAccessSignature=)[A-Za-z0-9+/=%&_-]{12,}/gi,
  /\b(sig=)[A-Za-z0-9%+/_-]{32,}={0,2}/gi,
];

/** A cheap look for anything else a rule could match; most text has none. */
const HINT =
  /[Kk][Ee][Yy]|[Tt][Oo][Kk][Ee][Nn]|[Ss][Ee][Cc][Rr][Ee][Tt]|[Pp][Aa][Ss][Ss][WwPp]|[Pp][Ww][Dd]|[Pp][Aa][Ss][Ss][Cc]|[Cc][Rr][Ee][Dd][Ee][Nn]|[_-](?:[Pp][AaWw]|[Aa][Uu][Tt]|[Jj][Ww][Tt]|[Ss][Aa][Ss]|[Dd][Ss][Nn])|:\/|[Bb][Ee][Aa][Rr][Ee][Rr]|[Bb][Aa][Ss][Ii][Cc]\s|\d:AA|[Ss][Ii][Gg]=|hooks\.slack|\/webhooks\/|SharedAccess/;

/** What this process holds itself: 64 hex digits look like any digest, so they are known by value. */
const held = new Set<string>();

/** From now on this text is hidden wherever it would be stored or shown. */
export function hideAlways(secret: string): void {
  if (secret.length >= 16) held.add(secret);
}

export function redact(text: string): string {
  let out = text;
  for (const secret of held) if (out.includes(secret)) out = out.replaceAll(secret, REDACTED);
  if (!HINT.test(out)) return redactShapes(out);
  out = redactShapes(out.replace(KEY_BLOCK, REDACTED)).replace(TELEGRAM, REDACTED);
  for (const pattern of AFTER) out = out.replace(pattern, `$1${REDACTED}`);
  return redactAssignments(out, REDACTED);
}

function redactShapes(text: string): string {
  if (!hasLongWord(text)) return text;
  return text.replace(BLOCK_OR_RUN, (found) => {
    if (found.startsWith('-----BEGIN ')) return found.replace(RUN, (run) => run.replace(shape(), REDACTED));
    const shown = found.replace(shape(), REDACTED);
    return shown.length < SHORTEST_LINE ? shown : shown.replace(KEY_LINE, maskKeyLine);
  });
}

/** A run has no blank in it, and prose has few words that long: counting is ten times cheaper than trying each of them. */
function hasLongWord(text: string): boolean {
  let length = 0;
  for (let i = 0; i < text.length; i += 1) {
    length = text.charCodeAt(i) > 0x20 ? length + 1 : 0;
    if (length === SHORTEST_RUN) return true;
  }
  return false;
}

function maskKeyLine(line: string): string {
  return /[a-z]/.test(line) && /[A-Z]/.test(line) && isRandom(line) ? REDACTED : line;
}

const SECRET_NAME =
  /token|secret|passw(?:or)?d|api[_-]?key|authorization|bearer|credential|private[_-]?key|(?:access|account)[_-]?key|cookie|passphrase|.[_-]?pwd$/i;
const PLAIN_NAME =
  /^(?:tokens|(?:input|output|cachedInput|total|prompt|completion)Tokens|tokenCount|tokensPerMinute|authors?)$/;

/** Redacts a JSON value deeply: by the name of a field and by the shape of its text. */
export function redactValue(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return isSecretName(name) && value !== RUN_TOKEN ? REDACTED : redact(value);
  // A token is never a number; how many there are is one.
  if (typeof value === 'number') return isSecretName(name) && !/token/i.test(name) ? REDACTED : value;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, name));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redact(key), redactValue(item, key)]),
  );
}

/** The beginning of what somebody said, for a sentence about it. Masked before it is cut: half a secret looks like none. */
export function excerpt(text: string, most: number): string {
  return redact(text).slice(0, most);
}

/** The same with all its texts, names of fields included, by what they say alone. */
export function redactTexts<T>(value: T): T {
  return mapTexts(value, redact) as T;
}

/**
 * An answer to somebody who said a secret: it is not said back. Where none was said, the answer is not looked at: what
 * is kept holds none.
 */
export function withoutEcho<T>(said: unknown, answer: T): T {
  return saysSecret(said) ? redactTexts(answer) : answer;
}

/** Asked about every call, so it makes no copy to compare with. */
function saysSecret(value: unknown): boolean {
  if (typeof value === 'string') return redact(value) !== value;
  if (value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some(saysSecret);
  for (const [key, item] of Object.entries(value)) if (redact(key) !== key || saysSecret(item)) return true;
  return false;
}

/**
 * A text that may be JSON: then what its strings say is looked at, not how they are written, and it stays JSON. `swap`
 * is asked first about every string.
 */
export function redactJson(text: string, swap: (text: string) => string = (same) => same): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return redact(text);
  }
  const masked = JSON.stringify(redactValue(mapTexts(value, swap)));
  return masked === JSON.stringify(value) ? text : masked;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [change(key), mapTexts(item, change)]),
  );
}

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !PLAIN_NAME.test(name);
}

/** True when nothing but redaction marks, punctuation and space is left; the scheme of a bearer token tells nothing. */
export function isOnlyRedacted(text: string): boolean {
  const rest = text.replace(BEARER_MARK, '').replaceAll(REDACTED, '');
  return text.includes(REDACTED) && !/[\p{L}\p{N}]/u.test(rest);
}
