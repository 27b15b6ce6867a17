import { type Config, resolveConfig } from '../kernel/config.ts';
import { runningHub, readAnnouncement, announcementPath } from '../kernel/discovery.ts';
import { HubError } from '../kernel/errors.ts';
import { createLog, type Log } from '../kernel/log.ts';
import { parseArgs } from 'node:util';
import { VERSION } from '../kernel/version.ts';
import { isShortName, type Whereabouts } from '../mcp/hosts/hello.ts';
import { beatMs, isStopped } from '../kernel/beat.ts';
import { connectHub } from '../mcp/hosts/hub-backend.ts';
import { type Backend, runShim } from '../mcp/hosts/shim.ts';
import { keepCompiled } from './compiled.ts';

/**
 * An MCP server on stdin and stdout. Beside a live hub it only passes lines to the hub's socket, which is why nothing
 * heavier than the shim is imported here; the rooms are loaded when there is no hub.
 */
export async function serveStdio(
  server: string,
  args: readonly string[],
  options: StdioOptions = {},
): Promise<void> {
  const { profile, database, workspace, bind, asked, ...fixed } = readFlags(server, args);
  if (asked) return void process.stdout.write(`${asked === 'help' ? USAGE : VERSION}\n`);
  const config = await resolveConfig({
    flags: { '--database': database, '--workspace': workspace },
    env: process.env,
  });
  const log = createLog(config.logLevel);
  const from = whereabouts(fixed);
  const hello = {
    server,
    profile,
    seat: options.seat ?? newSeat(),
    version: VERSION,
    pid: process.pid,
    cwd: workingFolder(),
    ...(bind && { params: bind }),
    ...(from && { from }),
  };
  const served: Promise<void>[] = [];

  const openLocal = async (): Promise<Backend> => {
    keepCompiled(config.home);
    const { openLocalRooms } = await import('./stdio-rooms.ts');
    // Alone, a workspace on its own command line goes before the folder it happens to be in.
    const { cwd: _, ...elsewhere } = hello;
    const local = await openLocalRooms(config, workspace === undefined ? hello : elsewhere, log);
    served.push(local.closed);
    return local.backend;
  };

  await runShim({
    input: process.stdin,
    output: process.stdout,
    openBackend: async () =>
      (options.isAlone ? undefined : await reachHub(config, hello, log)) ?? openLocal(),
    isHubAlive: async () => {
      if (options.isAlone) return false;
      return (await runningHub(config)) !== undefined;
    },
    beatMs: beatMs(config.leaseMs),
    mayBeat: () => !isStopped(process.ppid),
    log: (message) => log.info(message),
    until: options.until,
  });
  await Promise.all(served);
}

/**
 * `seat`: a session its client named itself. `isAlone`: it has something of its own to serve, which a hub does
 * not. `until`: ends it before its input does.
 */
export type StdioOptions = Readonly<{ seat?: string; isAlone?: boolean; until?: AbortSignal | undefined }>;

/** Unique, not secret: whoever reaches the socket is the same user. Not from node:crypto, which would cost a quarter of the start. */
function newSeat(): string {
  return `stdio:${Date.now().toString(36)}-${process.pid.toString(36)}-${Math.random().toString(36).slice(2)}`;
}

/** Undefined unless asked for: the documented servers, attached as documented, have no project. */
function whereabouts({ here, agent, team }: Pick<Flags, 'here' | 'agent' | 'team'>): Whereabouts | undefined {
  if (!here && agent === undefined && team === undefined) return undefined;
  const { pid, ppid: parent } = process;
  return {
    pid,
    parent,
    cwd: workingFolder(),
    ...(agent !== undefined && { agent }),
    ...(team !== undefined && { team }),
  };
}

/** A folder that was removed under the process has no name any more. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}

async function reachHub(
  config: Config,
  hello: Parameters<typeof connectHub>[1],
  log: Log,
): Promise<Backend | undefined> {
  const announced = readAnnouncement(announcementPath(config));
  if (!announced) return undefined;
  try {
    return await connectHub(announced.socket, hello);
  } catch (error) {
    log.debug('no hub answers at the socket of its announced', { socket: announced.socket, error });
    return undefined;
  }
}

type Flags = Readonly<{
  profile: string;
  database: string | undefined;
  workspace: string | undefined;
  bind: string | undefined;
  here: boolean;
  agent: string | undefined;
  team: string | undefined;
  asked?: 'help' | 'version';
}>;

const USAGE = `An MCP server on stdin and stdout; a client starts it. Beside a running hub it is a door to the hub, without one it serves
the same database itself, and it ends when its input ends.

Options:
  --profile <name>       default, or extended for the tools beyond the documented ones
  --database <location>  a SQLite file or a postgres:// URL (else CLAWBOO_DB_PATH, HOLDFAST_DATABASE_URL, or the file in HOLDFAST_HOME)
  --workspace <folder>   without a running hub: the folder that file and shell tools may work in, instead of the
                         repository of the working folder; beside a hub it says nothing
  --bind <parameters>    who the caller is, as on an attach URL: 'scopeTeamId=red&scopeAgentId=ada'
  --here                 find the project of the working folder, and use it where a call names no team
  --agent <name>         who the caller is, for good
  --team <id>            use this team instead of the project of the working folder
  --version, --help`;

function readFlags(server: string, args: readonly string[]): Flags {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        profile: { type: 'string' },
        database: { type: 'string' },
        workspace: { type: 'string' },
        bind: { type: 'string' },
        here: { type: 'boolean' },
        agent: { type: 'string' },
        team: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'V' },
      },
    });
    const {
      profile = 'default',
      database,
      workspace,
      bind,
      here = false,
      agent,
      team,
      help,
      version,
    } = values;
    const given = { profile, database, workspace, bind, here, agent, team };
    for (const [name, value] of Object.entries({ agent, team })) {
      if (value === undefined || isShortName(value)) continue;
      throw new HubError('invalid', `--${name} must be 1 to 200 characters without control characters.`);
    }
    if (help || version) return { ...given, asked: help ? 'help' : 'version' };
    // The hub's own server has views that only its configuration knows; it answers for them itself.
    if (server === 'hub' || profile === 'default' || profile === 'extended') return given;
    throw new HubError('invalid', `--profile must be default or extended; got ${JSON.stringify(profile)}.`);
  } catch (error) {
    if (error instanceof HubError) throw error;
    throw new HubError(
      'invalid',
      `${(error as Error).message.split('. ')[0]}. Known: --profile <default|extended>, --database <location>, --workspace <folder>, --bind <parameters of an attach URL>, --here, --agent <name>, --team <id>, --version, --help.`,
    ).because(error);
  }
}
