import type { Query } from '../../store/database.ts';
import type { Sql } from '../../store/sql.ts';
import type { Renewals } from './work/renewals.ts';

/** Guards against runaway agents. 0 turns a limit off. */
export type BoardLimits = Readonly<{
  /** Root tasks that one team may create within one window. */
  rootTasksPerTeam: number;
  rootWindowMs: number;
  childrenPerTask: number;
  /** Levels of subtasks; a root task is level 1. */
  depth: number;
}>;

export const DEFAULT_LIMITS: BoardLimits = {
  rootTasksPerTeam: 5_000,
  rootWindowMs: 300_000,
  childrenPerTask: 1_000,
  depth: 8,
};

export const DEFAULT_LEASE_MS = 30 * 60_000;
export const DEFAULT_LONGEST_MS = 8 * 60 * 60_000;

/** What the board needs to know of connections. */
export type SeatWatch = Readonly<{
  isLiving(q: Query, seat: string): Promise<boolean>;
  /** Hears of every sign of life, with the moment it counts from. */
  onSign(hear: (seat: string, agoMs: number) => void): void;
}>;

/** What the runs of these tasks have told of their cost, where they told one; `among`: the ids, as a list of SQL. */
export type AskCosts = (q: Query, among: Sql) => Promise<ReadonlyMap<string, number>>;

/** What the parts of the board share. */
export type Settings = Readonly<{
  /** How long a claim lives after its holder's last sign of life; 0: for ever. */
  leaseMs: number;
  /** How long an assigned task waits for its assignee. */
  longestMs: number;
  limits: BoardLimits;
  renewals: Renewals;
  /** Is the connection or credential that made a claim still there? */
  isLiving(q: Query, seat: string): Promise<boolean>;
  costsOfRuns: AskCosts;
}>;
