// SQL of a Being's documents and relations, in an order that changes only when they do.
import { sql } from '../../../store/sql.ts';
import { named, number, type RecordOf, text, textOrNull } from '../../../store/table.ts';
import { beingTable, type Held, type Seen } from './whose.ts';

const docs = beingTable('being_docs', {
  target: text(),
  key: text(),
  content: text(),
  location: textOrNull(),
  meta: textOrNull(),
  sort: number(),
  createdAt: number(),
  updatedAt: number(),
});
export type DocRow = Readonly<RecordOf<typeof docs.fields>>;
/** Which document: of what kind, and under which key. */
export type DocName = Pick<DocRow, 'target' | 'key'>;

export function docByKey(self: Seen, { target, key }: DocName): Promise<DocRow | undefined> {
  return docs.one(self, sql`and target = ${target} and key = ${key}`);
}

/** In an order that only changes when the documents do. */
export function docsOf(self: Seen, target?: string): Promise<DocRow[]> {
  const which = target === undefined ? sql.empty : sql`and target = ${target}`;
  return docs.all(self, sql`${which} order by target, sort, key`);
}

export function countDocs(self: Seen): Promise<number> {
  return docs.count(self);
}

type NewDoc = DocName & Pick<DocRow, 'content'> & Partial<DocRow>;

export async function putDoc(self: Held, doc: NewDoc): Promise<void> {
  const { now } = self.tx;
  const { target, key, content, location = null, meta = null, sort = 100 } = doc;
  const { createdAt = now, updatedAt = now } = doc;
  const whole = { target, key, content, location, meta, sort, createdAt, updatedAt };
  await self.tx.run(sql`
    ${docs.inserting(self, whole)}
    on conflict (being_id, target, key) do update
    set content = excluded.content,
        location = coalesce(excluded.location, being_docs.location),
        meta = coalesce(excluded.meta, being_docs.meta),
        sort = excluded.sort,
        updated_at = excluded.updated_at`);
}

export function deleteDoc(self: Held, { target, key }: DocName): Promise<number> {
  return docs.remove(self, sql`and target = ${target} and key = ${key}`);
}

const relations = beingTable('being_relations', {
  type: named('relation_type', text()),
  name: named('entity_name', text()),
  content: text(),
  createdAt: number(),
  updatedAt: number(),
});
export type RelationRow = Readonly<RecordOf<typeof relations.fields>>;
type RelationName = Pick<RelationRow, 'type' | 'name'>;

export function relationsOf(self: Seen): Promise<RelationRow[]> {
  return relations.all(self, sql`order by relation_type, entity_name`);
}

export function relationByName(self: Seen, { type, name }: RelationName): Promise<RelationRow | undefined> {
  return relations.one(self, sql`and relation_type = ${type} and entity_name = ${name}`);
}

type NewRelation = RelationName & Pick<RelationRow, 'content'> & Partial<RelationRow>;

export async function putRelation(self: Held, relation: NewRelation): Promise<void> {
  const { now } = self.tx;
  const { type, name, content, createdAt = now, updatedAt = now } = relation;
  await self.tx.run(sql`
    ${relations.inserting(self, { type, name, content, createdAt, updatedAt })}
    on conflict (being_id, relation_type, entity_name) do update
    set content = excluded.content, updated_at = excluded.updated_at`);
}

export function deleteRelation(self: Held, { type, name }: RelationName): Promise<number> {
  return relations.remove(self, sql`and relation_type = ${type} and entity_name = ${name}`);
}
