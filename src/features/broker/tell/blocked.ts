// Calls that a rule, an inspector or the absence of a person kept from running. A person hears of them: what was tried
// and refused is what they most need to know. Calls that were only written wrong are the agent's own business.
import type { Tx } from '../../../store/database.ts';
import type { JudgedCall } from '../judge/judge-call.ts';
import type { AuditRow } from '../rows/audit.ts';

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

/** The board task that its caller was at, where that is known. */
export function taskOfBlocked({ resultSummary }: AuditRow): string | null {
  return (JSON.parse(resultSummary!) as Blocked).task ?? null;
}
