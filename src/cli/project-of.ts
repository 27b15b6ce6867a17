import { isAbsolute } from 'node:path';
import type { Command } from 'commander';
import type { Project } from '../features/projects/project.ts';
import type { Client } from './client.ts';
import type { Options } from './options.ts';
import type { World } from './world.ts';

/**
 * Which team a command is about, decided here for all of them: `--team`, else the project of the working
 * folder, else none. `--all` is every team. A default and no wall.
 */
export function withTeam(command: Command): Command {
  return command
    .option('--team <id>', 'of this team instead of the project of this folder')
    .option('--all', 'of every project');
}

/** For what is written, and for sessions: the project of a folder is made when there is none yet. */
export async function projectOf(
  client: Client,
  { team, all }: Options,
  folder: string,
): Promise<string | undefined> {
  if (typeof team === 'string') return team;
  if (all === true || !isAbsolute(folder)) return undefined;
  return (await client.call<{ project: Project | null }>('POST', '/api/projects/resolve', { folder })).project
    ?.teamId;
}

/** For what is read: looked for before it is made, so that a command that only reads makes no database. */
export async function readProjectOf(
  client: Client,
  options: Options,
  { cwd }: World,
): Promise<string | undefined> {
  if (typeof options['team'] === 'string' || options['all'] === true || !isAbsolute(cwd))
    return projectOf(client, options, cwd);
  const query = new URLSearchParams({ folder: cwd });
  const { projects } = await client.call<{ projects: Project[] }>('GET', `/api/projects?${query.toString()}`);
  return projects[0]?.teamId ?? projectOf(client, options, cwd);
}
