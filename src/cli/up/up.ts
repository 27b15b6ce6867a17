// `holdfast up`: the hub until Ctrl-C, or in the background, and how to attach a client to it.
import { Command } from 'commander';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { asksToken } from '../../features/attach/attach.ts';
import type { Config, Environment } from '../../kernel/config.ts';
import { isPostgresUrl } from '../../kernel/site.ts';
import { runningHub } from '../../kernel/discovery.ts';
import { HubError } from '../../kernel/errors.ts';
import { hubTokenPlace } from '../../kernel/home.ts';
import type { Hub } from '../../kernel/hub.ts';
import { VERSION } from '../../kernel/version.ts';
import { attachLines } from './attach.ts';
import { configFrom, type Options } from '../options.ts';
import { startApart } from './hub-process.ts';
import { argumentsForUp, withUpOptions } from './options.ts';
import type { World } from '../world.ts';

/** Running the hub, in the foreground until it is told to stop, or as a process of its own. */
export function upCommand(world: World): Command {
  return withUpOptions(
    new Command('up').description('run the hub until Ctrl-C, and say how to attach a client'),
  )
    .option('--detach', 'in the background; `holdfast logs` shows what it says, `holdfast stop` ends it')
    .action((options: Options) =>
      options['detach'] === true ? runApart(world, options) : runHub(world, options),
    );
}

async function runApart(world: World, options: Options): Promise<void> {
  const config = await configFrom(world, { ...options, detach: undefined });
  requireWorkspace(config);
  const running = await runningHub(config);
  if (running)
    throw new HubError(
      'conflict',
      `A hub is running on this database already: process ${running.pid} at ${running.address}.`,
      {
        pid: running.pid,
        address: running.address,
        hint: 'Use that one, or `holdfast restart`.',
      },
    );
  const { pid, address } = await startApart(world, config, argumentsForUp(options));
  if (options['json']) return world.print(JSON.stringify({ pid, address, database: nameOf(config) }));
  world.print(
    `Holdfast ${VERSION} is up at ${address} (process ${pid}). Its log: holdfast logs -f. Stop it: holdfast stop.`,
  );
}

/** Until the person or the system says stop. */
export async function runHub(world: World, options: Options): Promise<void> {
  await runUntilStopped(world, await configFrom(world, options), options);
}

export async function runUntilStopped(world: World, config: Config, options: Options): Promise<void> {
  requireWorkspace(config);
  const hub = await world.createHub(config, 'public');
  world.print(options['json'] ? JSON.stringify(describe(hub, config)) : announce(hub, config, world.env));
  if (!world.interrupted.aborted) await once(world.interrupted, 'abort');
  world.tell('Stopping …');
  await hub.close();
}

/** Tools would say so one by one; whoever starts the hub is told before. */
function requireWorkspace({ tools: { workspace } }: Config): void {
  if (workspace === undefined || statSync(workspace, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new HubError('invalid', `The workspace ${workspace} is not a folder.`, {
    hint: 'Make it, or name another one with --workspace.',
  });
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

function announce(hub: Hub, config: Config, env: Environment): string {
  const token = tokenNote(config, env);
  return [
    `Holdfast ${VERSION} is up at ${hub.address}`,
    `  database  ${nameOf(config)} (${hub.engine}, schema ${hub.schema})`,
    ...(config.tools.workspace === undefined ? [] : [`  workspace ${config.tools.workspace}`]),
    '',
    ...(config.gateway ? describeGateway(hub, config, token) : describeAttaching(hub, config, token)),
    '',
    'Stop with Ctrl-C; clients reconnect when the hub is back.',
  ].join('\n');
}

function describeAttaching({ address }: Hub, config: Config, token: string): string[] {
  const isForOthers = token !== '' && asksToken(config) === 'nothing';
  return [
    'Attach a client to everything, in whatever repository it runs; the change to its settings is shown first:',
    '  holdfast connect claude-code',
    '',
    'Or to the task board alone, over HTTP:',
    ...attachLines(address).map((line) => `  ${line}`),
    `  any other client: ${address}/mcp${isForOthers ? '; others than you' : ''}${token}`,
  ];
}

function describeGateway({ address }: Hub, config: Config, token: string): string[] {
  return [
    `  peers     ${address}/v1/peers${token}`,
    config.gateway?.mcpHttp
      ? `  MCP       ${address}/mcp, the same way`
      : '  MCP       not at /mcp; --mcp-http serves it there',
  ];
}

function tokenNote(config: Config, env: Environment): string {
  return config.noAuth ? '' : ` with ${hubTokenPlace(config, env)}`;
}

/** A URL may hold a password; its host and database name are enough to know it by. */
export function nameOf({ database }: Config): string {
  if (!isPostgresUrl(database) || !URL.canParse(database)) return database;
  const { protocol, host, pathname } = new URL(database);
  return `${protocol}//${host}${pathname}`;
}
