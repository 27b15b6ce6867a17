import { HubError } from '../../../kernel/errors.ts';
import type { Acting, Call, Caller } from '../../../store/calls.ts';
import type { Query, Tx } from '../../../store/database.ts';
import type { Board } from '../board.ts';
import { findIdsEnding } from '../rows/ids.ts';
import type { StoredCommand } from '../rows/undos.ts';
import { presentTask, type Task } from '../task.ts';
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
import { lastCommand, MOST_NAMED, readUndos, undo, type UndoOutcome } from './undo.ts';

/** What a person needs to live with a board: labels, a shelf, taking things back, figures. Only a hub loads it. */
export type People = ReturnType<typeof createPeople>;
export type PeopleView = ReturnType<typeof viewOf>;
export type PeopleDesk = ReturnType<typeof deskOf>;

export function createPeople(board: Board, acting: Acting) {
  /** A step at a time, so that nobody waits for all of it. One that broke off goes on with the next undo. */
  async function undoAll(call: Call, shown: string | undefined) {
    const undone: (Omit<UndoOutcome['undone'][number], 'task'> & { task: Task })[] = [];
    const refused: UndoOutcome['refused'][number][] = [];
    const gone = new Set<string>();
    let total = 0;
    let rest: StoredCommand | undefined;
    for (let step = 0; step === 0 || rest; step += 1) {
      const outcome: UndoOutcome = await acting.change(stepOf(call, step), async (tx, caller) => {
        const unit = board.unit(tx, caller);
        return undo(unit, rest ?? (await lastCommand(unit, shown)));
      });
      total += outcome.undone.length;
      for (const each of outcome.undone) {
        if (each.task.dropped) gone.add(each.task.id);
        if (undone.length < MOST_NAMED) undone.push({ ...each, task: presentTask(each.task, true) });
      }
      refused.push(...outcome.refused);
      rest = outcome.rest;
    }
    // What was said about a task that is off the board again has gone with it.
    return { undone, refused: refused.filter(({ taskId }) => !gone.has(taskId)), total };
  }

  return {
    at: (q: Query, caller: Caller) => viewOf(board.sight(q, caller)),
    in: (tx: Tx, caller: Caller) => deskOf(board.unit(tx, caller)),
    /** A refusal is kept, too: so it is thrown when the transaction is over. */
    async undo(call: Call, command?: string) {
      const { undone, refused, total } = await undoAll(call, command);
      const [first] = undone;
      if (first)
        return { ...first, undone, refused: refused.slice(0, MOST_NAMED), total, stayed: refused.length };
      const { taskId, why } = refused[0]!;
      throw new HubError('conflict', `undo failed: ${why}`, {
        taskId,
        hint: 'The next undo takes back the change before it.',
      });
    },
  };
}

/** Each step of a call that has a key is done once. */
function stepOf({ args = {}, ...call }: Call, step: number): Call {
  const { idempotencyKey: key } = args;
  if (step === 0 || typeof key !== 'string') return { ...call, args };
  return { ...call, args: { ...args, idempotencyKey: `${key} ${step}` } };
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
