// `holdfast policy`: is `policy.yaml` right, what does it decide, what would it have decided.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import type { Api } from '../features/api.ts';
import { HubError } from '../kernel/errors.ts';
import { reasonOf } from '../kernel/file-faults.ts';
import { withClient } from './client.ts';
import { QuietExit } from './exit.ts';
import { configFrom, type Options, withDatabase } from './options.ts';
import { shapeLine } from './shape-view.ts';
import { shortId } from './short-id.ts';
import { type Column, renderTable } from './terminal/table.ts';
import { teamToRead } from './project-of.ts';
import type { World } from './world.ts';

type Change = Api['POST /api/tools/policy/dry-run']['answer']['changes'][number];

const BROKEN = 2;

/** `policy.yaml` before it is in force: is it right, what does it decide, what would it have decided. */
export function policyCommand(world: World): Command {
  const command = new Command('policy').description('check, explain and try out policy.yaml');
  withDatabase(command.command('check'))
    .description('is the file right? names the line if not')
    .argument('[file]', 'the policy.yaml of this hub unless given')
    .action((file: string | undefined, options: Options) => check(world, file, options));
  withDatabase(command.command('explain'))
    .description('what would happen to a call, and by which rule')
    .argument('<tool>')
    .option('--args <json>', 'its arguments as JSON')
    .option('--agent <id>', 'the agent that calls')
    .option('--project, --team <id>', 'its project')
    .option('--file <path>', 'a policy to try instead of the one in force')
    .action((tool: string, options: Options) => explain(world, tool, options));
  withDatabase(command.command('dry-run'))
    .description('which recent calls would another policy decide otherwise')
    .argument('<file>')
    .option('--limit <number>', 'how many recent calls to look at (200)')
    .action((file: string, options: Options) => dryRun(world, file, options));
  withDatabase(command.command('schema'))
    .description('the JSON schema of policy.yaml, for editors')
    .action(async (options: Options) =>
      world.print(
        JSON.stringify(
          await withClient(world, options, (client) => client.ask('GET /api/tools/policy/schema')),
          null,
          2,
        ),
      ),
    );
  return command;
}

async function check(world: World, file: string | undefined, options: Options): Promise<void> {
  const path = file ?? join((await configFrom(world, options)).home, 'policy.yaml');
  if (file === undefined && !existsSync(path)) {
    if (options['json']) return world.print(JSON.stringify({ ok: true, path, problems: [] }));
    return world.tell(`There is no ${path}: the risk of each tool decides. Write one to change that.`);
  }
  const text = await textOf(path);
  const { ok, problems } = await withClient(world, options, (client) =>
    client.ask('POST /api/tools/policy/check', { text }),
  );
  if (options['json']) world.print(JSON.stringify({ ok, path, problems }));
  else if (ok) world.print(`${path} is right.`);
  else for (const { line, column, message } of problems) world.print(`${path}:${line}:${column}: ${message}`);
  if (!ok) throw new QuietExit(BROKEN);
}

async function explain(world: World, tool: string, options: Options): Promise<void> {
  const { args, agent, team, file } = options;
  const asked = {
    tool,
    ...(args !== undefined && { args: parseArgs(String(args)) }),
    ...(agent !== undefined && { agentId: agent }),
    ...(team !== undefined && { teamId: team }),
    ...(file !== undefined && { text: await textOf(String(file)) }),
  } as Api['POST /api/tools/policy/explain']['given'];
  const answer = await withClient(world, options, async (client) => {
    if (typeof team === 'string') await teamToRead(client, team);
    return client.ask('POST /api/tools/policy/explain', asked);
  });
  if (options['json']) return world.print(JSON.stringify(answer));
  const { perMinute, perDay } = answer.limits;
  world.print(
    [
      `${answer.decision}  (${answer.reason})`,
      ...answer.notes.map((note) => `  note    ${note}`),
      ...(answer.decision === 'require_approval' ? [`  always  would allow ${shapeLine(answer.shape)}`] : []),
      ...(perMinute === undefined ? [] : [`  limit   ${perMinute} per minute`]),
      ...(perDay === undefined ? [] : [`  limit   ${perDay} per day`]),
    ].join('\n'),
  );
}

const COLUMNS: readonly Column<Change>[] = [
  { title: 'TOOL', cell: ({ toolName }) => toolName },
  { title: 'AGENT', cell: ({ agentId }) => agentId ?? '-', flexible: true },
  { title: 'WAS', cell: ({ was }) => was },
  { title: 'WOULD BE', cell: ({ now }) => now },
  { title: 'BY', cell: ({ reason }) => reason, flexible: true },
  { title: 'CALL', cell: ({ callId }) => shortId(callId) },
];

async function dryRun(world: World, file: string, options: Options): Promise<void> {
  const tried = {
    text: await textOf(file),
    ...(options['limit'] !== undefined && { limit: Number(options['limit']) }),
  };
  const answer = await withClient(world, options, (client) =>
    client.ask('POST /api/tools/policy/dry-run', tried),
  );
  if (options['json']) return world.print(JSON.stringify(answer));
  if (answer.changes.length > 0) world.print(renderTable(COLUMNS, answer.changes, world.columns));
  world.tell(`${answer.changes.length} of ${answer.looked} recent calls would be decided otherwise.`);
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new HubError('not_found', `${path} cannot be read (${reasonOf(error)}).`, {
      hint: 'Name the file.',
    }).because(error);
  }
}

function parseArgs(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HubError('invalid', '--args must be JSON, such as \'{"path":"a.txt"}\'.').because(error);
  }
}
