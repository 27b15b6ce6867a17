import { z } from 'zod';
import { defineRoute, integerText, type Route } from '../../http/route.ts';
import type { Database } from '../../store/database.ts';
import { readAudit } from './tell/audit.ts';
import { blockedRoute } from './tell/blocked.ts';
import { type KeptHead, verifyAudit } from './tell/verify.ts';
import { auditView, OK, toAuditView } from './views.ts';

const tag = 'tools';

export function auditRoutes(db: Database): Route[] {
  const time = integerText(z.int().min(0)).optional();
  const word = z.string().min(1).max(200).optional();
  return [
    blockedRoute(db),
    defineRoute({
      method: 'GET',
      path: '/api/tools/audit',
      summary: 'Every tool call before and after, newest first.',
      tag,
      scope: 'tools:read',
      query: z.object({
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
        limit: integerText(z.int().min(1).max(1_000)).optional(),
        cursor: z
          .string()
          .regex(/^\d{1,15}$/)
          .optional(),
      }),
      response: z.object({
        ok: z.literal(true),
        audit: z.array(auditView),
        nextCursor: z.string().nullable(),
      }),
      async handler({ query: { limit = 100, cursor, teamId, ...filter } }, { who }) {
        await db.flush();
        const { rows, nextCursor } = await db.read((q) =>
          readAudit(q, { ...filter, teamId: who.bound.team, inTeam: teamId }, { cursor, limit }),
        );
        return { ...OK, audit: rows.map(toAuditView), nextCursor };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/tools/audit/verify',
      summary: 'Is the audit whole and unchanged?',
      tag,
      scope: 'tools:read',
      query: z.object({
        head: z
          .string()
          .regex(/^\d{1,15}:(?:[0-9a-f]{64})?$/)
          .optional()
          .describe('A head that an earlier look answered, kept elsewhere.'),
      }),
      response: z.object({
        ok: z.boolean(),
        rows: z.int(),
        anchors: z.int(),
        firstSeq: z.int(),
        lastSeq: z.int(),
        head: z.string(),
        removed: z.int(),
        problems: z.array(z.object({ seq: z.int(), kind: z.string(), what: z.string() })),
      }),
      handler: async ({ query }) => {
        const verdict = await verifyAudit(db, query.head === undefined ? undefined : keptHead(query.head));
        return { ...verdict, problems: [...verdict.problems] };
      },
    }),
  ];
}

function keptHead(text: string): KeptHead {
  const [seq, hash] = text.split(':') as [string, string];
  return { seq: Number(seq), hash };
}
