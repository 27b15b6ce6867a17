import type { Database } from '../../store/database.ts';
import { eventsAbout, readHead } from '../../store/events.ts';
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
 * Walks the chain from its checkpoint to its head, side by side with the anchors in the event log: a change to the
 * rows shows in the hashes, a rewritten chain shows in the anchors. What is appended meanwhile is left for next time.
 */
export async function verifyAudit(db: Database): Promise<Verdict> {
  const { checkpoint, head, events } = await db.read(async (q) => ({
    checkpoint: await readMark(q, 'checkpoint'),
    head: await readMark(q, 'head'),
    events: (await q.get<{ value: number }>(readHead))?.value ?? 0,
  }));
  const problems: Problem[] = [];
  const note = (seq: number, kind: Problem['kind'], what: string) => {
    if (problems.length < MOST_PROBLEMS) problems.push({ seq, kind, what });
  };
  const anchors = followAnchors(db, events);
  let previous = { seq: checkpoint.seq, hash: checkpoint.hash };
  let rows = 0;
  for await (const row of chainAfter(db, checkpoint.seq, head.seq)) {
    if (row.seq !== previous.seq + 1) note(previous.seq + 1, 'missing', `rows ${previous.seq + 1} to ${row.seq - 1} are missing`);
    else if (linkHash(previous.hash, bodyOf(row)) !== row.hash) note(row.seq, 'edited', `row ${row.seq} is not what was written`);
    const anchored = await anchors.at(row.seq);
    if (anchored !== undefined && anchored !== row.hash) note(row.seq, 'anchor', `row ${row.seq} differs from its anchor in the event log`);
    previous = { seq: row.seq, hash: row.hash };
    rows += 1;
  }
  const { newest, pruned, count } = await anchors.finish();
  const written = Math.max(head.seq, newest);
  if (previous.seq < written) note(written, 'cut', `the chain ends at row ${previous.seq}; it was written up to ${written}`);
  else if (head.seq === previous.seq && head.hash !== previous.hash) note(head.seq, 'edited', 'the head is not the hash of the last row');
  if (pruned && (pruned.seq !== checkpoint.seq || pruned.hash !== checkpoint.hash)) {
    note(checkpoint.seq, 'checkpoint', 'the checkpoint differs from the one in the event log');
  }
  const [firstSeq, lastSeq] = [checkpoint.seq + 1, previous.seq];
  return { ok: problems.length === 0, rows, anchors: count, firstSeq, lastSeq, removed: checkpoint.removed, problems };
}

async function* chainAfter(db: Database, after: number, upTo: number): AsyncGenerator<AuditRow> {
  for (let at = after; ;) {
    const page = await db.read((q) => auditAfter(q, at, upTo, PAGE));
    yield* page;
    if (page.length < PAGE) return;
    at = page.at(-1)!.seq;
  }
}

function bodyOf(row: AuditRow): Omit<AuditRow, 'hash'> {
  const { hash: _, ...body } = row;
  return body;
}

type Anchor = Readonly<{ seq: number; hash: string; isPruning: boolean }>;

/** The anchors in the order they were made, which is the order of the rows: one is held at a time. */
function followAnchors(db: Database, lastEvent: number) {
  const source = anchorsUpTo(db, lastEvent);
  let held: Anchor | undefined;
  let pruned: Anchor | undefined;
  let newest = 0;
  let count = 0;

  async function next(): Promise<Anchor | undefined> {
    for (;;) {
      const step = await source.next();
      if (step.done) return undefined;
      const { value } = step;
      if (value.isPruning) {
        pruned = value;
        continue;
      }
      newest = Math.max(newest, value.seq);
      count += 1;
      return value;
    }
  }

  return {
    /** The hash that was anchored for this row, if its anchor is still in the event log. */
    async at(seq: number): Promise<string | undefined> {
      held ??= await next();
      while (held && held.seq < seq) held = await next();
      return held?.seq === seq ? held.hash : undefined;
    },
    async finish() {
      while (await next());
      return { newest, pruned, count };
    },
  };
}

async function* anchorsUpTo(db: Database, lastEvent: number): AsyncGenerator<Anchor> {
  for (let after = 0; ;) {
    const page = await db.read((q) => eventsAbout(q, AUDIT_SUBJECT, { after, limit: PAGE }));
    for (const { seq, kind, data } of page) {
      if (seq > lastEvent) return;
      yield { seq: Number(data?.['seq']), hash: String(data?.['hash']), isPruning: kind === 'audit.pruned' };
    }
    if (page.length < PAGE) return;
    after = page.at(-1)!.seq;
  }
}
