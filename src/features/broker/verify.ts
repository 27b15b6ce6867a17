import type { Event } from '../../kernel/event.ts';
import type { Database } from '../../store/database.ts';
import { eventsAbout } from '../../store/events.ts';
import { AUDIT_SUBJECT, linkHash } from './audit.ts';
import { auditAfter, type AuditRow, readMark } from './rows/audit.ts';

export type Verdict = Readonly<{
  ok: boolean;
  /** Rows looked at, and anchors of the event log they were compared with. */
  rows: number;
  anchors: number;
  firstSeq: number;
  lastSeq: number;
  /** Rows that retention removed; the chain is whole after its checkpoint. */
  removed: number;
  problems: readonly Problem[];
}>;

export type Problem = Readonly<{ seq: number; kind: 'edited' | 'missing' | 'cut' | 'anchor' | 'checkpoint'; what: string }>;

const PAGE = 500;
const MOST_PROBLEMS = 100;

/**
 * Walks the chain from its checkpoint to its head and compares it with the anchors in the event log: a change to
 * the rows shows in the hashes, a rewritten chain shows in the anchors. Rows appended meanwhile are left for next time.
 */
export async function verifyAudit(db: Database): Promise<Verdict> {
  const { checkpoint, head } = await db.read(async (q) => ({
    checkpoint: await readMark(q, 'checkpoint'),
    head: await readMark(q, 'head'),
  }));
  const problems: Problem[] = [];
  const note = (seq: number, kind: Problem['kind'], what: string) => {
    if (problems.length < MOST_PROBLEMS) problems.push({ seq, kind, what });
  };
  const anchors = await readAnchors(db);
  const newest = anchors.heads.size === 0 ? 0 : Math.max(...anchors.heads.keys());
  const upTo = Math.max(head.seq, newest);
  let previous = { seq: checkpoint.seq, hash: checkpoint.hash };
  let rows = 0;
  for (;;) {
    const page = await db.read((q) => auditAfter(q, previous.seq, upTo, PAGE));
    for (const row of page) {
      if (row.seq !== previous.seq + 1) note(previous.seq + 1, 'missing', `rows ${previous.seq + 1} to ${row.seq - 1} are missing`);
      else if (linkHash(previous.hash, bodyOf(row)) !== row.hash) note(row.seq, 'edited', `row ${row.seq} is not what was written`);
      const anchored = anchors.heads.get(row.seq);
      if (anchored !== undefined && anchored !== row.hash)
        note(row.seq, 'anchor', `row ${row.seq} differs from its anchor in the event log`);
      previous = { seq: row.seq, hash: row.hash };
      rows += 1;
    }
    if (page.length < PAGE) break;
  }
  if (previous.seq < upTo) note(upTo, 'cut', `the chain ends at row ${previous.seq}; it was written up to ${upTo}`);
  else if (head.seq === previous.seq && head.hash !== previous.hash) note(head.seq, 'edited', 'the head is not the hash of the last row');
  if (anchors.pruned && (anchors.pruned.seq !== checkpoint.seq || anchors.pruned.hash !== checkpoint.hash)) {
    note(checkpoint.seq, 'checkpoint', 'the checkpoint differs from the one in the event log');
  }
  return {
    ok: problems.length === 0,
    rows,
    anchors: anchors.heads.size,
    firstSeq: checkpoint.seq + 1,
    lastSeq: previous.seq,
    removed: checkpoint.removed,
    problems,
  };
}

function bodyOf(row: AuditRow): Omit<AuditRow, 'hash'> {
  const { hash: _, ...body } = row;
  return body;
}

type Anchors = { heads: Map<number, string>; pruned: { seq: number; hash: string } | undefined };

async function readAnchors(db: Database): Promise<Anchors> {
  const anchors: Anchors = { heads: new Map(), pruned: undefined };
  let after = 0;
  for (;;) {
    const page: Event[] = await db.read((q) => eventsAbout(q, AUDIT_SUBJECT, { after, limit: 1_000 }));
    for (const { kind, data } of page) {
      const mark = { seq: Number(data?.['seq']), hash: String(data?.['hash']) };
      if (kind === 'audit.pruned') anchors.pruned = mark;
      else anchors.heads.set(mark.seq, mark.hash);
    }
    if (page.length < 1_000) return anchors;
    after = page.at(-1)!.seq;
  }
}
