// `holdfast runs`: what was sent to agents and what became of it.
import { Command } from 'commander';
import type { PresentedRun } from '../features/dispatch/run.ts';
import { withClient } from './client.ts';
import { QuietExit } from './exit.ts';
import { type Options, withDatabase } from './options.ts';
import { tailRun } from './run-tail.ts';
import { exitFor, findRunId, resultText, RUN_COLUMNS, RUN_HINTS, summaryLine } from './run-view.ts';
import { printable, renderTable } from './table.ts';
import { localTime } from './when.ts';
import type { World } from './world.ts';

type Shown = Readonly<{ task: PresentedRun; result: string | null; prompt: string }>;

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
    .action((id: string, options: Options) => show(world, id, options));
  withDatabase(runs.command('tail'))
    .description('everything a run says, until it is over')
    .argument('<run>', 'its id, or the end of it')
    .action((id: string, options: Options) => tail(world, id, options));
  withDatabase(runs.command('wait'))
    .description('wait until a run is over and print its result')
    .argument('<run>', 'its id, or the end of it')
    .option('--timeout <seconds>', 'give up after so long (3600)')
    .action((id: string, options: Options) => wait(world, id, options));
  withDatabase(runs.command('cancel'))
    .description('end a run and every process it started')
    .argument('<run>', 'its id, or the end of it')
    .action((id: string, options: Options) => cancel(world, id, options));
  withDatabase(runs.command('resume'))
    .description("go on with the agent's session of a run that is over")
    .argument('<run>', 'its id, or the end of it')
    .argument('[prompt]', 'what to do next (go on)')
    .action((id: string, prompt: string | undefined, options: Options) => resume(world, id, prompt, options));
  withDatabase(runs.command('diff'))
    .description('what a run changed in its worktree')
    .argument('<run>', 'its id, or the end of it')
    .action((id: string, options: Options) => diff(world, id, options));
  withDatabase(runs.command('merge'))
    .description("merge a run's branch into the one its repository has checked out")
    .argument('<run>', 'its id, or the end of it')
    .action((id: string, options: Options) => merge(world, id, options));
  return runs;
}

async function list(world: World, options: Options): Promise<void> {
  const query = new URLSearchParams();
  for (const name of ['status', 'limit'])
    if (typeof options[name] === 'string') query.set(name, options[name]);
  const answer = await withClient(world, options, (client) =>
    client.call<{ tasks: PresentedRun[] }>('GET', `/v1/biam/tasks?${query.toString()}`),
  );
  if (options['json']) return world.print(JSON.stringify(answer));
  if (answer.tasks.length === 0) {
    const isAll = options['status'] === undefined;
    return world.tell(
      isAll ? 'There are no runs. `holdfast send` and `holdfast run` start one.' : 'No run is like that.',
    );
  }
  world.print(renderTable(RUN_COLUMNS, answer.tasks, world.columns));
}

async function show(world: World, given: string, options: Options): Promise<void> {
  const run = await withClient(
    world,
    options,
    async (client) => client.call<Shown>('GET', `/v1/biam/tasks/${await findRunId(client, given)}`),
    RUN_HINTS,
  );
  if (options['json']) return world.print(JSON.stringify(run));
  const { task, prompt, result } = run;
  world.print(summaryLine(task));
  const rows = {
    id: task.task_id,
    agent: task.agent,
    by: task.initiated_by,
    in: task.cwd,
    branch: task.worktree?.branch,
    session: task.session_id,
    began: task.started_at && localTime(Date.parse(task.started_at)),
    ended: task.closed_at && localTime(Date.parse(task.closed_at)),
    asked: prompt,
  };
  for (const [name, value] of Object.entries(rows))
    if (value !== undefined) world.print(`${name.padEnd(8)}${printable(value)}`);
  if (result !== null) world.print(`\n${resultText(result)}`);
}

async function tail(world: World, given: string, options: Options): Promise<void> {
  await withClient(
    world,
    options,
    async (client) => {
      const ended = await tailRun(world, client, await findRunId(client, given), {
        json: options['json'] === true,
      });
      if (!options['json']) world.tell(summaryLine(ended));
    },
    RUN_HINTS,
  );
}

async function wait(world: World, given: string, options: Options): Promise<void> {
  const seconds = typeof options['timeout'] === 'string' ? options['timeout'] : '3600';
  const {
    task,
    result,
    timed_out: isLate,
  } = await withClient(
    world,
    options,
    async (client) => {
      const id = await findRunId(client, given);
      return client.call<Shown & { timed_out: boolean }>(
        'GET',
        `/v1/biam/tasks/${id}/wait?timeout_s=${encodeURIComponent(seconds)}`,
      );
    },
    RUN_HINTS,
  );
  if (options['json']) world.print(JSON.stringify({ task, result, timed_out: isLate }));
  else if (result !== null) world.print(resultText(result));
  if (!options['json']) world.tell(summaryLine(task));
  exitFor(task);
}

async function resume(
  world: World,
  given: string,
  prompt: string | undefined,
  options: Options,
): Promise<void> {
  await withClient(
    world,
    options,
    async (client) => {
      const path = `/v1/biam/tasks/${await findRunId(client, given)}/resume`;
      const run = await client.call<PresentedRun>('POST', path, prompt === undefined ? {} : { prompt });
      const ended = await tailRun(world, client, run.task_id, { json: options['json'] === true });
      if (!options['json']) world.tell(summaryLine(ended));
      exitFor(ended);
    },
    RUN_HINTS,
  );
}

type Diff = Readonly<{ branch: string; stat: string; diff: string }>;

async function diff(world: World, given: string, options: Options): Promise<void> {
  const found = await withClient(
    world,
    options,
    async (client) => client.call<Diff>('GET', `/v1/biam/tasks/${await findRunId(client, given)}/diff`),
    RUN_HINTS,
  );
  if (options['json']) return world.print(JSON.stringify(found));
  world.tell(`Branch ${found.branch}\n${found.stat}`);
  // Tabs and lines are the diff's own; nothing else may move the cursor.
  world.print(found.diff.replace(/[^\P{Cc}\n\t]/gu, ' '));
}

type Merged = Readonly<{ branch: string; merged: boolean; into: string; conflicts: readonly string[] }>;

async function merge(world: World, given: string, options: Options): Promise<void> {
  const { branch, merged, into, conflicts } = await withClient(
    world,
    options,
    async (client) => client.call<Merged>('POST', `/v1/biam/tasks/${await findRunId(client, given)}/merge`),
    RUN_HINTS,
  );
  if (options['json']) world.print(JSON.stringify({ branch, merged, into, conflicts }));
  else if (merged) world.print(`${branch} is merged into ${into}.`);
  else
    world.tell(
      `${branch} conflicts with ${into}; nothing was changed:\n${conflicts.map((file) => `  ${printable(file)}`).join('\n')}`,
    );
  if (!merged) throw new QuietExit(4);
}

async function cancel(world: World, given: string, options: Options): Promise<void> {
  const run = await withClient(
    world,
    options,
    async (client) => {
      const id = await findRunId(client, given);
      await client.call('POST', `/v1/biam/tasks/${id}/cancel`);
      return (await client.call<Shown>('GET', `/v1/biam/tasks/${id}/wait?timeout_s=15`)).task;
    },
    RUN_HINTS,
  );
  world.print(options['json'] ? JSON.stringify(run) : summaryLine(run));
}
