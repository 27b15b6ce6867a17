import { countJobs, oldestDueMs } from '../../store/jobs.ts';
import type { Database, Query } from '../../store/database.ts';

type ByWord = Readonly<Record<string, number>>;

/** How a hub stands, in numbers: for whoever watches it. Counts and nothing else: no title, no name, no text. */
export type HubFigures = Readonly<{
  tasks: ByWord;
  leases: number;
  /** Claims whose lease ran out and that nobody has swept yet. */
  lapsed: number;
  approvals: number;
  sources: ByWord;
  runs: ByWord;
  sessions: number;
  jobs: ByWord;
  jobWaitMs: number;
  eventHead: number;
}>;

/** Of which hub, and as of when. */
type FiguresAt = Readonly<{ hub: string; now: number }>;
/** What one room counts. */
export type CountRoom = (q: Query, at: FiguresAt) => Promise<Partial<HubFigures>>;

const NONE = { tasks: {}, leases: 0, lapsed: 0, approvals: 0, sources: {}, runs: {}, sessions: 0 };

export async function readFigures(
  db: Database,
  rooms: readonly CountRoom[],
  at: FiguresAt,
): Promise<HubFigures> {
  const eventHead = await db.feed.head();
  return db.read(async (q) => {
    const jobs = { jobs: await countJobs(q), jobWaitMs: await oldestDueMs(q, at.now) };
    const figures: HubFigures = { ...NONE, ...jobs, eventHead };
    for (const count of rooms) Object.assign(figures, await count(q, at));
    return figures;
  });
}
