import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import type { Denials } from './denials.ts';

/** Where a link of a notice leads. Whoever has it needs no other credential: it can say no, once, and nothing else. */
export function noticeRoutes(denials: Denials): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/notices/deny/:ticket',
      summary: 'Deny the call that a notice told of; the link is good for one use.',
      tag: 'notices',
      scope: 'tools:approve',
      isPublic: true,
      refusals: ['not_found'],
      params: z.object({ ticket: z.string().regex(/^[\w-]{1,120}\.[\w-]{43}$/) }),
      response: z.object({ decision: z.literal('deny') }),
      async handler({ params }) {
        await denials.deny(params.ticket);
        return { decision: 'deny' as const };
      },
    }),
  ];
}
