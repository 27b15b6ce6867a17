import type { z } from 'zod';
import type { approvalView } from '../../../src/features/broker/views.ts';
import { call } from '../api/call.ts';

export type Approval = z.output<typeof approvalView>;

/** What "always" covers: its usual shape, these very arguments, one of the offers, or all but some arguments. */
export type Covers = 'shape' | 'exact' | Readonly<{ offer: string }> | Readonly<{ open: readonly string[] }>;

/** How far "always" reaches beyond the client and the project that asked. */
export type Wider = 'every_client' | 'every_project';

export type Deciding = Readonly<{
  ids: readonly string[];
  decision: 'allow_once' | 'allow_always' | 'deny';
  grantTtlMs?: number | undefined;
  covers?: Covers | undefined;
  wider?: readonly Wider[] | undefined;
  note?: string | undefined;
}>;

/** `isLeaving`: the page is about to go, and the request has to outlive it. */
export function sendDecision(body: Deciding, isLeaving = false) {
  return call<{ approvals: Approval[]; notFound: string[] }>('/api/tools/approvals/resolve', {
    method: 'POST',
    body,
    keepalive: isLeaving,
  });
}
