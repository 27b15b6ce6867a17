// SQL of credit and of the events that moved it.
import { newId } from '../../../kernel/ids.ts';
import type { Query, Tx } from '../../../store/database.ts';
import { type Sql, sql } from '../../../store/sql.ts';
import { number, numberOrNull, type RecordOf, table, text, textOrNull } from '../../../store/table.ts';
import type { Credit } from '../memory.ts';

const credits = table('credit_records', {
  vault: text(),
  id: text(),
  score: number(),
  accessCount: number(),
  createdAt: number(),
  lastAccessed: number(),
  /** Of the vault, when this was said. */
  version: number(),
});
type CreditRecord = RecordOf<typeof credits.fields>;
const worth = credits.only('score', 'accessCount', 'createdAt', 'lastAccessed');
const moved = credits.only('id', 'score', 'accessCount', 'createdAt', 'lastAccessed');

export type MovedCredit = Credit & Readonly<{ id: string }>;

const ofMemory = (vault: string, id: string): Sql => sql`where vault = ${vault} and id = ${id}`;

export function creditOf(q: Query, vault: string, id: string): Promise<Credit | undefined> {
  return worth.find(q, ofMemory(vault, id));
}

export function creditsSince(q: Query, vault: string, version: number): Promise<MovedCredit[]> {
  return moved.list(q, sql`where vault = ${vault} and version > ${version}`);
}

export function setCredit(tx: Tx, credit: CreditRecord): Promise<void> {
  return credits.put(tx, credit, ['vault', 'id']);
}

/** Which memory, and which version of the vault says so. */
type Versioned = Readonly<{ id: string; version: number }>;

/** One retrieval. The score stays: its age starts again from now. */
export async function touchCredit(tx: Tx, vault: string, { id, version }: Versioned): Promise<void> {
  await tx.run(sql`
    update credit_records
    set access_count = access_count + 1, last_accessed = ${tx.now}, version = ${version}
    ${ofMemory(vault, id)}`);
}

export async function setScore(
  tx: Tx,
  vault: string,
  { id, ...change }: Versioned & Readonly<{ score: number }>,
): Promise<void> {
  await credits.update(tx, change, ofMemory(vault, id));
}

export async function deleteCredit(tx: Tx, vault: string, id: string): Promise<void> {
  await credits.delete(tx, ofMemory(vault, id));
}

/** What is answered of an event, under its documented names. */
const answered = {
  event_type: text(),
  reward: number(),
  old_score: numberOrNull(),
  new_score: numberOrNull(),
  session_id: textOrNull(),
  created_at: number(),
};
const pastEvents = table('credit_events', answered);
const creditEvents = table('credit_events', {
  ...answered,
  id: text(),
  vault: text(),
  memory_id: text(),
  /** How it had been used, when the record goes with this event. */
  accessCount: numberOrNull(),
  lastAccessed: numberOrNull(),
});
type CreditEvent = RecordOf<typeof creditEvents.fields>;
type NewCreditEvent = Readonly<Pick<CreditEvent, 'memory_id' | 'event_type'> & Partial<CreditEvent>>;
export type PastEvent = Readonly<RecordOf<typeof answered>>;

export function insertCreditEvent(tx: Tx, vault: string, event: NewCreditEvent): Promise<void> {
  return creditEvents.insert(tx, {
    id: newId(),
    vault,
    reward: 0,
    old_score: null,
    new_score: null,
    session_id: null,
    accessCount: null,
    lastAccessed: null,
    created_at: tx.now,
    ...event,
  });
}

const newestOf = (vault: string, id: string, limit: number): Sql =>
  sql`where vault = ${vault} and memory_id = ${id} order by credit_events.id desc limit ${limit}`;

/** Newest first. */
export function eventsOf(
  q: Query,
  vault: string,
  { id, limit }: Readonly<{ id: string; limit: number }>,
): Promise<PastEvent[]> {
  return pastEvents.list(q, newestOf(vault, id, limit));
}

/** What a memory was worth when it went, if it has not come back since. The time away does not count as time without use. */
export async function creditWhenGone(tx: Tx, vault: string, id: string): Promise<Credit | undefined> {
  const last = await creditEvents.find(tx, newestOf(vault, id, 1));
  if (last?.event_type !== 'gone') return undefined;
  const idle = last.lastAccessed === null ? 0 : last.created_at - last.lastAccessed;
  return {
    score: last.old_score!,
    accessCount: last.accessCount ?? 0,
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
