// What runners ask of a hub, and people about them. A runner has the scope `runs:work` and nothing else.
import { z } from 'zod';
import { work } from '../../../operation/operation.ts';
import * as input from '../inputs.ts';
import type { Pool } from './pool.ts';
import * as wire from './wire.ts';

const shared = { scope: 'runs:work', effect: 'state', refusals: ['conflict', 'forbidden'] } as const;
const told = { ...shared, refusals: ['stale_fence', 'forbidden'] } as const;
const iso = (at: number) => new Date(at).toISOString();

const claim = work({
  ...shared,
  name: 'claim_run',
  summary: 'A run for this runner, as soon as there is one it can have; 204 when there is none in time.',
  input: wire.offerFields,
  output: wire.claimSchema.optional(),
  route: 'POST /v1/runners/claim',
  run: (pool: Pool, offer, { who, signal }) => pool.placing.claim(who, offer, signal),
});

const frames = work({
  ...told,
  name: 'tell_frames',
  summary: 'What an attempt said, numbered from 1. Each frame is taken once; acked says how far.',
  input: { ...wire.whichAttempt, ...wire.frameFields },
  output: wire.ackedSchema,
  route: 'POST /v1/runners/runs/:id/:attempt/frames',
  run: async (pool: Pool, { id, attempt, fence, from, frames: batch }, { who }) => ({
    acked: await pool.telling.frames(who, { id, attempt, fence }, { from, frames: batch }),
  }),
});

const beat = work({
  ...told,
  name: 'beat_attempt',
  summary: 'The attempt lives. Held open until there is a command for it.',
  input: { ...wire.whichAttempt, ...wire.beatFields },
  output: wire.beatSchema,
  route: 'POST /v1/runners/runs/:id/:attempt/beat',
  async run(pool: Pool, { id, attempt, fence, asks = [], wait_ms: waitMs = 0 }, { who, signal }) {
    const told = await pool.telling.beat(who, { id, attempt, fence }, { asks, waitMs, signal });
    return { lease_until: iso(told.leaseUntil), commands: told.commands };
  },
});

const end = work({
  ...told,
  name: 'end_attempt',
  summary: 'How an attempt ended; lost and handed_over let another follow where the run may be retried.',
  input: { ...wire.whichAttempt, ...wire.endFields },
  output: wire.endSchema,
  route: 'POST /v1/runners/runs/:id/:attempt/end',
  run: async (pool: Pool, { id, attempt, fence, ...ending }, { who }) => ({
    state: await pool.telling.end(who, { id, attempt, fence }, ending),
  }),
});

const list = work({
  name: 'list_runners',
  summary: 'The machines that take runs, what they have and how busy they are.',
  scope: 'runs:read',
  effect: 'read',
  input: {},
  output: z.object({ runners: z.array(wire.runnerSchema) }),
  route: 'GET /v1/runners',
  run: async (pool: Pool, _, { who }) => ({ runners: await pool.list(who) }),
});

const drain = work({
  name: 'drain_runner',
  summary: 'A runner finishes what it has and takes nothing more; with undo it takes runs again.',
  scope: 'runs:write',
  effect: 'state',
  refusals: ['not_found', 'forbidden'],
  input: { name: z.string().min(1).max(200), undo: z.boolean().optional() },
  output: wire.runnerSchema,
  route: 'POST /v1/runners/:name/drain',
  run: (pool: Pool, { name, undo = false }, { who }) => pool.drain(who, { name, undo }),
});

const why = work({
  name: 'why_run',
  summary: 'Why a run is where it is: who has it, or what each runner lacks.',
  scope: 'runs:read',
  effect: 'read',
  refusals: ['not_found'],
  input: { taskId: input.taskId },
  output: z.object({ reasons: z.array(z.string()) }),
  route: 'GET /v1/biam/tasks/:taskId/why',
  run: async (pool: Pool, { taskId }, { who }) => ({ reasons: await pool.why(who, taskId) }),
});

export const poolOperations = [claim, frames, beat, end, list, drain, why] as const;
