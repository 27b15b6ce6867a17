// What the vendors' model APIs answer when there is no more: status, headers and bodies as they document them. Times are
// counted from `now`, in ms.
import { startMock } from './mock-server.mjs';

const HOUR = 3_600_000;
const seconds = (at) => Math.floor(at / 1000);
const anthropic = (type, message) => ({ type: 'error', error: { type, message }, request_id: 'req_1' });
const google = (code, status, more) => ({ error: { code, status, ...more } });
const openai = (type, code, message) => ({ error: { message, type, param: null, code } });

/** By family and case. `opencode` asks Anthropic's API. */
export const LIMITS = {
  claude: {
    rate: () => ({
      status: 429,
      headers: { 'retry-after': '1', 'anthropic-ratelimit-requests-remaining': '0' },
      body: anthropic(
        'rate_limit_error',
        'This request would exceed the rate limit for your organization of 50 requests per minute.',
      ),
    }),
    usage: (now) => ({
      status: 429,
      headers: {
        'retry-after': '7200',
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-representative-claim': 'five_hour',
        'anthropic-ratelimit-unified-reset': String(seconds(now + 2 * HOUR)),
        'anthropic-ratelimit-unified-5h-status': 'rejected',
        'anthropic-ratelimit-unified-5h-utilization': '1.0',
        'anthropic-ratelimit-unified-5h-reset': String(seconds(now + 2 * HOUR)),
        'anthropic-ratelimit-unified-7d-status': 'allowed',
        'anthropic-ratelimit-unified-7d-utilization': '0.5',
        'anthropic-ratelimit-unified-7d-reset': String(seconds(now + 90 * HOUR)),
        'anthropic-ratelimit-unified-overage-status': 'rejected',
        'anthropic-ratelimit-unified-overage-disabled-reason': 'org_level_disabled',
      },
      body: anthropic(
        'rate_limit_error',
        "This request would exceed your account's rate limit. Please try again later.",
      ),
    }),
    overload: () => ({ status: 529, headers: {}, body: anthropic('overloaded_error', 'Overloaded') }),
    credit: () => ({
      status: 400,
      headers: {},
      body: anthropic(
        'invalid_request_error',
        'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
      ),
    }),
    key: () => ({ status: 401, headers: {}, body: anthropic('authentication_error', 'invalid x-api-key') }),
  },
  codex: {
    rate: () => ({
      status: 429,
      headers: { 'retry-after': '1' },
      body: openai(
        'tokens',
        'rate_limit_exceeded',
        'Rate limit reached for mock-model in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000. Please try again in 6.1s.',
      ),
    }),
    usage: (now) => ({
      status: 429,
      headers: {
        'x-codex-primary-used-percent': '100',
        'x-codex-primary-window-minutes': '300',
        'x-codex-primary-reset-at': String(seconds(now + 2 * HOUR)),
      },
      body: {
        error: {
          type: 'usage_limit_reached',
          message: 'The usage limit has been reached',
          plan_type: 'plus',
          resets_at: seconds(now + 2 * HOUR),
          resets_in_seconds: 7200,
        },
      },
    }),
    overload: () => ({
      status: 503,
      headers: {},
      body: openai(
        'server_error',
        'server_is_overloaded',
        'The engine is currently overloaded, please try again later.',
      ),
    }),
    credit: () => ({
      status: 429,
      headers: {},
      body: openai(
        'insufficient_quota',
        'insufficient_quota',
        'You exceeded your current quota, please check your plan and billing details.',
      ),
    }),
    key: () => ({
      status: 401,
      headers: {},
      body: openai('invalid_request_error', 'invalid_api_key', 'Incorrect API key provided: dummy.'),
    }),
  },
  gemini: {
    rate: () => ({
      status: 429,
      headers: {},
      body: google(429, 'RESOURCE_EXHAUSTED', {
        message: 'Resource has been exhausted (e.g. check quota).',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
            violations: [
              {
                quotaMetric: 'generativelanguage.googleapis.com/generate_content_requests',
                quotaId: 'GenerateRequestsPerMinutePerProjectPerModel',
              },
            ],
          },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' },
        ],
      }),
    }),
    usage: () => ({
      status: 429,
      headers: {},
      body: google(429, 'RESOURCE_EXHAUSTED', {
        message:
          'You exceeded your current quota, please check your plan and billing details. Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 250',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
            violations: [
              {
                quotaMetric: 'generativelanguage.googleapis.com/generate_content_free_tier_requests',
                quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier',
                quotaValue: '250',
              },
            ],
          },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7200s' },
        ],
      }),
    }),
    overload: () => ({
      status: 503,
      headers: {},
      body: google(503, 'UNAVAILABLE', { message: 'The model is overloaded. Please try again later.' }),
    }),
    credit: () => ({
      status: 402,
      headers: {},
      body: google(402, 'FAILED_PRECONDITION', {
        message: 'Your prepayment credits are depleted. Please add credits.',
      }),
    }),
    key: () => ({
      status: 400,
      headers: {},
      body: google(400, 'INVALID_ARGUMENT', { message: 'API key not valid. Please pass a valid API key.' }),
    }),
  },
};
LIMITS.opencode = LIMITS.claude;

/** A model that answers every request about words with this limit, whatever else is asked is fine. */
export function startLimited(limit) {
  return startMock(({ request, response }) => {
    if (request.method === 'HEAD') return void response.writeHead(200).end();
    if (request.method === 'GET')
      return answer(response, { status: 200, headers: {}, body: { object: 'list', data: [], models: [] } });
    return answer(response, limit);
  });
}

function answer(response, { status, headers, body }) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
