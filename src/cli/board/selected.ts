import type { Command } from 'commander';
import { HubError, toHubError } from '../../kernel/errors.ts';
import { everyTask } from './list.ts';
import { type Client, withClient } from '../client.ts';
import { confirm } from '../terminal/confirm.ts';
import { exitCodeFor, QuietExit } from '../exit.ts';
import { type Options, withDatabase } from '../options.ts';
import { inPlainWords } from '../terminal/plain-words.ts';
import { readProjectOf } from '../project-of.ts';
import { shortId } from '../short-id.ts';
import { printable } from '../terminal/table.ts';
import { selectionOf } from './task-fields.ts';
import { findTask, TASK_HINTS } from './task-id.ts';
import type { World } from '../world.ts';

/** Changes that are made to one task, to several, or to all that `--where` finds. */
export function withTasks(command: Command): Command {
  return withDatabase(command)
    .argument('[task...]', 'ids, or the ends of them')
    .option(
      '--where <query>',
      'every task it finds, such as "label:old status:todo due<7d -word"; see the guide',
    )
    .option('--project, --team <id>', 'with --where: of this project instead of that of this folder')
    .option('--all', 'with --where: of every project')
    .option('--yes', 'with --where: without asking first');
}

type Change = Readonly<{ id: string; line: string; value: object }>;

/** What is done to them, as it is asked about: `Cancel 12 tasks?`, `Move 3 tasks to todo?` */
type Deed = Readonly<{ verb: string; so?: string; isRisky?: boolean }>;
export type Chosen = Readonly<{ given: readonly string[]; options: Options; deed: Deed }>;

/** Each by itself: what fails is said at the end, and what was done stays done. */
export async function changeTasks(
  world: World,
  chosen: Chosen,
  change: (client: Client, id: string) => Promise<Omit<Change, 'id'>>,
): Promise<void> {
  const { given, options } = chosen;
  const { where } = options;
  if ((where === undefined) === (given.length === 0))
    throw new HubError('invalid', 'Name tasks, or say --where.', {
      hint: '`holdfast board list` shows the tasks.',
    });
  await withClient({ ...world, hints: TASK_HINTS }, options, async (client) => {
    const ids = where === undefined ? await named(client, given) : await found(world, client, chosen);
    const results: Change[] = [];
    const problems: { id: string; error: HubError }[] = [];
    for (const id of ids) {
      try {
        results.push({ id, ...(await change(client, id)) });
      } catch (thrown) {
        if (ids.length === 1) throw thrown;
        problems.push({ id, error: toHubError(thrown) });
      }
    }
    report(world, options, { results, problems, isOne: where === undefined && ids.length === 1 });
  });
}

async function named(client: Client, given: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const each of given) ids.push(await findTask(client, each));
  return [...new Set(ids)];
}

async function found(world: World, client: Client, { options, deed }: Chosen): Promise<string[]> {
  const { where, team, all, yes, json } = options;
  const wanted: Options = { where, team, all };
  // Refused without a hub where it says nothing.
  selectionOf(wanted, undefined);
  const tasks = await everyTask(client, selectionOf(wanted, await readProjectOf(client, wanted, world)));
  if (tasks.length === 0)
    throw new HubError('not_found', 'No task matches.', { hint: 'Try the same with `holdfast board list`.' });
  if (yes === true) return tasks.map(({ id }) => id);
  const many = `${tasks.length} task${tasks.length === 1 ? '' : 's'}`;
  if (json === true)
    throw new HubError('invalid', `--where finds ${many}; say --yes to ${deed.verb.toLowerCase()} them.`);
  for (const { id, status, title } of tasks) world.tell(`  ${shortId(id)}  ${status}  ${printable(title)}`);
  const isRisky = deed.isRisky === true;
  if (await confirm(world, `${deed.verb} ${many}${deed.so ?? ''}?`, { isRisky }))
    return tasks.map(({ id }) => id);
  throw new HubError('invalid', 'Nothing was changed.', {
    hint: `Answer y, or say --yes to ${deed.verb.toLowerCase()} them without being asked.`,
  });
}

/** With what to do about it: a person has no use for the name of a refusal. */
function problemLine(id: string, error: HubError): string {
  const { message, hint } = inPlainWords(error);
  const named = message.startsWith(shortId(id)) ? message : `${shortId(id)}: ${message}`;
  return [named, ...(hint ? [`  ${hint}`] : [])].join('\n');
}

type Report = Readonly<{
  results: readonly Change[];
  problems: readonly { id: string; error: HubError }[];
  isOne: boolean;
}>;

function report(world: World, options: Options, { results, problems, isOne }: Report): void {
  if (options['json']) {
    const refused = problems.map(({ id, error }) => ({ id, code: error.code, error: error.message }));
    const values = results.map(({ value }) => value);
    world.print(JSON.stringify(isOne ? values[0] : { changed: values, refused }));
  } else {
    for (const { line } of results) world.print(line);
    for (const { id, error } of problems) world.tell(problemLine(id, error));
  }
  if (problems.length > 0) throw new QuietExit(exitCodeFor(problems[0]!.error.code));
}
