import { createBoard } from './features/board/board.ts';
import { tasksServer } from './features/board/tools.ts';
import type { Config } from './kernel/config.ts';
import type { Log } from './kernel/log.ts';
import { systemActor } from './kernel/principal.ts';
import { createRegistry, type Registry } from './mcp/registry.ts';
import type { Database } from './store/database.ts';
import { dropAnswersBefore, dropEventsBefore } from './store/retention.ts';
import { startSchedule } from './store/worker.ts';

/**
 * The rooms on one database, without any way in. A hub gives them HTTP and a socket; a stdio bin that found
 * no hub serves them itself, so nothing here may load the web framework.
 */
export interface Rooms {
  readonly registry: Registry;
  /** Tidying that one hub does for everybody. Nothing depends on it having run. */
  startChores(hub: string): void;
  close(): Promise<void>;
}

const DAY = 24 * 60 * 60_000;
const KEEP_EVENTS = 90 * DAY;
const KEEP_ANSWERS = 7 * DAY;

export function openRooms({ db, config, log }: Readonly<{ db: Database; config: Config; log: Log }>): Rooms {
  const { leaseMs, limits } = config;
  const board = createBoard({
    db,
    leaseMs,
    log,
    limits: { rootTasksPerTeam: limits.rootTasks, childrenPerTask: limits.children, depth: limits.depth },
  });
  const registry = createRegistry([tasksServer(db, board)]);
  const chores: Readonly<{ stop(): Promise<void> }>[] = [];

  return {
    registry,
    startChores(hub) {
      const every = (name: string, everyMs: number, run: () => Promise<unknown>) =>
        chores.push(startSchedule({ db, name, holder: hub, everyMs, log, run: async () => void (await run()) }));
      every('board-sweep', 15_000, () => db.write(systemActor, (tx) => board.sweep(tx)));
      every('retention', DAY / 24, async () => {
        while ((await db.write(systemActor, (tx) => dropEventsBefore(tx, tx.now - KEEP_EVENTS))) > 0);
        await db.write(systemActor, (tx) => dropAnswersBefore(tx, tx.now - KEEP_ANSWERS));
      });
    },
    async close() {
      await Promise.all(chores.map((chore) => chore.stop()));
      await board.close();
    },
  };
}
