// What a seat is to others, and whether it can still be there.
import type { Principal } from '../../../kernel/principal.ts';
import { isThere } from '../../../kernel/process/signal.ts';
import type { StoredSeat } from './rows.ts';

export type LivingSeat = Omit<StoredSeat, 'teamId' | 'host' | 'endedAt'> &
  Readonly<{ teamId: string | null }>;

/** When it last called, and when it last gave any sign of life. */
export type SeatSigns = { called: number; seen: number };

/** Of a process on this machine one can see whether it is there; of every other only its silence tells. */
export function isProcessThere({ pid, host: of }: StoredSeat, host: string): boolean {
  return pid === null || of !== host || isThere(pid);
}

/** A seat that was never introduced: a credential that comes without a connection. */
export function rowOf(seat: string, who: Principal, at: SeatSigns): StoredSeat {
  const { agent, team } = who.bound;
  return {
    seat,
    name: agent ?? who.name ?? who.id,
    isBound: agent !== undefined,
    teamId: team ?? '',
    client: '',
    server: '',
    pid: null,
    parent: null,
    host: null,
    openedAt: at.seen,
    calledAt: at.called,
    seenAt: at.seen,
    endedAt: null,
  };
}

export function toLiving(stored: StoredSeat): LivingSeat {
  const { host: _, endedAt: __, ...seat } = stored;
  return { ...seat, teamId: seat.teamId === '' ? null : seat.teamId };
}
