// What a schedule and one firing of it look like, inside and on the wire.
import { z } from 'zod';
import { flag, json, number, numberOrNull, type RecordOf, text, textOrNull } from '../../store/table.ts';
import { MISSED, type Missed } from './rules.ts';
import type { WhenKind } from './when.ts';

/** What the planner and the page listen to. */
export const SCHEDULE_SUBJECT = 'schedules';

export const scheduleColumns = {
  id: text(),
  kind: text<WhenKind>(),
  /** As it was written. */
  wanted: text(),
  pattern: text(),
  tz: text(),
  missed: text<Missed>(),
  agent: text(),
  prompt: text(),
  folder: textOrNull(),
  team: textOrNull(),
  paused: flag(),
  madeBy: text(),
  /** The agent that made it, which a person approved; null: a person did. */
  byAgent: textOrNull(),
  /** How deep in runs of runs it was made: what it starts is one deeper. */
  hops: number(),
  /** Of a webhook. */
  secret: textOrNull(),
  nextAt: numberOrNull(),
  lastAt: numberOrNull(),
  /** When `nextAt` was found out: one that lies ahead is from before the clock was set back. */
  plannedAt: number(),
  createdAt: number(),
};
export type Schedule = Readonly<RecordOf<typeof scheduleColumns>>;

/** `skipped`: too many waited already. */
const FIRE_STATES = ['waiting', 'started', 'failed', 'skipped'] as const;
type FireState = (typeof FIRE_STATES)[number];

/** What made it fire. */
export type FireCause = Readonly<{
  by: 'time' | 'hand' | 'task' | 'webhook';
  /** The agent whose act it was: then a person is asked, as for its SendMessage. */
  agent?: string;
  team?: string;
  /** The run it acted in. */
  run?: string;
  /** The task that got the label or the status. */
  task?: string;
  /** What the webhook brought: data. */
  said?: string;
}>;

export const fireColumns = {
  id: text(),
  scheduleId: text(),
  /** What it fires for: unique in its schedule, so that it happens once over all hubs. */
  key: text(),
  at: number(),
  state: text<FireState>(),
  cause: json<FireCause>(),
  taskId: textOrNull(),
  runId: textOrNull(),
  error: textOrNull(),
  createdAt: number(),
  endedAt: numberOrNull(),
};
export type Fire = Readonly<RecordOf<typeof fireColumns>>;

export const scheduleSchema = z.object({
  id: z.string(),
  when: z.string().describe('As it was written.'),
  tz: z.string(),
  next: z.string().nullable().describe('When it fires next; null: paused, or triggered by something else.'),
  last: z.string().nullable(),
  paused: z.boolean(),
  missed: z.enum(MISSED),
  kind: z.enum(['time', 'label', 'status', 'webhook']),
  agent: z.string(),
  prompt: z.string(),
  project: z.string().nullable(),
  folder: z.string().nullable(),
  madeBy: z.string(),
  webhook: z.string().optional().describe('The path that a webhook is posted to.'),
  createdAt: z.string(),
});
export type ScheduleView = z.infer<typeof scheduleSchema>;

export const fireSchema = z.object({
  id: z.string(),
  at: z.string(),
  state: z.enum(FIRE_STATES),
  by: z.enum(['time', 'hand', 'task', 'webhook']),
  task: z.string().nullable(),
  run: z.string().nullable(),
  error: z.string().nullable(),
});
export type FireView = z.infer<typeof fireSchema>;

const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

export const WEBHOOK_PATH = '/hooks/schedules';

export function presentSchedule(schedule: Schedule): ScheduleView {
  const { id, kind, tz, missed, agent, prompt, folder, team, paused, madeBy } = schedule;
  return {
    id,
    when: schedule.wanted,
    tz,
    next: paused ? null : iso(schedule.nextAt),
    last: iso(schedule.lastAt),
    paused,
    missed,
    kind,
    agent,
    prompt,
    project: team,
    folder,
    madeBy,
    ...(kind === 'webhook' && { webhook: `${WEBHOOK_PATH}/${id}` }),
    createdAt: iso(schedule.createdAt)!,
  };
}

export function presentFire({ id, at, state, cause, taskId, runId, error }: Fire): FireView {
  return { id, at: iso(at)!, state, by: cause.by, task: taskId, run: runId, error };
}
