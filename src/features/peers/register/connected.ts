import { type Principal, seesTeam } from '../../../kernel/principal.ts';
import type { Query } from '../../../store/database.ts';
import type { StoredPeer } from '../rows/peers.ts';
import type { PresentFilter } from './register.ts';
import { DEFAULT_CIRCLE } from '../rules.ts';

/** Agents that are connected and never registered: they are here, and can be written to by their names. */
export type ListConnected = (q: Query) => Promise<readonly StoredPeer[]>;

export type Connected = Readonly<{
  seat: string;
  name: string;
  teamId: string | null;
  client: string;
  pid: number | null;
  openedAt: number;
  calledAt: number;
  seenAt: number;
}>;

export function peerOfSeat(seat: Connected): StoredPeer {
  return {
    peerId: `seat:${seat.seat}`,
    agentId: seat.name,
    displayName: seat.name,
    backend: seat.client === '' ? 'mcp' : seat.client,
    path: '',
    circle: DEFAULT_CIRCLE,
    role: 'agent',
    status: 'online',
    sessionId: '',
    tmuxPane: '',
    pid: seat.pid,
    team: seat.teamId,
    metadata: seat.teamId === null ? {} : { team: seat.teamId },
    registeredAt: seat.openedAt,
    lastSeen: seat.seenAt,
  };
}

/** A caller bound to a team sees who works for that team. */
export function isInSight(who: Principal, { team }: StoredPeer): boolean {
  return seesTeam(who, team);
}

/** Whoever belongs to no project belongs to all. */
export function isHere({ default: taken }: Principal, { metadata }: StoredPeer): boolean {
  const team = metadata['team'];
  return taken?.team === undefined || team === undefined || team === taken.team;
}

/** Whoever registered as well is shown once, as it registered. */
export function isWanted(
  peer: StoredPeer,
  filter: PresentFilter,
  registered: readonly StoredPeer[],
): boolean {
  const { status, circle, backend, path, agentIds, tmuxPane, displayName } = filter;
  return (
    (status === undefined || status === peer.status) &&
    (circle === undefined || circle === peer.circle) &&
    (backend === undefined || backend === peer.backend) &&
    path === undefined &&
    tmuxPane === undefined &&
    (displayName === undefined || displayName === peer.displayName) &&
    (agentIds === undefined || agentIds.includes(peer.agentId)) &&
    !registered.some(({ agentId, team }) => agentId === peer.agentId && (team === null || team === peer.team))
  );
}
