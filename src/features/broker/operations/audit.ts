// `/api/tools/audit`: every governed call, those that were blocked, and the proof that nobody changed the record.
import { z } from 'zod';
import { work } from '../../../operation/operation.ts';
import type { Broker } from '../broker.ts';
import { auditView, blockedView, OK, ok } from '../schemas.ts';
import { chainVerdict } from '../tell/verify.ts';

const time = z.int().min(0).optional();
const word = z.string().min(1).max(200).optional();

const listRefused = work({
  name: 'list_refused_calls',
  summary: 'Calls that a rule or an inspector kept from running, newest first; of the newest 20,000 rows.',
  scope: 'tools:read',
  effect: 'read',
  input: { since: time, limit: z.int().min(1).max(200).optional() },
  output: z.object({ ok, refused: z.array(blockedView) }),
  route: 'GET /api/tools/refused',
  run: async (broker: Broker, asked, { who }) => ({ ...OK, refused: await broker.audit.refused(who, asked) }),
});

const listAudit = work({
  name: 'list_audit',
  summary: 'Every tool call before and after, newest first.',
  scope: 'tools:read',
  effect: 'read',
  input: {
    toolName: word,
    agentId: word,
    teamId: word.describe('Calls of one team or project; a caller that is bound to one sees no other.'),
    callId: word,
    phase: z
      .enum(['before', 'after', 'decision', 'all'])
      .optional()
      .describe('Calls alone (before and after) unless given.'),
    decision: z
      .enum([
        'allow',
        'deny',
        'require_approval',
        'rewrite',
        'allow_once',
        'allow_always',
        'revoke',
        'expire',
      ])
      .optional(),
    outcome: z.enum(['ok', 'error', 'denied', 'expired', 'timeout', 'cancelled', 'asked']).optional(),
    search: word.describe('Words of tool, caller, arguments or result; of the newest 20,000 rows.'),
    since: time,
    until: time,
    limit: z.int().min(1).max(1_000).optional(),
    cursor: z
      .string()
      .regex(/^\d{1,15}$/)
      .optional(),
  },
  output: z.object({ ok, audit: z.array(auditView), nextCursor: z.string().nullable() }),
  route: 'GET /api/tools/audit',
  run: async (broker: Broker, asked, { who }) => ({ ...OK, ...(await broker.audit.list(who, asked)) }),
});

const verifyAudit = work({
  name: 'verify_audit',
  summary: 'Is the audit whole and unchanged?',
  scope: 'tools:read',
  effect: 'read',
  input: {
    head: z
      .string()
      .regex(/^\d{1,15}:(?:[0-9a-f]{64})?$/)
      .optional()
      .describe('A head that an earlier look answered, kept elsewhere.'),
  },
  output: chainVerdict,
  route: 'GET /api/tools/audit/verify',
  run: (broker: Broker, { head }) => broker.audit.verify(head),
});

export const auditOperations = [listRefused, listAudit, verifyAudit] as const;
