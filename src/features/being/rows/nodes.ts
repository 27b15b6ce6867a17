// SQL of a Being's memories. Of the dead, only what decayed may revive.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { Scene, Told } from '../scene.ts';

type NodeRow = Readonly<{
  id: string;
  no: number;
  cluster_id: string;
  action: string;
  scene: string;
  feeling: string | null;
  themes: string;
  importance: number;
  status: NodeStatus;
  reason: NodeReason | null;
  replaced_by: string | null;
  fresh: number;
  pinned: number;
  cycles: number;
  reactivations: number;
  dying_cycles: number;
  last_activated: number;
  created_at: number;
  updated_at: number;
}>;

export type NodeStatus = 'active' | 'dying' | 'dead';
/** Why it is dead. Only what decayed may revive. */
export type NodeReason = 'decayed' | 'absorbed' | 'merged';

export type Node = Told &
  Readonly<{
    id: string;
    number: number;
    clusterId: string;
    importance: number;
    status: NodeStatus;
    reason: NodeReason | null;
    replacedBy: string | null;
    isFresh: boolean;
    isPinned: boolean;
    cycles: number;
    reactivations: number;
    dyingCycles: number;
    lastActivated: number;
    createdAt: number;
    updatedAt: number;
  }>;

const COLUMNS = sql.raw(
  `id, no, cluster_id, action, scene, feeling, themes, importance, status, reason, replaced_by, fresh, pinned, cycles,
   reactivations, dying_cycles, last_activated, created_at, updated_at`,
);

function toNode(row: NodeRow): Node {
  return {
    id: row.id,
    number: row.no,
    clusterId: row.cluster_id,
    action: row.action,
    scene: JSON.parse(row.scene) as Scene,
    feeling: row.feeling,
    themes: JSON.parse(row.themes) as string[],
    importance: row.importance,
    status: row.status,
    reason: row.reason,
    replacedBy: row.replaced_by,
    isFresh: row.fresh === 1,
    isPinned: row.pinned === 1,
    cycles: row.cycles,
    reactivations: row.reactivations,
    dyingCycles: row.dying_cycles,
    lastActivated: row.last_activated,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export async function insertNode(tx: Tx, being: string, node: Node): Promise<void> {
  await tx.run(sql`
    insert into being_nodes (
      being_id, id, no, cluster_id, action, scene, feeling, themes, importance, status, reason, replaced_by, fresh, pinned,
      cycles, reactivations, dying_cycles, last_activated, created_at, updated_at
    )
    values (
      ${being}, ${node.id}, ${node.number}, ${node.clusterId}, ${node.action}, ${JSON.stringify(node.scene)},
      ${node.feeling}, ${JSON.stringify(node.themes)}, ${node.importance}, ${node.status}, ${node.reason},
      ${node.replacedBy}, ${node.isFresh ? 1 : 0}, ${node.isPinned ? 1 : 0}, ${node.cycles}, ${node.reactivations},
      ${node.dyingCycles}, ${node.lastActivated}, ${node.createdAt}, ${node.updatedAt}
    )`);
}

/** What a merge changes, and what an undo puts back. */
export async function updateNode(tx: Tx, being: string, node: Node): Promise<void> {
  await tx.run(sql`
    update being_nodes
    set no = ${node.number}, cluster_id = ${node.clusterId}, action = ${node.action}, scene = ${JSON.stringify(node.scene)},
        feeling = ${node.feeling}, themes = ${JSON.stringify(node.themes)}, importance = ${node.importance},
        status = ${node.status}, reason = ${node.reason}, replaced_by = ${node.replacedBy},
        fresh = ${node.isFresh ? 1 : 0}, updated_at = ${tx.now}
    where being_id = ${being} and id = ${node.id}`);
}

export async function nodeById(q: Query, being: string, id: string): Promise<Node | undefined> {
  const row = await q.get<NodeRow>(sql`
    select ${COLUMNS}
    from being_nodes
    where being_id = ${being} and id = ${id}`);
  return row && toNode(row);
}

export async function nodesByIds(q: Query, being: string, ids: readonly string[]): Promise<Node[]> {
  const rows = await q.all<NodeRow>(sql`
    select ${COLUMNS}
    from being_nodes
    where being_id = ${being} and id in ${sql.in(ids)}`);
  return rows.map(toNode);
}

export async function nodesByNumbers(q: Query, being: string, numbers: readonly number[]): Promise<Node[]> {
  const rows = await q.all<NodeRow>(sql`
    select ${COLUMNS}
    from being_nodes
    where being_id = ${being} and no in ${sql.in(numbers)}`);
  return rows.map(toNode);
}

/** The most important first, of equals the newest. Absorbed and merged ones live on in others and are not shown. */
export async function nodesOfCluster(
  q: Query,
  being: string,
  cluster: string,
  { limit, words = [] }: Readonly<{ limit: number; words?: readonly string[] }>,
): Promise<Node[]> {
  const filters = words.map((word) => sql`and lower(action) like ${likePattern(word)} escape '!'`);
  const rows = await q.all<NodeRow>(sql`
    select ${COLUMNS}
    from being_nodes
    where being_id = ${being} and cluster_id = ${cluster}
      and (status <> 'dead' or reason = 'decayed')
      ${sql.join(filters, ' ')}
    order by importance desc, last_activated desc, id desc
    limit ${limit}`);
  return rows.map(toNode);
}

export function likePattern(word: string): string {
  return `%${word.toLowerCase().replace(/[!%_]/g, '!$&')}%`;
}

export async function nodesWhere(
  q: Query,
  being: string,
  {
    statuses,
    after = '',
    limit,
  }: Readonly<{ statuses: readonly NodeStatus[]; after?: string; limit: number }>,
): Promise<Node[]> {
  const rows = await q.all<NodeRow>(sql`
    select ${COLUMNS}
    from being_nodes
    where being_id = ${being} and status in ${sql.in(statuses)} and id > ${after}
    order by id
    limit ${limit}`);
  return rows.map(toNode);
}

/** Living ones first, then what has come to rest; the absorbed and merged live on in others. */
export async function nodesToShow(q: Query, being: string, limit: number): Promise<Node[]> {
  const rows = await q.all<NodeRow>(sql`
    select ${COLUMNS}
    from being_nodes
    where being_id = ${being} and (status <> 'dead' or reason = 'decayed')
    order by case status when 'active' then 0 when 'dying' then 1 else 2 end, importance desc, id desc
    limit ${limit}`);
  return rows.map(toNode);
}

export async function freshNodes(q: Query, being: string): Promise<Node[]> {
  const rows = await q.all<NodeRow>(sql`
    select ${COLUMNS}
    from being_nodes
    where being_id = ${being} and fresh = 1 and status = 'active'
    order by id`);
  return rows.map(toNode);
}

export async function recentNodes(q: Query, being: string, limit: number): Promise<Node[]> {
  const rows = await q.all<NodeRow>(sql`
    select ${COLUMNS}
    from being_nodes
    where being_id = ${being} and status = 'active'
    order by last_activated desc, id desc
    limit ${limit}`);
  return rows.map(toNode);
}

/** One statement, so that no recall is lost to another: a dead memory that is touched comes back sooner. */
export async function reactivate(tx: Tx, being: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.run(sql`
    update being_nodes
    set reactivations = reactivations + case when status = 'dead' then 2 else 1 end, last_activated = ${tx.now}
    where being_id = ${being} and id in ${sql.in(ids)}`);
}

export async function setCluster(
  tx: Tx,
  being: string,
  ids: readonly string[],
  cluster: string,
): Promise<number> {
  if (ids.length === 0) return 0;
  return tx.run(sql`
    update being_nodes
    set cluster_id = ${cluster}, updated_at = ${tx.now}
    where being_id = ${being} and id in ${sql.in(ids)}`);
}

/** Everything of one cluster, the dead included. */
export function moveAll(tx: Tx, being: string, from: string, to: string): Promise<number> {
  return tx.run(sql`
    update being_nodes
    set cluster_id = ${to}, updated_at = ${tx.now}
    where being_id = ${being} and cluster_id = ${from}`);
}

export async function setStatus(
  tx: Tx,
  being: string,
  ids: readonly string[],
  to: Readonly<{ status: NodeStatus; reason: NodeReason | null }>,
): Promise<number> {
  if (ids.length === 0) return 0;
  return tx.run(sql`
    update being_nodes
    set status = ${to.status}, reason = ${to.reason}, dying_cycles = 0, updated_at = ${tx.now}
    where being_id = ${being} and id in ${sql.in(ids)}`);
}

/** One more patrol for what lives; beyond a hundred it makes no difference. */
export function tick(tx: Tx, being: string): Promise<number> {
  return tx.run(sql`
    update being_nodes
    set cycles = cycles + case when status = 'active' and cycles - reactivations < 100 then 1 else 0 end,
        dying_cycles = dying_cycles + case when status = 'dying' then 1 else 0 end
    where being_id = ${being} and status in ('active', 'dying')`);
}

export function clearFresh(tx: Tx, being: string): Promise<number> {
  return tx.run(sql`
    update being_nodes
    set fresh = 0
    where being_id = ${being} and fresh = 1`);
}

export async function countNodes(q: Query, being: string): Promise<Record<NodeStatus, number>> {
  const rows = await q.all<{ status: NodeStatus; count: number }>(sql`
    select status, count(*) as count
    from being_nodes
    where being_id = ${being}
    group by status`);
  const counts = new Map(rows.map(({ status, count }) => [status, count]));
  return {
    active: counts.get('active') ?? 0,
    dying: counts.get('dying') ?? 0,
    dead: counts.get('dead') ?? 0,
  };
}

export function setPinned(tx: Tx, being: string, id: string, isPinned: boolean): Promise<number> {
  return tx.run(sql`
    update being_nodes
    set pinned = ${isPinned ? 1 : 0}, updated_at = ${tx.now}
    where being_id = ${being} and id = ${id}`);
}

export async function deleteNode(tx: Tx, being: string, id: string): Promise<void> {
  await tx.run(sql`
    delete from being_nodes
    where being_id = ${being} and id = ${id}`);
}

/** Living memories without a vector of this model. */
export async function unembeddedNodes(
  q: Query,
  being: string,
  model: string,
  limit: number,
): Promise<Node[]> {
  const rows = await q.all<NodeRow>(sql`
    select ${COLUMNS}
    from being_nodes
    where being_id = ${being} and status in ('active', 'dying')
      and not exists (select 1 from recall_vectors where recall_vectors.model = ${model} and recall_vectors.no = being_nodes.no)
    order by id
    limit ${limit}`);
  return rows.map(toNode);
}

/** The last resort of a keyword search: any of the words, anywhere in the text. */
export async function nodesWithWords(
  q: Query,
  being: string,
  words: readonly string[],
  limit: number,
): Promise<Node[]> {
  const any = words.flatMap((word) =>
    ['action', 'feeling', 'themes', 'scene'].map(
      (column) => sql`lower(${sql.raw(column)}) like ${likePattern(word)} escape '!'`,
    ),
  );
  const rows = await q.all<NodeRow>(sql`
    select ${COLUMNS}
    from being_nodes
    where being_id = ${being} and (status <> 'dead' or reason = 'decayed') and (${sql.join(any, ' or ')})
    order by importance desc, last_activated desc, id desc
    limit ${limit}`);
  return rows.map(toNode);
}
