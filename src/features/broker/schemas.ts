// How tools, approvals, grants and audit rows look over REST: the documented fields first, then ours.
import { z } from 'zod';
import { WIDER } from './ask/grants.ts';

export const OK = { ok: true } as const;
export const ok = z.literal(true);

const folder = z.string().nullable().describe('Where the call works: an absolute path; null: nowhere.');
const client = z.string().nullable().describe('What the client calls itself.');

export const toolView = z.object({
  name: z.string(),
  description: z.string(),
  owner: z.enum(['core', 'plugin', 'channel', 'mcp']),
  risk: z.enum(['safe', 'destructive', 'external']),
  available: z.boolean(),
  diagnostics: z.array(z.string()),
  enabled: z.boolean(),
  source: z.string(),
});

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

export const blockedView = auditView.extend({
  taskId: z.string().nullable().describe('The board task that its caller was at, where that is known.'),
});

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
