// How reviews are opened: what they ask of the other rooms, and what they serve.
import { behindService, routesOf, toolsOf } from '../../operation/faces.ts';
import type { Board } from '../board/board.ts';
import type { DispatchRoom } from '../dispatch/dispatch.ts';
import type { Landings } from '../landing/landing.ts';
import type { RoomDeclaration } from '../room.ts';
import { createChanges } from './changes.ts';
import { reviewOperations } from './operations.ts';
import { createReviews, type Reviews } from './reviews.ts';
import { createSubjects } from './subjects.ts';
import { createVerdicts } from './verdicts.ts';

type Needs = Readonly<{ board: Board; dispatch: DispatchRoom; landing: Landings }>;

export const reviewRoom: RoomDeclaration<Needs, Reviews> = {
  key: 'review',
  needs: ['board', 'dispatch', 'landing'],
  open({ acting }, { board, dispatch, landing }) {
    const changes = createChanges(dispatch.treeOf);
    const subjects = createSubjects({ acting, board, dispatch, landing });
    const reviews = createReviews({ acting, landing, subjects, changes });
    const verdicts = createVerdicts({ acting, board, dispatch, landing, subjects, changes });
    const behind = behindService('review', acting, { reviews, verdicts });
    return {
      service: reviews,
      hubTools: async () => toolsOf(behind, reviewOperations),
      routes: async () => routesOf(behind, reviewOperations),
    };
  },
};
