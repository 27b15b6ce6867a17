// How landing is opened: what it asks of the other rooms, and what it serves.
import { join } from 'node:path';
import { findConfinement, type Confinement } from '../../kernel/shell/sandbox.ts';
import { behindService, routesOf, toolsOf } from '../../operation/faces.ts';
import type { Board } from '../board/board.ts';
import type { Broker } from '../broker/broker.ts';
import type { ProjectsService } from '../projects/projects.ts';
import type { RoomDeclaration } from '../room.ts';
import { createBooks } from './books.ts';
import { createLandings, type Landings } from './landing.ts';
import { landingOperations } from './operations.ts';
import { createProver } from './prove.ts';
import { startLanding } from './worker.ts';

type Needs = Readonly<{ board: Board; broker: Broker; projects: ProjectsService }>;

export const landingRoom: RoomDeclaration<Needs, Landings> = {
  key: 'landing',
  needs: ['board', 'broker', 'projects'],
  open({ db, acting, config, log }, { board, broker, projects }) {
    const { sandbox, shellEnv } = config.tools;
    const path = process.env['PATH'] ?? '';
    let confinement: Promise<Confinement> | undefined;
    const prover = createProver({
      db,
      broker,
      folder: join(config.home, 'checks'),
      env: process.env,
      shellEnv,
      hidden: [config.home],
      confinement: () => (confinement ??= findConfinement(sandbox, path)),
    });
    const landings = createLandings({ db, acting, board, broker, projects, config, prover });
    const behind = behindService('landing', acting, landings);
    return {
      service: landings,
      hubTools: toolsOf(behind, landingOperations),
      routes: async () => routesOf(behind, landingOperations),
      start: (holder) => [
        startLanding({ db, holder, log, prover, books: createBooks(db, board), land: config.land }),
      ],
    };
  },
};
