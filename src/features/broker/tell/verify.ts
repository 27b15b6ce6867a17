// Checks the audit's chain, row by row and against its anchors: rewriting shows, wherever it began.
import { z } from 'zod';
import type { Database, Query } from '../../../store/database.ts';
import { type LogExtent, readExtent } from '../../../store/events.ts';
import { followAnchors } from './anchors.ts';
import { linkHash } from './audit.ts';
import { auditAfter, type AuditRow, lastAuditSeq, type Mark, readMark } from '../rows/audit.ts';

export const chainVerdict = z.object({
  ok: z.boolean(),
  rows: z.int().describe('Rows looked at.'),
  anchors: z.int().describe('Anchors of the event log they were compared with.'),
  firstSeq: z.int(),
  lastSeq: z.int(),
  head: z
    .string()
    .describe(
      'The last row and its hash: kept elsewhere, it proves later that nobody has rewritten what came before.',
    ),
  removed: z.int().describe('Rows that retention removed; the chain is whole after its checkpoint.'),
  problems: z.array(
    z.object({
      seq: z.int(),
      kind: z.enum(['edited', 'missing', 'cut', 'anchor', 'checkpoint', 'head']),
      what: z.string(),
    }),
  ),
});
export type ChainVerdict = z.output<typeof chainVerdict>;
type ChainProblem = ChainVerdict['problems'][number];

/** A head that was written down earlier, outside this database. */
export type KeptHead = Readonly<{ seq: number; hash: string }>;

const PAGE = 500;
const MOST_PROBLEMS = 100;

type Note = (seq: number, kind: ChainProblem['kind'], what: string) => void;

/**
 * Walks the chain from its checkpoint to its head, side by side with the anchors in the event log: a change
 * to the rows shows in the hashes, a rewritten chain shows in the anchors, and removed anchors show in the
 * gaps they leave. What is appended meanwhile is left for next time.
 */
export async function verifyAudit(db: Database, kept?: KeptHead): Promise<ChainVerdict> {
  await db.flush();
  const before = await db.read(survey);
  const problems: ChainProblem[] = [];
  const note: Note = (seq, kind, what) => {
    if (problems.length < MOST_PROBLEMS) problems.push({ seq, kind, what });
  };
  const walked = await walkChain(db, before, { note, keptSeq: kept?.seq });
  const { checkpoint } = before;
  const isPruned = (await db.read((q) => readMark(q, 'checkpoint'))).seq !== checkpoint.seq;
  if (isPruned) return verifyAudit(db, kept);
  judgeEnds(before, walked, note);
  if (kept && kept.seq >= checkpoint.seq) judgeKept(kept, walked, note);
  const { last, rows, found } = walked;
  const counts = {
    rows,
    anchors: found.count,
    firstSeq: checkpoint.seq + 1,
    lastSeq: last.seq,
    removed: checkpoint.removed,
  };
  return { ok: problems.length === 0, ...counts, head: `${last.seq}:${last.hash}`, problems };
}

async function walkChain(
  db: Database,
  { checkpoint, head, log }: Survey,
  { note, keptSeq }: { note: Note; keptSeq: number | undefined },
) {
  const anchors = followAnchors(db, log.head);
  let last: KeptHead = checkpoint;
  let rows = 0;
  let isAnchored = log.floor === 0;
  let keptHash = keptSeq === checkpoint.seq ? checkpoint.hash : undefined;
  for await (const row of chainAfter(db, checkpoint.seq, head.seq)) {
    const { seq, hash } = row;
    if (seq !== last.seq + 1) note(last.seq + 1, 'missing', `rows ${last.seq + 1} to ${seq - 1} are missing`);
    else if (linkHash(last.hash, bodyOf(row)) !== hash)
      note(seq, 'edited', `row ${seq} is not what was written`);
    const anchored = await anchors.at(seq);
    // Retention takes the oldest anchors: from the first that is left, and since the oldest event that is
    // left, none may be missing.
    isAnchored ||= anchored !== undefined || (log.oldestAt !== null && row.createdAt > log.oldestAt);
    if (anchored === undefined && isAnchored)
      note(seq, 'anchor', `row ${seq} has no anchor in the event log`);
    else if (anchored !== undefined && anchored !== hash)
      note(seq, 'anchor', `row ${seq} differs from its anchor in the event log`);
    if (seq === keptSeq) keptHash = hash;
    last = { seq, hash };
    rows += 1;
  }
  return { last, rows, keptHash, found: await anchors.finish() };
}

type Walked = Awaited<ReturnType<typeof walkChain>>;

function judgeEnds(before: Survey, { last, found }: Walked, note: Note): void {
  const { head, lastSeq, log, checkpoint } = before;
  const written = Math.max(head.seq, found.newest);
  if (last.seq < written)
    note(written, 'cut', `the chain ends at row ${last.seq}; it was written up to ${written}`);
  else if (head.seq === last.seq && head.hash !== last.hash)
    note(head.seq, 'edited', 'the head is not the hash of the last row');
  if (lastSeq > head.seq)
    note(head.seq + 1, 'edited', `rows ${head.seq + 1} to ${lastSeq} were not written by a hub`);
  if (log.missing !== 0)
    note(0, 'anchor', `the event log, which holds the anchors, lacks ${log.missing} of its events`);
  const wrong = checkpointProblem(before, found.checkpoint);
  if (wrong !== undefined) note(checkpoint.seq, 'checkpoint', wrong);
}

function judgeKept({ seq, hash }: KeptHead, { last, keptHash }: Walked, note: Note): void {
  if (seq > last.seq) note(seq, 'cut', `the chain ends at row ${last.seq}; the head you kept is row ${seq}`);
  else if (keptHash !== hash)
    note(seq, 'head', `row ${seq} is not the one whose hash you kept: the chain was rewritten`);
}

type Survey = Readonly<{ checkpoint: Mark; head: Mark; lastSeq: number; log: LogExtent }>;

async function survey(q: Query): Promise<Survey> {
  return {
    checkpoint: await readMark(q, 'checkpoint'),
    head: await readMark(q, 'head'),
    lastSeq: await lastAuditSeq(q),
    log: await readExtent(q),
  };
}

/**
 * A checkpoint that retention made has its anchor, unless that is older than everything the event log still
 * has.
 */
function checkpointProblem({ checkpoint, log }: Survey, anchor: KeptHead | undefined): string | undefined {
  if (anchor)
    return anchor.seq === checkpoint.seq && anchor.hash === checkpoint.hash
      ? undefined
      : 'the checkpoint differs from the one in the event log';
  const mustBeThere = log.floor === 0 || (log.oldestAt !== null && checkpoint.at > log.oldestAt);
  return checkpoint.seq > 0 && mustBeThere ? 'the checkpoint was not made by retention' : undefined;
}

async function* chainAfter(db: Database, after: number, upTo: number): AsyncGenerator<AuditRow> {
  for (let last = after; ;) {
    const page = await db.read((q) => auditAfter(q, { after: last, upTo, limit: PAGE }));
    yield* page;
    if (page.length < PAGE) return;
    last = page.at(-1)!.seq;
  }
}

function bodyOf(row: AuditRow): Omit<AuditRow, 'hash'> {
  const { hash: _, ...body } = row;
  return body;
}
