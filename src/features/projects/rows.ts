// SQL of projects and of what they are known by; and which teams there are, found in a folder or not.
import type { Query, Tx } from '../../store/database.ts';
import { sql } from '../../store/sql.ts';
import type { Project, ProjectKey } from './project.ts';

type Row = { team_id: string; name: string; created_at: number };
type KeyRow = { kind: ProjectKey['kind']; value: string; team_id: string };

export type StoredKey = ProjectKey & Readonly<{ teamId: string }>;

const columns = sql.raw('team_id, name, created_at');

function toProject(row: Row): Project {
  return { teamId: row.team_id, name: row.name, createdAt: row.created_at };
}

function toKey({ kind, value, team_id: teamId }: KeyRow): StoredKey {
  return { kind, value, teamId };
}

export async function listProjects(q: Query): Promise<Project[]> {
  return (await q.all<Row>(sql`select ${columns} from projects order by team_id`)).map(toProject);
}

export async function projectById(q: Query, teamId: string): Promise<Project | undefined> {
  const row = await q.get<Row>(sql`select ${columns} from projects where team_id = ${teamId}`);
  return row && toProject(row);
}

/** Where teams are named: a team is one that something or somebody is of, found in a folder or not. */
const teams = sql.raw(`
    select team_id as team from projects
    union all select team_id from tasks where dropped = 0 and team_id is not null
    union all select team from agent_tokens where team is not null
    union all select team_id from chat_rooms where team_id is not null
    union all select team from recall_scopes where team <> ''
    union all select team from peer_mailboxes where team <> ''`);

export async function isTeamKnown(q: Query, teamId: string): Promise<boolean> {
  const row = await q.get(sql`select 1 as one from (${teams}) as named where team = ${teamId} limit 1`);
  return row !== undefined;
}

export async function knownTeams(q: Query): Promise<string[]> {
  const rows = await q.all<{ team: string }>(
    sql`select distinct team from (${teams}) as named order by team`,
  );
  return rows.map(({ team }) => team);
}

/** The project itself and those whose id goes on from it with a number. */
export async function slugsFrom(q: Query, slug: string): Promise<string[]> {
  const rows = await q.all<Row>(sql`
    select ${columns}
    from projects
    where team_id = ${slug} or (team_id > ${`${slug}-`} and team_id < ${`${slug}.`})`);
  return rows.map((row) => row.team_id);
}

export async function insertProject(tx: Tx, { teamId, name, createdAt }: Project): Promise<void> {
  await tx.run(sql`insert into projects (${columns}) values (${teamId}, ${name}, ${createdAt})`);
}

export async function renameProject(tx: Tx, teamId: string, name: string): Promise<Project | undefined> {
  const row = await tx.get<Row>(sql`
    update projects
    set name = ${name}
    where team_id = ${teamId}
    returning ${columns}`);
  return row && toProject(row);
}

export async function storedKeys(q: Query, keys: readonly ProjectKey[]): Promise<StoredKey[]> {
  const rows = await q.all<KeyRow>(sql`
    select kind, value, team_id
    from project_keys
    where kind in ${sql.in([...new Set(keys.map(({ kind }) => kind))])}
      and value in ${sql.in(keys.map(({ value }) => value))}`);
  return rows.map(toKey);
}

export async function allKeys(q: Query): Promise<StoredKey[]> {
  const rows = await q.all<KeyRow>(sql`
    select kind, value, team_id
    from project_keys
    order by kind, value`);
  return rows.map(toKey);
}

export async function hasRoots(q: Query, teamId: string): Promise<boolean> {
  const row = await q.get(
    sql`select 1 as one from project_keys where team_id = ${teamId} and kind = 'root' limit 1`,
  );
  return row !== undefined;
}

/** A key stays with the project that had it first. */
export async function insertKeys(tx: Tx, teamId: string, keys: readonly ProjectKey[]): Promise<void> {
  for (const { kind, value } of keys) {
    await tx.run(sql`
      insert into project_keys (kind, value, team_id, created_at)
      values (${kind}, ${value}, ${teamId}, ${tx.now})
      on conflict (kind, value) do nothing`);
  }
}
