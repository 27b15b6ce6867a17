/**
 * Secrets are removed from text before it is stored or shown. Patterns are anchored on
 * well-known prefixes and bounded, so that scanning is linear and ordinary prose survives.
 */
export const REDACTED = '[REDACTED]';

type Rule = Readonly<{ pattern: RegExp; replace: string }>;

const WHOLE = (pattern: RegExp): Rule => ({ pattern, replace: REDACTED });

const RULES: readonly Rule[] = [
  // A key ends where its dashes do; one that was cut off is hidden as far as it could reach. The next header ends the search.
  WHOLE(/-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY-----(?:[^-]|-(?!----)){0,16384}(?:-----END [A-Z0-9 ]{0,32}PRIVATE KEY-----)?/g),
  WHOLE(/\bsk-(?:ant-|proj-|or-v1-)?[A-Za-z0-9_-]{12,}/g),
  WHOLE(/\b(?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,}/g),
  WHOLE(/\bgh[pousr]_[A-Za-z0-9]{12,}/g),
  WHOLE(/\bgithub_pat_[A-Za-z0-9_]{20,}/g),
  WHOLE(/\bglpat-[A-Za-z0-9_-]{20,}/g),
  WHOLE(/\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g),
  WHOLE(/\bxapp-[A-Za-z0-9-]{10,}/g),
  WHOLE(/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g),
  WHOLE(/\bAIza[A-Za-z0-9_-]{35}/g),
  WHOLE(/\bya29\.[A-Za-z0-9_-]{20,}/g),
  WHOLE(/\bnpm_[A-Za-z0-9]{30,}/g),
  WHOLE(/\bhf_[A-Za-z0-9]{20,}/g),
  WHOLE(/\bpypi-[A-Za-z0-9_-]{20,}/g),
  WHOLE(/\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g),
  WHOLE(/\b(?:AC|SK)[0-9a-f]{32}\b/g),
  WHOLE(/\bdop_v1_[0-9a-f]{40,}/g),
  WHOLE(/\b(?:bto|brt|hft)_[A-Za-z0-9_-]{16,}/g),
  WHOLE(/\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?/g),
  WHOLE(/\beyJ[A-Za-z0-9_-]{20,}/g),
  { pattern: /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{12,}/gi, replace: `$1 ${REDACTED}` },
  { pattern: /\b([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,128}:)[^\s/@]{1,256}@/gi, replace: `$1${REDACTED}@` },
  {
    pattern: /\b(AccountKey|SharedAccessKey|SharedAccessSignature)=[A-Za-z0-9+/=%&_-]{12,}/g,
    replace: `$1=${REDACTED}`,
  },
  {
    pattern:
      /\b((?:[A-Z][A-Z0-9_]{0,63})?(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)["']?\s{0,4}[=:]\s{0,4})(?:"[^"\n]{1,512}"|'[^'\n]{1,512}'|[^\s"',;}[\]]{4,512})/g,
    replace: `$1${REDACTED}`,
  },
  {
    pattern:
      /\b((?:password|passwd|pwd|api[_-]?key|secret|client[_-]?secret|access[_-]?token|auth[_-]?token|private[_-]?key)["']?\s{0,4}[=:]\s{0,4})(?:"[^"\n]{1,512}"|'[^'\n]{1,512}'|[^\s"',;}[\]]{4,512})/gi,
    replace: `$1${REDACTED}`,
  },
];

/** A cheap look for anything a rule could match; most text has none and is returned as it is. */
const HINT =
  /PRIVATE KEY|sk-|[srp]k_|whsec|gh[pousr]_|github_pat|glpat|xox|xapp|AKIA|ASIA|AIza|ya29|npm_|hf_|pypi-|SG\.|\bAC[0-9a-f]|\bSK[0-9a-f]|dop_v1|bto_|brt_|hft_|eyJ|bearer|basic|:\/\/|AccountKey|SharedAccess|key|token|secret|passw|pwd/i;

export function redact(text: string): string {
  if (!HINT.test(text)) return text;
  let out = text;
  for (const rule of RULES) out = out.replace(rule.pattern, rule.replace);
  return out;
}

const SECRET_NAME = /token|secret|passw(?:or)?d|api[_-]?key|authorization|bearer|credential|private[_-]?key|access[_-]?key|cookie/i;
const PLAIN_NAME = /^(?:tokens|(?:input|output|cachedInput|total|prompt|completion)Tokens|tokenCount|tokensPerMinute|authors?)$/;

/** Redacts a JSON value deeply: by the name of a field and by the shape of its text. */
export function redactValue(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return isSecretName(name) ? REDACTED : redact(value);
  if (value === null || typeof value !== 'object') return isSecretName(name) && value !== null ? REDACTED : value;
  if (Array.isArray(value)) return value.map((item) => redactValue(item, name));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactValue(item, key)]));
}

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !PLAIN_NAME.test(name);
}

/** True when nothing but redaction marks, punctuation and space is left. */
export function isOnlyRedacted(text: string): boolean {
  return text.includes(REDACTED) && !/[\p{L}\p{N}]/u.test(text.replaceAll(REDACTED, ''));
}
