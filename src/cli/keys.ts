import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { withClient } from './client.ts';
import { configFrom, type Options, withDatabase } from './options.ts';
import { type Column, renderTable } from './terminal/table.ts';
import { localMinute, localTime } from './terminal/when.ts';
import type { World } from './world.ts';

/** What the hub has signed: taking back one attach URL, or all of them with a new key. */
export function keysCommand(world: World): Command {
  const command = new Command('keys').description(
    'exchange the signing key, or take back a signed attach URL',
  );
  withDatabase(command.command('list'))
    .description('the keys of this home and since when they are; never what is in them')
    .action((options: Options) => list(world, options));
  withDatabase(command.command('rotate'))
    .description('make a new signing key; attach URLs signed before and sessions end at once')
    .action((options: Options) => rotate(world, options));
  withDatabase(command.command('revoke'))
    .description('take back one signed attach URL')
    .argument('<url>', 'as it stands in the client')
    .action((url: string, options: Options) => revoke(world, url, options));
  return command;
}

const KEYS = [
  { name: 'signing.key', of: 'attach URLs and sessions' },
  { name: 'token', of: 'the operator' },
  { name: 'secrets.key', of: 'what Beings keep secret' },
] as const;

type Key = Readonly<{ name: string; of: string; file: string; since: string | null }>;

async function list(world: World, options: Options): Promise<void> {
  const { home } = await configFrom(world, options);
  const keys = KEYS.map(({ name, of }): Key => {
    const file = join(home, name);
    const since = statSync(file, { throwIfNoEntry: false })?.mtime.toISOString() ?? null;
    return { name, of, file, since };
  });
  if (options['json']) return world.print(JSON.stringify({ keys }));
  const columns: readonly Column<Key>[] = [
    { title: 'KEY', cell: ({ name }) => name },
    { title: 'OF', cell: ({ of }) => of, flexible: true },
    { title: 'SINCE', cell: ({ since }) => (since === null ? 'not made yet' : localTime(Date.parse(since))) },
  ];
  world.print(renderTable(columns, keys, world.columns));
}

async function rotate(world: World, options: Options): Promise<void> {
  const answer = await withClient(world, options, (client) => client.ask('POST /api/keys/rotate'));
  if (options['json']) return world.print(JSON.stringify(answer));
  world.print(
    'The signing key is new. Attach URLs that were signed before are refused; take new ones from /api/mcp/config.',
  );
}

async function revoke(world: World, url: string, options: Options): Promise<void> {
  const answer = await withClient(world, options, (client) => client.ask('POST /api/keys/revoke', { url }));
  if (options['json']) return world.print(JSON.stringify(answer));
  world.print(
    `The attach URL ${answer.id} is revoked; it would have held until ${localMinute(answer.until)}.`,
  );
}
