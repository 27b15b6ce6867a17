// Runs that do tasks of the board, over REST: start, look at the diff, merge, resume.
import { z } from 'zod';
import { defineRoute, type Route } from '../../../http/route.ts';
import { HubError } from '../../../kernel/errors.ts';
import { byRoute } from '../../../store/acting.ts';
import { callContext } from '../governed.ts';
import type { DispatchHouse } from '../house.ts';
import * as input from '../inputs.ts';
import { isPerson } from '../../../kernel/principal.ts';
import { presentRun, type PresentedRun, runSchema } from '../run.ts';

const shared = { tag: 'runs', refusals: ['not_found', 'conflict'] } as const;
const one = z.object({ taskId: input.taskId });

/** Board tasks done by runs, and what became of their branches. */
export function workRoutes(house: DispatchHouse): Route[] {
  const { work } = house;
  return [
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/runs',
      summary: 'Have a task of the board done by an agent: the one named, else the best ready one.',
      scope: 'runs:write',
      body: z.object({
        task_id: input.taskId.optional().describe('Of the board.'),
        instance: z.string().max(64).optional(),
        team: z.string().max(200).optional(),
        project: z.string().max(4096).optional().describe('A folder of the repository it is done in.'),
        model: z.string().max(128).optional(),
      }),
      response: z.object({ started: z.boolean(), task: runSchema.optional() }),
      handler: async ({ body }, { who, signal }) => {
        const { task_id: taskId, ...rest } = body;
        if (!isPerson(who))
          return throughFunnel(
            house,
            { taskId, instance: rest.instance, project: rest.project },
            callContext(who, signal),
          );
        const run = await work.start(byRoute(who, 'run_task'), { taskId, ...rest });
        return { started: run !== undefined, ...(run && { task: presentRun(run) }) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/biam/tasks/:taskId/resume',
      summary:
        "Go on with the agent's session of a run that is over, where it was left. A task that is done or in review is under way again.",
      scope: 'runs:write',
      params: one,
      body: z
        .object({
          prompt: z
            .string()
            .max(64 * 1024)
            .optional(),
        })
        .optional(),
      response: runSchema,
      handler: async ({ params, body }, { who }) => {
        if (!isPerson(who)) throw new HubError('forbidden', 'Only a person resumes runs.');
        return presentRun(await work.resume(byRoute(who, 'resume_run'), params.taskId, body?.prompt));
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/biam/tasks/:taskId/diff',
      summary: 'What a run changed in its worktree, committed or not.',
      scope: 'runs:read',
      params: one,
      response: z.object({ branch: z.string(), stat: z.string(), diff: z.string() }),
      handler: ({ params }, { who }) => work.diff(who, params.taskId),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/biam/tasks/:taskId/merge',
      summary:
        "Merges a run's branch into the one its repository has checked out. Conflicts are named and nothing is changed.",
      scope: 'runs:write',
      params: one,
      response: z.object({
        branch: z.string(),
        merged: z.boolean(),
        into: z.string(),
        conflicts: z.array(z.string()),
      }),
      handler: async ({ params }, { who }) => {
        const { conflicts, ...rest } = await work.merge(who, params.taskId);
        return { ...rest, conflicts: [...conflicts] };
      },
    }),
  ];
}

type Started = Readonly<{ started: boolean; task?: PresentedRun }>;

async function throughFunnel(
  { runTool }: DispatchHouse,
  args: object,
  context: ReturnType<typeof callContext>,
): Promise<Started> {
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
  const answered = await runTool.handler(given as never, context);
  if (answered.ok) return answered.value as Started;
  const code = answered.code as ConstructorParameters<typeof HubError>[0];
  throw new HubError(code, answered.line, {
    ...answered.value,
    ...(answered.hint !== undefined && { hint: answered.hint }),
  });
}
