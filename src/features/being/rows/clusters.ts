import { sql } from '../../../store/sql.ts';
import { bytesOrNull, number, type RecordOf, text, textOrNull } from '../../../store/table.ts';
import { beingTable, type Held, type Seen } from './whose.ts';

const clusters = beingTable('being_clusters', {
  id: text(),
  name: text(),
  digest: text(),
  /** Null for a root. */
  parentId: textOrNull(),
  centre: bytesOrNull(),
  centreModel: textOrNull(),
  createdAt: number(),
  updatedAt: number(),
});
export type ClusterRow = Readonly<RecordOf<typeof clusters.fields>>;

type NewCluster = Pick<ClusterRow, 'id' | 'name' | 'parentId'> &
  Partial<Pick<ClusterRow, 'digest' | 'createdAt' | 'updatedAt'>>;

export function insertCluster(self: Held, cluster: NewCluster): Promise<void> {
  const { now } = self.tx;
  const { id, name, parentId, digest = '', createdAt = now, updatedAt = now } = cluster;
  const whole = { id, name, digest, parentId, createdAt, updatedAt };
  return clusters.insert(self, { ...whole, centre: null, centreModel: null });
}

export function clusterById(self: Seen, id: string): Promise<ClusterRow | undefined> {
  return clusters.one(self, sql`and id = ${id}`);
}

export function clustersOf(self: Seen): Promise<ClusterRow[]> {
  return clusters.all(self, sql`order by id`);
}

export type ClusterSize = Readonly<{ id: string; active: number; total: number }>;

export function clusterSizes({ q, being }: Seen): Promise<ClusterSize[]> {
  return q.all<ClusterSize>(sql`
    select cluster_id as id, sum(case when status = 'active' then 1 else 0 end) as active, count(*) as total
    from being_nodes
    where being_id = ${being}
    group by cluster_id`);
}

export async function setDigest(self: Held, id: string, digest: string): Promise<void> {
  await clusters.change(
    self,
    { digest, updatedAt: self.tx.now },
    sql`and id = ${id} and digest <> ${digest}`,
  );
}

type Centre = Pick<ClusterRow, 'centre' | 'centreModel'>;

export async function setCentre(self: Held, id: string, centre: Centre): Promise<void> {
  await clusters.change(self, { ...centre, updatedAt: self.tx.now }, sql`and id = ${id}`);
}

export function deleteCluster(self: Held, id: string): Promise<number> {
  return clusters.remove(
    self,
    sql`and id = ${id} and parent_id is not null
      and not exists (select 1 from being_nodes where being_id = ${self.being} and cluster_id = ${id})`,
  );
}
