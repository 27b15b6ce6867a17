import type { Query, Tx } from '../../../store/database.ts';
import { sql, type Sql } from '../../../store/sql.ts';
import { number, numberOrNull, type RecordOf, table, text, textOrNull } from '../../../store/table.ts';

/** `decision`: a person or program answered a request, or took a grant back. */
export type Phase = 'before' | 'after' | 'decision';

const audit = table('tool_audit', {
  seq: number(),
  id: text(),
  callId: text(),
  toolName: text(),
  principal: text(),
  agentId: textOrNull(),
  teamId: textOrNull(),
  phase: text<Phase>(),
  decision: textOrNull(),
  reason: textOrNull(),
  outcome: textOrNull(),
  argsSummary: textOrNull(),
  resultSummary: textOrNull(),
  /** 0 or 1, as it is hashed. */
  isError: number(),
  durationMs: numberOrNull(),
  approvalId: textOrNull(),
  grantId: textOrNull(),
  tenantId: textOrNull(),
  /** SHA-256 of the exact arguments as they ran; null for rows from before it was kept, and where there were none. */
  argsHash: textOrNull(),
  /** What its client calls itself, and where it worked; null for rows from before these were kept. */
  client: textOrNull(),
  project: textOrNull(),
  folder: textOrNull(),
  createdAt: number(),
  hash: text(),
});
export type AuditRow = Readonly<RecordOf<typeof audit.fields>>;

export const insertAudit = audit.insert;

/** Where the chain ends (`head`) and where, after retention, it begins (`checkpoint`). */
export type Mark = Readonly<{ seq: number; hash: string; removed: number; at: number }>;

export async function readMark(q: Query, name: 'head' | 'checkpoint'): Promise<Mark> {
  const mark = await q.get<Mark>(
    sql`select seq, hash, removed, at from tool_audit_marks where name = ${name}`,
  );
  return mark ?? { seq: 0, hash: '', removed: 0, at: 0 };
}

export async function moveMark(tx: Tx, name: 'head' | 'checkpoint', mark: Omit<Mark, 'at'>): Promise<void> {
  await tx.run(sql`
    update tool_audit_marks
    set seq = ${mark.seq}, hash = ${mark.hash}, removed = ${mark.removed}, at = ${tx.now}
    where name = ${name}`);
}

export type AuditFilter = Readonly<{
  toolName?: string | undefined;
  agentId?: string | undefined;
  /** The wall of a bound caller. */
  teamId?: string | undefined;
  /** The team of its caller, or the project it worked in. */
  inTeam?: string | undefined;
  callId?: string | undefined;
  /** Unless given, the calls alone: before and after. */
  phase?: Phase | 'all' | undefined;
  decision?: string | undefined;
  outcome?: string | undefined;
  since?: number | undefined;
  until?: number | undefined;
  /** Words of the tool, the caller, the arguments or the result; of the newest rows alone. */
  search?: string | undefined;
}>;

/** Words have no index: so far back they are looked for. */
const SEARCHED = 20_000;
const MOST_WORDS = 16;

export async function listAudit(
  q: Query,
  filter: AuditFilter,
  page: { before: number | null; limit: number },
): Promise<AuditRow[]> {
  const conditions: Sql[] = [];
  if (page.before !== null) conditions.push(sql`seq < ${page.before}`);
  if (filter.toolName !== undefined) conditions.push(sql`tool_name = ${filter.toolName}`);
  if (filter.agentId !== undefined) conditions.push(sql`agent_id = ${filter.agentId}`);
  if (filter.teamId !== undefined) conditions.push(sql`team_id = ${filter.teamId}`);
  if (filter.inTeam !== undefined)
    conditions.push(sql`(team_id = ${filter.inTeam} or project = ${filter.inTeam})`);
  if (filter.callId !== undefined) conditions.push(sql`call_id = ${filter.callId}`);
  if (filter.phase === undefined) conditions.push(sql`phase <> 'decision'`);
  else if (filter.phase !== 'all') conditions.push(sql`phase = ${filter.phase}`);
  if (filter.decision !== undefined) conditions.push(sql`decision = ${filter.decision}`);
  if (filter.outcome !== undefined) conditions.push(sql`outcome = ${filter.outcome}`);
  if (filter.since !== undefined) conditions.push(sql`created_at >= ${filter.since}`);
  if (filter.until !== undefined) conditions.push(sql`created_at < ${filter.until}`);
  conditions.push(...holding(filter.search));
  return audit.list(
    q,
    sql`
    ${conditions.length === 0 ? sql.empty : sql`where ${sql.join(conditions, ' and ')}`}
    order by seq desc
    limit ${page.limit}`,
  );
}

function holding(search: string | undefined): Sql[] {
  const words = (search ?? '').toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
  if (words.length === 0) return [];
  const text = sql.raw(
    ['tool_name', 'agent_id', 'args_summary', 'result_summary']
      .map((column) => `lower(coalesce(${column}, ''))`)
      .join(` || ' ' || `),
  );
  const patterns = words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
  return [
    sql`seq > (select seq from tool_audit_marks where name = 'head') - ${SEARCHED}`,
    ...patterns.map((pattern) => sql`${text} like ${pattern} escape '\\'`),
  ];
}

/** Rows that say of themselves that a call was blocked; there is no index on how a call ended, so only the newest are looked at. */
export async function listRefused(
  q: Query,
  filter: Readonly<{ since: number | undefined; teamId: string | undefined }>,
  limit: number,
): Promise<AuditRow[]> {
  return audit.list(
    q,
    sql`
    where seq > (select seq from tool_audit_marks where name = 'head') - ${SEARCHED}
      and phase <> 'decision'
      and outcome = 'denied'
      and result_summary like '{"blocked":true%'
      ${filter.since === undefined ? sql.empty : sql`and created_at >= ${filter.since}`}
      ${filter.teamId === undefined ? sql.empty : sql`and team_id = ${filter.teamId}`}
    order by seq desc
    limit ${limit}`,
  );
}

/** Lately is the last so many rows. */
const LATELY = 4_000;
const MOST_LATELY = 500;

/** Tools that ran in a project, or in none, the last one first. */
export async function listLately(q: Query, project: string | null): Promise<string[]> {
  const rows = await q.all<{ toolName: string }>(sql`
    select tool_name as "toolName"
    from tool_audit
    where seq > (select seq from tool_audit_marks where name = 'head') - ${LATELY}
      and phase = 'after'
      and ${project === null ? sql`project is null` : sql`project = ${project}`}
    group by tool_name
    order by max(seq) desc
    limit ${MOST_LATELY}`);
  return rows.map(({ toolName }) => toolName);
}

/** The last word about one request. */
export async function decisionOn(
  q: Query,
  callId: string,
  approvalId: string,
): Promise<Pick<AuditRow, 'resultSummary'> | undefined> {
  return q.get<Pick<AuditRow, 'resultSummary'>>(sql`
    select result_summary as "resultSummary"
    from tool_audit
    where call_id = ${callId} and phase = 'decision' and approval_id = ${approvalId}
    order by seq desc
    limit 1`);
}

/** From behind `after` up to `upTo`, in order. */
export async function auditAfter(
  q: Query,
  { after, upTo, limit }: Readonly<{ after: number; upTo: number; limit: number }>,
): Promise<AuditRow[]> {
  return audit.list(
    q,
    sql`
    where seq > ${after} and seq <= ${upTo}
    order by seq
    limit ${limit}`,
  );
}

export async function lastAuditSeq(q: Query): Promise<number> {
  const row = await q.get<{ seq: number | null }>(sql`select max(seq) as seq from tool_audit`);
  return row?.seq ?? 0;
}

/** The newest row of the oldest run of rows that are all older than `at`. */
export async function lastAuditBefore(
  q: Query,
  at: number,
  limit: number,
): Promise<{ seq: number; hash: string } | undefined> {
  const oldest = await q.all<{ seq: number; hash: string; createdAt: number }>(sql`
    select seq, hash, created_at as "createdAt"
    from tool_audit
    order by seq
    limit ${limit}`);
  const firstKept = oldest.findIndex((row) => row.createdAt >= at);
  return firstKept < 0 ? oldest.at(-1) : oldest[firstKept - 1];
}

export async function deleteAuditUpTo(tx: Tx, seq: number): Promise<number> {
  return audit.delete(tx, sql`where seq <= ${seq}`);
}

/** `since`: from when on none is missing; what is older retention may have taken. */
export type Attested = Readonly<{ digests: ReadonlyMap<string, string>; since: number }>;

export async function attestedAs(q: Query, prefix: string): Promise<Attested> {
  const rows = await q.all<{ call_id: string; args_hash: string | null }>(sql`
    select call_id, args_hash
    from tool_audit
    where tool_name >= ${prefix} and tool_name < ${`${prefix}\uffff`} and args_hash is not null`);
  const oldest = await q.get<{ since: number | null }>(sql`select min(created_at) as since from tool_audit`);
  return {
    digests: new Map(rows.map(({ call_id: id, args_hash: digest }) => [id, digest!])),
    since: oldest?.since ?? 0,
  };
}
