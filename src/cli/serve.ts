import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { readOrCreateSecret } from '../kernel/home.ts';
import { HubError } from '../kernel/errors.ts';
import { configFrom, type Options, withDatabase } from './options.ts';
import { runHub } from './up.ts';
import type { World } from './world.ts';

/** The hub as one MCP server: on stdin and stdout, or with `--listen` as an HTTP gateway. */
export function serveCommand(world: World): Command {
  const command = withDatabase(new Command('serve').description('serve the whole hub as one MCP server on stdin and stdout'))
    .enablePositionalOptions()
    .option('--profile <name>', 'default, extended, full, lean, or one of config.yaml')
    .option('--listen <address>', 'serve HTTP on host:port or :port instead, until Ctrl-C')
    .option('--token-file <path>', 'the file that holds the bearer token (`token` in HOLDFAST_HOME)')
    .option('--mcp-http', 'accepted for other servers’ sake: /mcp is always served with --listen')
    .option('--no-auth', 'on loopback only: ask for no token')
    .action((options: Options) => serve(world, options));
  command.addCommand(
    withDatabase(new Command('init-token').description('make the bearer token if there is none, and say where it lies'))
      .option('--token-file <path>', 'where to put it (`token` in HOLDFAST_HOME)')
      .action((options: Options) => initToken(world, options)),
  );
  return command;
}

async function serve(world: World, { listen, profile, database, ...options }: Options): Promise<void> {
  if (typeof listen === 'string') {
    const { mcpHttp: _, ...settings } = options;
    return runHub(world, { ...settings, ...(database !== undefined && { database }), ...addressOf(listen) });
  }
  const args = [...flag('--profile', profile), ...flag('--database', database)];
  await world.serveStdio('hub', args);
}

function flag(name: string, value: Options[string]): string[] {
  return typeof value === 'string' ? [name, value] : [];
}

/** `:8080` is every address of the machine, as other servers read it. */
function addressOf(listen: string): Readonly<{ host: string; port: string }> {
  const [, inBrackets, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([\w.-]*)):(\d{1,5})$/i.exec(listen) ?? [];
  if (port === undefined) throw new HubError('invalid', `--listen must look like 127.0.0.1:8080 or :8080; got ${JSON.stringify(listen)}.`);
  return { host: inBrackets ?? (plain || '0.0.0.0'), port };
}

async function initToken(world: World, options: Options): Promise<void> {
  const { tokenFile } = await configFrom(world, options);
  mkdirSync(dirname(tokenFile), { recursive: true, mode: 0o700 });
  readOrCreateSecret(tokenFile);
  world.print(options['json'] ? JSON.stringify({ tokenFile }) : tokenFile);
}
