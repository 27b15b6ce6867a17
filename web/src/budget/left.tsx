import type { ReactNode } from 'react';
import { short } from '../runs/usage.tsx';
import { type BudgetRow, partLeft } from './queries.ts';

const LOW = 0.2;

/** What is left of a window, drawn as it drains. Nothing where there is no limit. */
export function Left({ row }: Readonly<{ row: BudgetRow }>): ReactNode {
  const part = partLeft(row);
  if (part === undefined) return null;
  const isLow = part < LOW;
  return (
    <span className="inline-flex min-w-0 items-center gap-2 align-middle">
      <span className="bg-line block h-[3px] w-24 shrink-0 overflow-hidden rounded-full" aria-hidden="true">
        <span
          className={`block h-full origin-left ${isLow ? 'bg-amber' : 'bg-kelp'}`}
          style={{ transform: `scaleX(${part})` }}
        />
      </span>
      <span className={`text-meta truncate ${isLow ? 'text-amber' : 'text-soft'}`}>{leftText(row)}</span>
    </span>
  );
}

function leftText({ tokens, dollars, limit }: BudgetRow): string {
  if (limit === null) return '';
  const left = [
    limit.tokens !== null && `${short(Math.max(0, limit.tokens - tokens))} of ${short(limit.tokens)} tokens`,
    limit.dollars !== null && `$${Math.max(0, limit.dollars - dollars).toFixed(2)} of $${limit.dollars}`,
  ].filter((each) => typeof each === 'string');
  return `${left.join(', ')} left`;
}
