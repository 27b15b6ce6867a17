// What a run spends while it runs. Its project counts it before it is over, so that two at once cannot spend
// the same money; people are told at four fifths, before anything stands still.
import type { ProjectLimits } from '../../../kernel/agent-settings.ts';
import { systemActor } from '../../../kernel/principal.ts';
import type { Database, Tx } from '../../../store/database.ts';
import { BUDGET_MS, hasBudget, spentSentence } from '../start/budgets.ts';
import type { Usage } from '../frames/common.ts';
import { changeRun, findRun, spentBy, type SpentTotal } from '../rows/runs.ts';
import type { Run } from '../run.ts';

const NEAR = 0.8;

export interface Spending {
  /** A sentence when the budget of the project is spent. */
  spent(usage: Usage): Promise<string | undefined>;
  /** A person has allowed more: the budget of a day, counted from here. */
  raise(): Promise<void>;
}

type Spender = Pick<Run, 'project' | 'team'>;

export async function watchSpending(db: Database, run: Run, of: ProjectLimits): Promise<Spending> {
  const { id, project, team } = run;
  let last: Pick<Usage, 'costUsd' | 'turns'> = { costUsd: null, turns: 0 };
  let isTold = false;
  /** What had been spent when somebody allowed more; undefined as long as the budget itself holds. */
  let base = await baseNow();

  async function totalNow(): Promise<SpentTotal> {
    return db.read((q) => spentBy(q, project!, db.now() - BUDGET_MS));
  }

  /** Of a run that was let through although all was spent. */
  async function baseNow(): Promise<SpentTotal | undefined> {
    if (project === null || !hasBudget(of)) return undefined;
    const total = await totalNow();
    return spentSentence(project, of, total) === undefined ? undefined : total;
  }

  async function tellRunNear({ costUsd, turns }: Usage): Promise<void> {
    if (isTold || !(isNear(costUsd ?? 0, run.limits.dollars) || isNear(turns, run.limits.turns))) return;
    isTold = true;
    await db.write(systemActor, async (tx) => emitNear(tx, { subject: id, team, what: 'run' }));
  }

  /** A run that is lost has cost this much at least. */
  async function count(usage: Usage): Promise<void> {
    await db.write(systemActor, async (tx) => {
      const before = await findRun(tx, id);
      const stored = { ...usage, basis: 'lower_bound' as const };
      const changed = await changeRun(tx, id, { usage: stored, costUsd: usage.costUsd });
      if (before && changed) await tellProjectNear(tx, changed, { of, before: before.usage });
    });
  }

  return {
    async spent(usage) {
      // Some agents say it with every line.
      if (usage.costUsd === last.costUsd && usage.turns === last.turns) return undefined;
      last = usage;
      await tellRunNear(usage);
      if (project === null || !hasBudget(of)) return undefined;
      await count(usage);
      return spentSentence(project, base ? raised(of, base) : of, await totalNow());
    },
    async raise() {
      base = await baseNow();
    },
  };
}

function raised({ dollars, turns, ...of }: ProjectLimits, from: SpentTotal): ProjectLimits {
  return {
    ...of,
    dollars: dollars === undefined ? undefined : dollars + from.dollars,
    turns: turns === undefined ? undefined : turns + from.turns,
  };
}

/**
 * In the transaction that counts what a run has spent: tells once that four fifths of its project's budget
 * are gone.
 */
export async function tellProjectNear(
  tx: Tx,
  { project, team, usage }: Spender & Pick<Run, 'usage'>,
  { of, before }: Readonly<{ of: ProjectLimits; before: Usage | null }>,
): Promise<void> {
  if (project === null || !usage || !hasBudget(of)) return;
  const total = await spentBy(tx, project, tx.now - BUDGET_MS);
  const crossed = (budget: number | undefined, now: number, added: number) =>
    isNear(now, budget) && !isNear(now - added, budget);
  const isCrossed =
    crossed(of.dollars, total.dollars, (usage.costUsd ?? 0) - (before?.costUsd ?? 0)) ||
    crossed(of.turns, total.turns, usage.turns - (before?.turns ?? 0));
  if (isCrossed) emitNear(tx, { subject: project, team, what: 'project' });
}

function emitNear(
  tx: Tx,
  { subject, team, what }: Readonly<{ subject: string; team: string | null; what: 'project' | 'run' }>,
): void {
  const data = { what, percent: NEAR * 100 };
  tx.emit({ kind: 'budget.near', subject, realm: 'hub', ...(team !== null && { team }), data });
}

function isNear(spent: number, budget: number | undefined): boolean {
  return budget !== undefined && spent >= budget * NEAR;
}
