import { z } from 'zod';
import { work, type WorkContext } from '../../operation/operation.ts';
import { type Acting, callOf, type Caller } from '../../store/calls.ts';
import { BRIEF_KINDS, type Briefings } from '../briefing/briefing.ts';
import type { AskBudgets, Board, BudgetLeft } from './board.ts';

type Parts = Readonly<{
  acting: Acting;
  board: Board;
  briefings: Briefings | undefined;
  /** What is left for its run; absent where no runs are. */
  budgets(): AskBudgets | undefined;
}>;

/** Who one is here and what one holds: on the hub endpoint, and in the extended profile of every other server. */
export const whoami = work({
  name: 'whoami',
  summary: 'Your name here, how it is known, your project, and the tasks you hold with their fences.',
  scope: 'board:read',
  effect: 'read',
  input: {
    brief: z
      .boolean()
      .optional()
      .describe('Also what waits for you, what changed since you were last here, and what is known.'),
  },
  output: z.object({
    agent: z.string().nullable().describe('The name others see; null when nothing tells who you are.'),
    known: z
      .enum(['bound', 'automatic', 'unnamed'])
      .describe('bound: by your credential or attachment; automatic: given to your connection.'),
    team: z.string().nullable().describe('Where your new tasks, facts and posts go when you name no team.'),
    project: z.string().nullable().describe('What that team is called.'),
    isWall: z.boolean().describe('true: you see this team only; false: it is a default.'),
    kind: z.string(),
    scopes: z.array(z.string()),
    holds: z.array(z.object({ taskId: z.string(), fence: z.int(), leaseUntil: z.int().nullable() })),
    budget: z
      .array(
        z.object({
          agent: z.string(),
          window: z.string(),
          tokens: z.number().nullable().describe('Left; null: no limit.'),
          dollars: z.number().nullable(),
          resetsAt: z.string().nullable(),
        }),
      )
      .optional()
      .describe('What is left of the windows that have a limit.'),
    brief: z
      .object({
        text: z.string(),
        tokens: z.int(),
        lines: z.array(z.object({ kind: z.enum(BRIEF_KINDS), id: z.string(), text: z.string() })),
      })
      .optional(),
  }),
  tool: { title: 'Who am I', carries: ['.brief'] },
  async run({ acting, board, briefings, budgets }: Parts, { brief }, context: WorkContext) {
    const known = await acting.look(callOf(context, 'whoami'), async (q, caller) => ({
      ...describeCaller(caller),
      holds: (await board.at(q, caller).held()).map(({ taskId, fence, leaseUntil }) => ({
        taskId,
        fence,
        leaseUntil,
      })),
    }));
    const left = await acting.look(
      callOf(context, 'whoami'),
      async (q, caller) => (await budgets()?.(q, caller)) ?? [],
    );
    const limited = left.flatMap(leftOf);
    const told = brief === true ? await briefings?.of(context) : undefined;
    return { ...known, ...(limited.length > 0 && { budget: limited }), ...(told && { brief: told }) };
  },
});

function leftOf({ agent, window, tokens, dollars, limit, resetsAt }: BudgetLeft) {
  if (limit === null) return [];
  const rest = (most: number | null, used: number) =>
    most === null ? null : Math.max(0, Math.round((most - used) * 1e6) / 1e6);
  return [
    { agent, window, tokens: rest(limit.tokens, tokens), dollars: rest(limit.dollars, dollars), resetsAt },
  ];
}

function describeCaller({ who, known }: Caller) {
  const { bound, name, project, kind, scopes, default: taken } = who;
  const agent = bound.agent ?? name ?? null;
  const isBound = known === 'bound';
  return {
    agent,
    known: isBound ? ('bound' as const) : agent === null ? ('unnamed' as const) : ('automatic' as const),
    team: bound.team ?? taken?.team ?? null,
    project: project ?? bound.team ?? taken?.team ?? null,
    isWall: bound.team !== undefined,
    kind,
    scopes: [...scopes].toSorted(),
  };
}
