import { HubError } from '../../../kernel/errors.ts';
import type { Acting, Call, Caller } from '../../../store/calls.ts';
import type { Query, Tx } from '../../../store/database.ts';
import type { Board } from '../board.ts';
import { findIdsEnding } from '../rows/ids.ts';
import { presentTask } from '../task.ts';
import type { BoardSight, Unit } from '../unit.ts';
import { finish } from '../work/moves.ts';
import { readComments, readHistory } from '../work/pages.ts';
import { reopen } from '../work/reopen.ts';
import { readCards, readMoves } from './cards.ts';
import { allLabels, labelsOf, relabel } from './labels.ts';
import { place } from './places.ts';
import { forgetView, readViews, saveView } from './saved-views.ts';
import { searchBoard } from './search.ts';
import { shelve } from './shelf.ts';
import { readStats } from './stats.ts';
import { readUndos, undo } from './undo.ts';

/** What a person needs to live with a board: labels, a shelf, taking things back, figures. Only a hub loads it. */
export type People = ReturnType<typeof createPeople>;
export type PeopleView = ReturnType<typeof viewOf>;
export type PeopleDesk = ReturnType<typeof deskOf>;

export function createPeople(board: Board, acting: Acting) {
  return {
    at: (q: Query, caller: Caller) => viewOf(board.sight(q, caller)),
    in: (tx: Tx, caller: Caller) => deskOf(board.unit(tx, caller)),
    /** A refusal is kept, too: so it is thrown when the transaction is over. */
    async undo(call: Call, command?: string) {
      const outcome = await acting.change(call, (tx, caller) => undo(board.unit(tx, caller), command));
      const undone = outcome.undone.map((each) => ({ ...each, task: presentTask(each.task, true) }));
      const [first] = undone;
      if (first) return { ...first, undone, refused: [...outcome.refused] };
      const { taskId, why } = outcome.refused[0]!;
      throw new HubError('conflict', `undo failed: ${why}`, {
        taskId,
        hint: 'The next undo takes back the change before it.',
      });
    },
  };
}

type Asked<F extends (sight: never, request: never) => unknown> = Parameters<F>[1];

function viewOf(sight: BoardSight) {
  return {
    comments: (request: Asked<typeof readComments>) => readComments(sight, request),
    history: (request: Asked<typeof readHistory>) => readHistory(sight, request),
    labels: () => allLabels(sight),
    labelsOf: (taskId: string) => labelsOf(sight, taskId),
    cards: (request: Asked<typeof readCards>) => readCards(sight, request),
    moves: () => readMoves(sight),
    views: () => readViews(sight),
    undos: (limit = 20) => readUndos(sight, limit),
    search: (request: Asked<typeof searchBoard>) => searchBoard(sight, request),
    stats: (span: Asked<typeof readStats>) => readStats(sight, span),
    idsEnding: (end: string) => findIdsEnding(sight.q, sight.caller.who.bound.team, end),
  };
}

function deskOf(unit: Unit) {
  return {
    relabel: (request: Asked<typeof relabel>) => relabel(unit, request),
    place: (request: Asked<typeof place>) => place(unit, request),
    saveView: (view: Asked<typeof saveView>) => saveView(unit, view),
    forgetView: (name: string) => forgetView(unit, name),
    shelve: (request: Asked<typeof shelve>) => shelve(unit, request),
    finish: async (request: Asked<typeof finish>) => presentTask(await finish(unit, request), true),
    reopen: async (taskId: string) => presentTask(await reopen(unit, taskId), true),
  };
}
