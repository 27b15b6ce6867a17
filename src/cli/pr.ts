// `holdfast pr`: pull requests of tasks, for those who review elsewhere.
import { Command } from 'commander';
import { type Client, withClient } from './client.ts';
import { type Options, withDatabase } from './options.ts';
import { shortId } from './short-id.ts';
import { listPrinter } from './terminal/list.ts';
import { printable } from './terminal/table.ts';
import { findTask, TASK_HINTS } from './board/task-id.ts';
import type { World } from './world.ts';

export function prCommand(world: World): Command {
  const pr = new Command('pr').description('pull requests of tasks, through gh');
  withDatabase(pr.command('open', { isDefault: true }))
    .description("push a task's branch and open a pull request for it")
    .argument('<task>', 'its id, or the end of it')
    .option('--branch <name>', 'the branch, where the task names none')
    .action((given: string, options: Options) => open(world, given, options));
  withDatabase(pr.command('list'))
    .description('pull requests, newest first')
    .action((options: Options) => list(world, options));
  withDatabase(pr.command('sync'))
    .description('look at them now: review comments, merged or closed')
    .argument('[task]', 'of one task')
    .action((given: string | undefined, options: Options) => sync(world, given, options));
  return pr;
}

type PullView = Awaited<ReturnType<typeof openOne>>;

const openOne = (client: Client, request: Readonly<{ taskId: string; branch?: string; folder: string }>) =>
  client.ask('POST /api/pulls', request);

const printPulls = listPrinter<PullView>('No pull request is open. `holdfast pr <task>` opens one.', [
  { title: 'TASK', cell: ({ task }) => shortId(task) },
  { title: 'STATE', cell: ({ state }) => state },
  { title: 'BRANCH', cell: ({ branch }) => printable(branch) },
  { title: 'WHERE', cell: ({ url, problem }) => printable(problem ?? url), flexible: true },
]);

async function open(world: World, given: string, options: Options): Promise<void> {
  const branch = typeof options['branch'] === 'string' ? { branch: options['branch'] } : {};
  const pull = await withClient({ ...world, hints: TASK_HINTS }, options, async (client) =>
    openOne(client, { taskId: await findTask(client, given), folder: world.cwd, ...branch }),
  );
  world.print(options['json'] ? JSON.stringify(pull) : pull.url);
}

async function list(world: World, options: Options): Promise<void> {
  const { pulls } = await withClient(world, options, (client) => client.ask('GET /api/pulls', {}));
  printPulls(world, options, { pulls });
}

async function sync(world: World, given: string | undefined, options: Options): Promise<void> {
  const { pulls } = await withClient({ ...world, hints: TASK_HINTS }, options, async (client) =>
    client.ask('POST /api/pulls/sync', given === undefined ? {} : { taskId: await findTask(client, given) }),
  );
  printPulls(world, options, { pulls });
}
