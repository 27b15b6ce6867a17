// `/api/sources/:name/review` and what a person decides there: approve, reject, take back.
import { z } from 'zod';
import { defineRoute, listText, type Route } from '../../http/route.ts';
import { type Acting, byRoute, type Caller } from '../../store/acting.ts';
import type { Database, Tx } from '../../store/database.ts';
import { requireSourceKeeper } from './operator-only.ts';
import { digestOf, isPending } from './pins.ts';
import { decidedView, pendingView, toDecided, toPending } from './review.ts';
import { toolRows } from './rows.ts';
import type { Source, Sources } from './sources.ts';

const tag = 'sources';
const params = z.object({ name: z.string().min(1).max(64) });
const names = z.array(z.string().min(1).max(500)).max(1_000);
const OK = { ok: true } as const;
const ok = z.literal(true);

const chosen = z.object({
  tools: names.default([]),
  digest: z.string().max(64).optional().describe('Of the review: what has changed since is not decided on.'),
});

export type SourceRouteParts = Readonly<{ db: Database; acting: Acting; sources: Sources }>;

export function reviewRoutes(
  { db, acting, sources }: SourceRouteParts,
  need: (name: string) => Promise<Source>,
): readonly Route[] {
  type Asked = Readonly<{ name: string; tools: readonly string[]; who: Parameters<typeof byRoute>[0] }>;

  /** One transaction; from then on the source's tools stand as it says. */
  async function decide<T>(
    { name, tools, who }: Asked,
    operation: string,
    work: (tx: Tx, caller: Caller) => Promise<T>,
  ): Promise<T> {
    requireSourceKeeper(who, 'Deciding on tools of a source');
    const source = await need(name);
    const decided = await acting.change(byRoute(who, operation, { name, tools }), work);
    await source.stall.restand();
    return decided;
  }

  return [
    defineRoute({
      method: 'GET',
      path: '/api/sources/:name/review',
      summary: 'Definitions that are new or have changed, each with what was approved before.',
      tag,
      scope: 'tools:read',
      params,
      refusals: ['not_found'],
      query: z.object({ tools: listText(1_000).optional() }),
      response: z.object({
        ok,
        trust: z.enum(['ask', 'pinned', 'all']),
        digest: z.string(),
        pending: z.array(pendingView),
        decided: z.array(decidedView),
      }),
      async handler({ params: { name }, query: { tools } }) {
        const { entry } = await need(name);
        const rows = (await db.read((q) => toolRows(q, name))).filter(
          (row) => tools === undefined || tools.includes(row.tool),
        );
        return {
          ...OK,
          trust: entry.trust,
          digest: digestOf(rows.filter(isPending)),
          pending: toPending(rows),
          decided: toDecided(rows),
        };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/sources/:name/approve',
      summary: 'Approve definitions as they are now: those named, or all that wait.',
      tag,
      scope: 'tools:approve',
      params,
      body: chosen,
      refusals: ['not_found', 'conflict'],
      response: z.object({ ok, approved: z.array(z.string()) }),
      async handler({ params: { name }, body }, { who }) {
        const approved = await decide(
          { name, tools: body.tools, who },
          'approve_source_tools',
          (tx, caller) => sources.pins.approve(tx, caller, { source: name, ...body }),
        );
        return { ...OK, approved: [...approved] };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/sources/:name/reject',
      summary: 'Reject definitions as they are now: hidden and refused until they change.',
      tag,
      scope: 'tools:approve',
      params,
      body: chosen,
      refusals: ['not_found', 'conflict'],
      response: z.object({ ok, rejected: z.array(z.string()) }),
      async handler({ params: { name }, body }, { who }) {
        const rejected = await decide({ name, tools: body.tools, who }, 'reject_source_tools', (tx, caller) =>
          sources.pins.reject(tx, caller, { source: name, ...body }),
        );
        return { ...OK, rejected: [...rejected] };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/sources/:name/undo',
      summary: 'Take back what was decided on definitions that are still the same.',
      tag,
      scope: 'tools:approve',
      params,
      body: z.object({ tools: names.min(1) }),
      refusals: ['not_found'],
      response: z.object({
        ok,
        undone: z.array(z.object({ tool: z.string(), was: z.enum(['approved', 'rejected']) })),
      }),
      async handler({ params: { name }, body: { tools } }, { who }) {
        const undone = await decide({ name, tools, who }, 'undo_source_decision', (tx, caller) =>
          sources.pins.undo(tx, caller, { source: name, tools }),
        );
        return { ...OK, undone: [...undone] };
      },
    }),
  ];
}
