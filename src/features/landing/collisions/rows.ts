// SQL of living branches and of those that do not go together.
import type { Query, Tx } from '../../../store/database.ts';
import { leaseIn } from '../../../store/lease.ts';
import { sql } from '../../../store/sql.ts';
import { flag, json, number, type RecordOf, table, text, textOrNull } from '../../../store/table.ts';
import type { CollidingFile, TouchedPath } from './collision.ts';

const living = table('living_branches', {
  repository: text(),
  branch: text(),
  project: text(),
  head: text(),
  taskId: textOrNull(),
  agent: textOrNull(),
  paths: json<readonly TouchedPath[]>(),
  isWhole: flag(),
});
export type StoredBranch = Readonly<RecordOf<typeof living.fields>>;

const collisions = table('collisions', {
  id: text(),
  project: text(),
  repository: text(),
  /** The branch that was first. */
  a: text(),
  b: text(),
  files: json<readonly CollidingFile[]>(),
  createdAt: number(),
  updatedAt: number(),
});
export type StoredCollision = Readonly<RecordOf<typeof collisions.fields>>;

/** One hub at a time tries the branches of a repository. */
export const watchLease = leaseIn({
  table: 'watched_repositories',
  key: 'repository',
  holder: 'holder',
  until: 'held_until',
});

export async function knowRepository(tx: Tx, repository: string): Promise<void> {
  await tx.run(sql`
    insert into watched_repositories (repository) values (${repository})
    on conflict (repository) do nothing`);
}

export const branchesOf = (q: Query, repository: string): Promise<StoredBranch[]> =>
  living.list(q, sql`where repository = ${repository} order by branch`);

export const branchesOfProject = (q: Query, project: string): Promise<StoredBranch[]> =>
  living.list(q, sql`where project = ${project} order by repository, branch`);

const marks = living.only('repository', 'branch', 'project', 'head', 'taskId', 'agent');
export type BranchMark = Readonly<RecordOf<typeof marks.fields>>;

/** Without what they change: enough to see that one moved. */
export const branchMarks = (q: Query): Promise<BranchMark[]> =>
  marks.list(q, sql`order by repository, branch`);

export const putBranch = (tx: Tx, branch: StoredBranch): Promise<void> =>
  living.put(tx, branch, ['repository', 'branch']);

export async function dropBranch(tx: Tx, repository: string, branch: string): Promise<void> {
  await living.delete(tx, sql`where repository = ${repository} and branch = ${branch}`);
}

export const collisionsOf = (q: Query, repository: string): Promise<StoredCollision[]> =>
  collisions.list(q, sql`where repository = ${repository} order by id`);

export const allCollisions = (q: Query): Promise<StoredCollision[]> => collisions.list(q, sql`order by id`);

export const putCollision = (tx: Tx, collision: StoredCollision): Promise<void> =>
  collisions.put(tx, collision, ['id']);

export async function dropCollision(tx: Tx, id: string): Promise<void> {
  await collisions.delete(tx, sql`where id = ${id}`);
}
