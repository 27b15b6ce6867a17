import { z } from 'zod';
import type { Clock } from '../kernel/clock.ts';
import { VERSION } from '../kernel/version.ts';
import type { Database } from '../store/database.ts';
import { defineRoute, type Route } from './route.ts';

const Health = z.object({
  ok: z.boolean().describe('False while something does not work: `problems` says what.'),
  problems: z.array(z.string()).describe('What does not work, one sentence each. Reading goes on.'),
  version: z.string(),
  engine: z.enum(['sqlite', 'postgres']),
  schema: z.int().describe('The number of the newest migration.'),
  eventHead: z.int().describe('The sequence number of the newest event.'),
  uptimeMs: z.int(),
  hub: z.string(),
});

export function healthRoute({
  db,
  hub,
  clock,
}: Readonly<{ db: Database; hub: string; clock: Clock }>): Route {
  const startedAt = clock.elapsed();
  return defineRoute({
    method: 'GET',
    path: '/api/health',
    summary: 'Is the hub well, and what is it?',
    tag: 'hub',
    scope: 'hub:read',
    refusals: ['unavailable'],
    response: Health,
    handler: async () => {
      const trouble = await db.trouble();
      return {
        ok: trouble === undefined,
        problems: trouble === undefined ? [] : [trouble],
        version: VERSION,
        engine: db.engine,
        schema: db.schema,
        eventHead: await db.feed.head(),
        uptimeMs: Math.round(clock.elapsed() - startedAt),
        hub,
      };
    },
  });
}
