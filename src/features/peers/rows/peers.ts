// SQL of the register. A session is found again by its exact identity only.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { json, number, numberOrNull, type RecordOf, table, text, textOrNull } from '../../../store/table.ts';
import type { PeerStatus, Role } from '../words.ts';

export const peers = table('peers', {
  peerId: text(),
  agentId: text(),
  displayName: text(),
  backend: text(),
  path: text(),
  circle: text(),
  role: text<Role>(),
  status: text<PeerStatus>(),
  sessionId: text(),
  tmuxPane: text(),
  pid: numberOrNull(),
  metadata: json<Readonly<Record<string, string>>>(),
  registeredAt: number(),
  lastSeen: number(),
  /** That of the credential it registered with, or the project it says it works in. */
  team: textOrNull(),
});
/** A peer as the register keeps it. Empty text stands for "not given", so that identities can be compared. */
export type StoredPeer = Readonly<RecordOf<typeof peers.fields>>;

/** What a session may change about its peer when it registers again; who it is stays. */
export async function changePeer(tx: Tx, peer: StoredPeer): Promise<void> {
  const { circle, role, status, pid, metadata, lastSeen } = peer;
  await tx.run(sql`
    update peers
    set ${peers.assign({ circle, role, status, pid, metadata, lastSeen })}
    where peer_id = ${peer.peerId}`);
}

export function touchPeer(tx: Tx, peerId: string, status: PeerStatus): Promise<StoredPeer | undefined> {
  return peers.get(
    tx,
    sql`
    update peers
    set ${peers.assign({ lastSeen: tx.now, status })}
    where peer_id = ${peerId}
    returning ${peers.columns}`,
  );
}

/** Signs of life may come in late and out of order, from several hubs; the newest stands. */
export function markSeen(tx: Tx, peerId: string, at: number): Promise<number> {
  return peers.update(tx, { lastSeen: at }, sql`where peer_id = ${peerId} and last_seen < ${at}`);
}

export async function removePeer(tx: Tx, peerId: string): Promise<void> {
  await peers.delete(tx, sql`where peer_id = ${peerId}`);
}

export function findPeer(q: Query, peerId: string): Promise<StoredPeer | undefined> {
  return peers.find(q, sql`where peer_id = ${peerId}`);
}

export type PeerIdentity = Pick<StoredPeer, 'backend' | 'path' | 'sessionId' | 'tmuxPane'>;

/** The peers with exactly this identity, one of a team at most, held until the unit ends. No part of it is a wildcard. */
export function lockIdentity(
  tx: Tx,
  { backend, path, sessionId, tmuxPane }: PeerIdentity,
): Promise<StoredPeer[]> {
  return peers.list(
    tx,
    sql`
    where backend = ${backend} and path = ${path} and session_id = ${sessionId} and tmux_pane = ${tmuxPane}
    order by peer_id
    ${tx.dialect.forUpdate}`,
  );
}

export type PeerFilter = Readonly<{
  backend?: string | undefined;
  circle?: string | undefined;
  path?: string | undefined;
  agentIds?: readonly string[] | undefined;
  tmuxPane?: string | undefined;
  displayName?: string | undefined;
}>;

export function listPeers(q: Query, filter: PeerFilter): Promise<StoredPeer[]> {
  const { backend, circle, path, agentIds, tmuxPane, displayName } = filter;
  return peers.list(
    q,
    sql`where true ${backend === undefined ? sql.empty : sql`and backend = ${backend}`}
      ${circle === undefined ? sql.empty : sql`and circle = ${circle}`}
      ${path === undefined ? sql.empty : sql`and path = ${path}`}
      ${tmuxPane === undefined ? sql.empty : sql`and tmux_pane = ${tmuxPane}`}
      ${displayName === undefined ? sql.empty : sql`and display_name = ${displayName}`}
      ${agentIds === undefined ? sql.empty : sql`and agent_id in ${sql.in(agentIds)}`}`,
  );
}

export async function countPeers(q: Query): Promise<number> {
  const row = await q.get<{ total: number }>(sql`select count(*) as total from peers`);
  return row!.total;
}

/** Peers nobody has heard of since. */
export function forgetPeers(tx: Tx, before: number): Promise<number> {
  return peers.delete(tx, sql`where last_seen < ${before}`);
}

/** A clock that was set back leaves times that lie ahead; the next heartbeat corrects its own. */
export function pullBackPresence(tx: Tx): Promise<number> {
  return peers.update(tx, { lastSeen: tx.now }, sql`where last_seen > ${tx.now}`);
}
