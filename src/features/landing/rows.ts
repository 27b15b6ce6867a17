// SQL of queues, landings and evidence.
import type { Query, Tx } from '../../store/database.ts';
import { leaseIn } from '../../store/lease.ts';
import { sql } from '../../store/sql.ts';
import { flag, json, jsonOrNull, number, type RecordOf, table, text, textOrNull } from '../../store/table.ts';
import type { Failing, LandingState } from './landing-shapes.ts';

/** What was decided and may be half done: the ref goes from here to there, and these land with it. */
export type Intent = Readonly<{
  from: string;
  to: string;
  landings: readonly Intended[];
  /** Where it goes before it moves here, and what was there. */
  push?: Readonly<{ url: string; from: string | null }> | undefined;
}>;

type Intended = Readonly<{
  id: string;
  head: string;
  commit: string;
  tree: string;
  evidence: readonly string[];
}>;

export const queues = table('land_queues', {
  key: text(),
  project: text(),
  repository: text(),
  target: text(),
  paused: flag(),
  /** When a person last let it go on: what was held is tried again then. */
  resumedAt: number(),
  intent: jsonOrNull<Intent>(),
  holder: textOrNull(),
  heldUntil: number(),
  createdAt: number(),
});
export type Queue = Readonly<RecordOf<typeof queues.fields>>;

/** One hub at a time works on a queue. */
export const queueLease = leaseIn({
  table: 'land_queues',
  key: 'key',
  holder: 'holder',
  until: 'held_until',
});

/** The addresses that a person confirmed, by the repository and what it calls them. */
export const confirmedRemotes = table('land_remotes', {
  repository: text(),
  remote: text(),
  url: text(),
  confirmedAt: number(),
});

export const confirmedAt = (
  q: Query,
  { repository, remote }: Readonly<{ repository: string; remote: string }>,
) => confirmedRemotes.find(q, sql`where repository = ${repository} and remote = ${remote}`);

export const landings = table('landings', {
  id: text(),
  queue: text(),
  taskId: text(),
  runId: textOrNull(),
  branch: text(),
  head: text(),
  title: text(),
  state: text<LandingState>(),
  approvedBy: textOrNull(),
  /** The protected paths that it changes. */
  protected: json<readonly string[]>(),
  batch: textOrNull(),
  commitId: textOrNull(),
  tree: textOrNull(),
  why: textOrNull(),
  conflicts: json<readonly string[]>(),
  evidence: json<readonly string[]>(),
  requestedBy: text(),
  requestedSeat: textOrNull(),
  /** Of a conflict that another run is to solve: `wanted`, then its id, until that is over. */
  rerun: textOrNull(),
  createdAt: number(),
  updatedAt: number(),
});
export type StoredLanding = Readonly<RecordOf<typeof landings.fields>>;

export const evidence = table('check_evidence', {
  id: text(),
  project: text(),
  checkName: text(),
  commitId: text(),
  tree: text(),
  definition: text(),
  exitCode: number(),
  passed: flag(),
  confined: flag(),
  /** The run that this one stands on. */
  reused: textOrNull(),
  flaky: flag(),
  ms: number(),
  tail: text(),
  failing: json<readonly Failing[]>(),
  digest: text(),
  createdAt: number(),
});
export type StoredEvidence = Readonly<RecordOf<typeof evidence.fields>>;

const OPEN_STATES: readonly LandingState[] = ['waiting_person', 'queued', 'testing', 'held'];

export const queueAt = (q: Query, key: string): Promise<Queue | undefined> =>
  queues.find(q, sql`where key = ${key}`);

/** Whoever decides what becomes of its landings holds the row meanwhile. */
export const lockQueue = (tx: Tx, key: string): Promise<Queue | undefined> =>
  queues.find(tx, sql`where key = ${key} ${tx.dialect.forUpdate}`);

export const landingById = (q: Query, id: string): Promise<StoredLanding | undefined> =>
  landings.find(q, sql`where id = ${id}`);

export const openLandingOf = (q: Query, taskId: string): Promise<StoredLanding | undefined> =>
  landings.find(
    q,
    sql`where task_id = ${taskId} and state in ${sql.in(OPEN_STATES)} order by id desc limit 1`,
  );

/** Oldest first. */
export const waitingIn = (q: Query, queue: string, limit: number): Promise<StoredLanding[]> =>
  landings.list(
    q,
    sql`where queue = ${queue} and state in ('queued', 'testing', 'held') order by id limit ${limit}`,
  );

/** Moves one from a state in which it was seen: whoever withdrew it meanwhile has had their say. */
export async function changeLanding(
  tx: Tx,
  { id, state }: Pick<StoredLanding, 'id' | 'state'>,
  change: Partial<StoredLanding>,
): Promise<boolean> {
  const changed = await landings.update(
    tx,
    { ...change, updatedAt: tx.now },
    sql`where id = ${id} and state = ${state}`,
  );
  return changed > 0;
}

type Proof = Pick<StoredEvidence, 'project' | 'checkName' | 'tree' | 'definition'>;

/** The newest pass of this check on this tree under this definition that was really run; kept in, where that is asked for. */
export const passOf = (
  q: Query,
  { project, checkName, tree, definition }: Proof,
  isUnconfinedAllowed: boolean,
) =>
  evidence.find(
    q,
    sql`where project = ${project} and check_name = ${checkName} and tree = ${tree}
      and definition = ${definition} and passed = 1 and reused is null
      and confined >= ${isUnconfinedAllowed ? 0 : 1}
    order by id desc
    limit 1`,
  );

export async function hasFailed(q: Query, { project, checkName, tree, definition }: Proof): Promise<boolean> {
  const failures = await evidence.count(
    q,
    sql`where project = ${project} and check_name = ${checkName} and tree = ${tree}
      and definition = ${definition} and passed = 0`,
  );
  return failures > 0;
}

export async function changeQueue(tx: Tx, key: string, change: Partial<Queue>): Promise<void> {
  await queues.update(tx, change, sql`where key = ${key}`);
}

/** Of one project, or all of them; answers how many. */
export const changeQueues = (tx: Tx, project: string | undefined, change: Partial<Queue>): Promise<number> =>
  queues.update(tx, change, project === undefined ? sql`` : sql`where project = ${project}`);

export const allQueues = (q: Query): Promise<Queue[]> => queues.list(q, sql`order by key`);

export const queuesWithWork = (q: Query): Promise<Queue[]> =>
  queues.list(
    q,
    sql`where intent is not null or paused = 0 and exists (
      select 1 from landings where landings.queue = land_queues.key and state in ('queued', 'testing', 'held'))
    order by key`,
  );

/** Whatever state it is in: the ref has moved with it. */
export async function bookLanding(tx: Tx, id: string, change: Partial<StoredLanding>): Promise<void> {
  await landings.update(tx, { ...change, updatedAt: tx.now }, sql`where id = ${id}`);
}

const MOST_LISTED = 500;

export const newestLandings = (q: Query): Promise<StoredLanding[]> =>
  landings.list(q, sql`order by id desc limit ${MOST_LISTED}`);

export const lastOfTask = (q: Query, taskId: string, limit: number): Promise<StoredLanding[]> =>
  landings.list(q, sql`where task_id = ${taskId} order by id desc limit ${limit}`);

export const conflictsToSolve = (q: Query): Promise<StoredLanding[]> =>
  landings.list(q, sql`where rerun is not null order by id limit ${MOST_LISTED}`);

/** False when somebody else has seen to it. */
export async function changeRerun(
  tx: Tx,
  { id, rerun }: Pick<StoredLanding, 'id' | 'rerun'>,
  to: string | null,
): Promise<boolean> {
  return (await landings.update(tx, { rerun: to }, sql`where id = ${id} and rerun = ${rerun}`)) > 0;
}

export const evidenceOf = (q: Query, ids: readonly string[]): Promise<StoredEvidence[]> =>
  evidence.list(q, sql`where id in ${sql.in([...ids])} order by id`);

const MOST_AT_A_COMMIT = 200;

/** Oldest first. */
export const evidenceAtCommit = (q: Query, commit: string): Promise<StoredEvidence[]> =>
  evidence.list(q, sql`where commit_id = ${commit} order by id limit ${MOST_AT_A_COMMIT}`);

export const dropEvidenceBefore = (tx: Tx, at: number): Promise<number> =>
  evidence.delete(tx, sql`where created_at < ${at}`);

export const allEvidence = (q: Query): Promise<StoredEvidence[]> => evidence.list(q, sql`order by id`);

/** Those of a project that came to an end since, newest first. */
export const endedSince = (
  q: Query,
  { project, since, most }: Readonly<{ project: string; since: number; most: number }>,
): Promise<StoredLanding[]> =>
  landings.list(
    q,
    sql`where updated_at > ${since} and state in ('landed', 'failed', 'conflict')
      and queue in (select key from land_queues where project = ${project})
    order by updated_at desc limit ${most}`,
  );
