// SQL of sessions. Everything is asked for as an owner's own.
import type { Query, Tx } from '../../../store/database.ts';
import { type Sql, sql } from '../../../store/sql.ts';
import type { Owner } from '../owner.ts';
import { forgotten, type StoredSession, transcripts } from './tables.ts';

export const isOwn = ({ host, owner }: Owner, alias = 'transcripts'): Sql =>
  sql`${sql.raw(alias)}.host = ${host} and ${sql.raw(alias)}.owner = ${owner}`;

/** The repository and the project of whoever asks; undefined: all. */
export type SessionSight = Readonly<{ ground?: string | undefined; project?: string | undefined }>;

export function isSeen({ ground, project }: SessionSight, alias = 'transcripts'): Sql {
  const column = (name: string) => sql.raw(`${alias}.${name}`);
  const own = [
    ...(ground === undefined ? [] : [sql`${column('ground')} = ${ground}`]),
    ...(project === undefined ? [] : [sql`${column('project')} = ${project}`]),
  ];
  return own.length === 0 ? sql`1 = 1` : sql`(${sql.join(own, ' or ')})`;
}

export type SessionFilter = SessionSight &
  Readonly<{
    client?: string | undefined;
    since?: number | undefined;
    before?: Readonly<{ endedAt: number; id: string }> | undefined;
    limit: number;
  }>;

export function listSessions(q: Query, own: Owner, filter: SessionFilter): Promise<StoredSession[]> {
  const { client, since, before, limit } = filter;
  return transcripts.list(
    q,
    sql`
    where ${isOwn(own)} and turns > 0 and ${isSeen(filter)}
      ${client === undefined ? sql.empty : sql`and client = ${client}`}
      ${since === undefined ? sql.empty : sql`and ended_at >= ${since}`}
      ${before === undefined ? sql.empty : sql`and (ended_at < ${before.endedAt} or (ended_at = ${before.endedAt} and id < ${before.id}))`}
    order by ended_at desc, id desc
    limit ${limit}`,
  );
}

export function sessionById(q: Query, own: Owner, id: string): Promise<StoredSession | undefined> {
  return transcripts.find(q, sql`where id = ${id} and ${isOwn(own)}`);
}

/** Ids may be shortened; two that begin alike are enough to know that it is not clear. */
export function sessionsFrom(q: Query, own: Owner, start: string): Promise<StoredSession[]> {
  return transcripts.list(
    q,
    sql`where ${isOwn(own)} and ((id >= ${start} and id < ${`${start}~`}) or client_id = ${start}) order by id limit 2`,
  );
}

export function sessionsByIds(q: Query, own: Owner, ids: readonly string[]): Promise<StoredSession[]> {
  return transcripts.list(q, sql`where ${isOwn(own)} and id ${q.dialect.isOneOfTexts(ids)}`);
}

export function sessionOfClient(
  q: Query,
  own: Owner,
  { client, clientId }: Pick<StoredSession, 'client' | 'clientId'>,
): Promise<StoredSession | undefined> {
  return transcripts.find(q, sql`where ${isOwn(own)} and client = ${client} and client_id = ${clientId}`);
}

export const putSession = (tx: Tx, session: StoredSession): Promise<void> =>
  transcripts.put(tx, session, ['id']);

/** Sessions of a folder whose project was not known when they were read. */
export async function adoptFolder(
  tx: Tx,
  own: Owner,
  { folder, project }: Readonly<{ folder: string; project: string }>,
): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(sql`
    update transcripts
    set project = ${project}
    where ${isOwn(own)} and folder = ${folder} and project is null
    returning id`);
  return rows.map(({ id }) => id);
}

export async function homelessFolders(q: Query, own: Owner): Promise<string[]> {
  const rows = await q.all<{ folder: string }>(sql`
    select distinct folder
    from transcripts
    where ${isOwn(own)} and project is null and folder is not null
    order by folder
    limit 1000`);
  return rows.map(({ folder }) => folder);
}

/** Where sessions were, each folder once. */
export async function sessionFolders(q: Query, own: Owner): Promise<string[]> {
  const rows = await q.all<{ folder: string }>(sql`
    select distinct folder
    from transcripts
    where ${isOwn(own)} and folder is not null
    limit 10000`);
  return rows.map(({ folder }) => folder);
}

export async function isForgotten(q: Query, own: Owner, digest: string): Promise<boolean> {
  return (
    (await forgotten.count(q, sql`where ${isOwn(own, 'transcript_forgotten')} and digest = ${digest}`)) > 0
  );
}

export const keepForgotten = (tx: Tx, own: Owner, digest: string): Promise<void> =>
  forgotten.put(tx, { ...own, digest, at: tx.now }, ['host', 'owner', 'digest']);

/** The run that a session was, whichever client wrote it. Answers how many there are. */
export function linkRun(
  tx: Tx,
  own: Owner,
  { clientId, run, task }: Readonly<{ clientId: string; run: string; task: string | null }>,
): Promise<number> {
  return transcripts.update(tx, { run, task }, sql`where ${isOwn(own)} and client_id = ${clientId}`);
}

/** After an import: there is nobody else's yet. */
export async function adoptAll(tx: Tx, own: Owner): Promise<void> {
  await transcripts.update(tx, own, sql.empty);
  await forgotten.update(tx, own, sql.empty);
}

/** Where retention has come to: sessions that ended before. */
export function sessionsEndedBefore(q: Query, own: Owner, at: number): Promise<StoredSession[]> {
  return transcripts.list(q, sql`where ${isOwn(own)} and ended_at < ${at} order by ended_at limit 20`);
}

export const dropSession = (tx: Tx, id: string): Promise<number> =>
  transcripts.delete(tx, sql`where id = ${id}`);
