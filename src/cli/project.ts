import { Command } from 'commander';
import type { KeyedProject } from '../features/projects/project.ts';
import { HubError } from '../kernel/errors.ts';
import { withClient } from './client.ts';
import { confirm } from './terminal/confirm.ts';
import { type Options, withDatabase } from './options.ts';
import { teamToRead } from './project-of.ts';
import { listPrinter } from './terminal/list.ts';
import { localMinute } from './terminal/when.ts';
import type { World } from './world.ts';

/**
 * Which repositories the hub knows, and what they are called. They are found by working in them, so there
 * is nothing to add.
 */
export function projectCommand(world: World): Command {
  const project = new Command('project').description(
    'the repositories that agents work in, each with tasks and memories of its own',
  );
  withDatabase(project.command('list'))
    .description('every project with its folders')
    .action((options: Options) => list(world, options));
  withDatabase(project.command('rename'))
    .description('change the name that is shown; the id stays')
    .argument('<project>', 'its id, from `holdfast project list`')
    .argument('<name...>', 'the new name')
    .action((team: string, name: string[], options: Options) =>
      rename(world, team, { name: name.join(' '), options }),
    );
  withDatabase(project.command('remove'))
    .description('forget a project and its folders; refused while it has open tasks')
    .argument('<project>', 'its id, from `holdfast project list`')
    .option('--yes', 'without asking first')
    .action((id: string, options: Options) => remove(world, id, options));
  withDatabase(project.command('merge'))
    .description('put a project into another: its folders, tasks and memories')
    .argument('<project>', 'the one that ends')
    .argument('<into>', 'the one that stays')
    .option('--yes', 'without asking first')
    .action((from: string, ...[into, options]: [string, Options]) => merge(world, { from, into }, options));
  return project;
}

const printProjects = listPrinter<KeyedProject>(
  'No project yet: a repository becomes one when an agent or a command works in it.',
  [
    { title: 'PROJECT', cell: ({ teamId }) => teamId },
    { title: 'NAME', cell: ({ name }) => name, flexible: true },
    { title: 'FOLDERS', cell: (project) => foldersOf(project).join(', '), flexible: true },
    { title: 'SINCE', cell: ({ createdAt }) => localMinute(createdAt) },
  ],
);

/** As a person knows them: a repository by its working copy. */
function foldersOf({ keys = [] }: KeyedProject): string[] {
  return keys
    .filter(({ kind }) => kind === 'git' || kind === 'path')
    .map(({ value }) => value.replace(/(?<=.)\/\.git$/, ''));
}

async function list(world: World, options: Options): Promise<void> {
  const { projects } = await withClient(world, options, (client) => client.ask('GET /api/projects'));
  printProjects(world, options, { projects });
}

type Renaming = Readonly<{ name: string; options: Options }>;

async function rename(world: World, team: string, { name, options }: Renaming): Promise<void> {
  const { project } = await withClient(world, options, (client) =>
    client.ask('PATCH /api/projects/:teamId', { teamId: team, name }),
  );
  if (options['json']) return world.print(JSON.stringify(project));
  world.print(`Project ${project.teamId} is now called ${project.name}.`);
}

async function remove(world: World, teamId: string, options: Options): Promise<void> {
  const question = `Forget the project ${teamId} and its folders?`;
  const project = await withClient(world, options, async (client) => {
    // Nobody is asked about what cannot be done.
    await teamToRead(client, teamId);
    if (!(await isSure(world, question, options))) return undefined;
    return (await client.ask('DELETE /api/projects/:teamId', { teamId })).project;
  });
  if (!project) return world.tell('Nothing was changed.');
  if (options['json']) return world.print(JSON.stringify(project));
  world.print(
    `${project.teamId} is forgotten. What is over stays findable with --project ${project.teamId}.`,
  );
}

async function merge(
  world: World,
  { from, into }: Readonly<{ from: string; into: string }>,
  options: Options,
): Promise<void> {
  const question = `Put all of ${from} into ${into}? It cannot be taken apart again.`;
  const merged = await withClient(world, options, async (client) => {
    for (const each of [from, into]) await teamToRead(client, each);
    if (!(await isSure(world, question, options))) return undefined;
    return client.ask('POST /api/projects/:teamId/merge', { teamId: from, into });
  });
  if (!merged) return world.tell('Nothing was changed.');
  if (options['json']) return world.print(JSON.stringify(merged));
  const { tasks = 0, memories = 0 } = merged.moved;
  const moved = `${tasks} task${tasks === 1 ? '' : 's'} and ${memories} memor${memories === 1 ? 'y' : 'ies'}`;
  world.print(`${from} is part of ${merged.project.teamId} now: ${moved} moved.`);
}

/** Whoever is not at a terminal cannot be asked, and says --yes. */
async function isSure(world: World, question: string, options: Options): Promise<boolean> {
  if (options['yes'] === true) return true;
  if (options['json'] === true) throw new HubError('invalid', 'Say --yes to do it without being asked.');
  return confirm(world, question, { isRisky: true });
}
