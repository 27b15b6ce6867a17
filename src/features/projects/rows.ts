// SQL of projects and of what they are known by; and which teams there are, found in a folder or not.
import type { Query, Tx } from '../../store/database.ts';
import { type Sql, sql } from '../../store/sql.ts';
import { number, type RecordOf, table, text } from '../../store/table.ts';
import type { Project, ProjectKey } from './project.ts';

const projects = table('projects', { teamId: text(), name: text(), createdAt: number() });
const keys = table('project_keys', { kind: text<ProjectKey['kind']>(), value: text(), teamId: text() });

export type StoredKey = Readonly<RecordOf<typeof keys.fields>>;

export const listProjects = (q: Query): Promise<Project[]> => projects.list(q, sql`order by team_id`);

export const projectById = (q: Query, teamId: string): Promise<Project | undefined> =>
  projects.find(q, sql`where team_id = ${teamId}`);

/** A team is one that something or somebody is of, found in a folder or not: each room names those it knows. */
const allTeams = (elsewhere: readonly Sql[]): Sql =>
  sql.join([sql`select team_id as team from projects`, ...elsewhere], ' union all ');

export async function isTeamKnown(q: Query, teamId: string, elsewhere: readonly Sql[]): Promise<boolean> {
  const named = allTeams(elsewhere);
  const row = await q.get(sql`select 1 as one from (${named}) as named where team = ${teamId} limit 1`);
  return row !== undefined;
}

export async function knownTeams(q: Query, elsewhere: readonly Sql[]): Promise<string[]> {
  const rows = await q.all<{ team: string }>(
    sql`select distinct team from (${allTeams(elsewhere)}) as named order by team`,
  );
  return rows.map(({ team }) => team);
}

/** The project itself and those whose id goes on from it with a number. */
export async function slugsFrom(q: Query, slug: string): Promise<string[]> {
  const found = await projects.list(
    q,
    sql`where team_id = ${slug} or (team_id > ${`${slug}-`} and team_id < ${`${slug}.`})`,
  );
  return found.map(({ teamId }) => teamId);
}

export const insertProject = (tx: Tx, project: Project): Promise<void> => projects.insert(tx, project);

export const renameProject = (tx: Tx, teamId: string, name: string): Promise<Project | undefined> =>
  projects.get(
    tx,
    sql`
    update projects
    set ${projects.assign({ name })}
    where team_id = ${teamId}
    returning ${projects.columns}`,
  );

/** What it was known by goes with it. */
export async function deleteProject(tx: Tx, teamId: string): Promise<boolean> {
  await keys.delete(tx, sql`where team_id = ${teamId}`);
  return (await tx.run(sql`delete from projects where team_id = ${teamId}`)) > 0;
}

/** The folders of one lead to the other from now on. */
export async function moveKeys(tx: Tx, from: string, into: string): Promise<void> {
  await keys.update(tx, { teamId: into }, sql`where team_id = ${from}`);
}

export const storedKeys = (q: Query, wanted: readonly ProjectKey[]): Promise<StoredKey[]> =>
  keys.list(
    q,
    sql`
    where kind in ${sql.in([...new Set(wanted.map(({ kind }) => kind))])}
      and value in ${sql.in(wanted.map(({ value }) => value))}`,
  );

export const allKeys = (q: Query): Promise<StoredKey[]> => keys.list(q, sql`order by kind, value`);

export async function hasRoots(q: Query, teamId: string): Promise<boolean> {
  const row = await q.get(
    sql`select 1 as one from project_keys where team_id = ${teamId} and kind = 'root' limit 1`,
  );
  return row !== undefined;
}

/** A key stays with the project that had it first. */
export async function insertKeys(tx: Tx, teamId: string, found: readonly ProjectKey[]): Promise<void> {
  for (const { kind, value } of found) {
    await tx.run(sql`
      insert into project_keys (kind, value, team_id, created_at)
      values (${kind}, ${value}, ${teamId}, ${tx.now})
      on conflict (kind, value) do nothing`);
  }
}
