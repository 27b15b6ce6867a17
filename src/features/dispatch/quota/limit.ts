// What an error of a client says about its model: the one place that knows the words. Asked about errors of the client itself alone,
// never about what a model said.

export type FailureClass = 'auth' | 'credit' | 'rate_limit' | 'api' | 'config' | 'limit' | 'crash';

/** `rate`, `overload` and `usage` pass by themselves. */
export const LIMIT_KINDS = ['rate', 'overload', 'usage', 'credit', 'key'] as const;
type LimitKind = (typeof LIMIT_KINDS)[number];

export type Limit = Readonly<{
  kind: LimitKind;
  text: string;
  /** When it is over, in ms, where that was told as a number; times in words are read by `quota/reset-time.ts`. */
  resetsAt?: number | undefined;
  /** The same counted from when it was said. */
  afterMs?: number | undefined;
}>;

/** An error as a client tells it. */
export type ToldError = Readonly<{
  text: string;
  /** The status of HTTP behind it. */
  status?: number | undefined;
  /** What client or vendor call it. */
  code?: string | undefined;
}> &
  Pick<Limit, 'resetsAt' | 'afterMs'>;

export type ClientFailure = Readonly<{ class: FailureClass; text: string; limit?: Limit }>;

export function readFailure(told: ToldError): ClientFailure {
  const { text } = told;
  const kind = kindOf(told);
  if (kind === undefined)
    return { class: /max.?turns|max.?budget|limit reached/i.test(text) ? 'limit' : 'api', text };
  const { resetsAt, afterMs } = told;
  const when = { ...(resetsAt !== undefined && { resetsAt }), ...(afterMs !== undefined && { afterMs }) };
  return { class: CLASSES[kind], text, limit: { kind, text, ...when } };
}

export function passes({ kind }: Limit): boolean {
  return kind === 'rate' || kind === 'overload' || kind === 'usage';
}

const CLASSES: Readonly<Record<LimitKind, FailureClass>> = {
  rate: 'rate_limit',
  overload: 'rate_limit',
  usage: 'rate_limit',
  credit: 'credit',
  key: 'auth',
};

/** Words say more than the status: 429 is also what no money and a used-up week look like. The first that fits counts. */
const WORDS: readonly (readonly [LimitKind, RegExp])[] = [
  ['credit', /usage limit is set to \$0|spend.?limit/i],
  ['usage', /hit your .{0,40}limit|usage limit|out of extra usage|daily quota|requests? per day|PerDay/i],
  ['usage', /\b(session|weekly|5-hour|five.hour|seven.day|opus|sonnet) limit\b/i],
  [
    'credit',
    /credit balance|insufficient_quota|(out of|no) credits|credits? (is|are) (depleted|exhausted)|billing details/i,
  ],
];

const CODES: Readonly<Record<string, LimitKind>> = {
  rate_limit: 'rate',
  rate_limit_error: 'rate',
  rate_limit_exceeded: 'rate',
  RESOURCE_EXHAUSTED: 'rate',
  usage_limit_reached: 'usage',
  usageLimitExceeded: 'usage',
  overloaded_error: 'overload',
  overloaded: 'overload',
  server_is_overloaded: 'overload',
  serverOverloaded: 'overload',
  billing_error: 'credit',
  insufficient_quota: 'credit',
  credit_balance_exhausted: 'credit',
  authentication_error: 'key',
  invalid_api_key: 'key',
  unauthorized: 'key',
};

const STATUSES: Readonly<Record<number, LimitKind>> = {
  401: 'key',
  402: 'credit',
  403: 'key',
  429: 'rate',
  503: 'overload',
  529: 'overload',
};

const LAST_WORDS: readonly (readonly [LimitKind, RegExp])[] = [
  ['overload', /\b529\b|overloaded|at capacity|high demand/i],
  ['rate', /\b429\b|rate.?limit|too many requests|resource (has been |is )?exhausted|quota/i],
  ['key', /\b(401|403)\b|unauthori[sz]ed|api.?key|credential|log ?in|authenticat/i],
];

function kindOf({ text, status, code }: ToldError): LimitKind | undefined {
  const said = (words: typeof WORDS) => words.find(([, pattern]) => pattern.test(text))?.[0];
  const coded = code === undefined || !Object.hasOwn(CODES, code) ? undefined : CODES[code];
  const known = status === undefined ? undefined : STATUSES[status];
  // Who was not let in has met no limit, whatever the words.
  if (coded === 'key' || known === 'key') return 'key';
  return said(WORDS) ?? coded ?? known ?? said(LAST_WORDS);
}
