// The forms a refusal has, each with where it is spoken, how it is written and what OpenAPI says of it.
import { z } from 'zod';
import { refusalOf } from '../features/dispatch/a2a/errors.ts';
import { ERRORS, type ErrorCode, type HubError } from '../kernel/errors.ts';
import { redactValue } from '../kernel/redact.ts';
import { headersFor, ownBody, type Rendered, renderOAuthError, renderRpcError } from './errors.ts';

/** What was asked for, and under which id the log has it. */
export type RefusedRequest = Readonly<{ url: string; id?: string }>;

type ErrorForm = Readonly<{
  /** Of its schema in OpenAPI; for forms that no route there speaks there is none. */
  name?: string;
  schema?: z.ZodType;
  render(error: HubError, asked: RefusedRequest): Rendered;
}>;

const ErrorBody = z.object({
  error: z.string(),
  code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
  hint: z.string().optional(),
  got_id: z.string().optional().describe('Of the gateway: the id that there is nothing under.'),
  endpoints: z.array(z.string()).optional().describe('Of the gateway: what may have been meant.'),
  details: z.record(z.string(), z.unknown()).optional(),
  requestId: z.string().optional().describe('Of a defect: the log has it under this id.'),
});

const OWN: ErrorForm = {
  name: 'Error',
  schema: ErrorBody,
  render: (error, { id }) => rendered(error, ownBody(error, id)),
};

/** Clients of `/peers` look for `detail`. */
const PEERS: ErrorForm = {
  name: 'PeersError',
  schema: ErrorBody.extend({ detail: z.string() }),
  render: (error, { id }) => rendered(error, { detail: error.message, ...ownBody(error, id) }),
};

const A2A: ErrorForm = {
  name: 'A2aError',
  schema: z.object({
    jsonrpc: z.literal('2.0'),
    id: z.null(),
    error: z.object({
      code: z.int(),
      message: z.string(),
      data: z.array(z.looseObject({ '@type': z.string(), reason: z.string(), domain: z.string() })),
    }),
  }),
  render: (error) => rendered(error, { jsonrpc: '2.0', id: null, error: refusalOf(error) }),
};

const RPC: ErrorForm = { render: (error) => renderRpcError(error) };
const OAUTH: ErrorForm = { render: renderOAuthError };

function rendered(error: HubError, body: object): Rendered {
  return { status: error.status, headers: headersFor(error), body: JSON.stringify(redactValue(body)) };
}

/** Whose words a client knows depends on what is spoken where it called. */
export function formOf(code: ErrorCode, url: string): ErrorForm {
  if (isMcpPath(url)) return RPC;
  if (isUnder('/a2a', url)) return isBeforeTheCall(code) ? OWN : A2A;
  if (isUnder('/peers', url)) return PEERS;
  return /^\/oauth\/(token|revoke|register)(\/|\?|$)/.test(url) ? OAUTH : OWN;
}

export function renderRefusal(error: HubError, asked: RefusedRequest): Rendered {
  return formOf(error.code, asked.url).render(error, asked);
}

/** Refused by HTTP before anything was said, or a fault of ours: the status tells it. */
function isBeforeTheCall(code: ErrorCode): boolean {
  return (
    ERRORS[code].status >= 500 ||
    ['unauthorized', 'forbidden', 'method_not_allowed', 'not_found'].includes(code)
  );
}

function isUnder(path: string, url: string): boolean {
  return url.startsWith(path) && /^(\/|\?|$)/.test(url.slice(path.length));
}

function isMcpPath(url: string): boolean {
  return (
    /^\/(api\/)?mcp(\/|\?|$)/.test(url) &&
    !/^\/api\/mcp\/config\/?(\?|$)/.test(url) &&
    !url.includes('/.well-known/')
  );
}
