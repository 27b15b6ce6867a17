// SQL of a Being's documents and relations, in an order that changes only when they do.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

export type DocRow = Readonly<{
  target: string;
  key: string;
  content: string;
  location: string | null;
  meta: string | null;
  sort: number;
  created_at: number;
  updated_at: number;
}>;

const COLUMNS = sql.raw('target, key, content, location, meta, sort, created_at, updated_at');

export function docByKey(q: Query, being: string, target: string, key: string): Promise<DocRow | undefined> {
  return q.get<DocRow>(sql`
    select ${COLUMNS}
    from being_docs
    where being_id = ${being} and target = ${target} and key = ${key}`);
}

/** In an order that only changes when the documents do. */
export function docsOf(q: Query, being: string, target?: string): Promise<DocRow[]> {
  return q.all<DocRow>(sql`
    select ${COLUMNS}
    from being_docs
    where being_id = ${being}
      ${target === undefined ? sql.empty : sql`and target = ${target}`}
    order by target, sort, key`);
}

export async function countDocs(q: Query, being: string): Promise<number> {
  const row = await q.get<{ count: number }>(sql`
    select count(*) as count
    from being_docs
    where being_id = ${being}`);
  return row!.count;
}

export type NewDoc = Readonly<{
  target: string;
  key: string;
  content: string;
  location?: string | null;
  meta?: string | null;
  sort?: number;
  createdAt?: number;
  updatedAt?: number;
}>;

export async function putDoc(tx: Tx, being: string, doc: NewDoc): Promise<void> {
  const { target, key, content, location = null, meta = null, sort = 100 } = doc;
  await tx.run(sql`
    insert into being_docs (being_id, target, key, content, location, meta, sort, created_at, updated_at)
    values (
      ${being}, ${target}, ${key}, ${content}, ${location}, ${meta}, ${sort},
      ${doc.createdAt ?? tx.now}, ${doc.updatedAt ?? tx.now}
    )
    on conflict (being_id, target, key) do update
    set content = excluded.content,
        location = coalesce(excluded.location, being_docs.location),
        meta = coalesce(excluded.meta, being_docs.meta),
        sort = excluded.sort,
        updated_at = excluded.updated_at`);
}

export function deleteDoc(tx: Tx, being: string, target: string, key: string): Promise<number> {
  return tx.run(sql`
    delete from being_docs
    where being_id = ${being} and target = ${target} and key = ${key}`);
}

export type RelationRow = Readonly<{
  relation_type: string;
  entity_name: string;
  content: string;
  created_at: number;
  updated_at: number;
}>;

export function relationsOf(q: Query, being: string): Promise<RelationRow[]> {
  return q.all<RelationRow>(sql`
    select relation_type, entity_name, content, created_at, updated_at
    from being_relations
    where being_id = ${being}
    order by relation_type, entity_name`);
}

export function relationByName(
  q: Query,
  being: string,
  type: string,
  name: string,
): Promise<RelationRow | undefined> {
  return q.get<RelationRow>(sql`
    select relation_type, entity_name, content, created_at, updated_at
    from being_relations
    where being_id = ${being} and relation_type = ${type} and entity_name = ${name}`);
}

type NewRelation = Readonly<{
  type: string;
  name: string;
  content: string;
  createdAt?: number;
  updatedAt?: number;
}>;

export async function putRelation(tx: Tx, being: string, relation: NewRelation): Promise<void> {
  const { type, name, content, createdAt = tx.now, updatedAt = tx.now } = relation;
  await tx.run(sql`
    insert into being_relations (being_id, relation_type, entity_name, content, created_at, updated_at)
    values (${being}, ${type}, ${name}, ${content}, ${createdAt}, ${updatedAt})
    on conflict (being_id, relation_type, entity_name) do update
    set content = excluded.content, updated_at = excluded.updated_at`);
}

export function deleteRelation(tx: Tx, being: string, type: string, name: string): Promise<number> {
  return tx.run(sql`
    delete from being_relations
    where being_id = ${being} and relation_type = ${type} and entity_name = ${name}`);
}
