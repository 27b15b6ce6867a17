import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

export type ClusterRow = Readonly<{
  id: string;
  name: string;
  digest: string;
  /** Null for a root. */
  parent_id: string | null;
  centre: Uint8Array | null;
  centre_model: string | null;
  created_at: number;
  updated_at: number;
}>;

const COLUMNS = sql.raw('id, name, digest, parent_id, centre, centre_model, created_at, updated_at');

type NewCluster = Pick<ClusterRow, 'id' | 'name' | 'parent_id'> & Partial<ClusterRow>;

export async function insertCluster(tx: Tx, being: string, cluster: NewCluster): Promise<void> {
  await tx.run(sql`
    insert into being_clusters (
      being_id, id, name, digest, parent_id, centre, centre_model, created_at, updated_at
    )
    values (
      ${being}, ${cluster.id}, ${cluster.name}, ${cluster.digest ?? ''}, ${cluster.parent_id}, ${cluster.centre ?? null},
      ${cluster.centre_model ?? null}, ${cluster.created_at ?? tx.now}, ${cluster.updated_at ?? tx.now}
    )`);
}

export function clusterById(q: Query, being: string, id: string): Promise<ClusterRow | undefined> {
  return q.get<ClusterRow>(sql`
    select ${COLUMNS}
    from being_clusters
    where being_id = ${being} and id = ${id}`);
}

export function clustersOf(q: Query, being: string): Promise<ClusterRow[]> {
  return q.all<ClusterRow>(sql`
    select ${COLUMNS}
    from being_clusters
    where being_id = ${being}
    order by id`);
}

export type ClusterSize = Readonly<{ id: string; active: number; total: number }>;

export function clusterSizes(q: Query, being: string): Promise<ClusterSize[]> {
  return q.all<ClusterSize>(sql`
    select cluster_id as id, sum(case when status = 'active' then 1 else 0 end) as active, count(*) as total
    from being_nodes
    where being_id = ${being}
    group by cluster_id`);
}

export async function setDigest(tx: Tx, being: string, id: string, digest: string): Promise<void> {
  await tx.run(sql`
    update being_clusters
    set digest = ${digest}, updated_at = ${tx.now}
    where being_id = ${being} and id = ${id} and digest <> ${digest}`);
}

export async function setCentre(
  tx: Tx,
  being: string,
  id: string,
  { vector, model }: Readonly<{ vector: Uint8Array | null; model: string | null }>,
): Promise<void> {
  await tx.run(sql`
    update being_clusters
    set centre = ${vector}, centre_model = ${model}, updated_at = ${tx.now}
    where being_id = ${being} and id = ${id}`);
}

export function deleteCluster(tx: Tx, being: string, id: string): Promise<number> {
  return tx.run(sql`
    delete from being_clusters
    where being_id = ${being} and id = ${id} and parent_id is not null
      and not exists (select 1 from being_nodes where being_id = ${being} and cluster_id = ${id})`);
}
