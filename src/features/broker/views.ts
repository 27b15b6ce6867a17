// How approvals, grants and audit rows look over REST, and what of them is masked once more.
import { z } from 'zod';
import { ANY } from './caller.ts';
import { askerWords, holderWords, WIDER } from './ask/grants.ts';
import { maskApprovalJson, maskArgsJson, maskJson } from './tell/summary.ts';
import type { Approval } from './rows/approvals.ts';
import type { AuditRow } from './rows/audit.ts';
import type { Grant } from './rows/grants.ts';

export const OK = { ok: true } as const;

const folder = z.string().nullable().describe('Where the call works: an absolute path; null: nowhere.');
const client = z.string().nullable().describe('What the client calls itself.');

/** Rows as the REST surface shows them: the documented fields first, then ours. */
export const approvalView = z.object({
  id: z.string(),
  toolName: z.string(),
  agentId: z.string().nullable(),
  argsSummary: z.string().nullable(),
  reason: z.string().nullable(),
  status: z.enum(['pending', 'allow_once', 'allow_always', 'deny', 'expired']),
  taskId: z.string().nullable(),
  tenantId: z.string().nullable(),
  createdAt: z.int(),
  expiresAt: z.int(),
  resolvedAt: z.int().nullable(),
  resolvedBy: z.string().nullable(),
  callId: z.string(),
  teamId: z.string().nullable().describe('The team of its caller, else the project it works in.'),
  folder,
  client,
  holder: z.string().describe('Whose calls an allow_always would allow.'),
  principal: z.string(),
  argsHash: z.string(),
  shape: z
    .string()
    .describe(
      'What allow_always with `covers: shape` would allow, as JSON with one readable value per argument.',
    ),
  grantId: z.string().nullable(),
  isRedeemed: z.boolean(),
});

/** The stored value: what was written is what the resolver decided on. */
export function toApprovalView(row: Approval): z.input<typeof approvalView> {
  const {
    redeemUntil: _,
    redeemedByCall,
    shape: _key,
    shapeText: shape,
    credential: _credential,
    ground: _ground,
    project,
    ...rest
  } = row;
  const holder = askerWords(row);
  return { ...rest, teamId: row.teamId ?? project, holder, shape, isRedeemed: redeemedByCall !== null };
}

export function toMaskedApproval(row: Approval): z.input<typeof approvalView> {
  return {
    ...toApprovalView(row),
    argsSummary: maskApprovalJson(row.argsSummary),
    shape: maskApprovalJson(row.shapeText) ?? '{}',
  };
}

export const auditView = z.object({
  id: z.string(),
  toolName: z.string(),
  agentId: z.string().nullable(),
  phase: z.enum(['before', 'after', 'decision']),
  decision: z.string().nullable(),
  argsSummary: z.string().nullable(),
  resultSummary: z.string().nullable(),
  isError: z.int(),
  tenantId: z.string().nullable(),
  createdAt: z.int(),
  seq: z.int(),
  callId: z.string(),
  principal: z.string(),
  teamId: z.string().nullable().describe('The team of its caller, else the project it worked in.'),
  folder,
  client,
  reason: z.string().nullable(),
  outcome: z.string().nullable(),
  durationMs: z.int().nullable(),
  approvalId: z.string().nullable(),
  grantId: z.string().nullable(),
  argsHash: z.string().nullable().describe('SHA-256 of the exact arguments as they ran.'),
  hash: z.string(),
});

export function toAuditView(row: AuditRow): z.input<typeof auditView> {
  const { project, ...rest } = row;
  return {
    ...rest,
    teamId: row.teamId ?? project,
    argsSummary: maskArgsJson(row.argsSummary),
    resultSummary: maskJson(row.resultSummary),
  };
}

export const grantView = z.object({
  id: z.string(),
  toolName: z.string(),
  agentId: z.string().nullable(),
  principal: z.string(),
  holder: z.string().describe('Whose calls it allows.'),
  teamId: z.string().nullable().describe('The team or project it was given in.'),
  folder,
  wider: z.array(z.enum(WIDER)).describe('What of it reaches beyond the client and project that asked.'),
  shape: z.record(z.string(), z.string()),
  approvalId: z.string().nullable(),
  createdAt: z.int(),
  createdBy: z.string(),
  expiresAt: z.int().nullable(),
  revokedAt: z.int().nullable(),
  revokedBy: z.string().nullable(),
  uses: z.int(),
  lastUsedAt: z.int().nullable(),
});

export function toGrantView(row: Grant): z.input<typeof grantView> {
  const { shape: _, shapeText, credential: _credential, client, project, ground: _ground, ...rest } = row;
  const isLocal = row.principal.startsWith('local:');
  const wider = [
    ...(isLocal && client === ANY ? (['every_client'] as const) : []),
    ...(isLocal && project === ANY ? (['every_project'] as const) : []),
  ];
  return {
    ...rest,
    holder: holderWords(row),
    wider,
    shape: JSON.parse(shapeText) as Record<string, string>,
  };
}
