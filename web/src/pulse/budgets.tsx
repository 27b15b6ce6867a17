import type { ReactNode } from 'react';
import { partLeft, useBudget, type BudgetRow } from '../budget/queries.ts';
import { short } from '../runs/usage.tsx';
import { Bars, Legend, type Series } from './bars.tsx';
import { Picture } from './picture.tsx';

const WINDOWS: Readonly<Record<BudgetRow['window'], string>> = { '5h': '5 h', day: 'day', week: 'week' };
const percent = (value: number) => `${Math.round(value)}%`;
const bounds = ({ limit }: BudgetRow) =>
  limit === null
    ? []
    : [
        limit.tokens !== null && `${short(limit.tokens)} tokens`,
        limit.dollars !== null && `$${limit.dollars}`,
      ].filter((each) => typeof each === 'string');

/** Of this moment: how much of each window that has a limit is used, of two limits the one that ends first. */
export function Budgets({ isTable = false }: Readonly<{ isTable?: boolean }>): ReactNode {
  const { data } = useBudget();
  const all = data?.windows ?? [];
  const limited = all.filter((row) => partLeft(row) !== undefined);
  const used = limited.map((row) => 100 * (1 - partLeft(row)!));
  const names = limited.map(({ agent, window }) => `${agent}, ${WINDOWS[window]}`);
  const most = used.indexOf(Math.max(...used));
  const answer =
    limited.length === 0
      ? 'No agent has a budget.'
      : `${names[most]} is the nearest to its end: ${percent(used[most]!)} of it is used.`;
  const series: Series[] = [
    { name: 'used', fill: 'amber', values: used },
    { name: 'left', fill: 'edge', values: used.map((value) => 100 - value) },
  ];
  return (
    <Picture
      question="Which budgets run out?"
      answer={answer}
      isTable={isTable}
      isEmpty={limited.length === 0}
      table={{
        heads: ['Agent', 'Within', 'Tokens', 'Dollars', 'May use', 'Used', 'Opens again'],
        rows: all.map((row) => [
          row.agent,
          WINDOWS[row.window],
          short(row.tokens),
          `$${row.dollars.toFixed(2)}`,
          bounds(row).join(', ') || 'no limit',
          percent(100 * (1 - (partLeft(row) ?? 1))),
          row.resetsAt === null ? '' : new Date(row.resetsAt).toLocaleString('en', { hourCycle: 'h23' }),
        ]),
      }}
    >
      <Bars label={answer} ticks={names} series={series} say={percent} />
      <Legend series={series} />
    </Picture>
  );
}
