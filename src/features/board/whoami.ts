import { z } from 'zod';
import { look } from '../../operation/operation.ts';
import type { Caller } from '../../store/acting.ts';
import type { BoardView } from './board.ts';

/** Who one is here and what one holds: on the hub endpoint, and in the extended profile of every other server. */
export const whoami = look({
  name: 'whoami',
  summary: 'Your name here, how it is known, your project, and the tasks you hold with their fences.',
  scope: 'board:read',
  input: {},
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
  }),
  tool: { title: 'Who am I' },
  run: async (view: BoardView) => ({
    ...describeCaller(view.caller),
    holds: (await view.held()).map(({ taskId, fence, leaseUntil }) => ({ taskId, fence, leaseUntil })),
  }),
});

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
