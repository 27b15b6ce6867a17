import { HubError } from '../../../kernel/errors.ts';
import { actorOf } from '../../../store/calls.ts';
import { type SaidThere, readSaid, writeSaid } from '../rows/said.ts';
import {
  carryUndos,
  deleteUndo,
  forgetCommand,
  KEPT_CHANGES,
  listChanges,
  listCommands,
  nextOf,
  type StoredCommand,
  type StoredUndo,
} from '../rows/undos.ts';
import { isClaimed } from '../rules.ts';
import type { StoredTask } from '../task.ts';
import { setAside } from '../travel/aside.ts';
import type { BoardSight, Unit } from '../unit.ts';
import { drop } from '../work/creation.ts';
import { LINKS } from '../work/dependencies.ts';
import { told } from '../work/narration.ts';
import { FOR_GOOD } from './remember.ts';
import { hold, restore, type Snapshot } from './snapshot.ts';

/**
 * A person's last commands can be taken back, newest first, as long as nobody has changed their tasks since. A claim that a
 * change ended is over: its holder was told so.
 */
type Undone = Readonly<{ task: StoredTask; what: string; at: number; lost?: 'claim' }>;
type RefusedUndo = Readonly<{ taskId: string; what: string; why: string }>;

/**
 * A refusal leaves something on disk, so it is no error: one that is thrown inside the transaction takes everything back.
 * `rest`: of a command that changed so many there is more to take back, in further transactions.
 */
export type UndoOutcome = Readonly<{
  undone: readonly Undone[];
  refused: readonly RefusedUndo[];
  rest?: StoredCommand;
}>;

/** In one transaction, which others wait for. */
const STEP = 200;

/** The command that its caller was shown, where it was, is still the last one. */
export async function lastCommand(sight: BoardSight, shown: string | undefined): Promise<StoredCommand> {
  const { q, caller } = sight;
  refuseAgents(sight);
  const [last] = await listCommands(q, actorOf(caller).id, 1);
  if (!last) throw new HubError('not_found', 'There is no change of yours to take back.');
  if (shown === undefined || shown === last.command) return last;
  throw new HubError('conflict', 'undo failed: you have changed something else since.', {
    hint: 'Look again with `holdfast undo --list`.',
  });
}

/** All that was done in one go, newest first. What is refused is done with: the next undo is about the command before it. */
export async function undo(unit: Unit, command: StoredCommand): Promise<UndoOutcome> {
  const { tx } = unit;
  // Links take turns before rows do, as wherever they are made.
  await tx.lock(LINKS);
  const undone: Undone[] = [];
  const refused: RefusedUndo[] = [];
  const isTooLarge = command.changes > KEPT_CHANGES;
  // Read anew after each: what is taken back moves the time of its task, for the changes before it, too.
  let next = await nextOf(tx, command);
  for (let done = 0; next && done < STEP && !isTooLarge; done += 1) {
    const outcome = await undoOne(unit, next);
    if ('why' in outcome) refused.push(outcome);
    else undone.push(outcome);
    next = await nextOf(tx, command);
  }
  if (isTooLarge && next) refused.push({ ...next, why: TOO_LARGE });
  if (next && !isTooLarge) return { undone, refused, rest: command };
  await forgetCommand(tx, command);
  return { undone, refused };
}

const TOO_LARGE = `it changed ${KEPT_CHANGES.toLocaleString('en')} tasks and more, which only a backup brings back`;

async function undoOne(unit: Unit, { id, ...done }: StoredUndo): Promise<Undone | RefusedUndo> {
  const { tx } = unit;
  const { taskId, what, at } = done;
  const now = await hold(tx, taskId);
  await deleteUndo(tx, id);
  if (!now) return { taskId, what, why: 'the task is no longer there' };
  if (done.before === undefined)
    return { taskId, what, why: `${FOR_GOOD[what] ?? what} cannot be taken back` };
  if (now.task.updatedAt !== done.leftAt) return { taskId, what, why: whyMoved(now.task) };
  const before = done.before as Snapshot | null;
  if (before === null) {
    const task = await drop(unit, taskId);
    await noteTakenBack(unit, done);
    return { task, what, at };
  }
  const restored = await restore(unit, before, now);
  // Labels leave the time of a task as it is: then the change before bears the same one.
  for (const from of new Set([before.task.updatedAt, done.leftAt]))
    await carryUndos(tx, taskId, { from, to: restored.task.updatedAt });
  tx.emit(told(restored.task, 'task.undone'));
  return { ...restored, what, at };
}

function whyMoved(task: StoredTask): string {
  return isClaimed(task) && task.assigneeAgentId !== null
    ? `${task.assigneeAgentId} has claimed it since`
    : 'the task has been changed by somebody since';
}

const NOTHING_SAID: SaidThere = { fields: {}, labels: [] };

/** What came from elsewhere may come again: another import brings it, and a file that travels keeps it for those who have it. */
async function noteTakenBack({ tx }: Unit, { taskId, what }: Omit<StoredUndo, 'id'>): Promise<void> {
  if (what === 'sync_board') await setAside(tx, taskId);
  if (what !== 'import_board') return;
  const said = (await readSaid(tx, taskId)) ?? NOTHING_SAID;
  await writeSaid(tx, taskId, { ...said, isTakenBack: true });
}

/** What was done in one go, as a person remembers it. */
export type Undoable = Pick<StoredCommand, 'command' | 'at' | 'source' | 'added'> &
  Readonly<{ total: number; changes: Awaited<ReturnType<typeof listChanges>> }>;

/** Of one command. */
export const MOST_NAMED = 100;

/** Newest first. */
export async function readUndos(sight: BoardSight, limit: number): Promise<Undoable[]> {
  const { q, caller } = sight;
  refuseAgents(sight);
  const all: Undoable[] = [];
  for (const each of await listCommands(q, actorOf(caller).id, limit)) {
    const { command, at, source, added, changes: total } = each;
    all.push({ command, at, source, added, total, changes: await listChanges(q, each, MOST_NAMED) });
  }
  return all;
}

function refuseAgents({ caller }: BoardSight): void {
  if (!caller.isPerson) throw new HubError('forbidden', 'Only a person may take a change back.');
}
