import { runningHub } from '../../kernel/discovery.ts';
import { Command } from 'commander';
import { HubError } from '../../kernel/errors.ts';
import { configFrom, type Options, withDatabase } from '../options.ts';
import { endHub } from './hub-process.ts';
import { nameOf } from './up.ts';
import type { World } from '../world.ts';

export function stopCommand(world: World): Command {
  return withDatabase(
    new Command('stop').description('stop the hub of this database, wherever it runs'),
  ).action(async (options: Options) => {
    const config = await configFrom(world, options);
    const hub = await runningHub(config);
    if (!hub)
      throw new HubError('not_found', `No hub is running on ${nameOf(config)}.`, {
        hint: 'There is nothing to stop.',
      });
    await endHub(hub);
    const { pid, address } = hub;
    world.print(
      options['json']
        ? JSON.stringify({ stopped: true, pid, address })
        : `Stopped the hub at ${address} (process ${pid}).`,
    );
  });
}
