import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Agent } from '../parts/agent.tsx';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Table, View } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { short } from '../runs/usage.tsx';
import { Left } from './left.tsx';
import { type BudgetRow, useBudget } from './queries.ts';

const NAMES: Readonly<Record<BudgetRow['window'], string>> = {
  '5h': '5 hours',
  day: 'a day',
  week: 'a week',
};

const COLUMNS = [
  ['Agent', 'minmax(8rem,14rem)'],
  ['Within', '5rem'],
  ['Tokens', '5rem'],
  ['Dollars', '5rem'],
  ['Left', 'minmax(12rem,1fr)'],
  ['Resets', '6rem'],
  ['Counted', '9rem'],
] as const;

/** What agents used within hours and days, and what they still may. */
export function BudgetPage(): ReactNode {
  const { data, error } = useBudget();
  return (
    <View
      title="Budget"
      about="What agents used within five hours, a day and a week. A run whose window is spent waits until it opens."
    >
      <div className="px-4">
        <Refused error={error} />
      </div>
      {!data && !error ? (
        <Skeleton />
      ) : data?.windows.length === 0 ? (
        <Empty
          title="Nothing was used this week"
          command="holdfast budget"
          action={
            <Link to="/agents" search={{ view: 'programs' }} className="button button-main">
              Set a budget
            </Link>
          }
        >
          What a run used is counted here. An agent that can be started may have a budget, in tokens, dollars
          or both.
        </Empty>
      ) : (
        <Table label="Windows" columns={COLUMNS}>
          {data?.windows.map((row, at) => (
            <Row
              key={`${row.agent} ${row.window}`}
              row={row}
              isFirst={row.agent !== data.windows[at - 1]?.agent}
            />
          ))}
        </Table>
      )}
    </View>
  );
}

/** Of the windows of an agent the first one says whose they are. */
function Row({ row, isFirst }: Readonly<{ row: BudgetRow; isFirst: boolean }>): ReactNode {
  const { agent, window, tokens, dollars, resetsAt, from } = row;
  return (
    <li className="cells">
      <span className="flex min-w-0">
        {isFirst ? <Agent name={agent} /> : <span className="sr-only">{agent}</span>}
      </span>
      <span className="whitespace-nowrap">{NAMES[window]}</span>
      <span className="tabular-nums">
        {short(tokens)}
        <span className="@min-[740px]/list:hidden"> tokens</span>
      </span>
      <span className="tabular-nums">${dollars.toFixed(2)}</span>
      <span>
        {row.limit === null ? <span className="text-meta text-faint">no limit</span> : <Left row={row} />}
      </span>
      <span className="whitespace-nowrap">
        {resetsAt !== null && (
          <>
            <span className="text-meta text-faint @min-[740px]/list:sr-only">resets </span>
            <Moment at={Date.parse(resetsAt)} />
          </>
        )}
      </span>
      <span className="text-meta text-faint truncate @max-[739px]/list:hidden">
        {from === 'hub' ? 'runs' : 'runs and sessions'}
      </span>
    </li>
  );
}
