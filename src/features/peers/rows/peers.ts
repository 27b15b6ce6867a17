// SQL of the register. A session is found again by its exact identity only.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { Role, PeerStatus, StoredPeer } from '../peer.ts';

type PeerRow = {
  peer_id: string;
  agent_id: string;
  display_name: string;
  backend: string;
  path: string;
  circle: string;
  role: Role;
  status: PeerStatus;
  session_id: string;
  tmux_pane: string;
  pid: number | null;
  metadata: string;
  registered_at: number;
  last_seen: number;
  team: string | null;
};

const columns = sql.raw(
  'peer_id, agent_id, display_name, backend, path, circle, role, status, session_id, tmux_pane, pid, metadata, registered_at, last_seen, team',
);

function toPeer(row: PeerRow): StoredPeer {
  return {
    peerId: row.peer_id,
    agentId: row.agent_id,
    displayName: row.display_name,
    backend: row.backend,
    path: row.path,
    circle: row.circle,
    role: row.role,
    status: row.status,
    sessionId: row.session_id,
    tmuxPane: row.tmux_pane,
    pid: row.pid,
    metadata: JSON.parse(row.metadata) as Record<string, string>,
    registeredAt: row.registered_at,
    lastSeen: row.last_seen,
    team: row.team,
  };
}

export async function insertPeer(tx: Tx, peer: StoredPeer): Promise<void> {
  await tx.run(sql`
    insert into peers (${columns})
    values (${peer.peerId}, ${peer.agentId}, ${peer.displayName}, ${peer.backend}, ${peer.path}, ${peer.circle}, ${peer.role},
      ${peer.status}, ${peer.sessionId}, ${peer.tmuxPane}, ${peer.pid}, ${JSON.stringify(peer.metadata)}, ${peer.registeredAt}, ${peer.lastSeen}, ${peer.team})`);
}

/** What a session may change about its peer when it registers again; who it is stays. */
export async function changePeer(tx: Tx, peer: StoredPeer): Promise<void> {
  await tx.run(sql`
    update peers
    set circle = ${peer.circle}, role = ${peer.role}, status = ${peer.status}, pid = ${peer.pid},
      metadata = ${JSON.stringify(peer.metadata)}, last_seen = ${peer.lastSeen}
    where peer_id = ${peer.peerId}`);
}

export async function touchPeer(tx: Tx, peerId: string, status: PeerStatus): Promise<StoredPeer | undefined> {
  const row = await tx.get<PeerRow>(sql`
    update peers
    set last_seen = ${tx.now}, status = ${status}
    where peer_id = ${peerId}
    returning ${columns}`);
  return row && toPeer(row);
}

/** Signs of life may come in late and out of order, from several hubs; the newest stands. */
export function markSeen(tx: Tx, peerId: string, at: number): Promise<number> {
  return tx.run(sql`
    update peers
    set last_seen = ${at}
    where peer_id = ${peerId} and last_seen < ${at}`);
}

export async function removePeer(tx: Tx, peerId: string): Promise<void> {
  await tx.run(sql`delete from peers where peer_id = ${peerId}`);
}

export async function findPeer(q: Query, peerId: string): Promise<StoredPeer | undefined> {
  const row = await q.get<PeerRow>(sql`
    select ${columns}
    from peers
    where peer_id = ${peerId}`);
  return row && toPeer(row);
}

export type PeerIdentity = Pick<StoredPeer, 'backend' | 'path' | 'sessionId' | 'tmuxPane'>;

/** The peers with exactly this identity, one of a team at most, held until the unit ends. No part of it is a wildcard. */
export async function lockIdentity(
  tx: Tx,
  { backend, path, sessionId, tmuxPane }: PeerIdentity,
): Promise<StoredPeer[]> {
  const rows = await tx.all<PeerRow>(sql`
    select ${columns}
    from peers
    where backend = ${backend} and path = ${path} and session_id = ${sessionId} and tmux_pane = ${tmuxPane}
    order by peer_id
    ${tx.dialect.forUpdate}`);
  return rows.map(toPeer);
}

export type PeerFilter = Readonly<{
  backend?: string | undefined;
  circle?: string | undefined;
  path?: string | undefined;
  agentIds?: readonly string[] | undefined;
  tmuxPane?: string | undefined;
  displayName?: string | undefined;
}>;

export async function listPeers(q: Query, filter: PeerFilter): Promise<StoredPeer[]> {
  const { backend, circle, path, agentIds, tmuxPane, displayName } = filter;
  const rows = await q.all<PeerRow>(sql`
    select ${columns}
    from peers
    where true
      ${backend === undefined ? sql.empty : sql`and backend = ${backend}`}
      ${circle === undefined ? sql.empty : sql`and circle = ${circle}`}
      ${path === undefined ? sql.empty : sql`and path = ${path}`}
      ${tmuxPane === undefined ? sql.empty : sql`and tmux_pane = ${tmuxPane}`}
      ${displayName === undefined ? sql.empty : sql`and display_name = ${displayName}`}
      ${agentIds === undefined ? sql.empty : sql`and agent_id in ${sql.in(agentIds)}`}`);
  return rows.map(toPeer);
}

export async function countPeers(q: Query): Promise<number> {
  const row = await q.get<{ total: number }>(sql`select count(*) as total from peers`);
  return row!.total;
}

/** Peers nobody has heard of since. */
export function forgetPeers(tx: Tx, before: number): Promise<number> {
  return tx.run(sql`delete from peers where last_seen < ${before}`);
}

/** A clock that was set back leaves times that lie ahead; the next heartbeat corrects its own. */
export function pullBackPresence(tx: Tx): Promise<number> {
  return tx.run(sql`update peers set last_seen = ${tx.now} where last_seen > ${tx.now}`);
}
