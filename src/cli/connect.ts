import { Command, Option } from 'commander';
import { asksToken, httpAttachment, stdioAttachment } from '../features/attach/attach.ts';
import { type Attachment, type ServerKey, TOKEN_VARIABLE } from '../features/attach/attachment.ts';
import { connectFile, isChange, planConnect } from '../features/attach/files/connection.ts';
import { entryFor, type Runtime } from '../features/attach/runtimes.ts';
import type { Config } from '../kernel/config.ts';
import { isHubAlive, readHubRecord, recordPath } from '../kernel/discovery.ts';
import { ensurePrivateFolder } from '../kernel/home.ts';
import { placeOf, targetOf, withClientFile } from './client-target.ts';
import { renderDiff } from './diff.ts';
import { watchFor } from './joining.ts';
import { configFrom, type Options } from './options.ts';
import type { World } from './world.ts';

/** Puts one of our servers into a client's settings: shows the change, keeps a copy, makes it, and waits for the client. */
export function connectCommand(world: World): Command {
  return withClientFile(new Command('connect').description('attach a client to this hub'))
    .addOption(new Option('--transport <name>', 'stdio also works while no hub is running').choices(['stdio', 'http']).default('stdio'))
    .option('--wait', 'wait until the client has joined, also when nobody watches')
    .option('--no-wait', 'do not wait for the client')
    .action((client: Runtime, options: Options) => connect(world, client, options));
}

async function connect(world: World, client: Runtime, options: Options): Promise<void> {
  const config = await configFrom(world, options);
  const server = options['server'] as ServerKey;
  const attachment = await attachmentOf(world, config, server, options['transport'] === 'http');
  const target = targetOf(world, config, client, options);
  const plan = planConnect(target, entryFor(client, attachment));
  const diff = isChange(plan) ? renderDiff(plan.file, plan.before ?? '', plan.after ?? '') : '';
  const say = options['json'] ? () => undefined : world.print;
  say(diff === '' ? `${client} already has ${target.id} in ${plan.file}.` : diff);

  // Someone starts to listen before the file changes: a client may read its settings at once.
  const isWaiting = !options['dryRun'] && (options['wait'] ?? (world.columns !== undefined && !options['json']));
  await using watch = isWaiting ? await watchFor(world, config, { client, server }) : undefined;
  const backup = diff === '' || options['dryRun'] ? undefined : change();
  const joined = await watch?.joined();
  if (options['json'])
    world.print(
      JSON.stringify({ client, server, file: plan.file, changed: diff !== '', diff, backup: backup ?? null, joined: joined ?? null }),
    );

  function change(): string | undefined {
    ensurePrivateFolder(config.home);
    const copy = connectFile(plan, target, new Date());
    say(`\nWritten.${copy === undefined ? '' : ` The file as it was: ${copy}`}`);
    say(`Take it back with: holdfast disconnect ${client}${placeOf(options)}`);
    if (attachment.transport === 'http' && attachment.needsToken)
      say(`Start ${client} with ${TOKEN_VARIABLE} set to the hub token or to an agent token.`);
    return copy;
  }
}

async function attachmentOf(world: World, config: Config, server: ServerKey, isHttp: boolean): Promise<Attachment> {
  if (!isHttp) return stdioAttachment({ config, env: world.env }, server);
  const record = readHubRecord(recordPath(config));
  const address = record && (await isHubAlive(record)) ? record.address : `http://127.0.0.1:${config.ports[0]!}`;
  return httpAttachment({ address, asksToken: asksToken(config) }, server);
}
