// `holdfast approvals`: calls that wait for a person. What is shown is what will run, without anything
// that steers a terminal.
import { Command } from 'commander';
import type { Api } from '../features/api.ts';
import { HubError } from '../kernel/errors.ts';
import { calledByPerson } from '../kernel/person-name.ts';
import { readDuration } from '../kernel/settings.ts';
import { replaceUnseen } from '../kernel/unseen.ts';
import { type Client, withClient } from './client.ts';
import { type Options, withDatabase } from './options.ts';
import { shapeLine } from './shape-view.ts';
import { idEnding, shortId } from './short-id.ts';
import { type Column, printable, renderTable } from './terminal/table.ts';
import type { World } from './world.ts';

type Listed = Api['GET /api/tools/approvals']['answer'];
type Approval = Listed['approvals'][number];
type Decided = Api['POST /api/tools/approvals/resolve'];

/**
 * Calls that wait for a person. Works without a running hub: a call of a stdio server waits in the same
 * database.
 */
export function approvalsCommand(world: World): Command {
  const command = new Command('approvals').description('see and decide the calls that wait for a person');
  withDatabase(command.command('list', { isDefault: true }))
    .description('what is waiting, newest first')
    .action((options: Options) => list(world, options));
  withDatabase(command.command('show'))
    .description('everything about one that waits')
    .argument('<id>', 'its id')
    .action((id: string, options: Options) => show(world, id, options));
  withDatabase(command.command('allow'))
    .alias('approve')
    .description('let calls run')
    .argument(
      '<id...>',
      'their ids, or the ends of them, from `holdfast approvals list`; `all` for every one',
    )
    .option('--always', 'and every later call with these very arguments')
    .option('--shape', 'with --always: every later call of the shape that `list` and `show` name')
    .option('--exact', 'with --always: these very arguments, as it is without --shape')
    .option('--every-client', 'with --always: not only for the client that asked, but for every one here')
    .option('--every-project', 'with --always: not only in the project that asked, but in every one')
    .option('--expires <duration>', 'how long --always holds, such as 8h (30d)')
    .action((ids: string[], options: Options) =>
      decide(world, { ids, decision: options['always'] === true ? 'allow_always' : 'allow_once' }, options),
    );
  withDatabase(command.command('deny'))
    .description('refuse calls')
    .argument('<id...>', 'their ids; `all` for every one')
    .option('--note <text>', 'why: the agent is told it, and the audit keeps it')
    .action((ids: string[], options: Options) => decide(world, { ids, decision: 'deny' }, options));
  return command;
}

const TASK: Column<Approval> = {
  title: 'TASK',
  cell: ({ taskId }) => (taskId === null ? '-' : shortId(taskId)),
};

const PROJECT: Column<Approval> = { title: 'PROJECT', cell: ({ teamId }) => teamId ?? '-' };
const FOLDER: Column<Approval> = { title: 'FOLDER', cell: ({ folder }) => folder ?? '-', flexible: true };

const COLUMNS: readonly Column<Approval>[] = [
  { title: 'ID', cell: ({ id }) => shortId(id) },
  { title: 'TOOL', cell: ({ toolName }) => toolName },
  { title: 'AGENT', cell: ({ agentId }) => agentId ?? '-', flexible: true },
  { title: 'LEFT', cell: ({ expiresAt }) => `${Math.max(0, Math.round((expiresAt - Date.now()) / 1000))} s` },
  // Never cut: a person decides on what is read here.
  { title: 'ARGUMENTS', cell: ({ argsSummary }) => argsSummary ?? '' },
  { title: 'WHY', cell: ({ reason }) => reason ?? '', flexible: true },
  // Nor this: it is what `--always --shape` would allow.
  { title: 'SHAPE', cell: ({ shape }) => shapeLine(shape) },
];

async function list(world: World, options: Options): Promise<void> {
  const { approvals } = await withClient(world, options, (client) => client.ask('GET /api/tools/approvals'));
  if (options['json']) return world.print(JSON.stringify({ approvals }));
  if (approvals.length === 0) return world.tell('Nothing is waiting for a decision.');
  const columns = [
    ...COLUMNS,
    ...(approvals.some(({ teamId }) => teamId !== null) ? [PROJECT] : []),
    ...(approvals.some(({ folder }) => folder !== null) ? [FOLDER] : []),
    ...(approvals.some(({ taskId }) => taskId !== null) ? [TASK] : []),
  ];
  world.print(renderTable(columns, approvals, world.columns));
}

async function show(world: World, id: string, options: Options): Promise<void> {
  const { approvals } = await withClient(world, options, (client) => waiting(client));
  const whole = idEnding(idsOf(approvals), id, 'calls');
  const found = approvals.find((each) => each.id === whole);
  if (!found)
    throw new HubError('not_found', `No call waits under ${id}.`, { hint: 'See `holdfast approvals list`.' });
  if (options['json']) return world.print(JSON.stringify(found));
  const { toolName, agentId, principal, teamId, folder, taskId, reason, shape, holder } = found;
  const { argsSummary, argsHash } = found;
  const about: [string, string][] = [
    ['tool', toolName],
    ['agent', agentId ?? '-'],
    ['caller', principal],
    ['project', teamId ?? '-'],
    ['folder', folder ?? '-'],
    ['task', taskId ?? '-'],
    ['why', reason ?? '-'],
    ['shape', shapeLine(shape)],
    ['always', `would allow exactly this for ${holder}, with --shape its shape`],
    ['hash', argsHash],
  ];
  const lines = about.map(([name, value]) => `${name.padEnd(7)} ${printable(value)}`);
  world.print([...lines, 'arguments', ...argumentLines(argsSummary)].join('\n'));
}

/** Texts of several lines are shown as such: what a person reads is what will run. */
function argumentLines(summary: string | null): string[] {
  const args = JSON.parse(summary ?? '{}') as Readonly<Record<string, unknown>>;
  return Object.entries(args).flatMap(([name, value]) => {
    const lines = (typeof value === 'string' ? value : JSON.stringify(value)).split('\n').map(spelled);
    return lines.length === 1
      ? [`  ${name}: ${lines[0]}`]
      : [`  ${name}:`, ...lines.map((line) => `    ${line}`)];
  });
}

/** Nothing that steers a terminal or cannot be seen, and nothing left out. */
function spelled(line: string): string {
  return replaceUnseen(line, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);
}

async function decide(
  world: World,
  { ids: given, decision }: Pick<Decided['given'], 'ids' | 'decision'>,
  options: Options,
): Promise<void> {
  const grantTtlMs = options['expires'] === undefined ? undefined : lifeOf(String(options['expires']));
  const { approvals, notFound } = await withClient(world, options, async (client) => {
    const ids = await wholeIds(client, given);
    const isWide = options['shape'] === true && options['exact'] !== true;
    const wider = [
      ...(options['everyClient'] === true ? (['every_client'] as const) : []),
      ...(options['everyProject'] === true ? (['every_project'] as const) : []),
    ];
    if (decision === 'allow_always' && isWide) await tellShapes(world, client, ids);
    const decided: Omit<Decided['given'], 'ids'> = {
      decision,
      ...(grantTtlMs !== undefined && { grantTtlMs }),
      ...(decision === 'allow_always' && { covers: isWide ? 'shape' : 'exact' }),
      ...(wider.length > 0 && { wider }),
      ...(options['note'] !== undefined && { note: String(options['note']) }),
    };
    const all: Pick<Decided['answer'], 'approvals' | 'notFound'> = { approvals: [], notFound: [] };
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const part = await client.ask('POST /api/tools/approvals/resolve', {
        ids: ids.slice(at, at + AT_ONCE),
        ...decided,
      });
      all.approvals.push(...part.approvals);
      all.notFound.push(...part.notFound);
    }
    return all;
  });
  if (options['json'] && notFound.length === 0) return world.print(JSON.stringify({ approvals, notFound }));
  // With --json one answer is one object: the error then holds what was decided all the same.
  if (!options['json'])
    for (const each of approvals)
      world.print(
        `${shortId(each.id)}  ${each.status}${each.resolvedBy === null ? '' : ` by ${calledByPerson(each.resolvedBy)}`}  ${printable(each.toolName)}`,
      );
  if (notFound.length > 0) {
    const hint = 'See `holdfast approvals list`.';
    throw new HubError('not_found', `There is no approval ${notFound.join(', ')}.`, {
      approvals,
      notFound,
      hint,
    });
  }
  if (approvals.length === 0) world.tell('Nothing is waiting for a decision.');
}

/** As many as one request may name. */
const AT_ONCE = 200;

/** Before anything is decided: what every later call will be compared with. */
async function tellShapes(world: World, client: Pick<Client, 'ask'>, ids: readonly string[]): Promise<void> {
  for (const { id, toolName, shape } of (await waiting(client)).approvals)
    if (ids.includes(id))
      world.tell(`${shortId(id)}  always allows ${printable(toolName)} ${printable(shapeLine(shape))}`);
}

/** `all`, whole ids, or the ends of ids that wait; the hub answers for what it does not know. */
async function wholeIds(client: Pick<Client, 'ask'>, given: readonly string[]): Promise<readonly string[]> {
  const ids = idsOf((await waiting(client)).approvals);
  return given.includes('all') ? ids : [...new Set(given.map((each) => idEnding(ids, each, 'calls')))];
}

function idsOf(approvals: readonly Approval[]): string[] {
  return approvals.map(({ id }) => id);
}

async function waiting(client: Pick<Client, 'ask'>): Promise<{ approvals: Approval[] }> {
  const approvals: Approval[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: Listed = await client.ask('GET /api/tools/approvals', { cursor });
    approvals.push(...page.approvals);
    cursor = page.nextCursor;
  }
  return { approvals };
}

function lifeOf(text: string): number {
  const life = readDuration(text);
  if (life) return life;
  throw new HubError(
    'invalid',
    `--expires must be a duration such as 8h or 30d; got ${JSON.stringify(text)}.`,
  );
}
