// What a seat is to others, and whether it can still be there.
import type { Principal } from '../../kernel/principal.ts';
import type { SeatRow } from './seat-rows.ts';

export type LivingSeat = Readonly<{
  seat: string;
  name: string;
  isBound: boolean;
  teamId: string | null;
  client: string;
  server: string;
  pid: number | null;
  parent: number | null;
  openedAt: number;
  calledAt: number;
  seenAt: number;
}>;

/** When it last called, and when it last gave any sign of life. */
export type SeatSigns = { called: number; seen: number };

/** Of a process on this machine one can see whether it is there; of every other only its silence tells. */
export function isProcessThere({ pid, host: of }: SeatRow, host: string): boolean {
  if (pid === null || of !== host) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** A seat that was never introduced: a credential that comes without a connection. */
export function rowOf(seat: string, who: Principal, at: SeatSigns): SeatRow {
  const { agent, team } = who.bound;
  return {
    seat,
    name: agent ?? who.name ?? who.id,
    is_bound: agent === undefined ? 0 : 1,
    team_id: team ?? '',
    client: '',
    server: '',
    pid: null,
    parent: null,
    host: null,
    opened_at: at.seen,
    called_at: at.called,
    seen_at: at.seen,
    ended_at: null,
  };
}

export function toLiving(row: SeatRow): LivingSeat {
  return {
    seat: row.seat,
    name: row.name,
    isBound: row.is_bound === 1,
    teamId: row.team_id === '' ? null : row.team_id,
    client: row.client,
    server: row.server,
    pid: row.pid,
    parent: row.parent,
    openedAt: row.opened_at,
    calledAt: row.called_at,
    seenAt: row.seen_at,
  };
}
