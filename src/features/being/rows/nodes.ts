// SQL of a Being's memories. Of the dead, only what decayed may revive.
import { hasNoVector } from '../../../recall/recall.ts';
import { countByWord } from '../../../store/count.ts';
import { sql } from '../../../store/sql.ts';
import { flag, json, named, number, type RecordOf, text, textOrNull } from '../../../store/table.ts';
import type { Scene } from '../scene.ts';
import { beingTable, type Held, type Seen } from './whose.ts';

export type NodeStatus = 'active' | 'dying' | 'dead';
/** Why it is dead. Only what decayed may revive. */
type NodeReason = 'decayed' | 'absorbed' | 'merged';

const nodes = beingTable('being_nodes', {
  id: text(),
  number: named('no', number()),
  clusterId: text(),
  action: text(),
  scene: json<Scene>(),
  feeling: textOrNull(),
  themes: json<readonly string[]>(),
  importance: number(),
  status: text<NodeStatus>(),
  reason: textOrNull<NodeReason>(),
  replacedBy: textOrNull(),
  isFresh: named('fresh', flag()),
  isPinned: named('pinned', flag()),
  cycles: number(),
  reactivations: number(),
  dyingCycles: number(),
  lastActivated: number(),
  createdAt: number(),
  updatedAt: number(),
});
export type Node = Readonly<RecordOf<typeof nodes.fields>>;

export function insertNode(self: Held, node: Node): Promise<void> {
  return nodes.insert(self, node);
}

/** What a merge changes, and what an undo puts back. */
export async function updateNode(self: Held, node: Node): Promise<void> {
  const { id, number: no, clusterId, action, scene, feeling, themes, importance } = node;
  const { status, reason, replacedBy, isFresh } = node;
  const said = { number: no, clusterId, action, scene, feeling, themes, importance };
  const stands = { status, reason, replacedBy, isFresh, updatedAt: self.tx.now };
  await nodes.change(self, { ...said, ...stands }, sql`and id = ${id}`);
}

export function nodeById(self: Seen, id: string): Promise<Node | undefined> {
  return nodes.one(self, sql`and id = ${id}`);
}

export function nodesByIds(self: Seen, ids: readonly string[]): Promise<Node[]> {
  return nodes.all(self, sql`and id in ${sql.in(ids)}`);
}

export function nodesByNumbers(self: Seen, numbers: readonly number[]): Promise<Node[]> {
  return nodes.all(self, sql`and no in ${sql.in(numbers)}`);
}

/** Absorbed and merged ones live on in others and are not shown. */
const SHOWN = sql`and (status <> 'dead' or reason = 'decayed')`;

type Some = Readonly<{ limit: number; words?: readonly string[] }>;

/** The most important first, of equals the newest. */
export function nodesOfCluster(self: Seen, cluster: string, { limit, words = [] }: Some): Promise<Node[]> {
  const filters = words.map((word) => sql`and lower(action) like ${likePattern(word)} escape '!'`);
  return nodes.all(
    self,
    sql`and cluster_id = ${cluster}
      ${SHOWN}
      ${sql.join(filters, ' ')}
    order by importance desc, last_activated desc, id desc
    limit ${limit}`,
  );
}

export function likePattern(word: string): string {
  return `%${word.toLowerCase().replace(/[!%_]/g, '!$&')}%`;
}

type Where = Readonly<{ statuses: readonly NodeStatus[]; after?: string; limit: number }>;

export function nodesWhere(self: Seen, { statuses, after = '', limit }: Where): Promise<Node[]> {
  return nodes.all(
    self,
    sql`and status in ${sql.in(statuses)} and id > ${after}
    order by id
    limit ${limit}`,
  );
}

/** Living ones first, then what has come to rest. */
export function nodesToShow(self: Seen, limit: number): Promise<Node[]> {
  return nodes.all(
    self,
    sql`${SHOWN}
    order by case status when 'active' then 0 when 'dying' then 1 else 2 end, importance desc, id desc
    limit ${limit}`,
  );
}

export function freshNodes(self: Seen): Promise<Node[]> {
  return nodes.all(self, sql`and fresh = 1 and status = 'active' order by id`);
}

export function recentNodes(self: Seen, limit: number): Promise<Node[]> {
  return nodes.all(
    self,
    sql`and status = 'active'
    order by last_activated desc, id desc
    limit ${limit}`,
  );
}

/** One statement, so that no recall is lost to another: a dead memory that is touched comes back sooner. */
export async function reactivate({ tx, being }: Held, touched: readonly Node[]): Promise<void> {
  if (touched.length === 0) return;
  await tx.run(sql`
    update being_nodes
    set reactivations = reactivations + case when status = 'dead' then 2 else 1 end, last_activated = ${tx.now}
    where being_id = ${being} and id in ${sql.in(idsOf(touched))}`);
}

export async function setCluster(self: Held, ids: readonly string[], clusterId: string): Promise<number> {
  if (ids.length === 0) return 0;
  return nodes.change(self, { clusterId, updatedAt: self.tx.now }, sql`and id in ${sql.in(ids)}`);
}

/** Everything of one cluster, the dead included. */
export function moveAll(self: Held, from: string, to: string): Promise<number> {
  return nodes.change(self, { clusterId: to, updatedAt: self.tx.now }, sql`and cluster_id = ${from}`);
}

type Standing = Pick<Node, 'status' | 'reason'>;

export async function setStatus(self: Held, changed: readonly Node[], to: Standing): Promise<number> {
  if (changed.length === 0) return 0;
  const { status, reason } = to;
  return nodes.change(
    self,
    { status, reason, dyingCycles: 0, updatedAt: self.tx.now },
    sql`and id in ${sql.in(idsOf(changed))}`,
  );
}

function idsOf(some: readonly Node[]): string[] {
  return some.map(({ id }) => id);
}

/** One more patrol for what lives; beyond a hundred it makes no difference. */
export function tick({ tx, being }: Held): Promise<number> {
  return tx.run(sql`
    update being_nodes
    set cycles = cycles + case when status = 'active' and cycles - reactivations < 100 then 1 else 0 end,
        dying_cycles = dying_cycles + case when status = 'dying' then 1 else 0 end
    where being_id = ${being} and status in ('active', 'dying')`);
}

export function clearFresh(self: Held): Promise<number> {
  return nodes.change(self, { isFresh: false }, sql`and fresh = 1`);
}

export async function countNodes({ q, being }: Seen): Promise<Record<NodeStatus, number>> {
  const counts = await countByWord(
    q,
    sql`select status as word, count(*) as count from being_nodes where being_id = ${being} group by status`,
  );
  return { active: 0, dying: 0, dead: 0, ...counts };
}

export function setPinned(self: Held, id: string, isPinned: boolean): Promise<number> {
  return nodes.change(self, { isPinned, updatedAt: self.tx.now }, sql`and id = ${id}`);
}

export async function deleteNode(self: Held, id: string): Promise<void> {
  await nodes.remove(self, sql`and id = ${id}`);
}

/** Living memories without a vector of this model. */
export function unembeddedNodes(self: Seen, model: string, limit: number): Promise<Node[]> {
  return nodes.all(
    self,
    sql`and status in ('active', 'dying') and ${hasNoVector(model, 'being_nodes.no')}
    order by id
    limit ${limit}`,
  );
}

/** The last resort of a keyword search: any of the words, anywhere in the text. */
export function nodesWithWords(self: Seen, words: readonly string[], limit: number): Promise<Node[]> {
  const any = words.flatMap((word) =>
    ['action', 'feeling', 'themes', 'scene'].map(
      (column) => sql`lower(${sql.raw(column)}) like ${likePattern(word)} escape '!'`,
    ),
  );
  return nodes.all(
    self,
    sql`${SHOWN} and (${sql.join(any, ' or ')})
    order by importance desc, last_activated desc, id desc
    limit ${limit}`,
  );
}
