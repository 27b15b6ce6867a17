import type { Tx } from '../../../store/database.ts';
import type { Bringing } from '../people/remember.ts';
import type { Looking } from './here.ts';
import type { SyncReport } from './report.ts';

/** Lines that are being taken: in which transaction, for which project, and on which terms. */
export type Taking = Looking &
  Readonly<{
    tx: Tx;
    teamId: string;
    /** What the file says is as good as what the person here says. */
    isTrusted: boolean;
    /** The sync that new tasks are held for until the last of its lines are in. */
    importId: string;
    /** The most levels of subtasks; 0: any. */
    depth: number;
    /** What its person took back once is taken after all. */
    isAgain: boolean;
    /** Keeps what there was before. */
    bringing: Bringing;
    report: SyncReport;
  }>;
