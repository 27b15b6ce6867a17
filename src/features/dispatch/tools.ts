// The governed tools of the hub endpoint: starting an agent, with a prompt or on a task of the board.
import { z } from 'zod';
import { byTool } from '../../store/calls.ts';
import { defineWorldTool, type WorldContext, type WorldTool } from '../broker/broker.ts';
import type { Dispatch } from './dispatch.ts';
import * as input from './inputs.ts';
import { SAID, sentSchema, sentValue } from './operations.ts';
import { presentRun, type Run } from './run.ts';
import { begunSchema, type BoardWork, presentBegun } from './work/work.ts';

export const SEND_TOOL = 'SendMessage';

/** How long a synchronous call may last. */
const LONGEST_MS = 60 * 60_000;

/** Starting an agent is governed: the broker asks unless policy or a grant says otherwise. */
export function sendTool(dispatch: Dispatch): WorldTool {
  return defineWorldTool({
    name: SEND_TOOL,
    title: 'Hand work to an agent',
    description:
      'Starts an agent on this machine with a prompt and answers what it said. async=true answers { task_id } at once; ' +
      'then TaskWait, TaskNotify or TaskGet. AgentList shows whom you can call.',
    input: z.object({
      instance: z
        .string()
        .max(64)
        .optional()
        .describe('From AgentList. Left out: the default, or the only one.'),
      prompt: input.prompt,
      async: z.boolean().optional(),
      tag: z.string().max(64).optional(),
      opts: input.options.optional(),
    }),
    output: sentSchema,
    carries: SAID,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    scope: 'runs:write',
    source: 'dispatch',
    risk: 'destructive',
    content: ['prompt'],
    // Where it works, what it goes on with and which model it is: only the prompt is any.
    shape: ({ instance, tag, opts = {} }) => ({
      instance: instance ?? `tag:${tag ?? opts.tag ?? 'default'}`,
      prompt: 'any',
      ...Object.fromEntries(Object.entries(opts).map(([name, value]) => [name, wordOf(value)])),
    }),
    timeoutMs: LONGEST_MS,
    isVerbatim: true,
    async handler(args, { who, signal, progress, can }) {
      const { async: isAsync = false, ...request } = args;
      const run = await dispatch.send(byTool(who, SEND_TOOL, args), request);
      if (isAsync || can.has('tasks'))
        return { ok: true, value: { task_id: run.id, task: presentRun(run) }, task: run.id };
      return { ok: true, value: sentValue(await waitFor(dispatch, run, { who, signal, progress })) };
    },
  });
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

type Waiting = Pick<WorldContext, 'who' | 'signal' | 'progress'>;

/** A caller that gives up takes its run with it. */
async function waitFor(dispatch: Dispatch, run: Run, { who, signal, progress }: Waiting): Promise<Run> {
  let seconds = 0;
  const pulse = setInterval(() => progress((seconds += 10), undefined, `${run.agent} is at work`), 10_000);
  try {
    const waited = await dispatch.wait(byTool(who, SEND_TOOL), [run.id], { timeoutMs: LONGEST_MS, signal });
    return waited?.[0] ?? run;
  } catch (error) {
    if (signal.aborted) await dispatch.stop(run.id);
    throw error;
  } finally {
    clearInterval(pulse);
  }
}

/** Handing a task of the board to an agent is governed as SendMessage is. */
export function runTaskTool(work: BoardWork): WorldTool {
  return defineWorldTool({
    name: 'RunTask',
    title: 'Have a board task done',
    description:
      'Starts an agent on a task of the board, claimed under the name of its run, in a git worktree of the project. Without taskId: the ' +
      'best ready task. Answers the run at once; started is false when nothing was ready.',
    input: z.object({
      taskId: input.taskId.optional(),
      instance: z.string().max(64).optional(),
      teamId: z.string().max(200).optional(),
      project: z.string().max(4096).optional().describe('A folder of the repository it is done in.'),
    }),
    output: begunSchema,
    carries: SAID,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    scope: 'runs:write',
    source: 'dispatch',
    risk: 'destructive',
    shape: ({ instance, project, teamId }) => ({
      instance: instance ?? 'default',
      project: project ?? 'none',
      ...(teamId !== undefined && { team: teamId }),
      task: 'any',
    }),
    handler: async ({ teamId: team, ...request }, { who }) => {
      const run = await work.start(byTool(who, 'RunTask'), { ...request, team });
      return { ok: true, value: presentBegun(run), ...(run && { task: run.id }) };
    },
  });
}
