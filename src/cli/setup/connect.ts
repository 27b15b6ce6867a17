import { Command, Option } from 'commander';
import { asksToken, httpAttachment } from '../../features/attach/attach.ts';
import { type Attachment, type ServerKey, TOKEN_VARIABLE } from '../../features/attach/attachment.ts';
import { findingAttachment, type Fixed, fixedQuery } from '../../features/attach/entry.ts';
import { connectFile, isChange, planConnect } from '../../features/attach/files/connection.ts';
import { entryFor, type Runtime } from '../../features/attach/runtimes.ts';
import { readSessionSettings } from '../../features/sessions/settings.ts';
import type { Config } from '../../kernel/config.ts';
import { runningHub } from '../../kernel/discovery.ts';
import { HubError } from '../../kernel/errors.ts';
import { ensurePrivateFolder } from '../../kernel/home.ts';
import { isName, NAME_RULE } from '../../kernel/words.ts';
import { isShared, optionsToUndo, targetOf, withClientFile } from './client-target.ts';
import { confirm } from '../terminal/confirm.ts';
import { renderDiff } from '../terminal/diff.ts';
import { watchFor } from './arrival-watch.ts';
import { configFrom, type Options } from '../options.ts';
import { pathNote } from './own-command.ts';
import { teamToAttach, withNew } from '../project-of.ts';
import type { World } from '../world.ts';

/**
 * Puts one of our servers into a client's settings: shows the change, keeps a copy, makes it, and waits for
 * the client. The entry finds name and project when the client runs it, so that one line serves every
 * repository and every session.
 */
export function connectCommand(world: World): Command {
  return withNew(withClientFile(new Command('connect').description('attach a client to this hub')))
    .addOption(
      new Option('--transport <name>', 'stdio also works while no hub is running')
        .choices(['stdio', 'http'])
        .default('stdio'),
    )
    .option('--http', 'the same as --transport http')
    .option('--agent <name>', 'fix who the client is (else a name is found when it runs)')
    .option('--team <id>', 'fix its team (else the project of the folder it runs in)')
    .option('--profile <name>', 'fix the view of the tools')
    .option('--yes', 'ask nothing')
    .option('--wait', 'wait until the client has joined, also when nobody watches')
    .option('--no-wait', 'do not wait for the client')
    .action((client: Runtime, options: Options) => connect(world, client, options));
}

async function connect(world: World, client: Runtime, options: Options): Promise<void> {
  const config = await configFrom(world, options);
  const fixed = fixedBy(options);
  await teamToAttach(world, options);
  const server = options['server'] as ServerKey;
  const target = targetOf({ world, config }, client, options);
  const isForOthers = isShared(target, options);
  const attachment = await attachmentOf(config, server, {
    fixed,
    isShared: isForOthers,
    isHttp: isHttp(options),
  });
  const plan = planConnect(target, entryFor(client, attachment));
  const diff = isChange(plan) ? renderDiff(plan.file, plan.before ?? '', plan.after ?? '') : '';
  const say = options['json'] ? () => undefined : world.print;
  if (isForOthers && attachment.transport === 'stdio') adviseSharing(world, options);
  say(diff === '' ? `${client} already has ${target.id} in ${plan.file}.` : diff);
  const grants = server === 'hub' ? grantsOf(config, attachment) : [];
  for (const grant of grants) say(`\n${grant.says}`);

  const isWatched = world.columns !== undefined && !options['json'];
  const isAsking = isWatched && diff !== '' && !options['dryRun'] && options['yes'] !== true;
  if (isAsking && !(await confirm(world, 'Make this change?'))) return world.tell('Nothing was changed.');

  // Someone starts to listen before the file changes: a client may read its settings at once.
  const isWaiting = !options['dryRun'] && (options['wait'] ?? isWatched);
  await using watch = isWaiting ? await watchFor(world, config, { client, server }) : undefined;
  const backup = diff === '' || options['dryRun'] ? undefined : change();
  const joined = await watch?.joined();
  if (options['json'])
    world.print(
      JSON.stringify({
        client,
        server,
        file: plan.file,
        changed: diff !== '',
        diff,
        backup: backup ?? null,
        joined: joined ?? null,
        grants: grants.map(({ scope }) => scope),
      }),
    );

  function change(): string | undefined {
    ensurePrivateFolder(config.home);
    const copy = connectFile(plan, target, new Date());
    say(`\nWritten.${copy === undefined ? '' : ` The file as it was: ${copy}`}`);
    say(`Take it back with: holdfast disconnect ${client}${optionsToUndo(options)}`);
    if (attachment.transport === 'http' && attachment.needsToken)
      say(`Start ${client} with ${TOKEN_VARIABLE} set to the hub token or to an agent token.`);
    return copy;
  }
}

type Wanted = Readonly<{ fixed: Fixed; isShared: boolean; isHttp: boolean }>;

async function attachmentOf(config: Config, server: ServerKey, wanted: Wanted): Promise<Attachment> {
  if (!wanted.isHttp) return findingAttachment({ config }, server, wanted);
  const announced = await runningHub(config);
  const address = announced ? announced.address : `http://127.0.0.1:${config.ports[0]!}`;
  // What runs may have been started in another way than this command reads the settings.
  const asks = announced?.asksToken ?? asksToken(config);
  return httpAttachment({ address, asksToken: asks }, server, fixedQuery(server, wanted.fixed));
}

function isHttp({ http, transport }: Options): boolean {
  return http === true || transport === 'http';
}

function fixedBy({ agent, team, profile }: Options): Fixed {
  const fixed = { agent, team, profile } as Fixed;
  for (const [name, value] of Object.entries(fixed)) {
    if (value !== undefined && !isName(value)) throw new HubError('invalid', `--${name} ${NAME_RULE}`);
  }
  return fixed;
}

type Granted = Readonly<{ scope: string; says: string }>;

/**
 * What the client may do beyond what everybody may. Over stdio it comes through the hub's own socket, which proves where it works;
 * over HTTP nothing does, and its token has to name the scope.
 */
function grantsOf({ sessions }: Config, { transport }: Attachment): readonly Granted[] {
  if (readSessionSettings(sessions) === undefined || transport !== 'stdio') return [];
  return [
    {
      scope: 'sessions:read',
      says: 'Sessions are kept here, so it may look up those of the repository it works in (sessions:read), and no others.',
    },
  ];
}

/** Said to a person only: what the file does not say, everybody who uses it has to have. */
function adviseSharing(world: World, { database }: Options): void {
  const note = pathNote(world);
  if (note !== undefined) world.tell(note);
  if (database === undefined) return;
  world.tell(
    'A file of a project names no database: whoever uses it has their own, or sets CLAWBOO_DB_PATH.',
  );
}
