import { existsSync } from 'node:fs';
import { z } from 'zod';
import { canonicalJson } from '../../../kernel/canonical-json.ts';
import { sha256 } from '../../../kernel/digest.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Principal } from '../../../kernel/principal.ts';
import type { Tool } from '../../../mcp/define.ts';
import { defineWorldTool, type WorldTool } from '../../broker/broker.ts';
import { askBroker } from '../governed.ts';
import { asList, asObject, asText, type Json } from '../frames/common.ts';
import type { AcpQuestion, PermissionAnswer } from '../lanes/acp.ts';
import { folderOf } from '../rules.ts';
import type { Run } from '../run.ts';

/**
 * What an agent wants to do inside its run, as a governed call: policy, grants, inbox and audit are those of
 * every other tool. The tools here do nothing; being let through is the answer.
 */
const governed = {
  output: z.object({ allowed: z.literal(true) }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  scope: 'tools:call',
  source: 'dispatch',
  risk: 'destructive',
  handler: async () => ({ ok: true, value: { allowed: true as const } }) as const,
} as const;

export function agentCallTool(): WorldTool {
  return defineWorldTool({
    ...governed,
    name: 'AgentToolCall',
    title: 'A tool call inside a run',
    description: 'An agent that this hub runs wants to use one of its own tools.',
    input: z.object({
      run: z.string(),
      tool: z.string(),
      kind: z.string(),
      title: z.string(),
      command: z.string().optional(),
      paths: z.array(z.string()).optional(),
      input: z.unknown().optional(),
    }),
    // An agent asks about the same call from one run after the other.
    incidental: ['run'],
    // The exact command and all that comes with it, else the exact files, else the exact input: never a whole
    // kind of calls.
    shape: ({ tool, kind, title, command, paths, input }) => ({
      tool: tool === '' ? kind : tool,
      ...(command !== undefined
        ? { command, ...besideCommand(input) }
        : paths?.length
          ? { paths: JSON.stringify(paths), kind, input: 'any' }
          : { title, input: JSON.stringify(input ?? null) }),
    }),
  });
}

/** Where a command runs and for how long is said beside it; what an agent says it is for changes nothing. */
function besideCommand(input: unknown): Readonly<Record<string, string>> {
  const { command: _command, description: _description, ...rest } = asObject(input) ?? {};
  return Object.keys(rest).length === 0 ? {} : { with: canonicalJson(rest) };
}

export function budgetTool(): WorldTool {
  return defineWorldTool({
    ...governed,
    name: 'AgentBudget',
    title: 'Go on beyond a budget',
    description: 'A run has spent its budget and asks to go on.',
    input: z.object({ run: z.string(), what: z.string() }),
  });
}

/** Approvals of one run are known by their call ids, so that they end with it. */
export function callPrefix(runId: string): string {
  return `run:${runId}:`;
}

/** Grants are given to an instance, not to the one run that asked first. */
function askerOf(run: Run): Principal {
  const { instance, team } = run;
  const bound = { agent: instance, ...(team !== null && { team }) };
  // Before it starts, its own checkout is not made yet: then it is asked for in the repository itself.
  const folder = [folderOf(run), run.worktree?.repository].find(
    (each) => each !== undefined && existsSync(each),
  );
  const scopes = new Set(['tools:call']);
  return { kind: 'agent', id: instance, scopes, seat: '', bound, ...(folder !== undefined && { folder }) };
}

type Asked = Readonly<{ args: object; signal: AbortSignal; id?: string | undefined }>;
type Ask = (run: Run, asked: Asked) => Promise<PermissionAnswer>;

/** Waits for as long as the request can be answered; what lapses is refused. */
function createAsking(tool: Tool): Ask {
  return async (run, { args, signal, id = newId() }) => {
    const callId = `${callPrefix(run.id)}${id}`;
    for (;;) {
      const answered = await askBroker(tool, args, { who: askerOf(run), signal, callId });
      if (answered.ok) return { decision: 'allow' };
      const reason = answered.meta?.['denied'];
      if (signal.aborted || reason === 'approval:cancelled' || reason === 'approval:pending')
        return { decision: 'void' };
      if (reason !== 'approval:timeout') return { decision: 'deny', note: asText(answered.value?.['note']) };
    }
  };
}

export function createAsk(tool: Tool): AcpQuestion {
  const ask = createAsking(tool);
  return async ({ run, mode }, { toolCall, signal, id }) => {
    if (mode === 'full') return { decision: 'allow' };
    return ask(run, { args: argsOf(run, toolCall), signal, id });
  };
}

/** May more be spent? `void`: nobody can be asked any more, because the run or the hub ends. */
export type AskBudget = (run: Run, what: string, signal: AbortSignal) => Promise<'allow' | 'deny' | 'void'>;

export function createAskBudget(tool: Tool): AskBudget {
  const ask = createAsking(tool);
  return async (run, what, signal) => (await ask(run, { args: { run: run.id, what }, signal })).decision;
}

const MOST_INPUT = 64 * 1024;

function argsOf(run: Run, toolCall: Json) {
  const input = asObject(toolCall['rawInput']);
  const command =
    asText(input?.['command']) ?? (toolCall['kind'] === 'execute' ? asText(toolCall['title']) : undefined);
  const paths = asList(toolCall['locations']).flatMap((each) => asText(asObject(each)?.['path']) ?? []);
  const shown = input ?? { content: toolCall['content'] ?? null };
  const text = JSON.stringify(shown);
  return {
    run: run.id,
    tool: asText(toolCall['name']) ?? '',
    kind: asText(toolCall['kind']) ?? 'other',
    title: asText(toolCall['title']) ?? '',
    ...(command !== undefined && { command }),
    ...(paths.length > 0 && { paths }),
    // What is too long to be shown is still told apart.
    input: text.length > MOST_INPUT ? { tooLong: text.length, sha256: sha256(text) } : shown,
  };
}
