// `holdfast budget`: what agents used within hours and days, and what is left.
import { Command } from 'commander';
import type { ShownWindow } from '../features/dispatch/quota/budget.ts';
import { withClient } from './client.ts';
import { type Options, withDatabase } from './options.ts';
import { listPrinter } from './terminal/list.ts';
import { localMinute } from './terminal/when.ts';
import type { World } from './world.ts';

export function budgetCommand(world: World): Command {
  return withDatabase(new Command('budget'))
    .description('what agents used within five hours, a day and a week, and what is left')
    .action((options: Options) => show(world, options));
}

async function show(world: World, options: Options): Promise<void> {
  const answer = await withClient(world, options, (client) => client.ask('GET /api/budget', {}));
  printWindows(world, options, answer);
}

const NONE = 'No agent has used anything this week. Budgets are set under agents: in config.yaml.';
const printWindows = listPrinter<ShownWindow>(NONE, [
  { title: 'AGENT', cell: ({ agent }) => agent },
  { title: 'WINDOW', cell: ({ window }) => window },
  { title: 'TOKENS', cell: ({ tokens }) => shortCount(tokens) },
  { title: 'DOLLARS', cell: ({ dollars }) => `$${dollars.toFixed(2)}` },
  { title: 'LIMIT', cell: ({ limit }) => limitText(limit), rare: true },
  {
    title: 'LEFT',
    cell: leftText,
    rare: true,
    style: (row) => (leftText(row) === 'nothing' ? 'yellow' : undefined),
  },
  { title: 'RESETS', cell: ({ resetsAt }) => (resetsAt === null ? '' : localMinute(Date.parse(resetsAt))) },
  { title: 'FROM', cell: ({ from }) => from },
]);

function limitText(limit: ShownWindow['limit']): string {
  if (limit === null) return '';
  const { tokens, dollars } = limit;
  return [tokens === null ? [] : [shortCount(tokens)], dollars === null ? [] : [`$${dollars}`]]
    .flat()
    .join(', ');
}

/** What may still be used: of two limits both. */
function leftText({ tokens, dollars, limit }: ShownWindow): string {
  if (limit === null) return '';
  const left = [
    limit.tokens === null
      ? []
      : [{ amount: limit.tokens - tokens, text: shortCount(Math.max(0, limit.tokens - tokens)) }],
    limit.dollars === null
      ? []
      : [{ amount: limit.dollars - dollars, text: `$${Math.max(0, limit.dollars - dollars).toFixed(2)}` }],
  ].flat();
  return left.some(({ amount }) => amount <= 0) ? 'nothing' : left.map(({ text }) => text).join(', ');
}

const UNITS = [
  { below: 1e6, by: 1e3, unit: 'k' },
  { below: 1e9, by: 1e6, unit: 'M' },
  { below: Number.POSITIVE_INFINITY, by: 1e9, unit: 'G' },
];

/** 1 234 567 as 1.2M: a person compares, and does not count. */
function shortCount(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  const { by, unit } = UNITS.find(({ below }) => count < below)!;
  const short = count / by;
  return `${short < 10 ? Math.round(short * 10) / 10 : Math.round(short)}${unit}`;
}
