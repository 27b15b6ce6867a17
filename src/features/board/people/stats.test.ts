import { expect, it } from 'vitest';
import type { FinishedTask } from '../rows/stats.ts';
import { addUp } from './stats.ts';

const HOUR = 3_600_000;
const task = (over: Partial<FinishedTask>): FinishedTask => ({
  id: 'one',
  status: 'done',
  assigneeAgentId: 'ada',
  teamId: 'red',
  costUsd: 0.1,
  createdAt: 0,
  claimedAt: HOUR,
  completedAt: 3 * HOUR,
  ...over,
});

it('adds up what was finished: medians, days, agents, teams and cost', () => {
  const tasks = [
    task({}),
    task({ completedAt: 25 * HOUR, costUsd: 0.2 }),
    task({ completedAt: 26 * HOUR, assigneeAgentId: 'bob', claimedAt: null }),
    task({ status: 'cancelled', assigneeAgentId: null, teamId: null, costUsd: 1 }),
  ];
  expect(addUp(tasks, 0)).toEqual({
    since: 0,
    done: 3,
    cancelled: 1,
    costUsd: 1.4,
    leadMs: 25 * HOUR,
    workMs: 13 * HOUR,
    byDay: [
      { day: '1970-01-01', done: 1 },
      { day: '1970-01-02', done: 2 },
    ],
    byAgent: [
      { name: 'ada', done: 2, costUsd: 0.3 },
      { name: 'bob', done: 1, costUsd: 0.1 },
      { name: null, done: 0, costUsd: 1 },
    ],
    byTeam: [
      { name: 'red', done: 3, costUsd: 0.4 },
      { name: null, done: 0, costUsd: 1 },
    ],
  });
});

it('has no median of nothing', () => {
  expect(addUp([], 5)).toMatchObject({ since: 5, done: 0, leadMs: null, workMs: null, byDay: [] });
});
