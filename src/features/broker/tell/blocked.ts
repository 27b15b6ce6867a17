// Calls that a rule, an inspector or an empty house kept from running. A person hears of them: what was tried and refused
// is what they most need to know. Calls that were only written wrong are the agent's own business.
import { z } from 'zod';
import { defineRoute, integerText, type Route } from '../../../http/route.ts';
import type { Database, Query, Tx } from '../../../store/database.ts';
import type { JudgedCall } from '../judge/judge-call.ts';
import { type AuditRow, listRefused } from '../rows/audit.ts';
import { auditView, OK, toAuditView } from '../views.ts';

/** What the row of a blocked call says beside its reason, as JSON. */
type Blocked = Readonly<{ blocked: true; task?: string; notes?: readonly string[] }>;

export function blockedSummary({ taskId, notes }: JudgedCall): string {
  return JSON.stringify({
    blocked: true,
    ...(taskId !== null && { task: taskId }),
    ...(notes.length > 0 && { notes }),
  } satisfies Blocked);
}

/** Who was kept from which tool and by what; nothing of what they wanted with it. */
export function tellBlocked(tx: Tx, { caller, callId, tool, taskId }: JudgedCall, reason: string): void {
  tx.emit({
    kind: 'tool.refused',
    subject: callId,
    realm: 'hub',
    ...(caller.teamId !== null && { team: caller.teamId }),
    data: {
      tool: tool.name,
      agentId: caller.name ?? caller.principal,
      reason,
      ...(taskId !== null && { task: taskId }),
    },
  });
}

const blockedView = auditView.extend({
  taskId: z.string().nullable().describe('The board task that its caller was at, where that is known.'),
});

export function blockedRoute(db: Database): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/tools/refused',
    summary: 'Calls that a rule or an inspector kept from running, newest first; of the newest 20,000 rows.',
    tag: 'tools',
    scope: 'tools:read',
    query: z.object({
      since: integerText(z.int().min(0)).optional(),
      limit: integerText(z.int().min(1).max(200)).optional(),
    }),
    response: z.object({ ok: z.literal(true), refused: z.array(blockedView) }),
    async handler({ query: { since, limit = 100 } }, { who }) {
      await db.flush();
      const rows = await db.read((q) => readBlocked(q, { since, teamId: who.bound.team }, limit));
      return { ...OK, refused: rows };
    },
  });
}

async function readBlocked(
  q: Query,
  filter: Readonly<{ since: number | undefined; teamId: string | undefined }>,
  limit: number,
): Promise<z.input<typeof blockedView>[]> {
  const rows = await listRefused(q, filter, limit);
  return rows.map((row) => ({ ...toAuditView(row), taskId: taskIn(row) }));
}

function taskIn({ resultSummary }: AuditRow): string | null {
  return (JSON.parse(resultSummary!) as Blocked).task ?? null;
}
