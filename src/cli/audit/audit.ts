// `holdfast audit`: reading, exporting and proving the chain of governed calls.
import { Command } from 'commander';
import type { Api } from '../../features/api.ts';
import { showCall } from './call.ts';
import { type AuditLine, howItWent } from './line.ts';
import { withClient } from '../client.ts';
import { QuietExit } from '../exit.ts';
import { type Options, withDatabase } from '../options.ts';
import { shortId } from '../short-id.ts';
import { type Column, renderTable } from '../terminal/table.ts';
import { localTime } from '../terminal/when.ts';
import type { World } from '../world.ts';

const BROKEN = 4;

/** The record of every governed call and of who decided about it, and the proof that nobody changed it. */
export function auditCommand(world: World): Command {
  const command = new Command('audit').description('what tools were called, by whom, and how it ended');
  withDatabase(command.command('list', { isDefault: true }))
    .description('newest first')
    .option('--tool <name>', 'only this tool')
    .option('--agent <id>', 'only this agent')
    .option('--outcome <name>', 'ok, error, denied, expired, timeout, cancelled or asked')
    .option('--limit <number>', 'rows, from 1 to 1000 (50)')
    .action((options: Options) => list(world, options));
  withDatabase(command.command('show'))
    .description('one call from beginning to end, with who decided about it')
    .argument('<call>', 'its id, or the end of it, from `holdfast audit`')
    .action((call: string, options: Options) => showCall(world, call, options));
  withDatabase(command.command('verify'))
    .description('find any row that was edited, removed or cut off')
    .option(
      '--head <seq:hash>',
      'the head that an earlier verify told, kept elsewhere: the chain must still hold it',
    )
    .action((options: Options) => verify(world, options));
  return command;
}

const COLUMNS: readonly Column<AuditLine>[] = [
  { title: 'SEQ', cell: ({ seq }) => String(seq) },
  { title: 'CALL', cell: ({ callId }) => shortId(callId) },
  { title: 'TIME', cell: ({ createdAt }) => localTime(createdAt) },
  { title: 'TOOL', cell: ({ toolName }) => toolName },
  { title: 'AGENT', cell: ({ agentId }) => agentId ?? '-', flexible: true },
  { title: 'PROJECT', cell: ({ teamId }) => teamId ?? '-' },
  { title: 'WHAT', cell: howItWent },
  { title: 'MS', cell: ({ durationMs }) => (durationMs === null ? '' : String(durationMs)) },
  {
    title: 'DETAILS',
    cell: ({ reason, argsSummary, resultSummary }) =>
      [reason, argsSummary ?? resultSummary].filter((part) => part !== null).join('  '),
    flexible: true,
  },
];

async function list(world: World, options: Options): Promise<void> {
  const filter = {
    toolName: options['tool'],
    agentId: options['agent'],
    outcome: options['outcome'],
  } as Pick<Api['GET /api/tools/audit']['given'], 'toolName' | 'agentId' | 'outcome'>;
  const limit = Number(options['limit'] ?? 50);
  const { audit } = await withClient(world, options, (client) =>
    client.ask('GET /api/tools/audit', { ...filter, limit, phase: 'all' }),
  );
  if (options['json']) return world.print(JSON.stringify({ audit }));
  if (audit.length === 0)
    return world.tell(
      Object.values(filter).some((part) => part !== undefined)
        ? 'No call matches.'
        : 'No governed tool was called yet.',
    );
  world.print(renderTable(COLUMNS, audit, world.columns));
}

async function verify(world: World, options: Options): Promise<void> {
  const head = options['head'] === undefined ? undefined : String(options['head']);
  const verdict = await withClient(world, options, (client) =>
    client.ask('GET /api/tools/audit/verify', { head }),
  );
  if (options['json']) world.print(JSON.stringify(verdict));
  else if (verdict.ok)
    world.print(
      `The audit is whole: ${verdict.rows} rows up to ${verdict.lastSeq}, ${verdict.anchors} anchors, ${verdict.removed} removed by retention.\nhead ${verdict.head}`,
    );
  else
    world.print(
      [
        `The audit was changed (${verdict.rows} rows looked at):`,
        ...verdict.problems.map(({ kind, what }) => `  ${kind}  ${what}`),
      ].join('\n'),
    );
  if (!verdict.ok) throw new QuietExit(BROKEN);
}
