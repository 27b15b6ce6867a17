// What the runs of one project may cost together. A run that is over is counted for a day; one that is under way has what is
// left of the budget as its own, so that it pauses and asks like every run whose budget is spent.
import type { ProjectLimits, RunLimits } from '../../kernel/agent-settings.ts';
import type { Config } from '../../kernel/config.ts';
import { HubError } from '../../kernel/errors.ts';
import type { Query, Tx } from '../../store/database.ts';
import type { Usage } from './frames/common.ts';
import { spentBy, type SpentTotal } from './rows/spending.ts';
import type { Run } from './run.ts';

const DAY = 86_400_000;
/** When people are told, before anything stops. */
const NEAR = 0.8;

const NO_PROJECT_LIMITS: ProjectLimits = {
  concurrent: 0,
  rate: 0,
  dollars: undefined,
  turns: undefined,
};

/** Of the project itself, else of every project that is not named. */
export function projectLimits({ projects }: Pick<Config, 'projects'>, project: string | null): ProjectLimits {
  if (project === null) return NO_PROJECT_LIMITS;
  const own = Object.hasOwn(projects, project) ? projects[project] : projects['*'];
  return own ?? NO_PROJECT_LIMITS;
}

/** A budget of 0 is nobody's to raise by a click: the operator has said that nothing shall be spent. */
export function refuseNoBudget(project: string | null, { dollars, turns }: ProjectLimits): void {
  if (dollars !== 0 && turns !== 0) return;
  throw new HubError('limited', `The project ${project} has a budget of 0: nothing is started.`, {
    retryable: false,
    hint: `Raise projects.${project}.limits.${dollars === 0 ? 'dollars' : 'turns'} in config.yaml.`,
  });
}

/** What the limits of a run become, and what to ask about before it starts. */
export type Allowance = Readonly<{ limits: RunLimits; spent: string | undefined }>;

export async function allowanceFor(
  q: Query,
  project: string | null,
  { own, of, now }: Readonly<{ own: RunLimits; of: ProjectLimits; now: number }>,
): Promise<Allowance> {
  if (project === null || (of.dollars === undefined && of.turns === undefined))
    return { limits: own, spent: undefined };
  const total = await spentBy(q, project, now - DAY);
  const spent = spentSentence(project, of, total);
  // Whoever allows one more run allows it the budget of a day, and no more than that.
  const left = spent === undefined ? leftOf(of, total) : of;
  const limits = { ...own, dollars: lesser(own.dollars, left.dollars), turns: lesser(own.turns, left.turns) };
  return { limits, spent };
}

function leftOf(
  { dollars, turns }: ProjectLimits,
  total: SpentTotal,
): Pick<ProjectLimits, 'dollars' | 'turns'> {
  return {
    // In whole millionths: a person reads what is left.
    dollars: dollars === undefined ? undefined : Math.round((dollars - total.dollars) * 1e6) / 1e6,
    turns: turns === undefined ? undefined : turns - total.turns,
  };
}

function spentSentence(
  project: string,
  { dollars, turns }: ProjectLimits,
  total: SpentTotal,
): string | undefined {
  if (dollars !== undefined && total.dollars >= dollars)
    return `The project ${project} has cost $${total.dollars.toFixed(2)} within a day, of a budget of $${dollars}.`;
  if (turns !== undefined && total.turns >= turns)
    return `The project ${project} took ${total.turns} turns within a day, of a budget of ${turns}.`;
  return undefined;
}

function lesser(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : other === undefined ? one : Math.min(one, other);
}

/** In the transaction that ends a run: tells once that four fifths of its project's budget are gone. */
export async function tellProjectNear(
  tx: Tx,
  { project, team, usage }: Pick<Run, 'project' | 'team' | 'usage'>,
  { dollars, turns }: ProjectLimits,
): Promise<void> {
  if (project === null || !usage || (dollars === undefined && turns === undefined)) return;
  const total = await spentBy(tx, project, tx.now - DAY);
  const crossed = (budget: number | undefined, now: number, added: number) =>
    budget !== undefined && isNear(now, budget) && !isNear(now - added, budget);
  const isCrossed =
    crossed(dollars, total.dollars, usage.costUsd ?? 0) || crossed(turns, total.turns, usage.turns);
  if (isCrossed) emitNear(tx, { subject: project, team, what: 'project' });
}

/** Answers true once, when a run comes near its own budget. */
export function createNearWatch({ limits }: Pick<Run, 'limits'>): (usage: Usage) => boolean {
  let isTold = false;
  return ({ costUsd, turns }) => {
    const isClose =
      (limits.dollars !== undefined && costUsd !== null && isNear(costUsd, limits.dollars)) ||
      (limits.turns !== undefined && isNear(turns, limits.turns));
    if (isTold || !isClose) return false;
    isTold = true;
    return true;
  };
}

export function emitNear(
  tx: Tx,
  { subject, team, what }: Readonly<{ subject: string; team: string | null; what: 'project' | 'run' }>,
): void {
  const data = { what, percent: NEAR * 100 };
  tx.emit({ kind: 'budget.near', subject, realm: 'hub', ...(team !== null && { team }), data });
}

function isNear(spent: number, budget: number): boolean {
  return spent >= budget * NEAR;
}
