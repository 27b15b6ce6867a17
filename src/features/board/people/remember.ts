// What a person does to the board is kept with what was there before, in the transaction of the change itself.
import { newId } from '../../../kernel/ids.ts';
import { redact } from '../../../kernel/redact.ts';
import type { Principal } from '../../../kernel/principal.ts';
import type { Around } from '../../../operation/faces.ts';
import { actorOf, callerOf } from '../../../store/calls.ts';
import type { Tx } from '../../../store/database.ts';
import type { Detail } from '../rows/transfer.ts';
import {
  findCommand,
  findUndo,
  KEPT_CHANGES,
  leaveAsTheyAre,
  rewriteUndo,
  undos,
  writeCommand,
} from '../rows/undos.ts';
import { hold, type Snapshot } from './snapshot.ts';

/** What is told is told: these operations leave something for good in the history of a task. */
export const FOR_GOOD: Readonly<Record<string, string>> = {
  add_comment: 'a comment',
  add_check: 'an acceptance check',
  submit_evidence: 'evidence',
};

/** Runs a change and, where a person makes it, keeps what was there before. */
export async function remembering<T>(done: Around, run: () => Promise<T>): Promise<T> {
  const { tx, caller, name, args, command } = done;
  if (!caller.isPerson) return run();
  const before = typeof args['taskId'] === 'string' ? await hold(tx, args['taskId']) : undefined;
  const result = await run();
  const changed = args['taskId'] ?? (result as { id?: unknown }).id;
  const after = typeof changed === 'string' ? await hold(tx, changed) : undefined;
  if (!after) return result;
  const isSame = JSON.stringify(before) === JSON.stringify(after);
  if (isSame && !Object.hasOwn(FOR_GOOD, name)) return result;
  const id = newId();
  const key = { actor: actorOf(caller).id, command: command ?? id, source: null };
  await undos.insert(tx, {
    id,
    ...key,
    taskId: after.task.id,
    what: name,
    before: isSame ? undefined : (before ?? null),
    leftAt: after.task.updatedAt,
    at: tx.now,
  });
  await writeCommand(tx, key);
  return result;
}

/**
 * The same for a command that brings many tasks, over several transactions: one row for each task, however often it is
 * touched. Whoever brings them says so of each, and at the end of each transaction.
 */
export interface Bringing {
  added(tx: Tx, taskId: string): Promise<void>;
  /** Stands around whatever may change a task that is there. */
  around<T>(tx: Tx, taskId: string, run: () => Promise<T>): Promise<T>;
  /** Something beside a task that is there. */
  brought(tx: Tx, taskId: string, what: Detail): Promise<void>;
  ended(tx: Tx): Promise<void>;
}

type Command = Readonly<{
  who: Principal;
  /** The operation. */
  what: string;
  command: string;
  source?: string | undefined;
}>;

export const NOT_KEPT: Bringing = {
  added: async () => undefined,
  around: (_tx, _taskId, run) => run(),
  brought: async () => undefined,
  ended: async () => undefined,
};

/** What its source said of a task is nothing that anybody sees. */
function shownOf(snapshot: Snapshot | undefined): string {
  return JSON.stringify({ ...snapshot, said: undefined });
}

export function rememberAll({ who, what, command, source }: Command): Bringing {
  const caller = callerOf({ who, via: 'route' });
  if (!caller.isPerson) return NOT_KEPT;
  const key = { actor: actorOf(caller).id, command, source: source === undefined ? null : redact(source) };
  /** In this transaction. */
  let touched = new Set<string>();
  let kept: number | undefined;
  let lost = 0;

  async function keep(tx: Tx, taskId: string, before: Snapshot | null): Promise<void> {
    kept ??= (await findCommand(tx, key))?.changes ?? 0;
    touched.add(taskId);
    // So large that it would fill a disk: it is named, and not taken back.
    if (kept >= KEPT_CHANGES) lost += 1;
    else await undos.insert(tx, { id: newId(), ...key, taskId, what, before, leftAt: 0, at: tx.now });
    kept += 1;
  }

  /** Answers what there was before all of the command; null: nothing. */
  async function changed(tx: Tx, { task, ...rest }: Snapshot): Promise<Snapshot | null> {
    // Asked each time: what was tried and failed is not kept.
    const known = await findUndo(tx, key, task.id);
    if (!known) await keep(tx, task.id, { task, ...rest });
    // Else somebody came between two of its transactions, and it cannot be taken back any more.
    else if (known.leftAt === task.updatedAt) touched.add(task.id);
    return known ? (known.before as Snapshot | null) : { task, ...rest };
  }

  return {
    added: (tx, taskId) => keep(tx, taskId, null),
    async around(tx, taskId, run) {
      const before = await hold(tx, taskId);
      const result = await run();
      const after = before && (await hold(tx, taskId));
      if (before && shownOf(before) !== shownOf(after)) await changed(tx, before);
      return result;
    },
    async brought(tx, taskId, detail) {
      const now = await hold(tx, taskId);
      const before = now && (await changed(tx, now));
      if (!before) return;
      const all = { ...before, brought: [...(before.brought ?? []), detail] };
      await rewriteUndo(tx, { ...key, taskId }, all);
    },
    async ended(tx) {
      if (touched.size === 0) return;
      await leaveAsTheyAre(tx, key, [...touched]);
      await writeCommand(tx, key, { lost });
      touched = new Set();
      lost = 0;
    },
  };
}
