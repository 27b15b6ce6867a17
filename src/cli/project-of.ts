import { isAbsolute } from 'node:path';
import type { Command } from 'commander';
import { HubError } from '../kernel/errors.ts';
import { type Client, withClient } from './client.ts';
import type { Options } from './options.ts';
import type { World } from './world.ts';

/**
 * Which team a command is about, decided here for all of them: `--team`, else the project of the working
 * folder, else none. `--all` is every team. A default and no wall. A team that is named has to be there: a name
 * that is mistyped makes nothing, and `--new` makes one on purpose. The option has two names and is read by the second: on the
 * wire a project is a team.
 */
export function withTeam(command: Command): Command {
  return command
    .option('--project, --team <id>', 'of this project instead of that of this folder')
    .option('--all', 'of every project');
}

/** For what makes something. */
export function withNew(command: Command): Command {
  return command.option('--new', 'with a name that nothing has yet: make it');
}

/** For what is written, and for sessions: the project of a folder is made when there is none yet. */
export async function projectOf(
  client: Client,
  options: Options,
  folder: string,
): Promise<string | undefined> {
  const { team, all } = options;
  if (typeof team === 'string') return teamToWrite(client, team, options);
  if (all === true || !isAbsolute(folder)) return undefined;
  return (await client.ask('POST /api/projects/resolve', { folder })).project?.teamId;
}

/** For what is read: looking makes no project. One that would be new has nothing yet but what belongs to none. */
export async function readProjectOf(
  client: Client,
  options: Options,
  { cwd }: World,
): Promise<string | undefined> {
  const { team, all } = options;
  if (typeof team === 'string') return teamToRead(client, team);
  if (all === true || !isAbsolute(cwd)) return undefined;
  const { projects, next } = await client.ask('GET /api/projects', { folder: cwd });
  return projects[0]?.teamId ?? next;
}

/** The team that was named, as long as something is of it, or `--new` says that nothing is yet. */
export async function teamToWrite(client: Client, team: string, options: Options): Promise<string> {
  const isNew = options['new'] === true;
  await refusing(() =>
    client.ask('POST /api/projects/resolve', { teamId: team, ...(isNew && { new: true }) }),
  );
  return team;
}

/** For what a client is attached with, which names the team from then on. A trial makes nothing. */
export async function teamToAttach(world: World, options: Options): Promise<void> {
  const { team, dryRun, new: isNew } = options;
  if (typeof team !== 'string' || (dryRun === true && isNew === true)) return;
  await withClient(world, options, (client) =>
    dryRun === true ? teamToRead(client, team) : teamToWrite(client, team, options),
  );
}

/** The same for a server that starts: whatever else is wrong with the hub, the server itself tells its client. */
export async function teamToServe(world: World, options: Options): Promise<void> {
  try {
    await teamToAttach(world, options);
  } catch (error) {
    if (error instanceof HubError && error.details['teamId'] !== undefined) throw error;
  }
}

/** There is nothing to make; a hub without any team has nothing to show, whatever the name. */
export async function teamToRead(client: Client, team: string): Promise<string> {
  await refusing(() => client.ask('GET /api/projects/:teamId', { teamId: team }));
  return team;
}

/** The advice is about projects, whatever else the command is about. */
async function refusing(ask: () => Promise<unknown>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    if (!(error instanceof HubError) || error.details['teamId'] === undefined) throw error;
    if (error.details['isFirst'] === true) return;
    throw new HubError('not_found', error.message, {
      ...error.details,
      hint: '`holdfast project list` shows them.',
    });
  }
}
