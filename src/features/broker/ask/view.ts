// What a caller may see of requests and grants.
import type { z } from 'zod';
import type { Principal } from '../../../kernel/principal.ts';
import type { Query } from '../../../store/database.ts';
import { toolCallerOf } from '../caller.ts';
import { type Approval, countPending, listPendingApprovals, listPendingOfCalls } from '../rows/approvals.ts';
import { type Attested, attestedAs } from '../rows/audit.ts';
import { listGrants } from '../rows/grants.ts';
import type { approvalView, grantView } from '../schemas.ts';
import { toGrantView, toMaskedApproval } from '../views.ts';
import { findApproval, noteOfDecision, readApproval } from './approvals.ts';

type ShownApproval = z.input<typeof approvalView>;

export interface BrokerView {
  /** What waits for a person, newest first; a caller that is bound to a team sees that team's. */
  approvals(page: Page): Promise<{ approvals: ShownApproval[]; nextCursor: string | null }>;
  /** Those of calls whose ids begin so, for the room that made the calls. */
  ofCalls(callPrefix: string): Promise<readonly Approval[]>;
  /** Digests that the hub attested in the audit, under names that begin so, by their ids. */
  attested(prefix: string): Promise<Attested>;
  /** How many wait. */
  countWaiting(): Promise<number>;
  /** One request, decided or not, and the word that came with the decision. */
  approval(id: string): Promise<{ approval: ShownApproval; note: string | null }>;
  /** What it holds for, as long as it waits. */
  argsHashOf(id: string): Promise<string | undefined>;
  /** Of all callers, or of this one when it is bound to a team; `all`: also those that ended. */
  grants(filter: Readonly<{ all?: boolean | undefined }>): Promise<z.input<typeof grantView>[]>;
}

type Page = Readonly<{ limit?: number | undefined; cursor?: string | undefined }>;
type Seer = Readonly<{ who: Principal; now: number }>;

export const viewOf = (q: Query, { who, now }: Seer): BrokerView => ({
  async approvals({ limit = 1_000, cursor }) {
    const page = { before: cursor ?? null, limit: limit + 1, team: who.bound.team };
    const rows = await listPendingApprovals(q, now, page);
    const shown = rows.slice(0, limit);
    return {
      approvals: shown.map(toMaskedApproval),
      nextCursor: rows.length > limit ? shown.at(-1)!.id : null,
    };
  },
  ofCalls: (callPrefix) => listPendingOfCalls(q, callPrefix),
  attested: (prefix) => attestedAs(q, prefix),
  countWaiting: () => countPending(q, { now, team: who.bound.team }),
  async approval(id) {
    const approval = await findApproval(q, { id, team: who.bound.team, now });
    const said = approval.resolvedAt === null ? undefined : await noteOfDecision(q, approval);
    return { approval: toMaskedApproval(approval), note: said ?? null };
  },
  async argsHashOf(id) {
    const approval = await readApproval(q, id, now);
    return approval?.status === 'pending' ? approval.argsHash : undefined;
  },
  async grants({ all: isAll = false }) {
    const principal = who.bound.team === undefined ? undefined : toolCallerOf(who).principal;
    return (await listGrants(q, { living: !isAll, now, principal })).map(toGrantView);
  },
});
