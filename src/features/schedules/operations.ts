// What one can do with schedules, as tools and routes.
import { z } from 'zod';
import { work, type WorkContext } from '../../operation/operation.ts';
import { isPerson, requireOperator } from '../../kernel/principal.ts';
import type { Tool } from '../../mcp/define.ts';
import { callOf } from '../../store/calls.ts';
import { callGoverned } from '../dispatch/dispatch.ts';
import * as input from './inputs.ts';
import { fireSchema, scheduleSchema, type ScheduleView } from './schedule-shapes.ts';
import type { Schedules } from './schedules.ts';

/** The room, and the tool that an agent's wish passes through. */
type ScheduleBench = Readonly<{ schedules: Schedules; addTool: Tool }>;

const read = { scope: 'runs:read', effect: 'read', refusals: ['not_found'] } as const;
const write = {
  scope: 'runs:write',
  effect: 'state',
  refusals: ['not_found', 'invalid', 'conflict', 'forbidden', 'limited', 'unauthorized'],
} as const;
const one = { id: input.scheduleId };
const answer = z.object({ schedule: scheduleSchema });
/** What others wrote. */
const CARRIES = ['prompt', 'error'];

const addSchedule = work({
  ...write,
  name: 'add_schedule',
  summary:
    'Have an agent started at times, or when something happens. An agent that asks for it is asked about.',
  input: input.adding,
  output: answer.extend({
    secret: z.string().optional().describe('Of a webhook; shown this once.'),
  }),
  route: 'POST /api/schedules',
  status: 201,
  run({ schedules, addTool }: ScheduleBench, request, context) {
    const { who, signal } = context;
    // Loopback does not tell a person from what an agent runs on this machine.
    if (isPerson(who)) requireOperator(who, 'Adding a schedule', 'Use `holdfast schedule add`');
    if (isPerson(who)) return schedules.add(callOf(context, 'add_schedule'), request);
    return callGoverned<{ schedule: ScheduleView }>(addTool, request, { who, signal });
  },
});

const listSchedules = work({
  ...read,
  name: 'list_schedules',
  summary: 'Schedules, oldest first: when each fires next and when it did last.',
  input: {
    after: input.scheduleId.optional().describe('Only those made after this one.'),
    limit: z.int().min(1).max(1000).optional().describe('500 unless given.'),
  },
  output: z.object({ schedules: z.array(scheduleSchema), more: z.boolean() }),
  tool: { title: 'List schedules', profile: 'extended', carries: CARRIES },
  route: 'GET /api/schedules',
  run: ({ schedules }: ScheduleBench, page, context) =>
    schedules.list(callOf(context, 'list_schedules'), page),
});

const getSchedule = work({
  ...read,
  name: 'get_schedule',
  summary: 'One schedule with what came of its last times.',
  input: one,
  output: answer.extend({ fires: z.array(fireSchema) }),
  route: 'GET /api/schedules/:id',
  run: ({ schedules }: ScheduleBench, { id }, context) => schedules.get(callOf(context, 'get_schedule'), id),
});

const changeSchedule = work({
  ...write,
  name: 'change_schedule',
  summary: 'When, who, what or where is to be otherwise from now on; what is not said stays.',
  input: { ...one, ...input.changing },
  output: answer,
  route: 'PATCH /api/schedules/:id',
  run: ({ schedules }: ScheduleBench, { id, ...said }, context) =>
    verb(context, 'change_schedule', (call) => schedules.change(call, id, said)),
});

/** The same for each that changes one, bound to its word. */
const verb = async (
  context: WorkContext,
  name: string,
  done: (call: ReturnType<typeof callOf>) => Promise<ScheduleView>,
) => ({
  schedule: await done(callOf(context, name)),
});

const pauseSchedule = work({
  ...write,
  name: 'pause_schedule',
  summary: 'It does not fire until it is resumed.',
  input: one,
  output: answer,
  route: 'POST /api/schedules/:id/pause',
  run: ({ schedules }: ScheduleBench, { id }, context) =>
    verb(context, 'pause_schedule', (call) => schedules.pause(call, id)),
});

const resumeSchedule = work({
  ...write,
  name: 'resume_schedule',
  summary: 'It fires again, from its next time on.',
  input: one,
  output: answer,
  route: 'POST /api/schedules/:id/resume',
  run: ({ schedules }: ScheduleBench, { id }, context) =>
    verb(context, 'resume_schedule', (call) => schedules.resume(call, id)),
});

const runSchedule = work({
  ...write,
  name: 'run_schedule',
  summary: 'Fire it now, beside its times.',
  input: one,
  output: answer,
  route: 'POST /api/schedules/:id/run',
  run: ({ schedules }: ScheduleBench, { id }, context) =>
    verb(context, 'run_schedule', (call) => schedules.run(call, id)),
});

const removeSchedule = work({
  ...write,
  name: 'remove_schedule',
  summary: 'Take a schedule away, with what it fired; tasks and runs stay.',
  input: one,
  output: answer,
  route: 'DELETE /api/schedules/:id',
  run: ({ schedules }: ScheduleBench, { id }, context) =>
    verb(context, 'remove_schedule', (call) => schedules.remove(call, id)),
});

export const scheduleOperations = [
  addSchedule,
  listSchedules,
  getSchedule,
  changeSchedule,
  pauseSchedule,
  resumeSchedule,
  runSchedule,
  removeSchedule,
] as const;
