import { Command } from 'commander';
import { configFrom, type Options } from '../options.ts';
import type { Config } from '../../kernel/config.ts';
import { type HubAnnouncement, runningHub } from '../../kernel/discovery.ts';
import { HubError } from '../../kernel/errors.ts';
import { endHub, startApart, successorOf } from './hub-process.ts';
import { isService, restartService } from './service.ts';
import { argumentsForUp, withUpOptions } from './options.ts';
import type { World } from '../world.ts';

/** The hub keeps its address over a restart, so that clients that were given a URL find it again. */
export function restartCommand(world: World): Command {
  return withUpOptions(
    new Command('restart').description('stop the hub if one runs, and start it in the background'),
  ).action(async (options: Options) => {
    const config = await configFrom(world, options);
    const old = await runningHub(config);
    const hub =
      old && isService(world.env, old.pid)
        ? await throughService(world, config, old)
        : await byHand(world, config, { old, options });
    const { pid, address } = hub;
    if (options['json']) return world.print(JSON.stringify({ pid, address, was: old?.pid ?? null }));
    world.print(
      `${old ? 'Restarted' : 'Started'} the hub at ${address} (process ${pid}); see \`holdfast logs -f\`.`,
    );
  });
}

/** What systemd keeps alive it starts again itself: a hub beside it would be none of its own. */
async function throughService(world: World, config: Config, old: HubAnnouncement): Promise<HubAnnouncement> {
  const problem = restartService(world.env);
  if (problem !== undefined) throw new HubError('unavailable', `${problem}.`);
  return successorOf(old, config);
}

type ByHand = Readonly<{ old: HubAnnouncement | undefined; options: Options }>;

async function byHand(world: World, config: Config, { old, options }: ByHand): Promise<HubAnnouncement> {
  if (old) await endHub(old);
  const { hostname, port } = new URL(old?.address ?? 'http://unknown');
  const place = {
    ...(port && { port }),
    ...(hostname !== 'unknown' && { host: hostname.replace(/^\[|\]$/g, '') }),
  };
  return startApart(world, config, argumentsForUp({ ...place, ...options }));
}
