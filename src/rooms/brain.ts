import type { Board } from '../features/board/board.ts';
import type { Brain } from '../features/brain/brain.ts';
import { createBrain } from '../features/brain/lazy-brain.ts';
import { createSummarise, modelSettings } from '../features/brain/compaction/summaries.ts';
import { brainServer } from '../features/brain/tools.ts';
import { localPrincipal } from '../kernel/principal.ts';
import { digestOfSeat } from '../kernel/seat.ts';
import { startConsumer } from '../store/consumers.ts';
import type { Query } from '../store/database.ts';
import type { Ground, Room } from './room.ts';

const OUTCOMES = new Set(['task.status_changed', 'tool.finished']);

export function openBrain({ db, config, log }: Ground, board: Board): Room & Readonly<{ brain: Brain }> {
  const model = modelSettings(process.env);
  const { vault: folder, compactEveryMs } = config;
  const brain = createBrain({ db, folder, log, compactEveryMs, summarise: model && createSummarise(model) });
  return {
    brain,
    servers: [brainServer(brain)],
    routes: async () => (await import('../features/brain/routes.ts')).brainRoutes(brain),
    start(hub) {
      brain.wake().catch((error: unknown) => log.warn('The vault could not be opened; the next call tries again.', { error }));
      const heldBy = (q: Query, session: string, taskId: string) => didHold(board, q, session, taskId);
      return [
        startConsumer({
          db,
          log,
          name: 'brain-outcomes',
          holder: hub,
          want: ({ kind }) => OUTCOMES.has(kind),
          handle: (tx, event) => brain.learn(tx, event, heldBy),
        }),
      ];
    },
    close: () => brain.close(),
  };
}

/** The board knows its claims by a digest of the seat that made them. */
async function didHold(board: Board, q: Query, seat: string, taskId: string): Promise<boolean> {
  const caller = { who: localPrincipal(seat), agent: undefined, asserted: false, seat: digestOfSeat(seat), fence: undefined };
  return (await board.agentOfSeat(q, caller, taskId)) !== undefined;
}
