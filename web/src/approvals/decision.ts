import type { Api } from '../../../src/features/api.ts';
import { ask, askLeaving } from '../api/call.ts';

export type Approval = Api['GET /api/tools/approvals']['answer']['approvals'][number];
export type Decision = Api['POST /api/tools/approvals/resolve']['given'];

/** What "always" covers: its usual shape, these very arguments, one of the offers, or all but some arguments. */
export type Covers = NonNullable<Decision['covers']>;

/** How far "always" reaches beyond the client and the project that asked. */
export type Wider = NonNullable<Decision['wider']>[number];

/** `isLeaving`: the page is about to go, and the request has to outlive it. */
export function sendDecision(decision: Decision, isLeaving = false) {
  return (isLeaving ? askLeaving : ask)('POST /api/tools/approvals/resolve', decision);
}
