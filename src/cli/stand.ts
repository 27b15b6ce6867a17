import { Command } from 'commander';
import { existsSync } from 'node:fs';
import type { Status } from '../features/board/task.ts';
import { allReceipts } from '../features/attach/files/receipts.ts';
import type { Config } from '../kernel/config.ts';
import { isPostgresUrl } from '../kernel/site.ts';
import { runningHub } from '../kernel/discovery.ts';
import { VERSION } from '../kernel/version.ts';
import { type Client, connect } from './client.ts';
import { paint } from './terminal/color.ts';
import { configFrom, type Options, withDatabase } from './options.ts';
import { readProjectOf } from './project-of.ts';
import { nameOf } from './up/up.ts';
import { calls } from './waiting-calls.ts';
import type { World } from './world.ts';

/** What `holdfast` alone says: how things are, and the one command to type next. Looks only; makes no database. */
export function standCommand(world: World): Command {
  return withDatabase(
    new Command('stand').description('where you stand and what to do next; the same as `holdfast` alone'),
  ).action((options: Options) => stand(world, options));
}

type Standing = Readonly<{
  version: string;
  hub: string | null;
  database: string;
  /** Of the project one stands in, where there is one. `open` is the sum of the others. */
  board?: Readonly<{ open: number; todo: number; inProgress: number; blocked: number; inReview: number }>;
  project?: string;
  /** Open in other projects. */
  elsewhere?: number;
  approvals?: number;
  here?: number;
  /** Settings of config.yaml that count from the next start of the hub. */
  late?: readonly string[];
  next: Readonly<{ command: string; why: string }>;
}>;

async function stand(world: World, options: Options): Promise<void> {
  const config = await configFrom(world, options);
  const hub = await runningHub(config);
  const common = { version: VERSION, hub: hub?.address ?? null, database: nameOf(config) };
  const known = hub || hasDatabase(config) ? await look(world, config) : undefined;
  const isConnected = allReceipts(config.home).length > 0;
  const standing: Standing = { ...common, ...known, next: nextStep(hub !== undefined, known, isConnected) };
  world.print(options['json'] ? JSON.stringify(standing) : render(standing));
}

function hasDatabase({ database }: Config): boolean {
  return isPostgresUrl(database) || existsSync(database);
}

const COUNTED = ['todo', 'in_progress', 'blocked', 'in_review'] as const;

type Known = Required<Pick<Standing, 'board' | 'approvals' | 'here'>> &
  Pick<Standing, 'late' | 'project' | 'elsewhere'>;

async function look(world: World, config: Config): Promise<Known> {
  await using client = await connect(world, config);
  const project = await readProjectOf(client, {}, world);
  const totalOf = async (status: Status, teamId: string | undefined) => {
    const wanted = { status, limit: 1, ...(teamId !== undefined && { teamId, orNone: true }) };
    return (await client.ask('GET /api/board/tasks', wanted)).total;
  };
  const everywhere = await Promise.all(COUNTED.map((status) => totalOf(status, undefined)));
  const [todo, inProgress, blocked, inReview] = await Promise.all(
    COUNTED.map((status) => totalOf(status, project)),
  );
  const open = todo! + inProgress! + blocked! + inReview!;
  const board = {
    open,
    todo: todo!,
    inProgress: inProgress!,
    blocked: blocked!,
    inReview: inReview!,
  };
  const late = await lateSettings(client);
  const elsewhere = everywhere.reduce((sum, each) => sum + each, 0) - open;
  return {
    board,
    ...(project !== undefined && { project }),
    ...(elsewhere > 0 && { elsewhere }),
    approvals: await waitingCalls(client),
    here: await livingSeats(client),
    ...(late.length > 0 && { late }),
  };
}

async function waitingCalls(client: Client): Promise<number> {
  return (await client.ask('GET /api/tools/approvals')).approvals.length;
}

async function lateSettings(client: Client): Promise<string[]> {
  const { settings } = await client.ask('GET /api/settings');
  return settings.filter(({ next }) => next !== undefined).map(({ key }) => key);
}

async function livingSeats(client: Client): Promise<number> {
  return (await client.ask('GET /api/seats')).seats.length;
}

function nextStep(isUp: boolean, known: Known | undefined, isConnected: boolean): Standing['next'] {
  if (known && known.approvals > 0)
    return { command: 'holdfast approvals', why: `${calls(known.approvals)} for your decision` };
  if (!isUp) return { command: 'holdfast up', why: 'start the hub, and leave it running' };
  if (known!.here === 0 && !isConnected)
    return { command: 'holdfast setup', why: 'connect your clients; nobody is here yet' };
  if (known!.board.inReview > 0)
    return { command: 'holdfast board list --status in_review', why: 'work waits for your verdict' };
  if (known!.board.open === 0)
    return { command: 'holdfast board add "<what is to be done>"', why: 'the board is empty' };
  return { command: 'holdfast board', why: 'see what is being done' };
}

function render({
  version,
  hub,
  database,
  board,
  approvals = 0,
  here = 0,
  elsewhere = 0,
  late = [],
  next,
}: Standing): string {
  const more = elsewhere > 0 ? ` (${elsewhere} open in other projects)` : '';
  const tasks =
    board &&
    `${board.todo} to do, ${board.inProgress} in progress, ${board.inReview} in review, ${board.blocked} blocked${more}`;
  return [
    `Holdfast ${version}`,
    `  hub       ${hub === null ? paint('yellow', 'not running') : paint('green', `up at ${hub}`)}`,
    `  database  ${database}${board ? '' : ' (none yet)'}`,
    ...(tasks === undefined ? [] : [`  tasks     ${tasks}`]),
    ...(board ? [`  agents    ${here} here`] : []),
    ...(approvals > 0 ? [`  waiting   ${paint('red', calls(approvals))} for you`] : []),
    ...(late.length > 0
      ? [`  settings  ${late.join(', ')}: new since the hub started; holdfast restart`]
      : []),
    '',
    `Next: ${paint('bold', next.command)}  (${next.why})`,
    'Everything there is: holdfast --help',
  ].join('\n');
}
