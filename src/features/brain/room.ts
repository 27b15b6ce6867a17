import { localPrincipal } from '../../kernel/principal.ts';
import { callerOf } from '../../store/calls.ts';
import { startConsumer } from '../../store/consumers.ts';
import type { Board } from '../board/board.ts';
import { routesOf } from '../../operation/faces.ts';
import type { RoomDeclaration } from '../room.ts';
import { type Brain, createBrain } from './brain.ts';
import { createSummarise, isModelUnnamed, modelSettings } from './compaction/summaries.ts';
import type { HeldBy } from './outcomes.ts';
import { brainPulse } from './rows/pulse.ts';
import { brainOperations } from './operations.ts';
import { behindBrain, brainServer } from './server.ts';

const OUTCOMES = new Set(['task.status_changed', 'tool.finished']);

export const brainRoom: RoomDeclaration<{ board: Board }, Brain> = {
  key: 'brain',
  needs: ['board'],
  open({ db, config, log, acting }, { board }) {
    const model = modelSettings(process.env);
    if (isModelUnnamed(process.env))
      log.warn(
        'Memories are merged without summaries: there is a model key, but HOLDFAST_LLM_MODEL is not set.',
      );
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
      pulse: brainPulse,
      servers: [brainServer(acting, brain)],
      routes: async () => routesOf(behindBrain(acting, brain), brainOperations),
      start(hub) {
        brain
          .wake()
          .catch((error: unknown) =>
            log.warn('The vault could not be opened; the next call tries again.', { error }),
          );
        return [
          startConsumer({
            db,
            log,
            name: 'brain-outcomes',
            holder: hub,
            kinds: OUTCOMES,
            concerns: (q) => brain.mayLearn(q),
            handle: (tx, event) => brain.learn(tx, event, holders(board)),
          }),
        ];
      },
      close: () => brain.close(),
    };
  },
};

/** The board knows its claims by a digest of the seat that made them. */
function holders(board: Board): HeldBy {
  return async (q, seat, taskId) => {
    const caller = callerOf({ who: localPrincipal(seat), via: 'tool' });
    return (await board.at(q, caller).agentOfSeat(taskId)) !== undefined;
  };
}
