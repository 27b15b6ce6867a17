// The audit: rows in one hash chain, whose head is anchored in the event log. Rows are appended, and
// pruned from the front; none is ever changed.
import { canonicalJson } from '../../../kernel/canonical-json.ts';
import { sha256 } from '../../../kernel/digest.ts';
import { newId } from '../../../kernel/ids.ts';
import { redact } from '../../../kernel/redact.ts';
import type { Tx } from '../../../store/database.ts';
import { newestEventOf } from '../../../store/events.ts';
import type { ToolCaller } from '../caller.ts';
import {
  type AuditRow,
  deleteAuditUpTo,
  insertAudit,
  lastAuditBefore,
  moveMark,
  type Phase,
  readMark,
} from '../rows/audit.ts';

export const AUDIT_SUBJECT = 'audit';
const PRUNED = 'audit.pruned';
const ANCHORED = 'audit.anchored';
/** Kinds of events that say where the chain begins. */
export const CHECKPOINTED: ReadonlySet<string> = new Set([PRUNED, ANCHORED]);

export type AuditEntry = Readonly<{
  callId: string;
  toolName: string;
  caller: ToolCaller;
  phase: Phase;
  decision?:
    | 'allow'
    | 'deny'
    | 'require_approval'
    | 'rewrite'
    | 'allow_once'
    | 'allow_always'
    | 'revoke'
    | 'expire';
  /** The reason code of the decision. */
  reason?: string;
  outcome?: CallOutcome;
  argsSummary?: string;
  argsHash?: string;
  resultSummary?: string;
  isError?: boolean;
  durationMs?: number;
  approvalId?: string;
  grantId?: string;
  /** Digest of the connection it came through. Not part of the chain; goes along with the event. */
  seat?: string | undefined;
}>;

/**
 * How a call ended. `asked`: it ended so that the client could put a question to its user, and will come
 * again.
 */
export type CallOutcome = 'ok' | 'error' | 'denied' | 'expired' | 'timeout' | 'cancelled' | 'asked';

/**
 * Appends to the chain and anchors its new head in the event log, in the caller's transaction. The lock lets
 * writers on PostgreSQL take turns, so that the chain has one order and no gap.
 */
export async function appendAudit(tx: Tx, entry: AuditEntry): Promise<AuditRow> {
  await tx.lock(AUDIT_SUBJECT);
  const head = await readMark(tx, 'head');
  const { caller } = entry;
  const body = {
    seq: head.seq + 1,
    id: newId(),
    callId: entry.callId,
    // Whoever calls what is not there chooses its name.
    toolName: redact(entry.toolName).slice(0, 128),
    principal: caller.principal,
    agentId: caller.name,
    teamId: caller.teamId,
    phase: entry.phase,
    decision: entry.decision ?? null,
    reason: entry.reason === undefined ? null : redact(entry.reason).slice(0, 300),
    outcome: entry.outcome ?? null,
    argsSummary: entry.argsSummary ?? null,
    resultSummary: entry.resultSummary ?? null,
    isError: entry.isError ? 1 : 0,
    durationMs: entry.durationMs ?? null,
    approvalId: entry.approvalId ?? null,
    grantId: entry.grantId ?? null,
    tenantId: caller.tenantId,
    argsHash: entry.argsHash ?? null,
    client: caller.client,
    project: caller.project,
    folder: caller.folder,
    createdAt: tx.now,
  };
  const row = { ...body, hash: linkHash(head.hash, body) };
  await insertAudit(tx, row);
  await moveMark(tx, 'head', { seq: row.seq, hash: row.hash, removed: 0 });
  tx.emit({
    kind: KINDS[entry.phase],
    subject: AUDIT_SUBJECT,
    realm: 'hub',
    ...(caller.teamId !== null && { team: caller.teamId }),
    data: {
      callId: row.callId,
      tool: row.toolName,
      seq: row.seq,
      hash: row.hash,
      isError: row.isError === 1,
      ...(entry.seat !== undefined && { seat: entry.seat }),
    },
  });
  return row;
}

const KINDS: Readonly<Record<Phase, string>> = {
  before: 'tool.called',
  after: 'tool.finished',
  decision: 'tool.decided',
};

/** Fields that rows have only since they are kept: what is not there was not hashed. */
const LATER: ReadonlySet<string> = new Set(['argsHash', 'client', 'project', 'folder']);

/**
 * Covers every field and the link before it: no field can change and no row can move without breaking what
 * follows. Rows from before a field was kept have no such field, in the row and in what was hashed.
 */
export function linkHash(previous: string, body: Omit<AuditRow, 'hash'>): string {
  const there = Object.entries(body).filter(([name, value]) => value !== null || !LATER.has(name));
  return sha256(`${previous}\n${canonicalJson(Object.fromEntries(there))}`);
}

/**
 * Removes the oldest rows and leaves a checkpoint from which the rest still verifies. Answers how many went.
 */
export async function pruneAudit(tx: Tx, before: number, limit = 5_000): Promise<number> {
  await tx.lock(AUDIT_SUBJECT);
  const last = await lastAuditBefore(tx, before, limit);
  if (!last) return 0;
  const checkpoint = await readMark(tx, 'checkpoint');
  const removed = await deleteAuditUpTo(tx, last.seq);
  await moveMark(tx, 'checkpoint', { ...last, removed: checkpoint.removed + removed });
  tx.emit({
    kind: PRUNED,
    subject: AUDIT_SUBJECT,
    realm: 'hub',
    data: { seq: last.seq, hash: last.hash, removed },
  });
  return removed;
}

/**
 * Says again in the event log where the chain begins, before the retention of events takes the last word
 * about it. A checkpoint that is not the one in the log is left alone: whoever forged it gets no help.
 */
export async function anchorCheckpoint(tx: Tx, olderThanMs: number): Promise<boolean> {
  await tx.lock(AUDIT_SUBJECT);
  const { seq, hash } = await readMark(tx, 'checkpoint');
  const last = await newestEventOf(tx, AUDIT_SUBJECT, [...CHECKPOINTED]);
  if (last && (last.at > tx.now - olderThanMs || last.data?.['seq'] !== seq || last.data['hash'] !== hash))
    return false;
  tx.emit({ kind: ANCHORED, subject: AUDIT_SUBJECT, realm: 'hub', data: { seq, hash } });
  return true;
}
