import { z } from 'zod';
import { defineTool, type Tool } from '../../mcp/define.ts';
import { byTool, type Acting, type Call, type Caller } from '../../store/acting.ts';
import type { Tx } from '../../store/database.ts';
import type { Board } from './board.ts';
import { identity, once } from '../../operation/identity.ts';

type Args<S extends z.ZodRawShape> = z.output<z.ZodObject<S>>;

/** A tool that changes the board. All of them take the same optional identity and idempotency key. */
export type ChangeTool<S extends z.ZodRawShape, O extends z.ZodType> = Readonly<{
  name: string;
  title: string;
  description: string;
  profile?: 'extended';
  /** Calling it twice with the same arguments changes nothing more. */
  isRepeatable: boolean;
  input: S;
  output: O;
  /** See `ToolDefinition`. */
  requiredUnlessKnown?: readonly string[];
  /** Fields of the result that somebody else wrote. */
  carries?: readonly string[];
  /** It makes a new claim: what its seat claimed before does not matter. */
  isAcquiring?: true;
  /** The documented argument that names the agent, when it is not `agentId`. */
  agentOf?(args: Args<S>): string | undefined;
  run(tx: Tx, caller: Caller, args: Args<S>): Promise<z.output<O>>;
}>;

const common = z.object({ ...identity, ...once, taskId: z.string().optional() });

/** What the board's tools and routes work with. */
export type BoardDoor = Readonly<{ acting: Acting; board: Board }>;

export function changeTool<S extends z.ZodRawShape, O extends z.ZodType>(
  { acting, board }: BoardDoor,
  tool: ChangeTool<S, O>,
): Tool {
  const { name, title, description, profile, output, isRepeatable, requiredUnlessKnown, carries } = tool;
  return defineTool({
    name,
    title,
    description,
    ...(profile && { profile }),
    ...(requiredUnlessKnown && { requiredUnlessKnown }),
    ...(carries && { carries }),
    input: z.object({ ...tool.input, ...identity, ...once }),
    output,
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: isRepeatable,
      openWorldHint: false,
    },
    scope: 'board:write',
    effect: 'state',
    async handler(given, { who }) {
      const args = given as Args<S> & z.output<typeof common>;
      const named = tool.agentOf?.(args);
      const call = {
        ...byTool(who, name, args),
        agentId: named ?? args.agentId,
        fence: args.fence,
        ...(!tool.isAcquiring && attributedBy(board, args.taskId)),
      };
      return { ok: true, value: await acting.change(call, (tx, caller) => tool.run(tx, caller, args)) };
    },
  });
}

/** A seat that claimed the task need not name its agent again. */
export function attributedBy(board: Board, taskId: string | undefined): Pick<Call, 'attribute'> {
  return taskId === undefined ? {} : { attribute: (q, caller) => board.agentOfSeat(q, caller, taskId) };
}
