import type { PresentedRun } from '../../features/dispatch/run.ts';
import type { Client } from '../client.ts';
import { QuietExit } from '../exit.ts';
import { type Column, printable } from '../terminal/table.ts';
import { idEnding, shortId } from '../short-id.ts';
import { localMinute, localTime } from '../terminal/when.ts';

/** How runs look in a terminal. */
export const RUN_COLUMNS: readonly Column<PresentedRun>[] = [
  { title: 'RUN', cell: ({ task_id: id }) => shortId(id) },
  { title: 'AGENT', cell: ({ instance }) => instance },
  { title: 'STATUS', cell: standing },
  { title: 'SINCE', cell: ({ created_at: at }) => localTime(Date.parse(at)) },
  { title: 'TASK', cell: ({ board_task: task }) => (task === undefined ? '' : shortId(task)) },
  { title: 'COST', cell: ({ cost_usd: cost }) => (cost === undefined ? '' : `$${cost.toFixed(2)}`) },
  { title: 'LAST', cell: ({ last_message: last, error }) => error?.text ?? last ?? '', flexible: true },
];

function standing({ status, phase, wait_until: until }: PresentedRun): string {
  if (until !== undefined) return waitsText(until);
  return status === 'active' && phase ? phase : status;
}

/** Today by the clock, else with the day. */
function waitsText(until: string): string {
  const at = localMinute(Date.parse(until));
  const isToday = at.slice(0, 10) === localMinute(Date.now()).slice(0, 10);
  return `waits for quota until ${isToday ? at.slice(11) : at}`;
}

/** The parts of a run that was begun more than once, each with its cost. */
export const PART_COLUMNS: readonly Column<NonNullable<PresentedRun['parts']>[number]>[] = [
  { title: 'PART', cell: ({ n }) => String(n) },
  { title: 'AGENT', cell: ({ instance }) => instance },
  { title: 'BEGAN', cell: ({ started_at: at }) => localTime(Date.parse(at)) },
  { title: 'ENDED', cell: ({ end }) => end },
  { title: 'COST', cell: ({ cost_usd: cost }) => (cost === undefined ? '' : `$${cost.toFixed(2)}`) },
];

export const RUN_HINTS = {
  not_found: '`holdfast runs list` shows the runs; one is named by its id or by the end of it.',
};

export const CANCEL = 'POST /v1/biam/tasks/:taskId/cancel';

/** The whole id of the one run that ends like this. */
export async function findRunId(client: Client, given: string): Promise<string> {
  const { tasks } = await client.ask('GET /v1/biam/tasks', { limit: 1000 });
  const ids = tasks.map(({ task_id: id }) => id);
  return idEnding(ids, given, 'runs');
}

/** 0 for done; scripts may branch on the rest. */
export function exitFor({ status }: Pick<PresentedRun, 'status'>): void {
  if (status !== 'done') throw new QuietExit(status === 'cancelled' ? 130 : 1);
}

export function summaryLine(run: PresentedRun): string {
  const cost = run.cost_usd === undefined ? '' : `, $${run.cost_usd.toFixed(2)}`;
  const why = run.error === undefined ? '' : `: ${printable(run.error.text)}`;
  const status = run.wait_until === undefined ? run.status : waitsText(run.wait_until);
  return `${run.instance} ${shortId(run.task_id)} ${status}${cost}${why}`;
}

/** Its lines are its own; none of them may move the cursor. */
export function resultText(result: string): string {
  return result.split('\n').map(shownLine).join('\n');
}

/** The spaces in front are the agent's own. */
export function shownLine(line: string): string {
  return `${/^[ \t]*/.exec(line)![0].replaceAll('\t', '  ')}${printable(line)}`;
}

/** The documented route calls a run a task; at the terminal a task is one of the board. */
export function asRun<T extends { task: PresentedRun }>({ task, ...rest }: T): object {
  return { run: task, ...rest };
}
