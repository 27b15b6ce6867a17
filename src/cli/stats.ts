// `holdfast stats`: what was finished, how long it took, who waited for whom, and what it cost.
import { Command } from 'commander';
import type { BoardStats } from '../features/board/people/stats.ts';
import { HubError } from '../kernel/errors.ts';
import { readDuration } from '../kernel/settings.ts';
import { type Client, withClient } from './client.ts';
import { type Options, withDatabase } from './options.ts';
import { readProjectOf, withTeam } from './project-of.ts';
import { renderTable } from './terminal/table.ts';
import { ago, localMinute } from './terminal/when.ts';
import type { World } from './world.ts';

export function statsCommand(world: World): Command {
  return withTeam(
    withDatabase(
      new Command('stats').description(
        'what was finished, how long it took, what it cost, who was waited for',
      ),
    ),
  )
    .option('--since <duration>', 'how far back, such as 7d or 24h', '30d')
    .action((options: Options) => stats(world, options));
}

async function stats(world: World, options: Options): Promise<void> {
  const since = Date.now() - spanOf(options['since']);
  const answer = await withClient(world, options, async (client) => {
    const team = await readProjectOf(client, options, world);
    return {
      ...(await client.ask('GET /api/board/stats', { since, teamId: team })),
      waiting: await waitingForPeople(client, since),
    };
  });
  world.print(options['json'] ? JSON.stringify(answer) : render(answer, world.columns));
}

function spanOf(text: unknown): number {
  const span = readDuration(String(text));
  if (span) return span;
  throw new HubError('invalid', `--since must be a duration such as 7d or 24h; got ${JSON.stringify(text)}.`);
}

type Waiting = Readonly<{ decided: number; medianMs: number | null; longestMs: number | null }>;
const ALLOWED = new Set(['allow_once', 'allow_always', 'deny']);

/** How long calls waited for a person's decision, by the newest thousand rows of the audit. */
async function waitingForPeople(client: Client, since: number): Promise<Waiting> {
  const { audit } = await client.ask('GET /api/tools/audit', { phase: 'all', limit: 1000, since });
  const asked = new Map(
    audit.filter(({ phase }) => phase === 'before').map(({ callId, createdAt }) => [callId, createdAt]),
  );
  const waits = audit
    .filter(({ phase, decision }) => phase === 'decision' && decision !== null && ALLOWED.has(decision))
    .flatMap(({ callId, createdAt }) => (asked.has(callId) ? [createdAt - asked.get(callId)!] : []))
    .sort((a, b) => a - b);
  return {
    decided: waits.length,
    medianMs: waits[waits.length >> 1] ?? null,
    longestMs: waits.at(-1) ?? null,
  };
}

type Answer = BoardStats & Readonly<{ waiting: Waiting }>;
type Part = BoardStats['byAgent'][number];

function render(
  { since, done, cancelled, costUsd, leadMs, workMs, byDay, byAgent, byTeam, isCut, waiting }: Answer,
  terminal?: number,
): string {
  const lines = [
    `since      ${localMinute(since)}${isCut ? ' (only the newest finished tasks were counted)' : ''}`,
    `done       ${done}, cancelled ${cancelled}`,
    `lead time  ${spoken(leadMs)} from creation to done (median)`,
    `work       ${spoken(workMs)} from claim to done (median)`,
    `cost       $${costUsd}`,
    `people     ${waitedFor(waiting)}`,
  ];
  const tables = [
    byDay.length === 0
      ? ''
      : renderTable(
          [{ title: 'DAY', cell: (row: BoardStats['byDay'][number]) => row.day }, countColumn],
          byDay,
          terminal,
        ),
    partTable('AGENT', byAgent, terminal),
    partTable('PROJECT', byTeam, terminal),
  ];
  return [lines.join('\n'), ...tables.filter((table) => table !== '')].join('\n\n');
}

const countColumn = { title: 'DONE', cell: (row: Readonly<{ done: number }>) => String(row.done) };

function partTable(title: string, parts: readonly Part[], terminal: number | undefined): string {
  if (parts.length === 0) return '';
  const name = { title, cell: (row: Part) => row.name ?? '-', flexible: true };
  return renderTable(
    [name, countColumn, { title: 'COST', cell: (row: Part) => `$${row.costUsd}` }],
    parts,
    terminal,
  );
}

function waitedFor({ decided, medianMs, longestMs }: Waiting): string {
  if (decided === 0) return 'no call waited for a decision';
  const calls = decided === 1 ? 'one call' : `${decided} calls`;
  return `${calls} decided, after ${spoken(medianMs)} (median), at most ${spoken(longestMs)}`;
}

function spoken(ms: number | null): string {
  return ms === null ? '-' : ago(ms);
}
