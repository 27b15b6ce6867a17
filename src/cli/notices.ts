import { Command } from 'commander';
import { withClient } from './client.ts';
import { QuietExit } from './exit.ts';
import { type Options, withDatabase } from './options.ts';
import { printable } from './terminal/table.ts';
import type { World } from './world.ts';

const FAILED = 6;

/** Do the notices of this hub reach anybody? */
export function noticesCommand(world: World): Command {
  const notices = new Command('notices').description('what the hub tells you of, and whether it reaches you');
  withDatabase(notices.command('test'))
    .description('send a notice that says nothing to every receiver, or to one')
    .argument('[receiver]', 'its name under notices.to of config.yaml, or desktop')
    .action((to: string | undefined, options: Options) => test(world, to, options));
  return notices;
}

async function test(world: World, to: string | undefined, options: Options): Promise<void> {
  const { reached } = await withClient(world, options, (client) =>
    client.ask('POST /api/notices/test', { ...(to !== undefined && { to }) }),
  );
  if (options['json']) world.print(JSON.stringify({ reached }));
  else if (reached.length === 0)
    world.tell(
      'Notices go to the terminal of the hub alone. Others are named under `notices` in config.yaml: `holdfast config edit`.',
    );
  else
    for (const { to: name, ok, error, quietNow } of reached)
      world.print(
        `${name}: ${ok ? 'it arrived' : printable(error ?? 'failed')}${quietNow ? ' (quiet hours: real ones wait)' : ''}`,
      );
  if (reached.some(({ ok }) => !ok)) throw new QuietExit(FAILED);
}
