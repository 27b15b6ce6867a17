import type { PresentedRun } from '../features/dispatch/run.ts';
import { HubError } from '../kernel/errors.ts';
import type { Client } from './client.ts';
import { QuietExit } from './exit.ts';
import { type Column, printable } from './table.ts';
import { shortId } from './short-id.ts';
import { clockTime, localTime } from './when.ts';
import type { World } from './world.ts';

/** How runs look in a terminal, and following one until it is over. */
export const RUN_COLUMNS: readonly Column<PresentedRun>[] = [
  { title: 'RUN', cell: ({ task_id: id }) => shortId(id) },
  { title: 'AGENT', cell: ({ instance }) => instance },
  { title: 'STATUS', cell: ({ status, reason }) => (status === 'active' && reason ? reason : status) },
  { title: 'SINCE', cell: ({ created_at: at }) => localTime(Date.parse(at)) },
  { title: 'TASK', cell: ({ board_task: task }) => (task === undefined ? '' : shortId(task)) },
  { title: 'COST', cell: ({ cost_usd: cost }) => (cost === undefined ? '' : `$${cost.toFixed(2)}`) },
  { title: 'LAST', cell: ({ last_message: last, error }) => last ?? error?.text ?? '', flexible: true },
];

export const RUN_HINTS = {
  not_found: '`holdfast runs list` shows the runs; one is named by its id or by the end of it.',
};

/** The whole id of the one run that ends like this. */
export async function findRunId(client: Client, given: string): Promise<string> {
  if (given.length > 32) return encodeURIComponent(given);
  const { tasks } = await client.call<{ tasks: PresentedRun[] }>('GET', '/v1/biam/tasks?limit=1000');
  const found = tasks.map(({ task_id: id }) => id).filter((id) => id.endsWith(given.toLowerCase()));
  if (found.length > 1)
    throw new HubError('invalid', `${found.length} runs end with ${given}; give more of the id.`);
  return encodeURIComponent(found[0] ?? given);
}

type Frame = Readonly<{
  line?: string;
  type?: string;
  text?: string;
  kind?: string;
  ts?: string;
  tool?: { name: string; phase: string };
}>;

/** Prints what a run says until it is over. Answers the last state. */
export async function tailRun(
  world: World,
  client: Client,
  id: string,
  options: Readonly<{ json: boolean }>,
): Promise<PresentedRun> {
  for await (const { event, data } of client.follow(`/v1/biam/subscribe?task_id=${id}`, world.interrupted)) {
    if (options.json) world.print(JSON.stringify({ event, data }));
    else if (event === 'frame') printFrame(world, data as Frame);
    else if (event === 'task') world.tell(stateLine(data as PresentedRun));
    else if (event === 'gap') world.tell(`(${(data as { warning: string }).warning})`);
    if (event === 'terminal') return data as PresentedRun;
  }
  throw new QuietExit(130);
}

function stateLine({ instance, status, reason, task_id: id }: PresentedRun): string {
  return `${clockTime(Date.now())} ${instance} ${shortId(id)} ${status}${reason === undefined ? '' : ` (${reason})`}`;
}

function printFrame(world: World, { line = '', type, text, kind, tool }: Frame): void {
  if (type === 'text') world.print(shownText(text ?? line));
  else if (type === 'tool' && tool && tool.name !== '')
    world.tell(`  [${tool.phase}] ${printable(tool.name)}`);
  else if (type === 'error' || type === 'notice') world.tell(`  ${printable(text ?? line)}`);
  else if (type === undefined && kind === 'stdout' && !line.startsWith('{')) world.print(shownText(line));
}

/** Several lines stay several lines; none of them may move the cursor. */
function shownText(text: string): string {
  return text
    .split('\n')
    .map((each) => printable(each))
    .join('\n');
}

/** 0 for done; scripts may branch on the rest. */
export function exitFor({ status }: Pick<PresentedRun, 'status'>): void {
  if (status !== 'done') throw new QuietExit(status === 'cancelled' ? 130 : 1);
}

export function summaryLine(run: PresentedRun): string {
  const cost = run.cost_usd === undefined ? '' : `, $${run.cost_usd.toFixed(2)}`;
  const why = run.error === undefined ? '' : `: ${printable(run.error.text)}`;
  return `${run.instance} ${shortId(run.task_id)} ${run.status}${cost}${why}`;
}
