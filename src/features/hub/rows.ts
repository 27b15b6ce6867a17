import { hubCaller } from '../../store/acting.ts';
import type { Query } from '../../store/database.ts';
import { sql, type Sql } from '../../store/sql.ts';
import type { Broker } from '../broker/broker.ts';
import type { Sources } from '../sources/sources.ts';

/** How a hub stands, in numbers: for whoever watches it. */
export type HubFigures = Readonly<{
  tasks: Readonly<Record<string, number>>;
  leases: number;
  approvals: number;
  sources: Readonly<Record<string, number>>;
  runs: Readonly<Record<string, number>>;
  sessions: number;
  jobs: Readonly<Record<string, number>>;
  eventHead: number;
}>;

export type FigureRooms = Readonly<{ broker: Pick<Broker, 'at'>; sources: Pick<Sources, 'register'> }>;
type FigureParts = FigureRooms & Readonly<{ hub: string; now: number }>;

/** Counts and nothing else: no title, no name, no text. */
export async function readFigures(q: Query, { hub, now, broker, sources }: FigureParts): Promise<HubFigures> {
  return {
    tasks: await grouped(
      q,
      sql`select status as word, count(*) as count from tasks where dropped = 0 group by status`,
    ),
    leases: await counted(
      q,
      sql`select count(*) as count from tasks where dropped = 0 and assignee_agent_id is not null and lease_until > ${now}`,
    ),
    approvals: await broker.at(q, hubCaller).countWaiting(),
    sources: await sources.register.countStates(q, hub),
    runs: await grouped(q, sql`select state as word, count(*) as count from runs group by state`),
    sessions: await counted(q, sql`select count(*) as count from seats where ended_at is null`),
    jobs: await grouped(q, sql`select state as word, count(*) as count from jobs group by state`),
    eventHead: await counted(q, sql`select value as count from counters where name = 'events'`),
  };
}

async function counted(q: Query, statement: Sql): Promise<number> {
  return (await q.get<{ count: number }>(statement))?.count ?? 0;
}

async function grouped(q: Query, statement: Sql): Promise<Record<string, number>> {
  const rows = await q.all<{ word: string; count: number }>(statement);
  return Object.fromEntries(rows.map(({ word, count }) => [word, count]));
}
