import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Left } from '../budget/left.tsx';
import { partLeft, useBudget } from '../budget/queries.ts';
import { Agent } from '../parts/agent.tsx';
import { Block } from './block.tsx';

/** What is left of the windows that have a limit; nothing where nobody set one. */
export function BudgetNow(): ReactNode {
  const { data } = useBudget();
  const limited = (data?.windows ?? []).filter((row) => partLeft(row) !== undefined);
  if (limited.length === 0) return null;
  return (
    <Block
      title="Left to use"
      aside={
        <Link to="/budget" className="hover:underline">
          Budget
        </Link>
      }
    >
      <ul className="grid grid-cols-[auto_auto_minmax(0,1fr)] gap-x-4">
        {limited.map((row) => (
          // One under the other: bars are compared.
          <li
            key={`${row.agent} ${row.window}`}
            className="col-span-full grid grid-cols-subgrid items-center py-1"
          >
            <Agent name={row.agent} />
            <span className="text-meta text-faint">{row.window}</span>
            <Left row={row} />
          </li>
        ))}
      </ul>
    </Block>
  );
}
