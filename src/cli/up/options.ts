import type { Command } from 'commander';
import { type Options, withDatabase } from '../options.ts';

/** How a hub is started: the same options in the foreground, in the background and after a restart. */
export function withUpOptions(command: Command): Command {
  return withDatabase(command)
    .option('--host <address>', 'the address to listen on (127.0.0.1)')
    .option('--port <number>', 'the port; 0 takes any free one (18790, or the next free one up to 18809)')
    .option('--allow-host <name...>', 'further Host names to answer to')
    .option('--token-file <path>', 'the file that holds the hub token (`token` in HOLDFAST_HOME)')
    .option('--no-auth', 'on loopback only: let /mcp and /v1 be used without a token')
    .option(
      '--workspace <folder>',
      'the folder that file and shell tools work in for who is in no repository here (none: a scratch folder of the hub)',
    )
    .option('--lease <duration>', 'how long a claim lives without a sign of life; 0 is for ever (30m)')
    .option('--no-runner', 'only coordinate: runs are left to runners and other hubs')
    .option('--log <level>', 'debug, info, warn, error or silent (info)');
}

/** The same line again, for a process of its own. */
export function argumentsForUp(options: Options): string[] {
  const words: string[] = [];
  const { auth, allowHost, runner } = options;
  for (const name of ['database', 'host', 'port', 'tokenFile', 'workspace', 'lease', 'log'] as const) {
    const value = options[name];
    if (typeof value === 'string') words.push(`--${name === 'tokenFile' ? 'token-file' : name}`, value);
  }
  if (auth === false) words.push('--no-auth');
  if (runner === false) words.push('--no-runner');
  if (Array.isArray(allowHost)) words.push('--allow-host', ...(allowHost as string[]));
  return words;
}
