// `holdfast run --try`, `holdfast runs compare` and `runs pick`: several attempts at one task, side by side.
import type { AttemptView, TrialView } from '../../features/dispatch/trial/view.ts';
import { pause } from '../../kernel/clock.ts';
import { HubError } from '../../kernel/errors.ts';
import { type Client, withClient } from '../client.ts';
import { QuietExit } from '../exit.ts';
import type { Options } from '../options.ts';
import { CANCEL, findRunId, RUN_HINTS } from './view.ts';
import { requireHub } from './send.ts';
import { shortId } from '../short-id.ts';
import { type Column, renderTable } from '../terminal/table.ts';
import { findTask, TASK_HINTS } from '../board/task-id.ts';
import type { World } from '../world.ts';

type Trying = Readonly<{ given: string; instances: string; project: string | undefined }>;

const LOOK_EVERY_MS = 500;

export async function tryTask(
  world: World,
  { given, instances: named, project }: Trying,
  options: Options,
): Promise<void> {
  const instances = named.split(',').map((each) => each.trim());
  if (instances.length < 2 || instances.includes(''))
    throw new HubError('invalid', '--try names at least two agents, separated by commas.', {
      hint: 'For one agent there is --agent.',
    });
  await requireHub(world, options);
  await withClient({ ...world, hints: TASK_HINTS }, options, async (client) => {
    const task = await findTask(client, given);
    const begun = await client.ask('POST /v1/trials', {
      task_id: task,
      instances,
      ...(project !== undefined && { project }),
    });
    if (options['async']) return show(world, begun, options);
    const trial = await untilReady(world, client, begun);
    show(world, trial, options);
    if (!trial.attempts.some(({ run }) => run.status === 'done')) throw new QuietExit(1);
  });
}

async function untilReady(world: World, client: Client, { trial: trialId, attempts }: TrialView) {
  for (;;) {
    if (world.interrupted.aborted) {
      await Promise.all(attempts.map(({ run }) => client.ask(CANCEL, { taskId: run.task_id })));
      throw new QuietExit(130);
    }
    const trial = await client.ask('GET /v1/trials/:trialId', { trialId });
    if (trial.state !== 'running') return trial;
    await pause(LOOK_EVERY_MS, world.interrupted).catch(() => undefined);
  }
}

const COLUMNS: readonly Column<AttemptView>[] = [
  { title: 'RUN', cell: ({ run }) => shortId(run.task_id) },
  { title: 'AGENT', cell: ({ run }) => run.instance },
  { title: 'STATUS', cell: ({ run, picked }) => (picked ? 'picked' : run.status) },
  { title: 'CHECKS', cell: ({ checks }) => checksOf(checks), flexible: true },
  {
    title: 'DIFF',
    cell: ({ diff }) => (diff === null ? '' : `${diff.files} files +${diff.insertions} −${diff.deletions}`),
  },
  { title: 'COST', cell: ({ cost_usd: cost }) => (cost === null ? '' : `$${cost.toFixed(2)}`) },
  { title: 'TIME', cell: ({ ms }) => (ms === null ? '' : `${(ms / 1_000).toFixed(1)} s`) },
];

function checksOf(checks: AttemptView['checks']): string {
  return checks.map(({ check, passed }) => `${check} ${passed ? 'passed' : 'FAILED'}`).join(', ');
}

function show(world: World, trial: TrialView, options: Options): void {
  if (options['json']) return world.print(JSON.stringify(trial));
  world.print(renderTable(COLUMNS, trial.attempts, world.columns));
  if (trial.state === 'ready')
    world.tell('`holdfast runs pick <run>` says which one it is; the others are kept for a day then.');
}

export async function compareAttempts(world: World, given: string, options: Options): Promise<void> {
  const trials = await withClient({ ...world, hints: TASK_HINTS }, options, async (client) => {
    const found = await client.ask('GET /v1/trials', { task_id: await findTask(client, given) });
    return found.trials;
  });
  if (options['json']) return world.print(JSON.stringify({ trials }));
  if (trials.length === 0)
    return world.tell('Nobody tried this one several times. `holdfast run <task> --try <agents>` does.');
  show(world, trials[0]!, options);
}

export async function pickAttempt(world: World, given: string, options: Options): Promise<void> {
  const trial = await withClient({ ...world, hints: RUN_HINTS }, options, async (client) =>
    client.ask('POST /v1/biam/tasks/:taskId/pick', { taskId: await findRunId(client, given) }),
  );
  if (options['json']) return world.print(JSON.stringify(trial));
  const picked = trial.attempts.find((each) => each.picked);
  world.print(`${picked?.run.worktree?.branch ?? ''} it is; the others are kept for a day.`);
}
