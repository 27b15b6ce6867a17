// Landing: what agents did is proven by the hub and reaches its target. The only way in.
import type { Config } from '../../kernel/config.ts';
import type { Acting } from '../../store/calls.ts';
import type { Database } from '../../store/database.ts';
import type { Board } from '../board/board.ts';
import type { Broker } from '../broker/broker.ts';
import type { Collisions } from './collisions/collisions.ts';
import { findTarget } from './checks/definition-at.ts';
import { createDesk } from './ask/desk.ts';
import { createEvidence } from './checks/evidence.ts';
import type { Prover } from './checks/prove.ts';
import { createRemotes } from './ask/remote-desk.ts';
import { createQueueList } from './ask/queues.ts';
import { createRequest } from './ask/request.ts';
import { NO_RUNS, type RunsHere } from './queue/runs-here.ts';
import { createSolving } from './queue/conflict-runs.ts';
import type { LandPlaces } from './ask/land-places.ts';

export { evidenceSchema, landingSchema, type LandingView } from './landing-shapes.ts';

type LandingParts = Readonly<{
  db: Database;
  acting: Acting;
  board: Board;
  broker: Broker;
  where: LandPlaces;
  config: Config;
  prover: Prover;
  collisions: Pick<Collisions, 'followRuns'>;
}>;

export type Landings = ReturnType<typeof createLandings>;

export function createLandings(parts: LandingParts) {
  const { db, acting, board, broker, where, config, prover, collisions } = parts;
  let here = NO_RUNS;
  const runs = (): RunsHere => here;
  const request = createRequest({ acting, board, config, where, runs });
  return {
    /** Dispatch stands on this room, and tells it of its runs. */
    followRuns(told: RunsHere): void {
      here = told;
      collisions.followRuns(told.branches);
    },
    runs,
    ...request,
    ...createSolving(db, request.again),
    ...createDesk({ db, acting, board }),
    ...createRemotes({ db, acting, config, where }),
    queues: createQueueList(acting, config),
    ...createEvidence({ db, acting, broker, config, prover, where }),
    /** The branch that things land on, and the commit it is at; undefined where no branch says so. */
    targetOf: findTarget,
    repositoryOf: where.repositoryOf,
    /** Where a target says what has to hold, work is done when it landed. */
    isAwaited: async (repository: string): Promise<boolean> => (await findTarget(repository)) !== undefined,
  };
}
