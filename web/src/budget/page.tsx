import type { ReactNode } from 'react';
import { Agent } from '../parts/agent.tsx';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { View } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { short } from '../runs/usage.tsx';
import { Left } from './left.tsx';
import { type BudgetRow, useBudget } from './queries.ts';

const NAMES: Readonly<Record<BudgetRow['window'], string>> = {
  '5h': '5 hours',
  day: 'a day',
  week: 'a week',
};

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
        <Empty title="Nothing was used this week" command="holdfast budget">
          Budgets are set under agents in config.yaml, in tokens, dollars or both.
        </Empty>
      ) : (
        <div className="overflow-x-auto px-4">
          <table className="w-full text-left">
            <thead className="text-meta text-faint">
              <tr>
                {['Agent', 'Within', 'Tokens', 'Dollars', 'Left', 'Resets', 'Counted'].map((title) => (
                  <th key={title} className="py-1 pr-4 font-normal">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data?.windows.map((row) => (
                <Row key={`${row.agent} ${row.window}`} row={row} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </View>
  );
}

function Row({ row }: Readonly<{ row: BudgetRow }>): ReactNode {
  const { agent, window, tokens, dollars, resetsAt, from } = row;
  return (
    <tr className="border-line border-t">
      <td className="py-1.5 pr-4">
        <Agent name={agent} />
      </td>
      <td className="pr-4 whitespace-nowrap">{NAMES[window]}</td>
      <td className="pr-4 tabular-nums">{short(tokens)}</td>
      <td className="pr-4 tabular-nums">${dollars.toFixed(2)}</td>
      <td className="pr-4">
        <Left row={row} />
      </td>
      <td className="pr-4 whitespace-nowrap">{resetsAt !== null && <Moment at={Date.parse(resetsAt)} />}</td>
      <td className="text-meta text-faint">{from === 'hub' ? 'runs' : 'runs and sessions'}</td>
    </tr>
  );
}
