// The governed tools of the room: what an agent wants to happen later, and what its acts lead to.
import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import { byTool } from '../../store/calls.ts';
import { defineWorldTool, type WorldTool } from '../broker/broker.ts';
import type { Run } from '../dispatch/dispatch.ts';
import * as input from './inputs.ts';
import { scheduleSchema } from './schedule-shapes.ts';
import type { Schedules } from './schedules.ts';
import { readWhen } from './when.ts';

const governed = {
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  scope: 'runs:write',
  source: 'schedules',
  risk: 'destructive',
  content: ['prompt'],
} as const;

/** A schedule of an agent is made when a person has seen all of it. */
export function addTool(schedules: Schedules): WorldTool {
  return defineWorldTool({
    ...governed,
    name: 'ScheduleAdd',
    title: 'Start an agent later, or again and again',
    description:
      'Has an agent of this hub started at times ("0 7 * * 1-5", "every weekday 7:00"), when a task gets a label ("label:triage") or a ' +
      'status ("status:in_review"). Each time makes a task and a run. A person approves it first.',
    profile: 'extended',
    input: z.object(input.adding),
    output: z.object({ schedule: scheduleSchema }),
    async precheck(args, { who }) {
      if (readWhen(args.when).kind === 'webhook')
        throw new HubError('forbidden', 'Only a person makes a webhook: its secret is theirs.');
      await schedules.check(who, args);
    },
    async handler(args, { who }) {
      const { schedule } = await schedules.add(byTool(who, 'ScheduleAdd', args), args);
      return { ok: true, value: { schedule } };
    },
  });
}

/** Never called by a client: the hub asks for what an agent's act led to, as it would for its SendMessage. */
export function triggerTool(allowed: (fire: string) => Promise<Run | undefined>): WorldTool {
  return defineWorldTool({
    ...governed,
    name: 'TriggerRun',
    title: 'Start what an agent has triggered',
    description: 'A schedule wants to start an agent because of what another agent did.',
    input: z.object({
      fire: z.string(),
      schedule: z.string(),
      instance: z.string(),
      prompt: z.string(),
      because: z.string().optional(),
      project: z.string().optional(),
    }),
    output: z.object({ run: z.string().nullable() }),
    incidental: ['fire', 'because'],
    shape: ({ schedule, instance, project }) => ({
      schedule,
      instance,
      prompt: 'any',
      ...(project !== undefined && { project }),
    }),
    async handler({ fire }) {
      const run = await allowed(fire);
      return { ok: true, value: { run: run?.id ?? null } };
    },
  });
}
