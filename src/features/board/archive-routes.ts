import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { actorOf, callerOf } from '../../store/acting.ts';
import type { Database } from '../../store/database.ts';
import { archiveHead, exportPage, importBoard } from './archive.ts';
import { PLACE } from './change-route.ts';
import { placeSchema, recordSchema, type ArchivePlace } from './record.ts';

/** The whole board out and in, a page at a time. For the operator: a caller bound to a team has no business with other teams' tasks. */
export function archiveRoutes(db: Database): Route[] {
  return [
    defineRoute({
      ...PLACE,
      method: 'GET',
      path: '/api/board/archive',
      summary: 'Export the board, a page at a time; write each record as one line of JSON.',
      query: z.object({ cursor: z.string().min(1).max(2_000).optional() }),
      response: z.object({ records: z.array(recordSchema), nextCursor: z.string().optional() }),
      async handler({ query }, { who }) {
        refuseBound(who.bound.team);
        const after = query.cursor === undefined ? undefined : decode(query.cursor);
        const { records, next } = await db.read((q) => exportPage(q, after));
        return {
          records: after ? records : [archiveHead(db.now()), ...records],
          ...(next && { nextCursor: encode(next) }),
        };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/board/archive',
      summary:
        'Import lines of an export. Known records are left alone; broken lines are reported by number, the rest is kept.',
      tag: PLACE.tag,
      scope: 'board:write',
      body: z.object({
        lines: z.array(z.string()).max(5_000),
        import: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .describe('The same for every request of one import; without it the request is a whole one.'),
        more: z
          .boolean()
          .optional()
          .describe('More requests follow: nobody can claim what came until the last one is in.'),
      }),
      response: z.object({
        added: z.int(),
        known: z.int(),
        problems: z.array(z.object({ line: z.int().describe('The first line is 1.'), problem: z.string() })),
      }),
      handler({ body }, { who }) {
        refuseBound(who.bound.team);
        const { lines, import: importId, more } = body;
        if (more === true && importId === undefined)
          throw new HubError('invalid', 'more needs import: a name that all requests of one import share.');
        const actor = actorOf(callerOf({ who, via: 'route' }));
        return importBoard(db, actor, { lines, importId, isPart: more });
      },
    }),
  ];
}

function refuseBound(team: string | undefined): void {
  if (team !== undefined)
    throw new HubError('forbidden', `An archive holds every team's tasks; this caller is bound to ${team}.`, {
      team,
    });
}

function encode(place: ArchivePlace): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

function decode(cursor: string): ArchivePlace {
  try {
    return placeSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch (error) {
    throw new HubError('invalid', 'invalid cursor: send nextCursor exactly as you got it.', {}, error);
  }
}
