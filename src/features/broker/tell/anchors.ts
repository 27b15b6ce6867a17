import type { Database } from '../../../store/database.ts';
import { eventsAbout } from '../../../store/events.ts';
import { AUDIT_SUBJECT, CHECKPOINTED } from './audit.ts';

const PAGE = 500;

/** What the event log says of the chain: the hash of a row when it was written, or of the checkpoint. */
export type Anchor = Readonly<{ seq: number; hash: string; isCheckpoint: boolean }>;

/** The anchors in the order they were made, which is the order of the rows: one is held at a time. */
export function followAnchors(db: Database, lastEvent: number) {
  const source = anchorsUpTo(db, lastEvent);
  let held: Anchor | undefined;
  let checkpoint: Anchor | undefined;
  let newest = 0;
  let count = 0;

  async function next(): Promise<Anchor | undefined> {
    for (;;) {
      const step = await source.next();
      if (step.done) return undefined;
      const { value } = step;
      if (value.isCheckpoint) {
        checkpoint = value;
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
      return { newest, checkpoint, count };
    },
  };
}

async function* anchorsUpTo(db: Database, lastEvent: number): AsyncGenerator<Anchor> {
  for (let after = 0; ;) {
    const page = await db.read((q) => eventsAbout(q, AUDIT_SUBJECT, { after, limit: PAGE }));
    for (const { seq, kind, data } of page) {
      if (seq > lastEvent) return;
      yield {
        seq: Number(data?.['seq']),
        hash: String(data?.['hash']),
        isCheckpoint: CHECKPOINTED.has(kind),
      };
    }
    if (page.length < PAGE) return;
    after = page.at(-1)!.seq;
  }
}
