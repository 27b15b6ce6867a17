import { Command } from 'commander';
import type { KeyedProject } from '../features/projects/project.ts';
import { withClient } from './client.ts';
import { type Options, withDatabase } from './options.ts';
import { type Column, renderTable } from './table.ts';
import { localMinute } from './when.ts';
import type { World } from './world.ts';

/**
 * Which repositories the hub knows, and what they are called. They are found by working in them, so there
 * is nothing to add.
 */
export function projectCommand(world: World): Command {
  const project = new Command('project').description(
    'the repositories that agents work in, each a team of its own',
  );
  withDatabase(project.command('list'))
    .description('every project with its folders')
    .action((options: Options) => list(world, options));
  withDatabase(project.command('rename'))
    .description('change the name that is shown; the team id stays')
    .argument('<team>', 'its team id, from `holdfast project list`')
    .argument('<name...>', 'the new name')
    .action((team: string, name: string[], options: Options) =>
      rename(world, team, { name: name.join(' '), options }),
    );
  return project;
}

const COLUMNS: readonly Column<KeyedProject>[] = [
  { title: 'TEAM', cell: ({ teamId }) => teamId },
  { title: 'NAME', cell: ({ name }) => name, flexible: true },
  { title: 'FOLDERS', cell: (project) => foldersOf(project).join(', '), flexible: true },
  { title: 'SINCE', cell: ({ createdAt }) => localMinute(createdAt) },
];

/** As a person knows them: a repository by its working copy. */
function foldersOf({ keys = [] }: KeyedProject): string[] {
  return keys
    .filter(({ kind }) => kind === 'git' || kind === 'path')
    .map(({ value }) => value.replace(/(?<=.)\/\.git$/, ''));
}

async function list(world: World, options: Options): Promise<void> {
  const { projects } = await withClient(world, options, (client) => client.ask('GET /api/projects'));
  if (options['json']) return world.print(JSON.stringify({ projects }));
  if (projects.length === 0)
    return world.tell('No project yet: a repository becomes one when an agent or a command works in it.');
  world.print(renderTable(COLUMNS, projects, world.columns));
}

type Renaming = Readonly<{ name: string; options: Options }>;

async function rename(world: World, team: string, { name, options }: Renaming): Promise<void> {
  const { project } = await withClient(world, options, (client) =>
    client.ask('PATCH /api/projects/:teamId', { teamId: team, name }),
  );
  if (options['json']) return world.print(JSON.stringify(project));
  world.print(`Project ${project.teamId} is now called ${project.name}.`);
}
