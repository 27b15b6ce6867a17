// SQL of runners: what each says it has, and when it was last heard.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { flag, json, number, type RecordOf, table, text, textOrNull } from '../../../store/table.ts';
import { ATTEMPT_LEASE_MS } from '../rows/attempts.ts';
import { type Attempt, attemptColumns } from '../run.ts';

/** An agent as a runner has it. */
type OfferedAgent = Readonly<{ instance: string; family: string; lane: 'acp' | 'exec' }>;

const runners = table('runners', {
  name: text(),
  tokenId: textOrNull(),
  /** The folder that it keeps its spool in: another process with this name has another one. */
  process: text(),
  /** The hub that it asks: of its machine are the folders that it can have. Of a hub's own row it is the hub. */
  hub: textOrNull(),
  machine: text(),
  system: text(),
  version: text(),
  slots: number(),
  agents: json<readonly OfferedAgent[]>(),
  labels: json<readonly string[]>(),
  projects: json<readonly string[]>(),
  drained: flag(),
  seenAt: number(),
});
export type Runner = Readonly<RecordOf<typeof runners.fields>>;

const attempts = table('run_attempts', attemptColumns);

export const findRunner = (q: Query, name: string): Promise<Runner | undefined> =>
  runners.find(q, sql`where name = ${name}`);

const IS_HUB = sql.raw('hub is not null and hub = process');

export const listRunners = (q: Query): Promise<Runner[]> =>
  runners.list(q, sql`where not (${IS_HUB}) order by name`);

/** Hubs on one database tell each other what they have, so that each of them can say why a run waits. */
export const listHubs = (q: Query): Promise<Runner[]> => runners.list(q, sql`where ${IS_HUB} order by name`);

/** No runner can be called so. */
const nameOfHub = (hub: string) => `hub:${hub}`;

type HubOffer = Pick<Runner, 'machine' | 'system' | 'version' | 'slots' | 'agents'>;

export const saveHubOffer = (tx: Tx, hub: string, offer: HubOffer): Promise<void> =>
  saveRunner(tx, {
    ...offer,
    name: nameOfHub(hub),
    process: hub,
    hub,
    tokenId: null,
    labels: [],
    projects: [],
    drained: false,
    seenAt: tx.now,
  });

export const dropHubOffer = (tx: Tx, hub: string): Promise<number> =>
  runners.delete(tx, sql`where name = ${nameOfHub(hub)}`);

/** Whether it is drained is not its own to say. */
export async function saveRunner(tx: Tx, runner: Runner): Promise<void> {
  await tx.run(sql`
    insert into runners ${runners.values(runner)}
    on conflict (name) do update
    set ${runners.overwriteBut(['name', 'drained'])}`);
}

export const setDrained = (tx: Tx, name: string, drained: boolean): Promise<number> =>
  runners.update(tx, { drained }, sql`where name = ${name}`);

/** Written down so often, and sooner than a lease passes: whoever asks anew was heard already. */
export const HEAR_MS = 10_000;

/** By which hub: a runner may ask another one than it did. */
export async function hearRunners(tx: Tx, names: readonly string[], hub: string): Promise<void> {
  if (names.length > 0)
    await runners.update(tx, { seenAt: tx.now, hub }, sql`where name ${tx.dialect.isOneOfTexts(names)}`);
}

/** One that is at work asks for none; what it says of its work is a sign of life as well. */
export const hearRunner = (tx: Tx, name: string): Promise<number> =>
  runners.update(tx, { seenAt: tx.now }, sql`where name = ${name} and seen_at < ${tx.now - HEAR_MS}`);

export const dropRunnersBefore = (tx: Tx, before: number): Promise<number> =>
  runners.delete(tx, sql`where seen_at < ${before}`);

export const findAttempt = (q: Query, runId: string, n: number): Promise<Attempt | undefined> =>
  attempts.find(q, sql`where run_id = ${runId} and n = ${n}`);

/** Open attempts by holder. */
export async function countOpen(q: Query): Promise<ReadonlyMap<string, number>> {
  const rows = await q.all<{ holder: string; n: number }>(sql`
    select holder, count(*) as n
    from run_attempts
    where ended_at is null
    group by holder`);
  return new Map(rows.map(({ holder, n }) => [holder, n]));
}

type Reports = Pick<Attempt, 'runId' | 'n'>;

/** Whoever says something lives. */
export async function hearAttempt(
  tx: Tx,
  { runId, n }: Reports,
  change: Partial<Attempt> = {},
): Promise<number> {
  const leaseUntil = tx.now + ATTEMPT_LEASE_MS;
  await attempts.update(
    tx,
    { ...change, leaseUntil },
    sql`where run_id = ${runId} and n = ${n} and ended_at is null`,
  );
  return leaseUntil;
}

/** A commit that an attempt pushed, and where it is. */
export type Pushed = Readonly<{ commit: string; mirror: string | null; n: number }>;

/** The last one of any attempt of this run. */
export async function lastPushed(q: Query, runId: string): Promise<Pushed | undefined> {
  const found = await attempts.find(
    q,
    sql`where run_id = ${runId} and pushed is not null order by n desc limit 1`,
  );
  return found && { commit: found.pushed!, mirror: found.mirror, n: found.n };
}
