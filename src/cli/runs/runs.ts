// `holdfast runs`: what was sent to agents and what became of it.
import { Command } from 'commander';
import type { PresentedRun } from '../../features/dispatch/run.ts';
import { type Client, withClient } from '../client.ts';
import { QuietExit } from '../exit.ts';
import { type Options, withDatabase } from '../options.ts';
import { tailRun } from './tail.ts';
import {
  asRun,
  CANCEL,
  exitFor,
  findRunId,
  resultText,
  PART_COLUMNS,
  RUN_COLUMNS,
  RUN_HINTS,
  summaryLine,
} from './view.ts';
import { compareAttempts, pickAttempt } from './trial.ts';
import { printable, renderTable } from '../terminal/table.ts';
import { localTime } from '../terminal/when.ts';
import { wholeNumber } from '../whole-number.ts';
import type { World } from '../world.ts';

type OnRun = Readonly<{ world: World; given: string; options: Options }>;

/** Something with the one run whose id ends so. */
function withRun<T>(
  { world, given, options }: OnRun,
  work: (client: Client, id: string) => Promise<T>,
): Promise<T> {
  return withClient({ ...world, hints: RUN_HINTS }, options, async (client) =>
    work(client, await findRunId(client, given)),
  );
}

/** Runs of agents: what there is, what they say, and ending them. */
export function runsCommand(world: World): Command {
  const runs = new Command('runs').description('look at runs of agents, follow and end them');
  withDatabase(runs.command('list'))
    .description('runs, newest first')
    .option('--status <states>', 'pending, active, done, failed, cancelled or expired, separated by commas')
    .option('--limit <number>', 'at most so many (50)')
    .action((options: Options) => list(world, options));
  withDatabase(runs.command('show'))
    .description('one run: what was asked, what came of it')
    .argument('<run>', 'its id, or the end of it')
    .action((given: string, options: Options) => show({ world, given, options }));
  withDatabase(runs.command('why'))
    .description('why a run is where it is: who has it, or what each runner lacks')
    .argument('<run>', 'its id, or the end of it')
    .action((given: string, options: Options) => why({ world, given, options }));
  withDatabase(runs.command('tail'))
    .description('everything a run says, until it is over')
    .argument('<run>', 'its id, or the end of it')
    .action((given: string, options: Options) => tail({ world, given, options }));
  withDatabase(runs.command('wait'))
    .description('wait until a run is over and print its result')
    .argument('<run>', 'its id, or the end of it')
    .option('--timeout <seconds>', 'give up after so long (3600)')
    .action((given: string, options: Options) => wait({ world, given, options }));
  withDatabase(runs.command('cancel'))
    .description('end a run and every process it started')
    .argument('<run>', 'its id, or the end of it')
    .action((given: string, options: Options) => cancel({ world, given, options }));
  withDatabase(runs.command('resume'))
    .description("go on with the agent's session of a run that is over")
    .argument('<run>', 'its id, or the end of it')
    .argument('[prompt]', 'what to do next (go on)')
    .action((given: string, prompt: string | undefined, options: Options) =>
      resume({ world, given, options }, prompt),
    );
  withDatabase(runs.command('diff'))
    .description('what a run changed in its worktree')
    .argument('<run>', 'its id, or the end of it')
    .action((given: string, options: Options) => diff({ world, given, options }));
  withDatabase(runs.command('merge'))
    .description("merge a run's branch into the one its repository has checked out")
    .argument('<run>', 'its id, or the end of it')
    .action((given: string, options: Options) => merge({ world, given, options }));
  withDatabase(runs.command('compare'))
    .description('several attempts at a task: checks, diff, cost and time of each')
    .argument('<task>', 'its id, or the end of it')
    .action((given: string, options: Options) => compareAttempts(world, given, options));
  withDatabase(runs.command('pick'))
    .description('of several attempts this one counts; the others are kept for a day')
    .argument('<run>', 'its id, or the end of it')
    .action((given: string, options: Options) => pickAttempt(world, given, options));
  return runs;
}

async function list(world: World, options: Options): Promise<void> {
  const { status, limit } = options;
  const answer = await withClient(world, options, (client) =>
    client.ask('GET /v1/biam/tasks', {
      ...(typeof status === 'string' && { status: status.split(',') as PresentedRun['status'][] }),
      ...(typeof limit === 'string' && { limit: wholeNumber('--limit', limit) }),
    }),
  );
  const { tasks: runs, ...rest } = answer;
  if (options['json']) return world.print(JSON.stringify({ runs, ...rest }));
  if (runs.length === 0) {
    const isAll = options['status'] === undefined;
    return world.tell(
      isAll ? 'There are no runs. `holdfast send` and `holdfast run` start one.' : 'No run is like that.',
    );
  }
  world.print(renderTable(RUN_COLUMNS, runs, world.columns));
}

async function show(on: OnRun): Promise<void> {
  const { world, options } = on;
  const run = await withRun(on, (client, taskId) => client.ask('GET /v1/biam/tasks/:taskId', { taskId }));
  const { task, prompt, result } = run;
  if (options['json']) return world.print(JSON.stringify(asRun(run)));
  world.print(summaryLine(task));
  const rows = {
    id: task.task_id,
    agent: task.agent,
    runner: task.runner,
    by: task.initiated_by,
    in: task.cwd,
    branch: task.worktree?.branch,
    session: task.session_id,
    began: task.started_at && localTime(Date.parse(task.started_at)),
    ended: task.closed_at && localTime(Date.parse(task.closed_at)),
    waits: task.waits_for && `${task.waits_for.instance}: ${task.waits_for.text}`,
    asked: prompt,
  };
  for (const [name, value] of Object.entries(rows))
    if (value !== undefined) world.print(`${name.padEnd(8)}${printable(value)}`);
  if (task.parts) world.print(`\n${renderTable(PART_COLUMNS, task.parts, world.columns)}`);
  if (result !== null) world.print(`\n${resultText(result)}`);
}

async function why(on: OnRun): Promise<void> {
  const { world, options } = on;
  const { reasons } = await withRun(on, (client, taskId) =>
    client.ask('GET /v1/biam/tasks/:taskId/why', { taskId }),
  );
  if (options['json']) return world.print(JSON.stringify({ reasons }));
  for (const reason of reasons) world.print(printable(reason));
}

async function tail(on: OnRun): Promise<void> {
  const { world, options } = on;
  const isJson = options['json'] === true;
  const ended = await withRun(on, (client, id) => tailRun(world, client, { id, isJson }));
  if (!isJson) world.tell(summaryLine(ended));
}

async function wait(on: OnRun): Promise<void> {
  const { world, options } = on;
  const seconds = options['timeout'] === undefined ? 3600 : wholeNumber('--timeout', options['timeout']);
  const answer = await withRun(on, (client, taskId) =>
    client.ask('GET /v1/biam/tasks/:taskId/wait', { taskId, timeout_s: seconds }),
  );
  const { task, result } = answer;
  if (options['json']) world.print(JSON.stringify(asRun(answer)));
  else if (result !== null) world.print(resultText(result));
  if (!options['json']) world.tell(summaryLine(task));
  exitFor(task);
}

async function resume(on: OnRun, prompt: string | undefined): Promise<void> {
  const { world, options } = on;
  const isJson = options['json'] === true;
  const ended = await withRun(on, async (client, taskId) => {
    const { task_id: id } = await client.ask('POST /v1/biam/tasks/:taskId/resume', { taskId, prompt });
    return tailRun(world, client, { id, isJson });
  });
  if (!isJson) world.tell(summaryLine(ended));
  exitFor(ended);
}

async function diff(on: OnRun): Promise<void> {
  const { world, options } = on;
  const found = await withRun(on, (client, taskId) =>
    client.ask('GET /v1/biam/tasks/:taskId/diff', { taskId }),
  );
  if (options['json']) return world.print(JSON.stringify(found));
  world.tell(`Branch ${found.branch}\n${found.stat}`);
  // Tabs and lines are the diff's own; nothing else may move the cursor.
  world.print(found.diff.replace(/[^\P{Cc}\n\t]/gu, ' '));
}

async function merge(on: OnRun): Promise<void> {
  const { world, options } = on;
  const { branch, merged, into, conflicts } = await withRun(on, (client, taskId) =>
    client.ask('POST /v1/biam/tasks/:taskId/merge', { taskId }),
  );
  if (options['json']) world.print(JSON.stringify({ branch, merged, into, conflicts }));
  else if (merged) world.print(`${branch} is merged into ${into}.`);
  else
    world.tell(
      `${branch} conflicts with ${into}; nothing was changed:\n${conflicts.map((file) => `  ${printable(file)}`).join('\n')}`,
    );
  if (!merged) throw new QuietExit(4);
}

async function cancel(on: OnRun): Promise<void> {
  const { world, options } = on;
  const run = await withRun(on, async (client, taskId) => {
    await client.ask(CANCEL, { taskId });
    return (await client.ask('GET /v1/biam/tasks/:taskId/wait', { taskId, timeout_s: 15 })).task;
  });
  world.print(options['json'] ? JSON.stringify(run) : summaryLine(run));
}
