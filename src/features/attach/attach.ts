import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config, Environment } from '../../kernel/config.ts';
import { defaultHome, isPostgresUrl } from '../../kernel/site.ts';
import type { HubAnnouncement } from '../../kernel/discovery.ts';
import { HubError } from '../../kernel/errors.ts';
import { isLoopbackName } from '../../kernel/loopback.ts';
import { hasTable } from '../../kernel/process/table.ts';
import { type Attachment, SERVER_IDS, type ServerKey, type StdioAttachment } from './attachment.ts';

/** Works out how to reach a server of this hub, from what the hub itself knows and never from what a request claims. */
export type Here = Readonly<{
  /** http://host:port of the hub. */
  address: string;
  config: Pick<Config, 'home' | 'database'>;
  env: Environment;
  /** What asks its owner for a token: everything beyond loopback; on it the hub endpoint, where that is set. */
  asksToken: NonNullable<HubAnnouncement['asksToken']>;
}>;

/** `query` is what the URL carries: its binding, signed or not. */
export function httpAttachment(
  { address, asksToken }: Pick<Here, 'address' | 'asksToken'>,
  server: ServerKey,
  query = '',
): Attachment {
  const path = server === 'hub' ? '/mcp' : `/api/mcp/${server}`;
  return {
    id: SERVER_IDS[server],
    transport: 'http',
    url: `${address}${path}${query === '' ? '' : `?${query}`}`,
    needsToken: asksToken === 'everything' || (asksToken === 'hub' && server === 'hub'),
  };
}

/**
 * With PostgreSQL the bin finds its database through the home: a URL may hold a password and is never written down.
 * A home of one's own is named in any case, so that a bin without a hub has the same vault, policy and keys.
 */
export function stdioAttachment(
  { config, env }: Pick<Here, 'config' | 'env'>,
  server: ServerKey,
): StdioAttachment {
  const isPostgres = isPostgresUrl(config.database);
  const place: Record<string, string> = {
    ...(!isPostgres && { CLAWBOO_DB_PATH: config.database }),
    ...((isPostgres || config.home !== defaultHome()) && { HOLDFAST_HOME: config.home }),
  };
  return { id: SERVER_IDS[server], transport: 'stdio', ...commandFor(server, env), env: place };
}

/**
 * The documented folder of bins when it is set, else our own under the Node that runs the hub. The documents
 * know four servers and call their files by the server's name; a folder with our bins in it has ours, and
 * what it lacks is ours.
 */
function commandFor(server: ServerKey, env: Environment): Readonly<{ command: string; args: string[] }> {
  const { file, args = [] } = BINS[server];
  const folder = env['CLAWBOO_MCP_BIN_DIR'];
  if (folder && existsSync(join(folder, file)))
    return { command: 'node', args: [join(folder, file), ...args] };
  if (folder && isDocumented(server)) return { command: 'node', args: [join(folder, `${server}.js`)] };
  return { command: process.execPath, args: [join(packageRoot(), 'dist', 'bin', file), ...args] };
}

const BINS: Readonly<Record<ServerKey, Readonly<{ file: string; args?: readonly string[] }>>> = {
  tasks: { file: 'clawboo-mcp-tasks.js' },
  memory: { file: 'clawboo-mcp-memory.js' },
  tools: { file: 'clawboo-mcp-tools.js' },
  teamchat: { file: 'clawboo-mcp-teamchat.js' },
  brain: { file: 'clawbrain-mcp.js' },
  hub: { file: 'holdfast.js', args: ['serve'] },
};

function isDocumented(server: ServerKey): boolean {
  return BINS[server].file.startsWith('clawboo-mcp-');
}

let root: string | undefined;

/** The folder of the installed package, whether this runs from sources or from a bundle. */
export function packageRoot(): string {
  for (let folder = import.meta.dirname; root === undefined; folder = dirname(folder)) {
    if (isOurPackage(join(folder, 'package.json'))) root = folder;
    else if (dirname(folder) === folder)
      throw new HubError('internal', 'The installed package of the hub was not found.');
  }
  return root;
}

function isOurPackage(path: string): boolean {
  return (
    existsSync(path) && (JSON.parse(readFileSync(path, 'utf8')) as { name?: unknown }).name === 'holdfast'
  );
}

type Reach = Pick<Config, 'host' | 'noAuth' | 'mcpAuth' | 'gateway'>;

export function asksToken({ host, noAuth, mcpAuth, gateway }: Reach): Here['asksToken'] {
  if (!isLoopbackName(host)) return 'everything';
  // Where the system shows no processes, nobody is known to be the owner.
  const isOwnerKnown = mcpAuth === 'local' && gateway === undefined && hasTable();
  return noAuth || isOwnerKnown ? 'nothing' : 'hub';
}
