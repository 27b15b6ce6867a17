// SQL of credit and of the events that moved it.
import { newId } from '../../../kernel/ids.ts';
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { Credit } from '../memory.ts';

type CreditRow = {
  id: string;
  score: number;
  access_count: number;
  created_at: number;
  last_accessed: number;
};

const columns = sql.raw('id, score, access_count, created_at, last_accessed');

function toCredit(row: CreditRow): Credit {
  return {
    score: row.score,
    accessCount: row.access_count,
    createdAt: row.created_at,
    lastAccessed: row.last_accessed,
  };
}

export async function creditOf(q: Query, vault: string, id: string): Promise<Credit | undefined> {
  const row = await q.get<CreditRow>(sql`
    select ${columns}
    from credit_records
    where vault = ${vault} and id = ${id}`);
  return row && toCredit(row);
}

export async function creditsSince(
  q: Query,
  vault: string,
  version: number,
): Promise<Readonly<{ id: string; credit: Credit }>[]> {
  const rows = await q.all<CreditRow>(sql`
    select ${columns}
    from credit_records
    where vault = ${vault} and version > ${version}`);
  return rows.map((row) => ({ id: row.id, credit: toCredit(row) }));
}

/** Which memory, and which version of the vault says so. */
type Versioned = Readonly<{ id: string; version: number }>;

export async function setCredit(
  tx: Tx,
  vault: string,
  { id, credit, version }: Versioned & Readonly<{ credit: Credit }>,
): Promise<void> {
  await tx.run(sql`
    insert into credit_records (vault, ${columns}, version)
    values (${vault}, ${id}, ${credit.score}, ${credit.accessCount}, ${credit.createdAt}, ${credit.lastAccessed}, ${version})
    on conflict (vault, id) do update
    set score = excluded.score,
        access_count = excluded.access_count,
        created_at = excluded.created_at,
        last_accessed = excluded.last_accessed,
        version = excluded.version`);
}

/** One retrieval. The score stays: its age starts again from now. */
export async function touchCredit(tx: Tx, vault: string, { id, version }: Versioned): Promise<void> {
  await tx.run(sql`
    update credit_records
    set access_count = access_count + 1, last_accessed = ${tx.now}, version = ${version}
    where vault = ${vault} and id = ${id}`);
}

export async function setScore(
  tx: Tx,
  vault: string,
  { id, score, version }: Versioned & Readonly<{ score: number }>,
): Promise<void> {
  await tx.run(sql`
    update credit_records
    set score = ${score}, version = ${version}
    where vault = ${vault} and id = ${id}`);
}

export async function deleteCredit(tx: Tx, vault: string, id: string): Promise<void> {
  await tx.run(sql`
    delete from credit_records
    where vault = ${vault} and id = ${id}`);
}

export type CreditEvent = Readonly<{
  memoryId: string;
  type: string;
  reward: number;
  before: number | null;
  after: number | null;
  session: string | null;
  /** How it had been used, when the record goes with this event. */
  used?: Pick<Credit, 'accessCount' | 'lastAccessed'>;
}>;

export async function insertCreditEvent(tx: Tx, vault: string, event: CreditEvent): Promise<void> {
  const { memoryId, type, reward, before, after, session, used } = event;
  await tx.run(sql`
    insert into credit_events (
      id, vault, memory_id, event_type, reward, old_score, new_score, session_id, access_count, last_accessed, created_at
    )
    values (
      ${newId()}, ${vault}, ${memoryId}, ${type}, ${reward}, ${before}, ${after}, ${session},
      ${used?.accessCount ?? null}, ${used?.lastAccessed ?? null}, ${tx.now}
    )`);
}

export type PastEvent = Readonly<{
  event_type: string;
  reward: number;
  old_score: number | null;
  new_score: number | null;
  session_id: string | null;
  created_at: number;
}>;

/** Newest first. */
export function eventsOf(
  q: Query,
  vault: string,
  { id, limit }: Readonly<{ id: string; limit: number }>,
): Promise<PastEvent[]> {
  return q.all<PastEvent>(sql`
    select event_type, reward, old_score, new_score, session_id, created_at
    from credit_events
    where vault = ${vault} and memory_id = ${id}
    order by credit_events.id desc
    limit ${limit}`);
}

type GoneRow = {
  event_type: string;
  old_score: number;
  access_count: number | null;
  last_accessed: number | null;
  created_at: number;
};

/** What a memory was worth when it went, if it has not come back since. The time away does not count as time without use. */
export async function creditWhenGone(tx: Tx, vault: string, id: string): Promise<Credit | undefined> {
  const last = await tx.get<GoneRow>(sql`
    select event_type, old_score, access_count, last_accessed, created_at
    from credit_events
    where vault = ${vault} and memory_id = ${id}
    order by credit_events.id desc
    limit 1`);
  if (last?.event_type !== 'gone') return undefined;
  const idle = last.last_accessed === null ? 0 : last.created_at - last.last_accessed;
  return {
    score: last.old_score,
    accessCount: last.access_count ?? 0,
    createdAt: tx.now,
    lastAccessed: tx.now - idle,
  };
}

/** False when this signal has been counted already. */
export async function claimSignal(tx: Tx, vault: string, key: string): Promise<boolean> {
  const added = await tx.run(sql`
    insert into credit_signals (vault, key, created_at)
    values (${vault}, ${key}, ${tx.now})
    on conflict (vault, key) do nothing`);
  return added > 0;
}
