// What budgets can do: tell how they stand.
import { z } from 'zod';
import { isPerson, type Principal } from '../../../kernel/principal.ts';
import { look } from '../../../operation/operation.ts';
import type { Query } from '../../../store/database.ts';
import { openRunOfAgent } from '../rows/runs.ts';
import { type AgentBudgets, type ShownWindow, windowSchema } from './budget.ts';

export interface BudgetView {
  windows(): Promise<ShownWindow[]>;
  /** Only what has a limit. */
  limited(): Promise<ShownWindow[]>;
}

/** A person sees all of it; an agent what is left for the run that it is. */
export function budgetView(
  q: Query,
  who: Principal,
  { budget, now }: Readonly<{ budget: AgentBudgets; now: number }>,
): BudgetView {
  async function ofRun(): Promise<ShownWindow[]> {
    const { agent, team = null } = who.bound;
    const run = agent === undefined ? undefined : await openRunOfAgent(q, agent, team);
    return run ? budget.limited(q, now, run.instance) : [];
  }
  return {
    windows: () => (isPerson(who) ? budget.windows(q, now) : ofRun()),
    limited: () => (isPerson(who) ? budget.limited(q, now) : ofRun()),
  };
}

const readBudget = look({
  name: 'read_budget',
  summary: 'What agents used within five hours, a day and a week, and what they may use.',
  scope: 'runs:read',
  input: {},
  output: z.object({ windows: z.array(windowSchema) }),
  route: 'GET /api/budget',
  run: async (view: BudgetView) => ({ windows: await view.windows() }),
});

export const budgetOperations = [readBudget] as const;
