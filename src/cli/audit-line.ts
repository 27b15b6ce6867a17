/** A row of the audit as the hub answers it. */
export type AuditLine = Readonly<{
  seq: number;
  callId: string;
  createdAt: number;
  toolName: string;
  agentId: string | null;
  principal: string;
  teamId: string | null;
  folder: string | null;
  phase: string;
  decision: string | null;
  outcome: string | null;
  reason: string | null;
  durationMs: number | null;
  argsSummary: string | null;
  resultSummary: string | null;
  approvalId: string | null;
  grantId: string | null;
}>;

export function howItWent({ decision, outcome }: AuditLine): string {
  return [decision, outcome].filter((part) => part !== null).join(' → ');
}
