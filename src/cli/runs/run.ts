import { Command } from 'commander';
import type { PresentedRun } from '../../features/dispatch/run.ts';
import { HubError } from '../../kernel/errors.ts';
import { repositoryAround } from '../../kernel/git/place.ts';
import { whenAborted } from '../../kernel/when-aborted.ts';
import { type Client, withClient } from '../client.ts';
import { type Options, withDatabase } from '../options.ts';
import { tailRun } from './tail.ts';
import { CANCEL, exitFor, summaryLine } from './view.ts';
import { teamToRead } from '../project-of.ts';
import { requireHub } from './send.ts';
import { tryTask } from './trial.ts';
import { shortId } from '../short-id.ts';
import { findTask, TASK_HINTS } from '../board/task-id.ts';
import type { World } from '../world.ts';

/** `holdfast run`: tasks of the board, done by agents in worktrees of this repository. */
export function runCommand(world: World): Command {
  return withDatabase(new Command('run'))
    .description('have a task of the board done by an agent, in a worktree of this repository')
    .argument('[task]', 'its id, or the end of it')
    .option('--next', 'the best ready tasks, one after the other, until none is left')
    .option('--agents <number>', 'with --next: so many at once (1)')
    .option('--budget <dollars>', 'with --next: start nothing more once this much is spent')
    .option('--agent <instance>', 'who does it (the default, or the only one)')
    .option('--try <instances>', 'several agents side by side, separated by commas; then `runs pick` one')
    .option('--project, --team <id>', 'with --next: only tasks of this project')
    .option('--async', 'leave it to the hub')
    .action((task: string | undefined, options: Options) =>
      options['next'] ? runNext(world, options) : runNamed(world, task, options),
    );
}

function orderFrom(world: World, options: Options) {
  const project = repositoryAround(world.cwd);
  return {
    ...(typeof options['agent'] === 'string' && { instance: options['agent'] }),
    ...(typeof options['team'] === 'string' && { team: options['team'] }),
    ...(project !== undefined && { project }),
  };
}

async function runNamed(world: World, given: string | undefined, options: Options): Promise<void> {
  if (given === undefined)
    throw new HubError('invalid', 'Which task?', {
      hint: 'Name one, or let --next take the best ready one.',
    });
  if (typeof options['try'] !== 'string') return runOne(world, given, options);
  const { project } = orderFrom(world, options);
  return tryTask(world, { given, instances: options['try'], project }, options);
}

async function runOne(world: World, given: string, options: Options): Promise<void> {
  if (options['async']) await requireHub(world, options);
  await withClient({ ...world, hints: TASK_HINTS }, options, async (client) => {
    if (typeof options['team'] === 'string') await teamToRead(client, options['team']);
    const task = await findTask(client, given);
    const { task: run } = await client.ask('POST /v1/runs', {
      ...orderFrom(world, options),
      task_id: task,
    });
    if (options['async'])
      return world.print(options['json'] ? JSON.stringify({ task_id: run!.task_id }) : run!.task_id);
    const ended = await tailRun(world, client, {
      id: run!.task_id,
      isJson: options['json'] === true,
    }).catch(async (thrown: unknown) => {
      if (world.interrupted.aborted) await client.ask(CANCEL, { taskId: run!.task_id });
      throw thrown;
    });
    if (!options['json']) world.tell(summaryLine(ended));
    exitFor(ended);
  });
}

/** Keeps so many agents busy until the board has nothing ready and none of them is at work. */
async function runNext(world: World, options: Options): Promise<void> {
  const atOnce = positive(options['agents'], '--agents', 1);
  const budget = options['budget'] === undefined ? Infinity : positive(options['budget'], '--budget', 0);
  const tally = { done: 0, other: 0, spent: 0 };
  await withClient(world, options, async (client) => {
    if (typeof options['team'] === 'string') await teamToRead(client, options['team']);
    const running = new Map<string, Promise<void>>();
    while (!world.interrupted.aborted) {
      while (running.size < atOnce && tally.spent < budget) {
        const { task: run } = await client.ask('POST /v1/runs', orderFrom(world, options));
        if (!run) break;
        if (!options['json']) world.tell(`${run.agent} took ${shortId(run.board_task ?? '')}`);
        running.set(
          run.task_id,
          finish(world, client, { id: run.task_id, isJson: options['json'] === true, tally }).finally(
            () => void running.delete(run.task_id),
          ),
        );
      }
      if (running.size === 0) break;
      await Promise.race([...running.values(), whenAborted(world.interrupted)]);
    }
    await Promise.all([...running.keys()].map((id) => client.ask(CANCEL, { taskId: id })));
    await Promise.all(running.values());
  });
  if (options['json']) return;
  if (tally.done + tally.other === 0) return world.tell(nothingDone(budget));
  world.tell(`${tally.done} done, ${tally.other} not, $${tally.spent.toFixed(2)} spent.`);
}

function nothingDone(budget: number): string {
  return budget > 0
    ? 'No task is ready. `holdfast board list` shows them all.'
    : 'A budget of $0 starts nothing.';
}

type Tally = { done: number; other: number; spent: number };

type Finishing = Readonly<{ id: string; isJson: boolean; tally: Tally }>;

async function finish(world: World, client: Client, { id, isJson, tally }: Finishing): Promise<void> {
  let run: PresentedRun;
  do {
    ({ task: run } = await client.ask('GET /v1/biam/tasks/:taskId/wait', { taskId: id, timeout_s: 3000 }));
  } while (run.status === 'pending' || run.status === 'active');
  tally.spent += run.cost_usd ?? 0;
  if (run.status === 'done') tally.done += 1;
  else tally.other += 1;
  world.print(isJson ? JSON.stringify(run) : summaryLine(run));
}

function positive(given: Options[string], name: string, least: number): number {
  if (given === undefined) return least;
  const value = Number(given);
  if (Number.isFinite(value) && value >= least) return value;
  throw new HubError('invalid', `${name} must be a number from ${least} on.`);
}
