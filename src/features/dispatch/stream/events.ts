import type { Tx } from '../../../store/database.ts';
import type { Common, Spent, ToolUse, Usage } from '../frames/common.ts';
import { presentRun, type Run } from '../run.ts';
import { type EventKind, insertEvents } from '../rows/events.ts';
import { changeReason, type ReasonChange, takeNumbers } from '../rows/runs.ts';

/** Writing the stream of a run. Every event is numbered, stored and told in the transaction that makes it. */
export type NewRunEvent = Readonly<{ kind: EventKind; data: string }>;

/** A line of a run as its stream tells it, with what was read in it. */
export type StreamedFrame = Readonly<{
  task_id: string;
  line: string;
  kind: 'stdout' | 'stderr' | 'acp';
  ts: string;
  type?: Common['type'];
  /** Where it is not the line. */
  text?: string;
  tool?: ToolUse;
  plan?: unknown;
  approval?: Readonly<Record<string, unknown>>;
  usage?: Usage;
  spent?: Spent;
  /** Who said it to the run, and as an answer to what. */
  from?: string;
  reply?: unknown;
}>;

export function frameEvent(frame: StreamedFrame): NewRunEvent {
  return { kind: 'frame', data: JSON.stringify(frame) };
}

type Numbered = Pick<Run, 'id' | 'team'> & Readonly<{ fence?: number }>;

/** False when the run is over: nothing follows `terminal`; and for an attempt that it is taken from. */
export async function appendEvents(tx: Tx, run: Numbered, events: readonly NewRunEvent[]): Promise<boolean> {
  const first = await takeNumbers(tx, run, events.length);
  if (first === undefined) return false;
  await insertEvents(
    tx,
    run.id,
    events.map((event, i) => ({ ...event, id: first + i })),
  );
  const data = { from: first, to: first + events.length - 1, kind: events[0]!.kind };
  tellRun(tx, run, { kind: 'run.events', data });
  return true;
}

/** A word of the hub in the stream of a run. */
export function noticeEvent({ id }: Pick<Run, 'id'>, text: string): NewRunEvent {
  return frameEvent({
    task_id: id,
    line: text,
    kind: 'stderr',
    ts: new Date().toISOString(),
    type: 'notice',
  });
}

/** Tells what a run now is. Written before the state turns terminal, so that the guard still holds. */
export async function appendState(tx: Tx, run: Run, kind: 'task' | 'terminal'): Promise<boolean> {
  const { id, team } = run;
  return appendEvents(tx, { id, team }, [{ kind, data: JSON.stringify(stateOf(run, tx.now)) }]);
}

/** What was asked never changes: whoever follows a run knows it, and does not read it again with every state. */
function stateOf(run: Run, at: number) {
  const { message_count: _, asked: _asked, ...shown } = presentRun(run);
  return { ...shown, ts: new Date(at).toISOString() };
}

type Told = Readonly<{ kind: `run.${string}`; data?: Readonly<Record<string, string | number>> }>;

export function tellRun(tx: Tx, { id, team }: Pick<Run, 'id' | 'team'>, { kind, data = {} }: Told): void {
  tx.emit({ kind, subject: id, realm: 'hub', ...(team !== null && { team }), data });
}

/** A run that waits, goes on or is being ended, and the word about it. Undefined when nothing changes. */
export async function setReason(tx: Tx, id: string, change: ReasonChange): Promise<Run | undefined> {
  const changed = await changeReason(tx, id, change);
  if (!changed) return undefined;
  await appendState(tx, changed, 'task');
  tellRun(tx, changed, { kind: 'run.changed', data: { reason: change.to } });
  return changed;
}
