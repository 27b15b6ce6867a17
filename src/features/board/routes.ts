import type { Route } from '../../http/route.ts';
import { type Behind, behindService, routesOf } from '../../operation/faces.ts';
import type { Acting } from '../../store/calls.ts';
import type { Database } from '../../store/database.ts';
import { createTransfer } from './transfer/transfer.ts';
import type { Board } from './board.ts';
import { boardOperations } from './operations.ts';
import { transferOperations } from './operations/transfer.ts';
import { peopleOperations } from './operations/people.ts';
import { syncOperations } from './operations/sync.ts';
import { createPeople, type People, type PeopleDesk, type PeopleView } from './people/people.ts';
import { remembering } from './people/remember.ts';
import { behindBoard } from './server.ts';
import { DEFAULT_LIMITS } from './settings.ts';
import { createBoardSync } from './travel/sync.ts';

export type BoardParts = Readonly<{
  db: Database;
  acting: Acting;
  board: Board;
  /** The most levels of subtasks. */
  depth?: number;
}>;

/** `/api/board`: the same board for scripts and the page, under the same rules as the tools. What a person does can be taken back. */
export function boardRoutes({ db, acting, board, depth = DEFAULT_LIMITS.depth }: BoardParts): Route[] {
  const behind = { ...behindBoard(acting, board), around: remembering };
  const people = createPeople(board, acting);
  const behindPeople: Behind<PeopleView, PeopleDesk, People> = {
    ...behind,
    look: people.at,
    change: people.in,
    service: people,
  };
  return [
    ...routesOf(behind, boardOperations),
    ...routesOf(behindPeople, peopleOperations),
    ...routesOf(behindService('board', acting, createTransfer(db)), transferOperations),
    ...routesOf(behindService('board', acting, createBoardSync(db, depth)), syncOperations),
  ];
}
