// `holdfast undo`: what a person did to the board in one command is shown, asked about and taken back as one.
import { Command } from 'commander';
import type { Api } from '../features/api.ts';
import { HubError } from '../kernel/errors.ts';
import { type Client, withClient } from './client.ts';
import { confirm } from './terminal/confirm.ts';
import { type Options, withDatabase } from './options.ts';
import { shortId } from './short-id.ts';
import { listPrinter } from './terminal/list.ts';
import { printable } from './terminal/table.ts';
import { localTime } from './terminal/when.ts';
import type { World } from './world.ts';

type Undoable = Api['GET /api/board/undos']['answer']['commands'][number];
type Undone = Api['PUT /api/board/undone']['answer'];

/** The last command that a person gave to the board, with all that it changed; again for the one before it. */
export function undoCommand(world: World): Command {
  return withDatabase(
    new Command('undo').description('take back your last command on the board, with all that it changed'),
  )
    .option('--list', 'show what could be taken back, the last first')
    .option('--yes', 'without asking first when it changed several tasks')
    .action((options: Options) =>
      withClient(world, options, (client) =>
        options['list'] === true ? list(world, client, options) : undo(world, client, options),
      ),
    );
}

const DEEDS: Readonly<Record<string, string>> = {
  create_task: 'add',
  update_task: 'change',
  finish_task: 'finish',
  reopen_task: 'reopen',
  drop_task: 'drop',
  label_task: 'label',
  archive_task: 'archive',
  assign_task: 'assign',
  release_task: 'release',
  claim_task: 'claim',
  link_task: 'link',
  unlink_task: 'unlink',
  add_comment: 'comment',
  add_check: 'check',
  submit_evidence: 'evidence',
};

/** What brings many tasks, and what it calls those that were there. */
const BRINGING: Readonly<Record<string, Readonly<{ deed: string; changed: string }>>> = {
  import_board: { deed: 'import', changed: 'renewed' },
  sync_board: { deed: 'sync', changed: 'changed' },
};

/** `import of todo.md: 312 added, 4 renewed`; undefined for what was done task by task. */
function broughtBy({ changes: [first], source, total, added }: Undoable) {
  const bringing = first && BRINGING[first.what];
  if (!bringing) return undefined;
  const counts = [
    ...(added > 0 ? [`${added} added`] : []),
    ...(total > added ? [`${total - added} ${bringing.changed}`] : []),
  ];
  const deed = source === null ? bringing.deed : `${bringing.deed} of ${printable(source)}`;
  return { deed, counts: counts.join(', ') };
}

/** `add, label`: what was done, in the order of doing. */
function deedOf(command: Undoable): string {
  const brought = broughtBy(command);
  if (brought) return `${brought.deed}: ${brought.counts}`;
  const deeds = command.changes.map(({ what }) => DEEDS[what] ?? what.replaceAll('_', ' '));
  return [...new Set(deeds.toReversed())].join(', ');
}

function tasksOf({ changes }: Undoable): readonly Undoable['changes'][number][] {
  return [...new Map(changes.map((change) => [change.taskId, change])).values()];
}

/** Those that are not named are tasks of their own: no other command changes so many. */
function countOf(command: Undoable): number {
  return tasksOf(command).length + command.total - command.changes.length;
}

/** `in web`, `in web and reef`; nothing for what belongs to none. */
function projectsOf(command: Undoable): string {
  const projects = [...new Set(tasksOf(command).flatMap(({ teamId }) => teamId ?? []))];
  return projects.length === 0 ? '' : ` in ${projects.join(' and ')}`;
}

async function list(world: World, { ask }: Client, options: Options): Promise<void> {
  const { commands } = await ask('GET /api/board/undos');
  printUndoable(world, options, { commands });
}

const printUndoable = listPrinter<Undoable>('There is no change of yours to take back.', [
  { title: 'WHEN', cell: ({ at }) => localTime(at) },
  { title: 'WHAT', cell: deedOf },
  {
    title: 'PROJECT',
    cell: (command) => [...new Set(tasksOf(command).flatMap(({ teamId }) => teamId ?? []))].join(', '),
  },
  { title: 'TASKS', cell: namesOf, flexible: true },
]);

function namesOf(command: Undoable): string {
  const [first] = tasksOf(command);
  const more = countOf(command) > 1 ? ` and ${countOf(command) - 1} more` : '';
  return first ? `${shortId(first.taskId)} ${first.title}${more}` : '';
}

async function undo(world: World, client: Client, options: Options): Promise<void> {
  const { commands } = await client.ask('GET /api/board/undos', { limit: 1 });
  const [last] = commands;
  if (last && countOf(last) > 1 && options['yes'] !== true) await askAbout(world, last, options);
  const undone = await client.ask('PUT /api/board/undone', last ? { command: last.command } : {});
  if (options['json']) return world.print(JSON.stringify(undone));
  tellUndone(world, undone);
}

/** Of what a file brought. */
const SHOWN = 20;

/** What changed many is shown before it is taken back. */
async function askAbout(world: World, last: Undoable, options: Options): Promise<void> {
  const count = countOf(last);
  if (options['json'])
    throw new HubError('invalid', `Your last command changed ${count} tasks; say --yes to take it back.`);
  const brought = broughtBy(last);
  const shown = tasksOf(last).slice(0, brought ? SHOWN : count);
  for (const { taskId, title, teamId } of shown)
    world.tell(`  ${shortId(taskId)}  ${printable(title)}${teamId === null ? '' : `  (${teamId})`}`);
  if (count > shown.length) world.tell(`  … and ${count - shown.length} more`);
  const deed = brought ? `${brought.deed} (${brought.counts})` : `${deedOf(last)} of ${count} tasks`;
  const question = `Take back your ${deed}${projectsOf(last)}, ${localTime(last.at)}?`;
  // What it brought goes from the board.
  if (await confirm(world, question, { isRisky: brought !== undefined && last.added > 0 })) return;
  throw new HubError('invalid', 'Nothing was taken back.', {
    hint: 'Answer y, or say --yes to take it back without being asked.',
  });
}

function tellUndone(world: World, { undone, refused, total, stayed }: Undone): void {
  // Several changes of one task: how it stands now is said by the last that was taken back.
  const tasks = new Map(undone.map((each) => [each.task.id, each]));
  const isMany = total > undone.length || tasks.size > SHOWN;
  if (isMany) world.print(`${total} changes are taken back.`);
  for (const { task, at } of isMany ? [] : tasks.values()) {
    const state = task.dropped ? 'off the board again' : `${task.status} again`;
    const where = task.teamId === null ? '' : ` (${task.teamId})`;
    world.print(
      printable(`${shortId(task.id)} is as before ${localTime(at)}, ${state}: ${task.title}${where}`),
    );
  }
  for (const { taskId, why } of refused) world.tell(printable(`${shortId(taskId)} stays as it is: ${why}.`));
  if (stayed > refused.length) world.tell(`… and ${stayed - refused.length} more stay as they are.`);
  if (undone.some(({ lost }) => lost === 'claim'))
    world.tell('The claim that ended with that change is over; the task can be claimed anew.');
}
