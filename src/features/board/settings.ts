import type { Renewals } from './renewals.ts';

/** Guards against runaway agents. 0 turns a limit off. */
export type BoardLimits = Readonly<{
  /** Root tasks that one team may create within one window. */
  rootTasksPerTeam: number;
  rootWindowMs: number;
  childrenPerTask: number;
  /** Levels of subtasks; a root task is level 1. */
  depth: number;
}>;

export const DEFAULT_LIMITS: BoardLimits = { rootTasksPerTeam: 5_000, rootWindowMs: 300_000, childrenPerTask: 1_000, depth: 8 };

export const DEFAULT_LEASE_MS = 30 * 60_000;

/** What the parts of the board share. */
export type Settings = Readonly<{ leaseMs: number; limits: BoardLimits; renewals: Renewals }>;
