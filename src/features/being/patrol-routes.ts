import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import { actorFor, byRoute } from '../../store/acting.ts';
import { admit } from './admission.ts';
import { requireBeing } from './parts.ts';
import { answered, idParams, type BeingRouteParts, shared } from './route-parts.ts';
import { lastRuns, stepsOf } from './rows/runs.ts';
import { LIMITS } from './rules.ts';
import { patrolAnswer } from './tools.ts';

const RUNS = 5;

export function patrolRoutes({ acting, patrol }: BeingRouteParts): readonly Route[] {
  return [
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/beings/:id/patrol',
      scope: 'being:write',
      summary: 'Run a patrol now, or with dryRun say what it would do.',
      refusals: ['unauthorized', 'not_found', 'busy'],
      params: idParams,
      body: z.object({
        messages: z
          .array(z.object({ role: z.string().min(1).max(50), content: z.string().max(100_000) }))
          .max(LIMITS.messages)
          .optional(),
        marker_id: z.string().max(100).optional(),
        dryRun: z.boolean().optional(),
      }),
      response: answered,
      handler: async ({ params, body: { messages = [], marker_id, dryRun = false } }, { who, signal }) => {
        const id = admit(who, params.id);
        const report = await patrol.trigger(id, {
          messages,
          markerId: marker_id,
          isDry: dryRun,
          actor: actorFor(who),
          signal,
        });
        return { ok: true as const, ...patrolAnswer(report), ...(dryRun && { dryRun }) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/beings/:id/patrol',
      scope: 'being:read',
      summary: 'The latest patrols with their steps, and whether one is running.',
      params: idParams,
      response: answered,
      handler: async ({ params }, { who }) => {
        const id = admit(who, params.id);
        return acting.look(byRoute(who, 'patrol'), async (q) => {
          const being = await requireBeing(q, id);
          const runs = await lastRuns(q, id, RUNS);
          const shown = [];
          for (const run of runs) {
            const steps = await stepsOf(q, id, run.id);
            shown.push({
              id: run.id,
              state: run.state,
              startedAt: run.started_at,
              endedAt: run.ended_at,
              stats: JSON.parse(run.stats) as object,
              steps: steps.map(({ step, outcome, details }) => ({
                step,
                outcome,
                ...(JSON.parse(details) as object),
              })),
            });
          }
          return { ok: true as const, marker: being.marker, unfinished: being.run_id !== null, runs: shown };
        });
      },
    }),
  ];
}
