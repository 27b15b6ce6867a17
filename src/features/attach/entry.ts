import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryAround } from '../../kernel/git/place.ts';
import { DEFAULT_TEAM_PARAM } from '../../kernel/principal.ts';
import { type Here, packageRoot, stdioAttachment } from './attach.ts';
import { SERVER_IDS, type ServerKey, type StdioAttachment } from './attachment.ts';

/**
 * What `connect` writes: an entry that finds name and project when it runs. Options of it fix what must not
 * be found. A file that a team commits names no path of this machine: there the command is the bare
 * `holdfast`, on the path of whoever uses the file, with that person's own database.
 */
export type Fixed = Readonly<{
  agent?: string | undefined;
  team?: string | undefined;
  profile?: string | undefined;
}>;

type Wanted = Readonly<{ fixed: Fixed; isShared: boolean }>;

export function findingAttachment(
  here: Pick<Here, 'config'>,
  server: ServerKey,
  { fixed, isShared }: Wanted,
): StdioAttachment {
  const command = isShared ? ['holdfast', ...ownWords(server)] : commandOf(server);
  const { env } = isShared ? { env: {} } : stdioAttachment({ ...here, env: {} }, server);
  const options = (['profile', 'agent', 'team'] as const).flatMap((name) =>
    fixed[name] === undefined ? [] : [`--${name}`, fixed[name]],
  );
  // The team was asked for here; the hubs of those who get the file may not have it yet.
  const elsewhere = isShared && fixed.team !== undefined ? ['--new'] : [];
  return {
    id: SERVER_IDS[server],
    transport: 'stdio',
    command: command[0]!,
    args: [...command.slice(1), ...options, ...elsewhere],
    env,
  };
}

/**
 * The same over HTTP, where the URL is all there is to say it with. The team is a default here, too; a room
 * alone has to be bound.
 */
export function fixedQuery(server: ServerKey, { agent, team, profile }: Fixed): string {
  const isRoom = server === 'teamchat';
  const [teamParam, agentParam] = isRoom
    ? (['roomTeamId', 'postAuthorAgentId'] as const)
    : ([DEFAULT_TEAM_PARAM, 'scopeAgentId'] as const);
  const query = new URLSearchParams();
  for (const [name, value] of [
    [teamParam, team],
    [agentParam, agent],
    ['profile', profile],
  ] as const) {
    if (value !== undefined) query.set(name, value);
  }
  return query.toString();
}

/** `holdfast` as this very machine has it, whatever is on the path. */
export function holdfastCommand(): readonly [string, string] {
  return [process.execPath, binPath('holdfast')];
}

/**
 * A bin of its own starts faster than the command line; it is told to look around, which the documented
 * ways do not ask of it.
 */
function commandOf(server: ServerKey): readonly string[] {
  const bin = binPath(server === 'brain' ? 'clawbrain-mcp' : `clawboo-mcp-${server}`);
  return existsSync(bin) ? [process.execPath, bin, '--here'] : [...holdfastCommand(), ...ownWords(server)];
}

function ownWords(server: ServerKey): string[] {
  return server === 'hub' ? ['serve'] : ['mcp', server];
}

function binPath(name: string): string {
  return join(packageRoot(), 'dist', 'bin', `${name}.js`);
}

/** Does the file lie in a repository, where others get it, too? */
export function isInRepository(file: string): boolean {
  return repositoryAround(dirname(file)) !== undefined;
}
