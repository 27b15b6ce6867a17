// How landing is opened: what it asks of the other rooms, and what it serves.
import { join } from 'node:path';
import { findConfinement, type Confinement } from '../../kernel/shell/sandbox.ts';
import { behindService, routesOf, toolsOf } from '../../operation/faces.ts';
import type { Board } from '../board/board.ts';
import type { Broker } from '../broker/broker.ts';
import type { Chat } from '../chat/chat.ts';
import type { ProjectsService } from '../projects/projects.ts';
import type { Reservations } from '../reservations/reservations.ts';
import type { RoomDeclaration } from '../room.ts';
import { landingBrief } from './brief.ts';
import { createBooks } from './queue/books.ts';
import { createCollisions } from './collisions/collisions.ts';
import { collisionOperations } from './collisions/operations.ts';
import { createLandings, type Landings } from './landing.ts';
import { landingOperations } from './operations.ts';
import { createLandPlaces } from './ask/land-places.ts';
import { landingPulse } from './pulse/rows.ts';
import { pullOperations } from './pulls/operations.ts';
import { createPulls } from './pulls/pulls.ts';
import { createProver } from './checks/prove.ts';
import { queueOperations } from './ask/queue-operations.ts';
import { tidyChecks, tidyEvidence } from './checks/tidy.ts';
import { startLanding } from './queue/worker.ts';

/** How often open pull requests are looked at; `holdfast pr sync` does at once. */
const POLL_MS = 60_000;
const TIDY_MS = 3_600_000;

type Needs = Readonly<{
  board: Board;
  broker: Broker;
  chat: Chat;
  projects: ProjectsService;
  reservations: Reservations;
}>;

export const landingRoom: RoomDeclaration<Needs, Landings> = {
  key: 'landing',
  needs: ['board', 'broker', 'chat', 'projects', 'reservations'],
  open({ db, acting, config, log }, { board, broker, chat, projects, reservations }) {
    const { sandbox, shellEnv } = config.tools;
    const path = process.env['PATH'] ?? '';
    let confinement: Promise<Confinement> | undefined;
    const checksFolder = join(config.home, 'checks');
    const prover = createProver({
      db,
      broker,
      folder: checksFolder,
      env: process.env,
      shellEnv,
      hidden: [config.home],
      confinement: () => (confinement ??= findConfinement(sandbox, path)),
    });
    const where = createLandPlaces(projects);
    const collisions = createCollisions({ db, acting, board, projects, chat, log });
    reservations.followBranches(collisions.changedElsewhere);
    const landings = createLandings({ db, acting, board, broker, where, config, prover, collisions });
    const pulls = createPulls({ db, acting, board, config, where, log });
    const behind = behindService('landing', acting, landings);
    return {
      service: landings,
      brief: landingBrief(db),
      pulse: landingPulse,
      hubTools: async () => toolsOf(behind, landingOperations),
      routes: async () => [
        ...routesOf(behind, landingOperations),
        ...routesOf(behind, queueOperations),
        ...routesOf(behindService('landing', acting, collisions), collisionOperations),
        ...routesOf(behindService('landing', acting, pulls), pullOperations),
      ],
      chores: [
        { name: 'pulls-poll', everyMs: POLL_MS, run: () => pulls.poll() },
        {
          name: 'checks-tidy',
          everyMs: TIDY_MS,
          async run() {
            await tidyChecks(checksFolder, db.now());
            await tidyEvidence(db, broker);
          },
        },
      ],
      start: (holder) => [
        startLanding({
          db,
          holder,
          log,
          prover,
          books: createBooks(db, board),
          land: config.land,
          runs: landings.runs,
        }),
        collisions.watch(holder),
      ],
    };
  },
};
