import { byRoute } from '../../../store/calls.ts';
import { isOver } from '../rules.ts';
import type { Run } from '../run.ts';
import type { RunsView } from '../dispatch.ts';
import type { A2aCall, A2aParts } from './call.ts';
import { contextOf, type TaskExtent, taskOf } from './task.ts';

/** A task with what was said in it, as its caller sees it now. */
export async function toldTask(
  { acting, dispatch }: Pick<A2aParts, 'acting' | 'dispatch'>,
  run: Run,
  { who, extent = {} }: Readonly<{ who: A2aCall['who']; extent?: TaskExtent }>,
): Promise<object> {
  const history = await acting.look(byRoute(who, 'a2a'), (q, caller) =>
    historyOf(dispatch.at(q, caller), run, extent),
  );
  return taskOf(run, { ...extent, history });
}

/**
 * Every message, the newest `historyLength` of them when that is asked for. How a run ended is no message:
 * its artifact and its status tell it.
 */
export async function historyOf(
  runs: Pick<RunsView, 'messages'>,
  run: Run,
  { historyLength }: TaskExtent,
): Promise<readonly object[]> {
  if (historyLength === 0) return [];
  const told = (await runs.messages(run.id)).flatMap(({ envelope }) => (envelope ? [envelope] : []));
  const said = isOver(run.state) && ENDS.has(told.at(-1)?.kind ?? '') ? told.slice(0, -1) : told;
  const kept = historyLength === undefined ? said : said.slice(-historyLength);
  return kept.map(({ kind, idempotency_key: messageId, from, body }) => ({
    messageId,
    contextId: contextOf(run),
    taskId: run.id,
    role: from.instance_id === run.agent ? 'ROLE_AGENT' : 'ROLE_USER',
    // An envelope holds the beginning of a long request, the run all of it.
    parts: [{ text: kind === 'prompt' ? run.prompt : body.text }],
  }));
}

const ENDS: ReadonlySet<string> = new Set(['result', 'error', 'cancel']);
