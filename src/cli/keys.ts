import { Command } from 'commander';
import { withClient } from './client.ts';
import { type Options, withDatabase } from './options.ts';
import { localMinute } from './when.ts';
import type { World } from './world.ts';

/** What the hub has signed: taking back one attach URL, or all of them with a new key. */
export function keysCommand(world: World): Command {
  const command = new Command('keys').description(
    'exchange the signing key, or take back a signed attach URL',
  );
  command.addCommand(
    withDatabase(
      new Command('rotate').description(
        'make a new signing key; attach URLs signed before and sessions end at once',
      ),
    ).action((options: Options) => rotate(world, options)),
  );
  command.addCommand(
    withDatabase(
      new Command('revoke')
        .description('take back one signed attach URL')
        .argument('<url>', 'as it stands in the client'),
    ).action((url: string, options: Options) => revoke(world, url, options)),
  );
  return command;
}

async function rotate(world: World, options: Options): Promise<void> {
  const answer = await withClient(world, options, (client) =>
    client.call<object>('POST', '/api/keys/rotate'),
  );
  if (options['json']) return world.print(JSON.stringify(answer));
  world.print(
    'The signing key is new. Attach URLs that were signed before are refused; take new ones from /api/mcp/config.',
  );
}

async function revoke(world: World, url: string, options: Options): Promise<void> {
  const answer = await withClient(world, options, (client) =>
    client.call<{ id: string; until: number }>('POST', '/api/keys/revoke', { url }),
  );
  if (options['json']) return world.print(JSON.stringify(answer));
  world.print(
    `The attach URL ${answer.id} is revoked; it would have held until ${localMinute(answer.until)}.`,
  );
}
