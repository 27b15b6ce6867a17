// `holdfast schedule`: when agents are started without anybody asking at that moment.
import { Command, Option } from 'commander';
import type { FireView, ScheduleView } from '../features/schedules/schedule-shapes.ts';
import { runningHub } from '../kernel/discovery.ts';
import { HubError } from '../kernel/errors.ts';
import { repositoryAround } from '../kernel/git/place.ts';
import { type Client, withClient } from './client.ts';
import { configFrom, type Options, withDatabase } from './options.ts';
import { requireHub } from './runs/send.ts';
import { idEnding, shortId } from './short-id.ts';
import { type Column, printable, renderTable } from './terminal/table.ts';
import { localMinute } from './terminal/when.ts';
import type { World } from './world.ts';

export function scheduleCommand(world: World): Command {
  const schedule = new Command('schedule').description('start agents at times, or when something happens');
  withDatabase(schedule.command('add'))
    .description('have an agent started; each time makes a task and a run')
    .argument('<when>', '"0 7 * * 1-5", "every weekday 7:00", label:triage, status:in_review or webhook')
    .argument('<prompt...>', 'what it is to do')
    .requiredOption('--agent <instance>', 'who does it')
    .option('--tz <zone>', 'Europe/Oslo (that of this machine)')
    .addOption(missedOption('times when no hub ran: none, one for all, or each (once)'))
    .action((when: string, prompt: readonly string[], options: Options) =>
      add(world, { when, prompt, options }),
    );
  withDatabase(schedule.command('list'))
    .description('what fires when')
    .action((options: Options) => list(world, options));
  withDatabase(schedule.command('show'))
    .description('one of them, and what came of its last times')
    .argument('<schedule>', 'its id, or the end of it')
    .action((given: string, options: Options) => show(world, given, options));
  withDatabase(schedule.command('change'))
    .description('say when, who or what anew; what is not said stays')
    .argument('<schedule>', 'its id, or the end of it')
    .option('--when <when>', 'as of a new one')
    .option('--agent <instance>', 'who does it')
    .option('--does <prompt>', 'what it is to do')
    .option('--tz <zone>', 'Europe/Oslo')
    .addOption(missedOption('times when no hub ran: none, one for all, or each'))
    .action((given: string, options: Options) => change(world, given, options));
  for (const [verb, said] of Object.entries(VERBS))
    withDatabase(schedule.command(verb))
      .description(said)
      .argument('<schedule>', 'its id, or the end of it')
      .action((given: string, options: Options) => act(world, { verb: verb as Verb, given, options }));
  return schedule;
}

const missedOption = (said: string): Option =>
  new Option('--missed <rule>', said).choices(['skip', 'once', 'all']);

const VERBS = {
  pause: 'let it not fire for now',
  resume: 'let it fire again',
  run: 'fire it now, beside its times',
  remove: 'take it away; its tasks and runs stay',
} as const;
type Verb = keyof typeof VERBS;

type Adding = Readonly<{ when: string; prompt: readonly string[]; options: Options }>;

async function add(world: World, { when, prompt, options }: Adding): Promise<void> {
  const folder = repositoryAround(world.cwd);
  const tz = typeof options['tz'] === 'string' ? options['tz'] : undefined;
  const missed = options['missed'] as ScheduleView['missed'] | undefined;
  const { schedule, secret } = await withClient(world, options, (client) =>
    client.ask('POST /api/schedules', {
      when,
      prompt: prompt.join(' '),
      agent: String(options['agent']),
      tz: tz ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...(missed !== undefined && { missed }),
      ...(folder !== undefined && { folder }),
    }),
  );
  const isServed = (await runningHub(await configFrom(world, options))) !== undefined;
  if (options['json']) world.print(JSON.stringify({ ...schedule, ...(secret !== undefined && { secret }) }));
  else {
    world.print(`${shortId(schedule.id)}  ${nextOf(schedule)}`);
    if (secret !== undefined) {
      world.print(
        `POST JSON to ${schedule.webhook ?? ''} of this hub, signed with this secret, shown this once:`,
      );
      world.print(`  ${secret}`);
    }
  }
  if (!isServed) world.tell('Nothing fires while no hub runs: `holdfast up --detach` starts it.');
}

const WORDS: Readonly<Record<ScheduleView['kind'], string>> = {
  time: 'never',
  label: 'when a task gets the label',
  status: 'when a task gets the status',
  webhook: 'when the webhook is called',
};

function nextOf({ paused, next, kind }: ScheduleView): string {
  if (paused) return 'paused';
  return next === null ? WORDS[kind] : `next ${localMinute(Date.parse(next))}`;
}

const COLUMNS: readonly Column<ScheduleView>[] = [
  { title: 'ID', cell: ({ id }) => shortId(id) },
  { title: 'WHEN', cell: ({ when, tz, kind }) => printable(kind === 'time' ? `${when} (${tz})` : when) },
  { title: 'NEXT', cell: nextOf },
  { title: 'LAST', cell: ({ last }) => (last === null ? '' : localMinute(Date.parse(last))) },
  { title: 'AGENT', cell: ({ agent }) => printable(agent) },
  { title: 'DOES', cell: ({ prompt }) => printable(prompt.split('\n')[0]!), flexible: true },
];

async function list(world: World, options: Options): Promise<void> {
  const schedules = await withClient(world, options, all);
  if (options['json']) return world.print(JSON.stringify({ schedules }));
  if (schedules.length === 0)
    return world.tell(
      'There is no schedule. `holdfast schedule add "every weekday 7:00" --agent <agent> "…"` makes one.',
    );
  world.print(renderTable(COLUMNS, schedules, world.columns));
}

async function all(client: Client): Promise<ScheduleView[]> {
  const found: ScheduleView[] = [];
  for (;;) {
    const after = found.at(-1)?.id;
    const page = await client.ask('GET /api/schedules', {
      limit: 1000,
      ...(after !== undefined && { after }),
    });
    found.push(...page.schedules);
    if (!page.more) return found;
  }
}

async function idOf(client: Client, given: string): Promise<string> {
  const ids = (await all(client)).map(({ id }) => id);
  return idEnding(ids, given, 'schedules');
}

type Acting = Readonly<{ verb: Verb; given: string; options: Options }>;

async function act(world: World, { verb, given, options }: Acting): Promise<void> {
  if (verb === 'run') await requireHub(world, options);
  const { schedule } = await withClient(world, options, async (client) => {
    const id = await idOf(client, given);
    if (verb === 'remove') return client.ask('DELETE /api/schedules/:id', { id });
    return client.ask(`POST /api/schedules/:id/${verb}`, { id });
  });
  if (options['json']) return world.print(JSON.stringify(schedule));
  const done = { pause: 'paused', resume: 'resumed', run: 'fires now', remove: 'removed' }[verb];
  world.print(`${shortId(schedule.id)}  ${done}`);
}

async function change(world: World, given: string, options: Options): Promise<void> {
  const { when, agent, does, tz, missed } = options as Readonly<Record<string, string | undefined>>;
  if ([when, agent, does, tz, missed].every((each) => each === undefined))
    throw new HubError('invalid', 'Say what is to be otherwise: --when, --agent, --does, --tz or --missed.');
  const { schedule } = await withClient(world, options, async (client) =>
    client.ask('PATCH /api/schedules/:id', {
      id: await idOf(client, given),
      when,
      agent,
      prompt: does,
      tz,
      missed: missed as ScheduleView['missed'] | undefined,
    }),
  );
  if (options['json']) return world.print(JSON.stringify(schedule));
  world.print(`${shortId(schedule.id)}  ${nextOf(schedule)}`);
}

const FIRES: readonly Column<FireView>[] = [
  { title: 'TIME', cell: ({ at }) => localMinute(Date.parse(at)) },
  { title: 'BY', cell: ({ by }) => by },
  { title: 'STATE', cell: ({ state }) => state },
  { title: 'TASK', cell: ({ task }) => (task === null ? '' : shortId(task)) },
  { title: 'RUN', cell: ({ run }) => (run === null ? '' : shortId(run)) },
  { title: 'WHY', cell: ({ error }) => printable(error ?? ''), flexible: true },
];

async function show(world: World, given: string, options: Options): Promise<void> {
  const { schedule, fires } = await withClient(world, options, async (client) =>
    client.ask('GET /api/schedules/:id', { id: await idOf(client, given) }),
  );
  if (options['json']) return world.print(JSON.stringify({ ...schedule, fires }));
  world.print(renderTable(COLUMNS, [schedule], world.columns));
  if (fires.length > 0) world.print(`\n${renderTable(FIRES, fires, world.columns)}`);
}
