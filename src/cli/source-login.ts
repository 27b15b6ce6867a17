import { setTimeout as sleep } from 'node:timers/promises';
import { elapsed } from '../kernel/clock.ts';
import { withClient } from './client.ts';
import { QuietExit } from './exit.ts';
import type { Options } from './options.ts';
import type { World } from './world.ts';

const FAILED = 6;
const LOOK_MS = 500;
const LONGEST_MS = 10 * 60_000;

/** The hub waits for the browser to come back; this waits for the hub. */
export async function loginToSource(world: World, name: string, options: Options): Promise<void> {
  await withClient(world, options, async (client) => {
    const { page } = await client.ask('POST /api/sources/:name/login', { name });
    if (page !== null) world.tell(`Open this page and log in:\n\n  ${page}\n`);
    const until = elapsed() + LONGEST_MS;
    while (elapsed() < until && !world.interrupted.aborted) {
      const { source } = await client.ask('POST /api/sources/:name/test', { name });
      if (source.state === 'ready' || source.state === 'quarantined') {
        if (options['json']) return world.print(JSON.stringify({ ok: true, tools: source.tools }));
        return world.print(`Logged in: ${name} has ${source.tools} tools.`);
      }
      await sleep(LOOK_MS, undefined, { signal: world.interrupted }).catch(() => undefined);
    }
    world.tell('Nobody logged in.');
    throw new QuietExit(FAILED);
  });
}
