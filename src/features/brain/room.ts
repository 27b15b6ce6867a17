import { localPrincipal } from '../../kernel/principal.ts';
import { callerOf } from '../../store/acting.ts';
import { startConsumer } from '../../store/consumers.ts';
import type { Query } from '../../store/database.ts';
import type { Board } from '../board/board.ts';
import type { RoomDeclaration } from '../room.ts';
import type { Brain } from './brain.ts';
import { createSummarise, modelSettings } from './compaction/summaries.ts';
import { createBrain } from './brain-on-first-use.ts';
import { brainServer } from './tools.ts';

const OUTCOMES = new Set(['task.status_changed', 'tool.finished']);

export const brainRoom: RoomDeclaration<{ board: Board }, Brain> = {
  key: 'brain',
  needs: ['board'],
  open({ db, config, log }, { board }) {
    const model = modelSettings(process.env);
    const { vault: folder, compactEveryMs } = config;
    const brain = createBrain({
      db,
      folder,
      log,
      compactEveryMs,
      summarise: model && createSummarise(model),
    });
    return {
      service: brain,
      servers: [brainServer(brain)],
      routes: async () => (await import('./routes.ts')).brainRoutes(brain),
      start(hub) {
        brain
          .wake()
          .catch((error: unknown) =>
            log.warn('The vault could not be opened; the next call tries again.', { error }),
          );
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
  },
};

/** The board knows its claims by a digest of the seat that made them. */
async function didHold(board: Board, q: Query, seat: string, taskId: string): Promise<boolean> {
  const caller = callerOf({ who: localPrincipal(seat), via: 'tool' });
  return (await board.at(q, caller).agentOfSeat(taskId)) !== undefined;
}
