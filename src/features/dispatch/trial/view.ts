// A trial as people compare it: what each run changed, what checks say of that, what it cost, how long it took.
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { withGit } from '../../../kernel/git/git.ts';
import { findCommit } from '../../../kernel/git/merge.ts';
import { gitPlaceOf } from '../../../kernel/git/place.ts';
import type { Landings } from '../../landing/landing.ts';
import type { Trial } from '../rows/trials.ts';
import { presentRun, type Run, runSchema, type Worktree } from '../run.ts';

const diffSchema = z.object({ files: z.int(), insertions: z.int(), deletions: z.int() });
type DiffStat = z.infer<typeof diffSchema>;

const attemptSchema = z.object({
  run: runSchema,
  head: z
    .string()
    .nullable()
    .describe('The commit its branch is at; null where it is gone or holds nothing.'),
  checks: z.array(z.object({ check: z.string(), passed: z.boolean(), evidence: z.string() })),
  diff: diffSchema.nullable(),
  cost_usd: z.number().nullable(),
  ms: z.int().nullable(),
  picked: z.boolean(),
});
export type AttemptView = z.infer<typeof attemptSchema>;

export const trialSchema = z.object({
  trial: z.string(),
  board_task: z.string(),
  state: z.enum(['running', 'ready', 'closed']).describe('ready: all are over, and one can be picked.'),
  picked: z.string().nullable(),
  attempts: z.array(attemptSchema),
});
export type TrialView = z.infer<typeof trialSchema>;

export type Attempted = Readonly<{ head: string | undefined; diff: DiffStat | null }>;

/** What a run's branch holds now. */
export async function readAttempt({ repository, base, branch }: Worktree): Promise<Attempted> {
  const place = existsSync(repository) ? await gitPlaceOf(repository) : undefined;
  if (!place) return { head: undefined, diff: null };
  return withGit({ place }, async (git) => {
    const head = await findCommit(git, `refs/heads/${branch}`);
    if (head === undefined || head === base) return { head: undefined, diff: null };
    const said = await git.run('diff', '--shortstat', '--no-ext-diff', '--no-textconv', base, head, '--');
    return { head, diff: statOf(said) };
  });
}

function statOf(said: string): DiffStat {
  const count = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(said)?.[1] ?? 0);
  return { files: count('file'), insertions: count('insertion'), deletions: count('deletion') };
}

type Shown = Readonly<{
  run: Run;
  found: Attempted;
  evidence: Awaited<ReturnType<Landings['evidenceAt']>>;
}>;

export function presentTrial(
  { id, taskId, picked, settledAt, closedAt }: Trial,
  shown: readonly Shown[],
): TrialView {
  return {
    trial: id,
    board_task: taskId,
    state: closedAt !== null ? 'closed' : settledAt !== null ? 'ready' : 'running',
    picked,
    attempts: shown.map(({ run, found, evidence }) => ({
      run: presentRun(run),
      head: found.head ?? null,
      checks: evidence.map(({ check, passed, id: of }) => ({ check, passed, evidence: of })),
      diff: found.diff,
      cost_usd: run.costUsd,
      ms: run.closedAt === null ? null : run.closedAt - (run.startedAt ?? run.createdAt),
      picked: run.id === picked,
    })),
  };
}

/** One line for each, for whoever reads the task. */
export function tableOf({ attempts }: TrialView): string {
  const lines = attempts.map(({ run, checks, diff, cost_usd: cost, ms }) => {
    const judged = checks.map(({ check, passed }) => `${check} ${passed ? 'passed' : 'failed'}`).join(', ');
    return `- ${run.instance}, run ${run.task_id}: ${[
      run.status,
      judged === '' ? 'no checks' : judged,
      diff === null ? 'no changes' : `${diff.files} file(s) +${diff.insertions} −${diff.deletions}`,
      ...(cost === null ? [] : [`$${cost.toFixed(2)}`]),
      ...(ms === null ? [] : [`${Math.round(ms / 1_000)} s`]),
    ].join('; ')}`;
  });
  return lines.join('\n');
}
