// What the runs of one project may cost together within a day. A run that starts has what is left of the
// budget as its own; what several spend at the same time is watched while they run (attempt/spending-watch.ts).
import type { ProjectLimits, RunLimits } from '../../../kernel/agent-settings.ts';
import type { Config } from '../../../kernel/config.ts';
import { HubError } from '../../../kernel/errors.ts';
import type { Query } from '../../../store/database.ts';
import { spentBy, type SpentTotal } from '../rows/runs.ts';

export const BUDGET_MS = 86_400_000;

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

export function hasBudget({ dollars, turns }: ProjectLimits): boolean {
  return dollars !== undefined || turns !== undefined;
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
  if (project === null || !hasBudget(of)) return { limits: own, spent: undefined };
  const total = await spentBy(q, project, now - BUDGET_MS);
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

export function spentSentence(
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
