import { excerpt } from '../../../kernel/redact.ts';
import { byRoute } from '../../../store/calls.ts';
import { asObject, asText } from '../frames/common.ts';
import type { ChangePosition } from '../rows/runs.ts';
import type { A2aCall, A2aParts } from './call.ts';
import { A2aError } from './errors.ts';
import { historyOf } from './history.ts';
import { changedAt, runsOfState, taskOf } from './task.ts';

const STANDARD_PAGE = 50;
const LARGEST_PAGE = 100;
/** Of each task in a list, unless more is asked for: an answer must stay readable. */
const STANDARD_HISTORY = 10;

/** `ListTasks`: what changed last comes first, page by page. Artifacts only when they are asked for. */
export async function listTasks({ acting, dispatch }: A2aParts, { who, params }: A2aCall): Promise<object> {
  const pageSize = countIn(params['pageSize'], 'pageSize', [1, LARGEST_PAGE]) ?? STANDARD_PAGE;
  const asked = countIn(params['historyLength'], 'historyLength', [0, Number.MAX_SAFE_INTEGER]);
  const historyLength = asked ?? STANDARD_HISTORY;
  const filter = {
    ...statesIn(asText(params['status'])),
    limit: pageSize + 1,
    contextId: asText(params['contextId']) || undefined,
    changedSince: timeIn(params['statusTimestampAfter']),
    after: placeIn(asText(params['pageToken'])),
  };
  const withArtifacts = params['includeArtifacts'] === true;
  return acting.look(byRoute(who, 'a2a'), async (q, caller) => {
    const view = dispatch.at(q, caller);
    const { runs, total } = await view.page(filter);
    const shown = runs.slice(0, pageSize);
    const tasks: object[] = [];
    for (const run of shown)
      tasks.push(taskOf(run, { withArtifacts, history: await historyOf(view, run, { historyLength }) }));
    const nextPageToken = runs.length > pageSize ? tokenOf(shown.at(-1)!) : '';
    return { tasks, nextPageToken, pageSize, totalSize: total };
  });
}

/** Undefined when it is not there; anything but a whole number within the bounds is refused. */
export function countIn(
  value: unknown,
  name: string,
  [least, most]: readonly [number, number],
): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value);
  throw new A2aError('invalid', `${name} must be a whole number from ${least} to ${most}.`);
}

function statesIn(state: string | undefined) {
  if (state === undefined || state === '' || state === 'TASK_STATE_UNSPECIFIED') return {};
  const found = runsOfState(state);
  if (!found) throw new A2aError('invalid', `There is no task state ${JSON.stringify(excerpt(state, 40))}.`);
  return found;
}

function timeIn(value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const at = Date.parse(asText(value) ?? '');
  if (Number.isNaN(at))
    throw new A2aError('invalid', 'statusTimestampAfter must be a time such as 2026-01-31T10:00:00Z.');
  return at;
}

function tokenOf(run: Parameters<typeof changedAt>[0]): string {
  return Buffer.from(JSON.stringify({ at: changedAt(run), id: run.id })).toString('base64url');
}

function placeIn(token: string | undefined): ChangePosition | undefined {
  if (token === undefined || token === '') return undefined;
  try {
    const place = asObject(JSON.parse(Buffer.from(token, 'base64url').toString()));
    const [at, id] = [place?.['at'], asText(place?.['id'])];
    if (Number.isSafeInteger(at) && id !== undefined) return { at: at as number, id };
  } catch {
    // Told below: it is no token of ours.
  }
  throw new A2aError('invalid', 'pageToken is none that this list has given.');
}
