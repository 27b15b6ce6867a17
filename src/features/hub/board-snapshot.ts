import type { Principal } from '../../kernel/principal.ts';
import { callerOf } from '../../store/calls.ts';
import type { Database } from '../../store/database.ts';
import { type Board, type BoardView, STATUSES } from '../board/board.ts';

type Summary = Awaited<ReturnType<BoardView['list']>>['tasks'][number];
type Status = Summary['status'];

type Filter = Readonly<{ status?: Status; ready?: true }>;
/** Of each sort; the rest is only counted. */
const SHOWN = 20;

type Snapshot = Readonly<{
  counts: Readonly<Record<Status, number>>;
  ready: readonly Line[];
  inProgress: readonly Line[];
  inReview: readonly Line[];
  blocked: readonly Line[];
  recentlyDone: readonly Line[];
}>;

type Line = Readonly<{
  id: string;
  title: string;
  priority: number;
  team?: string;
  agent?: string;
  updatedAt: string;
}>;

/** The board at one glance and at one moment, cut to what its reader may see. */
type TakeSnapshot = (who: Principal, teamId?: string) => Promise<Snapshot>;

export function createSnapshots(db: Database, board: Board): TakeSnapshot {
  return (who, teamId) => db.read((q) => takeSnapshot(board.at(q, callerOf({ who, via: 'tool' })), teamId));
}

async function takeSnapshot(view: BoardView, teamId: string | undefined): Promise<Snapshot> {
  const page = (filter: Filter, limit: number) => view.list({ ...filter, teamId, limit });
  const counts: [Status, number][] = [];
  for (const status of STATUSES) counts.push([status, (await page({ status }, 1)).total]);
  const lines = async (filter: Filter) => (await page(filter, SHOWN)).tasks.map(lineOf);
  return {
    counts: Object.fromEntries(counts) as Record<Status, number>,
    ready: await lines({ ready: true }),
    inProgress: await lines({ status: 'in_progress' }),
    inReview: await lines({ status: 'in_review' }),
    blocked: await lines({ status: 'blocked' }),
    recentlyDone: (await page({ status: 'done' }, 200)).tasks
      .toSorted((a, b) => b.updatedAt - a.updatedAt)
      .slice(0, SHOWN)
      .map(lineOf),
  };
}

function lineOf({ id, title, priority, teamId, assigneeAgentId, updatedAt }: Summary): Line {
  return {
    id,
    title,
    priority,
    ...(teamId !== null && { team: teamId }),
    ...(assigneeAgentId !== null && { agent: assigneeAgentId }),
    updatedAt: new Date(updatedAt).toISOString().slice(0, 16),
  };
}
