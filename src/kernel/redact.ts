import { redactAssignments } from './redact-assignments.ts';

/**
 * Secrets are removed from text before it is stored or shown. Patterns are anchored on
 * well-known prefixes and bounded, so that scanning is linear and ordinary prose survives.
 */
export const REDACTED = '[REDACTED]';

/** Keys that give themselves away, tried together in one pass; a run that could be one is consumed, so the scan stays linear. */
const SHAPES: readonly RegExp[] = [
  /sk-(?:ant-|proj-|or-v1-)?[A-Za-z0-9_-]{12,}/,
  /(?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,}/,
  /gh[pousr]_[A-Za-z0-9]{12,}/,
  /github_pat_[A-Za-z0-9_]{20,}/,
  /gl(?:pat|ptt|dt|rt|cbt|soat|ft)-[A-Za-z0-9_-]{20,}(?:\.[0-9a-z.]{9,12})?/,
  /xox[abeoprs]-[A-Za-z0-9-]{10,}/,
  /xapp-[A-Za-z0-9-]{10,}/,
  /(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /AIza[A-Za-z0-9_-]{35}/,
  /ya29\.[A-Za-z0-9_-]{20,}/,
  /npm_[A-Za-z0-9]{30,}/,
  /hf_[A-Za-z0-9]{20,}/,
  /pypi-(?=[a-z_-]{0,64}[A-Z0-9])[A-Za-z0-9_-]{20,}/,
  /SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/,
  /(?:AC|SK)[0-9a-f]{32}\b/,
  /do[opr]_v1_[A-Za-z0-9]{32,}/,
  /(?:bto|brt|hft)_[A-Za-z0-9_-]{16,}/,
  /lin_(?:api|oauth)_[A-Za-z0-9]{16,}/,
  /shp(?:at|ss|ca|pa)_[A-Za-z0-9]{16,}/,
  /AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{20,}/,
  /dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{32,}/,
  /dapi[a-z0-9]{32}(?:-\d{1,2})?\b/,
  /[MNO][DTjz][A-Za-z0-9_-]{21,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/,
  /eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?/,
  /eyJ[A-Za-z0-9_-]{20,}/,
];
const SHAPE = new RegExp(`\\b(?:${SHAPES.map(({ source }) => source).join('|')})`, 'g');

// A key ends where its dashes do; one that was cut off is hidden as far as it could reach. The next header ends the search.
const KEY_BLOCK =
  /-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,16384}(?:-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----)?/g;
const TELEGRAM = /(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{32,}/g;
/** What stands before these says what they are, and stays. */
const AFTER: readonly RegExp[] = [
  /\b(Bearer\s+)(?!authenti|authori)[A-Za-z0-9._~+/=-]{12,}/gi,
  /\b([Bb]asic\s+)(?![A-Z]?[a-z]+(?![A-Za-z0-9+/=]))[A-Za-z0-9+/]{12,}={0,2}/g,
  /(:\/\/[^\s:/@]{0,128}:)[^\s/@]{1,256}(?=@)/g,
  /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9][A-Za-z0-9/_-]{15,}/gi,
  /(discord(?:app)?\.com\/api\/webhooks\/\d{10,20}\/)[A-Za-z0-9_-]{20,}/gi,
  /\b(SharedAccessSignature=)[A-Za-z0-9+/=%&_-]{12,}/gi,
  /\b(sig=)[A-Za-z0-9%+/_-]{32,}={0,2}/gi,
];

/** A cheap look for anything a rule could match; most text has none and is returned as it is. */
const HINT =
  /[Kk][Ee][Yy]|[Tt][Oo][Kk][Ee][Nn]|[Ss][Ee][Cc][Rr][Ee][Tt]|[Pp][Aa][Ss][Ss][WwPp]|[Pp][Ww][Dd]|:\/\/|[Bb][Ee][Aa][Rr][Ee][Rr]|[Bb][Aa][Ss][Ii][Cc]\s|\b(?:sk-|[srp]k_|whsec|gh[pousr]_|github_pat|gl[a-z]{2,4}-|xox|xapp|AKIA|ASIA|AIza|ya29|npm_|hf_|pypi-|SG\.|AC[0-9a-f]|SK[0-9a-f]|do[opr]_v1|bto_|brt_|hft_|lin_|shp|dp\.|dapi|eyJ)|\d:AA|\.[\w-]{6}\.[\w-]{27}|[Ss][Ii][Gg]=|hooks\.slack|\/webhooks\/|SharedAccess/;

export function redact(text: string): string {
  if (!HINT.test(text)) return text;
  let out = text.replace(KEY_BLOCK, REDACTED).replace(SHAPE, REDACTED).replace(TELEGRAM, REDACTED);
  for (const pattern of AFTER) out = out.replace(pattern, `$1${REDACTED}`);
  return redactAssignments(out, REDACTED);
}

const SECRET_NAME =
  /token|secret|passw(?:or)?d|api[_-]?key|authorization|bearer|credential|private[_-]?key|(?:access|account)[_-]?key|cookie|passphrase|.[_-]?pwd$/i;
const PLAIN_NAME = /^(?:tokens|(?:input|output|cachedInput|total|prompt|completion)Tokens|tokenCount|tokensPerMinute|authors?)$/;

/** Redacts a JSON value deeply: by the name of a field and by the shape of its text. */
export function redactValue(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return isSecretName(name) ? REDACTED : redact(value);
  if (value === null || typeof value !== 'object') return isSecretName(name) && value !== null ? REDACTED : value;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, name));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), redactValue(item, key)]));
}

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !PLAIN_NAME.test(name);
}

/** True when nothing but redaction marks, punctuation and space is left. */
export function isOnlyRedacted(text: string): boolean {
  return text.includes(REDACTED) && !/[\p{L}\p{N}]/u.test(text.replaceAll(REDACTED, ''));
}
