// What a seat is to others, and whether it can still be there.
import type { Principal } from '../../kernel/principal.ts';
import type { StoredSeat } from './seat-rows.ts';

export type LivingSeat = Omit<StoredSeat, 'teamId' | 'host' | 'endedAt'> &
  Readonly<{ teamId: string | null }>;

/** When it last called, and when it last gave any sign of life. */
export type SeatSigns = { called: number; seen: number };

/** Of a process on this machine one can see whether it is there; of every other only its silence tells. */
export function isProcessThere({ pid, host: of }: StoredSeat, host: string): boolean {
  if (pid === null || of !== host) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
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
