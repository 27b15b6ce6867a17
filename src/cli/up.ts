import { Command } from 'commander';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { type Config, isPostgresUrl } from '../kernel/config.ts';
import { HubError } from '../kernel/errors.ts';
import type { Hub } from '../kernel/hub.ts';
import { VERSION } from '../kernel/version.ts';
import { attachLines } from './attach.ts';
import { configFrom, type Options, withDatabase } from './options.ts';
import type { World } from './world.ts';

export function upCommand(world: World): Command {
  return withDatabase(new Command('up').description('run the hub until Ctrl-C, and say how to attach a client'))
    .option('--host <address>', 'the address to listen on (127.0.0.1)')
    .option('--port <number>', 'the port; 0 takes any free one (18790, or the next free one up to 18809)')
    .option('--allow-host <name...>', 'further Host names to answer to')
    .option('--token-file <path>', 'the file that holds the hub token (`token` in HOLDFAST_HOME)')
    .option('--no-auth', 'on loopback only: let /mcp and /v1 be used without a token')
    .option('--workspace <folder>', 'the folder that file and shell tools may work in (none: a scratch folder of the hub)')
    .option('--lease <duration>', 'how long a claim lives without a sign of life; 0 is for ever (30m)')
    .option('--log <level>', 'debug, info, warn, error or silent (info)')
    .action((options: Options) => runHub(world, options));
}

/** Until the person or the system says stop. */
export async function runHub(world: World, options: Options): Promise<void> {
  await runUntilStopped(world, await configFrom(world, options), options);
}

export async function runUntilStopped(world: World, config: Config, options: Options): Promise<void> {
  requireWorkspace(config);
  const hub = await world.createHub(config, 'public');
  world.print(options['json'] ? JSON.stringify(describe(hub, config)) : announce(hub, config));
  if (!world.interrupted.aborted) await once(world.interrupted, 'abort');
  world.tell('Stopping …');
  await hub.close();
}

/** Tools would say so one by one; whoever starts the hub is told before. */
function requireWorkspace({ tools: { workspace } }: Config): void {
  if (workspace === undefined || statSync(workspace, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new HubError('invalid', `The workspace ${workspace} is not a folder.`, { hint: 'Make it, or name another one with --workspace.' });
}

function describe(hub: Hub, config: Config): object {
  return {
    address: hub.address,
    hub: hub.id,
    version: VERSION,
    engine: hub.engine,
    schema: hub.schema,
    database: nameOf(config),
    pid: process.pid,
  };
}

function announce(hub: Hub, config: Config): string {
  return [
    `Holdfast ${VERSION} is up at ${hub.address}`,
    `  database  ${nameOf(config)} (${hub.engine}, schema ${hub.schema})`,
    ...(config.tools.workspace === undefined ? [] : [`  workspace ${config.tools.workspace}`]),
    '',
    ...(config.gateway ? describeGateway(hub, config) : describeAttaching(hub, config)),
    '',
    'Stop with Ctrl-C; clients reconnect when the hub is back.',
  ].join('\n');
}

function describeAttaching({ address }: Hub, config: Config): string[] {
  return [
    'Attach a client to everything, in whatever repository it runs; the change to its settings is shown first:',
    '  holdfast connect claude-code',
    '',
    'Or to the task board alone, over HTTP:',
    ...attachLines(address).map((line) => `  ${line}`),
    `  any other client: ${address}/mcp${tokenNote(config)}`,
  ];
}

function describeGateway({ address }: Hub, config: Config): string[] {
  return [
    `  peers     ${address}/v1/peers${tokenNote(config)}`,
    config.gateway?.mcpHttp ? `  MCP       ${address}/mcp, the same way` : '  MCP       not at /mcp; --mcp-http serves it there',
  ];
}

function tokenNote({ noAuth, tokenFile }: Config): string {
  return noAuth ? '' : ` with the token in ${tokenFile}`;
}

/** A URL may hold a password; its host and database name are enough to know it by. */
export function nameOf({ database }: Config): string {
  if (!isPostgresUrl(database) || !URL.canParse(database)) return database;
  const { protocol, host, pathname } = new URL(database);
  return `${protocol}//${host}${pathname}`;
}
