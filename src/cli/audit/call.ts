// `holdfast audit show`: one governed call from its first row to its last, with who decided about it.
import { HubError } from '../../kernel/errors.ts';
import { calledByPerson } from '../../kernel/person-name.ts';
import { type AuditLine, type ListedAudit, howItWent } from './line.ts';
import { type Client, withClient } from '../client.ts';
import type { Options } from '../options.ts';
import { idEnding } from '../short-id.ts';
import { printable } from '../terminal/table.ts';
import { localTime } from '../terminal/when.ts';
import type { World } from '../world.ts';

/** As far back as the end of an id is looked for; a whole id is found however old its call is. */
const PAGES = 20;

export async function showCall(world: World, given: string, options: Options): Promise<void> {
  const rows = await withClient(world, options, async (client) => {
    const callId = await wholeCallId(client, given);
    return (await pageOf(client, { callId })).audit.toReversed();
  });
  const [first] = rows;
  if (!first)
    throw new HubError('not_found', `The audit has no call ${given}.`, { hint: 'See `holdfast audit`.' });
  if (options['json']) return world.print(JSON.stringify({ callId: first.callId, audit: rows }));
  const about = [
    ['call', first.callId],
    ['tool', first.toolName],
    ['agent', first.agentId ?? '-'],
    ['caller', first.principal],
    ['project', first.teamId ?? '-'],
    ['folder', first.folder ?? '-'],
  ] as const;
  const lines = about.map(([name, value]) => `${name.padEnd(7)} ${printable(value)}`);
  world.print([...lines, ...rows.flatMap(rowLines)].join('\n'));
}

function rowLines(row: AuditLine): string[] {
  const took = row.durationMs === null ? '' : ` after ${row.durationMs} ms`;
  const details = [
    ['by', row.phase === 'decision' && row.principal !== null ? calledByPerson(row.principal) : null],
    ['why', row.reason],
    ['args', row.argsSummary],
    ['result', row.resultSummary],
    ['request', row.approvalId],
    ['grant', row.grantId],
  ] as const;
  return [
    `${row.seq}  ${localTime(row.createdAt)}  ${row.phase}  ${howItWent(row)}${took}`,
    ...details.flatMap(([name, value]) =>
      value === null ? [] : [`  ${name.padEnd(7)} ${printable(value)}`],
    ),
  ];
}

async function wholeCallId(client: Client, given: string): Promise<string> {
  if ((await pageOf(client, { callId: given })).audit.length > 0) return given;
  const ids = new Set<string>();
  let cursor: string | null | undefined;
  for (let page = 0; page < PAGES && cursor !== null; page += 1) {
    const { audit, nextCursor }: ListedAudit = await pageOf(client, { cursor });
    for (const { callId } of audit) ids.add(callId);
    cursor = nextCursor;
  }
  return idEnding([...ids], given, 'calls');
}

function pageOf(client: Client, of: Readonly<{ callId?: string; cursor?: string | undefined }>) {
  return client.ask('GET /api/tools/audit', { limit: 1000, phase: 'all', ...of });
}
