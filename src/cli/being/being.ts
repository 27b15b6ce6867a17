import { Command } from 'commander';
import type { Being } from '../../features/being/being.ts';
import { readAnnouncement, announcementPath } from '../../kernel/discovery.ts';
import { HubError } from '../../kernel/errors.ts';
import { exportBeing, importBeing } from './files.ts';
import { type Named, withBeing } from './id.ts';
import { withClient } from '../client.ts';
import { contentFrom } from '../terminal/content.ts';
import { configFrom, type Options, withDatabase } from '../options.ts';
import { listPrinter } from '../terminal/list.ts';
import { localMinute } from '../terminal/when.ts';
import type { World } from '../world.ts';

/** Beings: personas with a memory of their own. */
export function beingCommand(world: World): Command {
  const command = new Command('being').description(
    'make personas with a memory of their own, and look after them',
  );
  const add = (name: string, about: string, args: readonly (readonly [string, string])[]) => {
    const child = withDatabase(new Command(name).description(about));
    for (const [arg, what] of args) child.argument(arg, what);
    command.addCommand(child);
    return child;
  };
  const which = ['<being>', 'its id or its name'] as const;
  const about = (being: string, options: Options): Named => ({ world, being, options });
  add('create', 'make a Being; its token is shown once', [['<name>', 'what it is called']])
    .option('--owner <name>', 'whose it is; only the Beings of one owner can write to each other (local)')
    .action((name: string, options: Options) => create(world, name, options));
  add('list', 'show the Beings of this hub', []).action((options: Options) => list(world, options));
  add('show', 'what a Being holds, in numbers', [which]).action((being: string, options: Options) =>
    show(about(being, options)),
  );
  add('token', 'make a token of a Being; it is shown once', [which])
    .option('--scope <scope>', 'full or read-only (full)')
    .option('--label <text>', 'what it is for')
    .action((being: string, options: Options) => token(about(being, options)));
  add('key', "keep a language model's key for a Being, read from standard input and never shown again", [
    which,
  ])
    .option('--remove', 'forget it instead')
    .action((being: string, options: Options) => key(about(being, options)));
  add('recall', 'what a Being remembers for a message', [
    which,
    ['<message...>', 'what somebody says'],
  ]).action((being: string, message: string[], options: Options) =>
    recall(about(being, options), message.join(' ')),
  );
  add('patrol', 'turn waiting scenes into memories, and let others fade', [which])
    .option('--dry-run', 'say what would happen, and change nothing')
    .action((being: string, options: Options) => patrol(about(being, options)));
  add('export', 'write everything a Being is and remembers as lines of JSON, secrets included', [
    which,
    ['<file>', 'where to; - is the terminal'],
  ])
    .option('--force', 'replace an older file of that name')
    .action((being: string, file: string, options: Options) => exportBeing(about(being, options), file));
  add('import', 'read a Being from such a file', [['<file>', 'where from']]).action(
    (file: string, options: Options) => importBeing(world, file, options),
  );
  add('delete', 'delete a Being and everything it remembers', [which])
    .option('--yes', 'do it')
    .action((being: string, options: Options) => remove(about(being, options)));
  return command;
}

async function create(world: World, name: string, options: Options): Promise<void> {
  const { owner } = options;
  const request = { name, owner: owner as string | undefined };
  const made = await withClient(world, options, (client) => client.ask('POST /v1/beings', request));
  const { being, token: text } = made;
  const config = await configFrom(world, options);
  const address =
    readAnnouncement(announcementPath(config))?.address ?? `http://127.0.0.1:${config.ports[0]!}`;
  const url = `${address}/mcp/${being.id}`;
  if (options['json'])
    return world.print(
      JSON.stringify({ id: being.id, name: being.name, owner: being.owner, token: text, url }),
    );
  world.print(`id     ${being.id}\ntoken  ${text}\nurl    ${url}\n\n${attachLines(being.name, url, text)}`);
  world.tell('The token is not shown again; `holdfast being token` makes another.');
}

/** OpenClaw reads JSON; the others have a command. */
function attachLines(name: string, url: string, token: string): string {
  const slug =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'being';
  const config = { mcpServers: { [slug]: { url, headers: { Authorization: `Bearer ${token}` } } } };
  return [
    'OpenClaw, in its mcpServers:',
    JSON.stringify(config, null, 2),
    '',
    'Claude Code:',
    `claude mcp add --transport http ${slug} ${url} --header "Authorization: Bearer ${token}"`,
    '',
    'Any other MCP client: Streamable HTTP at the url, with the token as bearer token; or the url alone, and sign in with OAuth.',
  ].join('\n');
}

const printBeings = listPrinter<Being>('There are no Beings. Make one with `holdfast being create <name>`.', [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'NAME', cell: ({ name }) => name, flexible: true },
  { title: 'OWNER', cell: ({ owner }) => owner, flexible: true },
  { title: 'KEY', cell: ({ hasLlmKey }) => (hasLlmKey ? 'yes' : '-') },
  { title: 'MADE', cell: ({ createdAt }) => localMinute(createdAt) },
]);

async function list(world: World, options: Options): Promise<void> {
  const { beings } = await withClient(world, options, (client) => client.ask('GET /v1/beings'));
  printBeings(world, options, { beings });
}

async function show(named: Named): Promise<void> {
  const { world, options } = named;
  const { being: detail } = await withBeing(named, (client, id) => client.ask('GET /v1/beings/:id', { id }));
  if (options['json']) return world.print(JSON.stringify(detail));
  const { active, dying, dead } = detail.memories;
  world.print(
    [
      `${detail.name}  ${detail.id}`,
      `owner     ${detail.owner}`,
      `memories  ${active} active, ${dying} fading, ${dead} at rest`,
      `clusters  ${detail.clusters}`,
      `waiting   ${detail.waitingScenes} scenes`,
      `model     ${detail.hasLlmKey ? 'has a key' : 'no key: patrols work without a model'}`,
    ].join('\n'),
  );
}

async function token(named: Named): Promise<void> {
  const { world, options } = named;
  const { scope = 'full', label } = options as { scope?: 'full'; label?: string };
  const made = await withBeing(named, (client, id) =>
    client.ask('POST /v1/beings/:id/tokens', { id, scope, label }),
  );
  if (options['json']) return world.print(JSON.stringify({ token: made.token, id: made.record.id, scope }));
  world.print(made.token);
  world.tell('It is not shown again.');
}

async function key(named: Named): Promise<void> {
  const { world, options } = named;
  const isRemoval = options['remove'] === true;
  const text = isRemoval ? '' : (await contentFrom(world, [])).trim();
  const note = await withBeing(named, async (client, id) => {
    if (!isRemoval) return (await client.ask('PUT /v1/beings/:id/llm-key', { id, key: text })).note;
    await client.ask('DELETE /v1/beings/:id/llm-key', { id });
    return undefined;
  });
  const said = isRemoval ? 'The key is forgotten.' : 'The key is kept, sealed.';
  world.print(options['json'] ? JSON.stringify({ ok: true, ...(note !== undefined && { note }) }) : said);
  if (note !== undefined && !options['json']) world.tell(`It asks nobody yet: ${note}.`);
}

async function recall(named: Named, message: string): Promise<void> {
  const { world, options } = named;
  const { text } = await withBeing(named, (client, id) =>
    client.ask('POST /v1/beings/:id/memory/recall', { id, user_message: message }),
  );
  world.print(options['json'] ? JSON.stringify({ text }) : text);
}

async function patrol(named: Named): Promise<void> {
  const { world, options } = named;
  const dryRun = options['dryRun'] === true;
  const answer = await withBeing(named, (client, id) =>
    client.ask('POST /v1/beings/:id/patrol', { id, dryRun }),
  );
  if (options['json']) return world.print(JSON.stringify(answer));
  const lines = answer.steps.map(
    ({ step, outcome, why }) => `${step.padEnd(12)} ${outcome}${why === undefined ? '' : ` (${why})`}`,
  );
  world.print([...lines, `${dryRun ? 'would make' : 'made'} ${answer.nodes_created} memories`].join('\n'));
}

async function remove(named: Named): Promise<void> {
  const { world, being, options } = named;
  const id = await withBeing(named, async (client, found) => {
    if (options['yes'] !== true) {
      throw new HubError('invalid', `This deletes everything ${being} remembers, for good.`, {
        hint: 'Export it first if you may want it back; then give --yes.',
      });
    }
    await client.ask('DELETE /v1/beings/:id', { id: found });
    return found;
  });
  world.print(options['json'] ? JSON.stringify({ id, deleted: true }) : `Deleted ${being} (${id}).`);
}
