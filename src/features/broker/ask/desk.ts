// Where a caller decides: about requests, and about grants that came of them. Who may is asked first.
import { unlessUnknown } from '../../../kernel/errors.ts';
import type { Principal } from '../../../kernel/principal.ts';
import type { Tx } from '../../../store/database.ts';
import { toolCallerOf } from '../caller.ts';
import { appendAudit } from '../tell/audit.ts';
import type { Approval } from '../rows/approvals.ts';
import type { Grant } from '../rows/grants.ts';
import { type Resolve, resolveApproval, type Terms, withdrawApprovals } from './approvals.ts';
import { requireDecider } from './deciders.ts';
import { endGrant } from './grants.ts';

export interface BrokerDesk {
  resolve(request: ResolveRequest): Promise<Approval>;
  /** The same decision about several; what is not there, or not to be seen, is named. */
  resolveAll(ids: readonly string[], decision: Omit<ResolveRequest, 'id'>): Promise<BatchAnswer>;
  revoke(grantId: string): Promise<Grant>;
  /** Appends the digest of something that the hub itself found out to the chain of the audit. */
  attest(what: Attested): Promise<void>;
  /** Ends the open requests of calls whose ids begin so: what asked is gone. */
  withdraw(callPrefix: string): Promise<number>;
}

type Attested = Readonly<{
  id: string;
  name: string;
  digest: string;
  passed: boolean;
  summary: string;
  project: string | null;
  ms: number;
}>;
type ResolveRequest = Omit<Resolve, 'who' | 'team'>;
type BatchAnswer = Readonly<{ approvals: readonly Approval[]; notFound: readonly string[] }>;
type Decider = Readonly<{ who: Principal; terms: Terms }>;

export function deskOf(tx: Tx, { who, terms }: Decider): BrokerDesk {
  const resolve = (request: ResolveRequest) =>
    resolveApproval(tx, { ...request, who, team: who.bound.team }, terms);
  return {
    async resolve(request) {
      requireDecider(who, 'tools:approve');
      return resolve(request);
    },
    async resolveAll(ids, decision) {
      requireDecider(who, 'tools:approve');
      const approvals: Approval[] = [];
      const notFound: string[] = [];
      // In one order, so that two who decide about the same ones take turns.
      for (const id of [...new Set(ids)].sort()) {
        const one = await resolve({ ...decision, id }).catch(unlessUnknown);
        if (one) approvals.push(one);
        else notFound.push(id);
      }
      return { approvals, notFound };
    },
    async revoke(id) {
      requireDecider(who, 'tools:approve');
      const principal = who.bound.team === undefined ? undefined : toolCallerOf(who).principal;
      return endGrant(tx, { id, who, principal });
    },
    async attest({ id, name, digest, passed, summary, project, ms }) {
      const caller = { ...toolCallerOf(who), project };
      const found = { outcome: passed ? 'ok' : 'error', isError: !passed, durationMs: ms } as const;
      await appendAudit(tx, {
        callId: id,
        toolName: name,
        caller,
        phase: 'after',
        argsHash: digest,
        resultSummary: summary,
        ...found,
      });
    },
    withdraw: (callPrefix) => withdrawApprovals(tx, callPrefix),
  };
}
