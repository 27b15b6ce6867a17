// `/api/tools/approvals/:id/offers`: what "always" may mean for a request, and what of the past it would have covered.
import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import type { Database } from '../../store/database.ts';
import { findApproval } from './ask/approvals.ts';
import type { Broker } from './broker.ts';
import { type Coverage, coverageOf } from './ask/coverage.ts';
import { readOffers } from './ask/offers.ts';
import type { Approval } from './rows/approvals.ts';
import { maskApprovalJson } from './tell/summary.ts';
import { OK } from './views.ts';

const covers = z.union([z.enum(['exact', 'shape']), z.strictObject({ offer: z.string() })]);

export const offersView = z.object({
  ok: z.literal(true),
  looked: z.int().describe('Earlier calls of this tool by this caller that could be judged again.'),
  choices: z
    .array(
      z.object({
        covers: covers.describe('What to send as `covers`.'),
        shows: z
          .record(z.string(), z.string())
          .describe('One readable value per argument; empty: these very ones.'),
        past: z.int().describe('How many of the calls looked at it would have covered.'),
      }),
    )
    .describe('From narrow to wide.'),
  open: z.array(z.string()).describe('Arguments that may be left open: send some as `covers: { open }`.'),
  differing: z
    .array(z.object({ names: z.array(z.string()), calls: z.int() }))
    .describe('Of calls that differ in such arguments alone: in which, and how many.'),
});

export function offerRoutes(db: Database, broker: Broker): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/tools/approvals/:id/offers',
      summary:
        'What allow_always may cover for a request, and how many calls of the past it would have covered.',
      tag: 'tools',
      scope: 'tools:read',
      params: z.object({ id: z.string().min(1).max(100) }),
      refusals: ['not_found'],
      response: offersView,
      async handler({ params }, { who }) {
        const request = { id: params.id, team: who.bound.team, now: db.now() };
        const approval = await db.read((q) => findApproval(q, request));
        const coverage = await coverageOf(db, broker, approval);
        const { looked, differing } = coverage;
        return {
          ...OK,
          looked,
          choices: choicesOf(approval, coverage),
          open: [...(readOffers(approval).open?.names ?? [])],
          differing: differing.map(({ names, calls }) => ({ names: [...names], calls })),
        };
      },
    }),
  ];
}

type Choice = z.input<typeof offersView>['choices'][number];

function choicesOf(approval: Approval, { exact, shape, offers }: Coverage): Choice[] {
  const { key, ladder } = readOffers(approval);
  const usual: Choice = { covers: 'shape', shows: shown(approval.shapeText), past: shape };
  const rungs = ladder.map((rung): Choice => {
    if (rung.key === key) return usual;
    return { covers: { offer: rung.key }, shows: shown(rung.text), past: offers.get(rung.key) ?? 0 };
  });
  const isMore = !rungs.includes(usual) && usual.shows['exactly'] === undefined;
  return [{ covers: 'exact', shows: {}, past: exact }, ...rungs, ...(isMore ? [usual] : [])];
}

function shown(text: string): Record<string, string> {
  return JSON.parse(maskApprovalJson(text) ?? '{}') as Record<string, string>;
}
