import { Command } from 'commander';
import { disconnectFile, isChange, planDisconnect } from '../../features/attach/files/connection.ts';
import type { Runtime } from '../../features/attach/runtimes.ts';
import { ensurePrivateFolder } from '../../kernel/home.ts';
import { targetOf, withClientFile } from './client-target.ts';
import { renderDiff } from '../terminal/diff.ts';
import { configFrom, type Options } from '../options.ts';
import type { World } from '../world.ts';

/** Takes one of our servers out of a client's settings: exactly what `connect` did, the other way round. */
export function disconnectCommand(world: World): Command {
  return withClientFile(new Command('disconnect').description('detach a client from this hub')).action(
    (client: Runtime, options: Options) => disconnect(world, client, options),
  );
}

async function disconnect(world: World, client: Runtime, options: Options): Promise<void> {
  const config = await configFrom(world, options);
  const target = targetOf({ world, config }, client, options);
  const plan = planDisconnect(target);
  const diff = isChange(plan) ? renderDiff(plan.file, plan.before ?? '', plan.after ?? '') : '';
  const say = options['json'] ? () => undefined : world.print;
  say(diff === '' ? `${client} has no ${target.id} in ${plan.file}.` : diff);
  let backup: string | undefined;
  if (diff !== '' && !options['dryRun']) {
    ensurePrivateFolder(config.home);
    backup = disconnectFile(plan, target, new Date());
    say(`\nWritten.${backup === undefined ? '' : ` The file as it was: ${backup}`}`);
  }
  if (options['json'])
    world.print(
      JSON.stringify({ client, file: plan.file, changed: diff !== '', diff, backup: backup ?? null }),
    );
}
