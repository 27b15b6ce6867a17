// A hub that has been used for long, written through the store in large steps: over the wire a million of each would take hours.
import { saveFact, createFacts } from '../src/features/memory/facts.ts';
import { type AuditRow } from '../src/features/broker/rows/audit.ts';
import { linkHash } from '../src/features/broker/tell/audit.ts';
import { importRecords } from '../src/features/being/transfer.ts';
import { ownerHere } from '../src/features/sessions/owner.ts';
import { insertTurns } from '../src/features/sessions/rows/turns.ts';
import { transcripts } from '../src/features/sessions/rows/tables.ts';
import { localPrincipal, systemActor } from '../src/kernel/principal.ts';
import type { Database, Tx } from '../src/store/database.ts';
import { type Sql, sql } from '../src/store/sql.ts';
import { changeBeing, makeBeing, openBeingParts } from '../test/fixtures/being-parts.ts';
import { memoryRecord } from './being-record.ts';
import { createCorpus } from './memory-corpus.ts';

export const TEAMS = 20;
/** A server ends a statement that takes long. */
const AT_ONCE = 5_000;
const BEGAN = Date.now() - 40 * 24 * 3_600_000;

/** Of an empty database only. Facts, and memories of a Being, are filed one by one. */
export async function seed(db: Database, size: number, filed: number): Promise<void> {
  const parts = { tasks: seedTasks, audit: seedAudit, mail: seedMail, turns: seedTurns };
  for (const [what, part] of Object.entries(parts)) await timed(`${size} ${what}`, () => part(db, size));
  for (const [what, part] of Object.entries({ facts: seedFacts, memories: seedMemories }))
    await timed(`${filed} ${what}`, () => part(db, filed));
}

/** On standard error: what takes so long is told who waits. */
async function timed(what: string, part: () => Promise<void>): Promise<void> {
  const [begun, { user, system }] = [performance.now(), process.cpuUsage()];
  await part();
  const spent = process.cpuUsage({ user, system });
  const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
  console.error(
    `  seeded ${what} in ${seconds(performance.now() - begun)} s, ${seconds((spent.user + spent.system) / 1_000)} s of CPU here`,
  );
}

/** `make` is given a table of whole numbers `n (i)`. */
async function inSteps(db: Database, size: number, make: (numbers: Sql) => readonly Sql[]): Promise<void> {
  for (let from = 0; from < size; from += AT_ONCE) {
    const last = Math.min(size, from + AT_ONCE) - 1;
    const numbers = sql`with recursive n (i) as (
      select cast(${from} as bigint)
      union all
      select i + 1 from n where i < ${last}
    )`;
    await db.write(systemActor, async (tx) => {
      for (const statement of make(numbers)) await tx.run(statement);
    });
  }
}

/** Twelve digits of a number, spelled as both engines understand it. */
const idOf = (i: Sql): Sql =>
  sql`'0190aaaa-0000-7000-8000-' || substr('000000000000' || cast(${i} as text), length(cast(${i} as text)) + 1)`;
const I = sql`i`;

/** Six of ten tasks are done, three can be begun, one waits for another. */
async function seedTasks(db: Database, size: number): Promise<void> {
  await inSteps(db, size, (numbers) => [
    sql`
    insert into tasks (id, title, status, priority, team_id, created_at, updated_at, completed_at, claim_order)
    ${numbers}
    select ${idOf(I)}, 'task ' || cast(i as text) || ' about keel' || cast(i % 997 as text),
      case when i % 10 < 6 then 'done' else 'todo' end,
      i % 4, 'team-' || cast(cast((i / 10) % ${TEAMS} as bigint) as text), ${BEGAN} + i, ${BEGAN} + i,
      case when i % 10 < 6 then ${BEGAN} + i end, i
    from n`,
    sql`
    insert into task_dependencies (task_id, depends_on_task_id, created_at)
    ${numbers}
    select ${idOf(I)}, ${idOf(sql`i - 1`)}, ${BEGAN} from n where i % 10 = 9`,
  ]);
}

/** The audit is a chain and its events are its anchors: as many events as rows. */
async function seedAudit(db: Database, size: number): Promise<void> {
  const STEP = 1_000;
  let hash = '';
  for (let from = 0; from < size; from += STEP) {
    const rows = Array.from({ length: Math.min(STEP, size - from) }, (_, k) => {
      const row = auditRow(from + k + 1, hash);
      hash = row.hash;
      return row;
    });
    await db.write(systemActor, (tx) => writeAudit(tx, rows));
  }
}

function auditRow(seq: number, previous: string): AuditRow {
  const nothing = { agentId: null, teamId: null, decision: null, reason: null, argsSummary: null } as const;
  const more = { approvalId: null, grantId: null, tenantId: null, argsHash: null, client: null } as const;
  const body = {
    ...nothing,
    ...more,
    seq,
    id: `audit-${seq}`,
    callId: `call-${seq}`,
    toolName: `tool-${seq % 40}`,
    principal: 'bench',
    phase: 'after',
    outcome: 'ok',
    resultSummary: null,
    isError: 0,
    durationMs: seq % 300,
    project: null,
    folder: null,
    createdAt: BEGAN + seq,
  } as const;
  return { ...body, hash: linkHash(previous, body) };
}

async function writeAudit(tx: Tx, rows: readonly AuditRow[]): Promise<void> {
  const lines = rows.map(
    (row) => sql`(${row.seq}, ${row.id}, ${row.callId}, ${row.toolName}, ${row.principal}, ${row.phase},
      ${row.outcome}, ${row.isError}, ${row.durationMs}, ${row.createdAt}, ${row.hash})`,
  );
  await tx.run(sql`
    insert into tool_audit (seq, id, call_id, tool_name, principal, phase, outcome, is_error, duration_ms, created_at, hash)
    values ${sql.join(lines, ', ')}`);
  const said = rows.map(({ seq, callId, toolName, createdAt, hash }) => {
    const data = JSON.stringify({ callId, tool: toolName, seq, hash, isError: false });
    return sql`(${seq}, ${createdAt}, 'tool.finished', 'audit', 'hub', 'bench', 0, 'bench', ${data})`;
  });
  await tx.run(sql`
    insert into events (seq, at, kind, subject, realm, actor, asserted, hub, data)
    values ${sql.join(said, ', ')}`);
  const { seq, hash, createdAt } = rows.at(-1)!;
  await tx.run(sql`update counters set value = ${seq} where name = 'events'`);
  await tx.run(sql`
    update tool_audit_marks set seq = ${seq}, hash = ${hash}, at = ${createdAt} where name = 'head'`);
}

/** Mail of a hundred agents; one in fifty still waits. */
async function seedMail(db: Database, size: number): Promise<void> {
  const UNTIL = Date.now() + 30 * 24 * 3_600_000;
  await inSteps(db, size, (numbers) => [
    sql`
    insert into peer_messages (id, team, circle, to_agent, seq, from_team, from_agent, asserted, type, text,
      thread_id, thread_seq, state, created_at, expires_at)
    ${numbers}
    select ${idOf(I)}, '', 'default', 'agent-' || cast(i % 100 as text), i / 100 + 1, '',
      'agent-' || cast((i + 1) % 100 as text), 0, 'message', 'a word about keel' || cast(i % 997 as text),
      ${idOf(I)}, 1, case when (i / 100) % 50 = 0 then 'queued' else 'acked' end, ${BEGAN} + i, ${UNTIL}
    from n`,
  ]);
  await db.write(systemActor, (tx) =>
    tx.run(sql`
      insert into peer_mailboxes (team, circle, agent_id, head)
      select '', 'default', to_agent, max(seq) from peer_messages group by to_agent`),
  );
}

const PER_SESSION = 500;

async function seedTurns(db: Database, size: number): Promise<void> {
  const { host, owner } = ownerHere();
  const corpus = createCorpus(13);
  for (let from = 0; from < size; from += PER_SESSION) {
    const count = Math.min(PER_SESSION, size - from);
    const id = `session-${String(from / PER_SESSION).padStart(8, '0')}`;
    const turns = Array.from({ length: count }, (_, k) => ({
      session: id,
      turn: k,
      key: `${id}-${k}`,
      at: BEGAN + from + k,
      kind: k % 2 === 0 ? ('person' as const) : ('agent' as const),
      tool: null,
      text: [...corpus.question(), ...corpus.question(), ...corpus.question()].join(' '),
      args: null,
      isError: false,
      isCut: false,
      files: null,
      marks: `k:${k % 2 === 0 ? 'person' : 'agent'}`,
    }));
    await db.write(systemActor, async (tx) => {
      await transcripts.insert(tx, {
        id,
        host,
        owner,
        client: 'claude-code',
        clientId: id,
        ground: '/work',
        folder: '/work',
        project: null,
        branch: 'main',
        model: null,
        title: id,
        parent: null,
        run: null,
        task: null,
        startedAt: BEGAN + from,
        endedAt: BEGAN + from + count,
        turns: count,
        tokensIn: null,
        tokensOut: null,
        costUsd: null,
      });
      await insertTurns(tx, turns);
    });
  }
}

async function seedFacts(db: Database, size: number): Promise<void> {
  const facts = createFacts();
  const corpus = createCorpus();
  const who = localPrincipal('bench');
  for (let from = 0; from < size; from += 1_000)
    await db.write({ id: 'bench', asserted: false }, async (tx) => {
      for (let i = from; i < Math.min(size, from + 1_000); i += 1)
        await saveFact(facts.in(tx, who), { ...corpus.fact(i), source: 'bench' });
    });
}

/** Of one Being. */
async function seedMemories(db: Database, size: number): Promise<void> {
  const corpus = createCorpus(17);
  const parts = openBeingParts(db);
  const { id } = await makeBeing(parts, 'bench');
  const { id: cluster } = (await db.read((q) =>
    q.get<{ id: string }>(sql`select id from being_clusters where being_id = ${id} order by id limit 1`),
  ))!;
  for (let from = 0; from < size; from += 1_000) {
    const count = Math.min(1_000, size - from);
    const page = Array.from({ length: count }, (_, k) =>
      memoryRecord(corpus.fact(from + k).content, cluster),
    );
    await changeBeing(parts, id, (self) => importRecords(self, page));
  }
}
