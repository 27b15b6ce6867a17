import { Command } from 'commander';
import { configFrom, type Options } from './options.ts';
import { endHub, runningHub, startApart } from './running.ts';
import { argumentsForUp, withUpOptions } from './up-options.ts';
import type { World } from './world.ts';

/** The hub keeps its address over a restart, so that clients that were given a URL find it again. */
export function restartCommand(world: World): Command {
  return withUpOptions(
    new Command('restart').description('stop the hub if one runs, and start it in the background'),
  ).action(async (options: Options) => {
    const config = await configFrom(world, options);
    const old = await runningHub(config);
    if (old) await endHub(old);
    const { hostname, port } = new URL(old?.address ?? 'http://unknown');
    const place = {
      ...(port && { port }),
      ...(hostname !== 'unknown' && { host: hostname.replace(/^\[|\]$/g, '') }),
    };
    const hub = await startApart(world, config, argumentsForUp({ ...place, ...options }));
    const { pid, address } = hub;
    if (options['json']) return world.print(JSON.stringify({ pid, address, was: old?.pid ?? null }));
    world.print(
      `${old ? 'Restarted' : 'Started'} the hub at ${address} (process ${pid}); see \`holdfast logs -f\`.`,
    );
  });
}
