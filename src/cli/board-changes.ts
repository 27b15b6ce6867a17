import type { Command } from 'commander';
import type { Comment } from '../features/board/detail.ts';
import type { Task } from '../features/board/task.ts';
import { DEFAULT_TEAM_PARAM } from '../kernel/principal.ts';
import { HubError } from '../kernel/errors.ts';
import { type Client, withClient } from './client.ts';
import { type Options, withDatabase } from './options.ts';
import { projectOf, teamToRead, teamToWrite, withNew, withTeam } from './project-of.ts';
import { printable } from './table.ts';
import { shortId } from './short-id.ts';
import { findTask, TASK_HINTS } from './task-id.ts';
import { wholeNumber } from './whole-number.ts';
import type { World } from './world.ts';

/** `board add|claim|release|done|comment|link`: one call each, answered with what is now true. */
export function addBoardChanges(board: Command, world: World): void {
  const change = (name: string, description: string) =>
    withDatabase(board.command(name)).description(description);
  const held = (command: Command) =>
    command.option('--as <agent>', 'who you are').option('--fence <number>', 'the number of your claim');

  withNew(change('add', 'add a task'))
    .argument('<title>')
    .option('--description <text>')
    .option('--priority <number>', 'higher is sooner (0)')
    .option('--team <id>', 'into this team instead of the project of this folder')
    .option('--all', 'into no team at all, for every project')
    .option('--parent <task>', 'makes it a part of that task')
    .option('--after <task...>', 'what has to be done first')
    .action((title: string, options: Options) => add(world, title, options));
  withTeam(change('claim', 'claim a task for an agent, or the most urgent ready one'))
    .argument('[task]')
    .requiredOption('--as <agent>', 'who takes it')
    .action((task: string | undefined, options: Options) => claim(world, task, options));
  held(change('release', 'give a task back'))
    .argument('<task>')
    .action(changer(world, 'POST', '/release', () => undefined));
  held(change('done', 'finish a task'))
    .argument('<task>')
    .option('--override <reason>', 'although a required check has not passed')
    .action(
      changer(world, 'PATCH', '', ({ override }) => ({
        status: 'done',
        ...(override !== undefined && { override: { reason: override } }),
      })),
    );
  change('comment', 'comment on a task')
    .argument('<task>')
    .argument('<text>')
    .option('--as <agent>', 'who you are; a person unless given')
    .action((task: string, text: string, options: Options) => comment(world, task, text, options));
  change('link', 'make a task wait for another')
    .argument('<task>')
    .argument('<dependency>', 'what has to be done first')
    .action((task: string, dependency: string, options: Options) => link(world, task, dependency, options));
}

async function add(world: World, title: string, options: Options): Promise<void> {
  const { description, priority, parent, after = [] } = options;
  const task = await onBoard(world, options, async (client) =>
    client.call<Task>('POST', '/api/board/tasks', {
      title,
      description,
      teamId: await teamOfNew(world, client, options),
      ...(priority !== undefined && { priority: wholeNumber('--priority', priority) }),
      ...(typeof parent === 'string' && { parentTaskId: await plainId(client, parent) }),
      dependsOn: await Promise.all((after as readonly string[]).map((given) => plainId(client, given))),
    }),
  );
  say(world, options, task, `${shortId(task.id)} added: ${printable(task.title)}`);
}

/** A part belongs where its whole does, which the hub knows. */
async function teamOfNew(world: World, client: Client, options: Options): Promise<string | undefined> {
  const { team, parent } = options;
  if (parent === undefined) return projectOf(client, options, world.cwd);
  return typeof team === 'string' ? teamToWrite(client, team, options) : undefined;
}

async function claim(world: World, given: string | undefined, options: Options): Promise<void> {
  const body = { assigneeAgentId: options['as'] };
  const task = await onBoard(world, options, async (client) => {
    if (given !== undefined)
      return client.call<Task>('POST', `/api/board/tasks/${await findTask(client, given)}/claim`, body);
    const team = typeof options['team'] === 'string' ? await teamToRead(client, options['team']) : undefined;
    const project = team === undefined ? await projectOf(client, options, world.cwd) : undefined;
    const query = project === undefined ? '' : `?${DEFAULT_TEAM_PARAM}=${encodeURIComponent(project)}`;
    return (
      await client.call<{ task: Task | null }>('POST', `/api/board/claim-next${query}`, {
        ...body,
        teamId: team,
      })
    ).task;
  });
  if (!task)
    throw new HubError('not_found', 'Nothing is ready to be claimed.', {
      hint: 'Look with `holdfast board list`.',
    });
  say(
    world,
    options,
    task,
    `${shortId(task.id)} claimed by ${printable(task.assigneeAgentId ?? '')}, fence ${task.fence}: ${printable(task.title)}`,
  );
}

function changer(
  world: World,
  method: string,
  suffix: string,
  bodyOf: (options: Options) => object | undefined,
) {
  return async (given: string, options: Options): Promise<void> => {
    const { as, fence } = options;
    const body = {
      ...bodyOf(options),
      agentId: as,
      ...(fence !== undefined && { fence: wholeNumber('--fence', fence) }),
    };
    const task = await onBoard(world, options, async (client) =>
      client.call<Task>(method, `/api/board/tasks/${await findTask(client, given)}${suffix}`, body),
    );
    say(world, options, task, `${shortId(task.id)} is ${task.status}: ${printable(task.title)}`);
  };
}

async function comment(world: World, given: string, text: string, options: Options): Promise<void> {
  const author = options['as'] === undefined ? { authorType: 'user' } : { authorAgentId: options['as'] };
  const written = await onBoard(world, options, async (client) =>
    client.call<Comment>('POST', `/api/board/tasks/${await findTask(client, given)}/comments`, {
      body: text,
      ...author,
    }),
  );
  say(world, options, written, 'Comment added.');
}

async function link(world: World, given: string, dependency: string, options: Options): Promise<void> {
  const made = await onBoard(world, options, async (client) =>
    client.call<object>('POST', `/api/board/tasks/${await findTask(client, given)}/dependencies`, {
      dependsOnTaskId: await plainId(client, dependency),
    }),
  );
  say(world, options, made, 'Linked.');
}

function onBoard<T>(world: World, options: Options, work: (client: Client) => Promise<T>): Promise<T> {
  return withClient({ ...world, hints: TASK_HINTS }, options, work);
}

async function plainId(client: Client, given: string): Promise<string> {
  return decodeURIComponent(await findTask(client, given));
}

function say(world: World, options: Options, value: object, line: string): void {
  world.print(options['json'] ? JSON.stringify(value) : line);
}
