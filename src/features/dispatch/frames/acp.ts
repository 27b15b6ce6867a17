import type { Family } from '../../../kernel/agent-settings.ts';
import {
  asCount,
  asList,
  asObject,
  asText,
  type Common,
  type Json,
  NO_USAGE,
  type Spent,
  type ToolUse,
  type Usage,
} from './common.ts';

/**
 * What a session update says in the common form. Undefined for what is not worth showing. `costBefore`: what the session had
 * cost before this run.
 */
export function readUpdate(update: Json, family: Family, costBefore = 0): Common | undefined {
  switch (update['sessionUpdate']) {
    case 'agent_message_chunk':
      // Codex says its warnings in the voice of the model; only their missing id tells.
      return {
        type: family === 'codex' && update['messageId'] === undefined ? 'notice' : 'text',
        text: textOf(update['content']),
      };
    case 'agent_thought_chunk':
      return { type: 'thought', text: textOf(update['content']) };
    case 'tool_call':
      return { type: 'tool', tool: toolOf(update, 'start') };
    case 'tool_call_update': {
      const status = update['status'];
      const isOver = status === 'completed' || status === 'failed';
      return {
        type: 'tool',
        tool: { ...toolOf(update, isOver ? 'end' : 'update'), ...(isOver && { ok: status === 'completed' }) },
      };
    }
    case 'plan':
      return { type: 'plan', plan: update['entries'] };
    case 'usage_update':
      return { type: 'spent', spent: spentBy(update, costBefore) };
    default:
      return undefined;
  }
}

function spentBy(update: Json, costBefore: number): Spent {
  const [context, window] = [asCount(update['used']), asCount(update['size'])];
  const cost = costOf(update);
  return {
    ...(context > 0 && { context }),
    ...(window > 0 && { window }),
    ...(cost !== undefined && { totalUsd: Math.max(0, cost - costBefore) }),
  };
}

function toolOf(update: Json, phase: ToolUse['phase']): ToolUse {
  const input = update['rawInput'];
  return {
    id: asText(update['toolCallId']) ?? '',
    name: asText(update['name']) ?? asText(update['title']) ?? '',
    phase,
    ...(input !== undefined && { input }),
  };
}

function textOf(content: unknown): string {
  return asText(asObject(content)?.['text']) ?? '';
}

/** Large, of no use to anybody, and sent again and again. */
export function isWorthless(update: Json | undefined): boolean {
  return update?.['sessionUpdate'] === 'available_commands_update';
}

/** Codex ends a turn that failed with `end_turn`; this is the only sign. */
export function isSystemError(update: Json): boolean {
  const status = asObject(asObject(asObject(update['_meta'])?.['codex'])?.['threadStatus']);
  return status?.['type'] === 'systemError';
}

/** Cumulative over the session, where it is told at all. */
export function costOf(update: Json): number | undefined {
  if (update['sessionUpdate'] !== 'usage_update') return undefined;
  const amount = asObject(update['cost'])?.['amount'];
  return typeof amount === 'number' ? amount : undefined;
}

export type PromptEnd = Readonly<{
  result: Json;
  costUsd: number | undefined;
  costBefore: number;
  isLastStepOnly: boolean;
}>;

/** Tokens of the prompt that just ended. */
export function usageOfPrompt({ result, costUsd, costBefore, isLastStepOnly }: PromptEnd): Usage {
  const cost = costUsd === undefined ? null : Math.max(0, costUsd - costBefore);
  const told = asObject(result['usage']);
  if (told) {
    return {
      inputUncached: asCount(told['inputTokens']),
      cacheRead: asCount(told['cachedReadTokens']),
      cacheWrite: asCount(told['cachedWriteTokens']),
      output: asCount(told['outputTokens']),
      reasoning: asCount(told['thoughtTokens']),
      costUsd: cost,
      turns: 1,
      basis: isLastStepOnly ? 'lower_bound' : 'reported',
    };
  }
  const quota = asObject(asObject(asObject(result['_meta'])?.['quota'])?.['token_count']);
  if (!quota) return { ...NO_USAGE, costUsd: cost, turns: 1, basis: 'lower_bound' };
  return {
    ...NO_USAGE,
    inputUncached: asCount(quota['input_tokens']),
    output: asCount(quota['output_tokens']),
    costUsd: cost,
    turns: 1,
  };
}

/**
 * Joins a permission request with what the tool call said before: some agents leave the input out of the
 * request.
 */
export function joinCall(known: Json | undefined, asked: Json): Json {
  const given = Object.fromEntries(
    Object.entries(asked).filter(([, value]) => value !== undefined && !isEmpty(value)),
  );
  return { ...known, ...given };
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value)
    ? value.length === 0
    : typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

export type Option = Readonly<{ optionId: string; kind: string }>;

export function optionsOf(params: Json): Option[] {
  return asList(params['options']).flatMap((each) => {
    const option = asObject(each);
    const optionId = asText(option?.['optionId']);
    return optionId === undefined ? [] : [{ optionId, kind: asText(option!['kind']) ?? '' }];
  });
}

/**
 * By kind, as ids differ. `always` is never chosen: what is remembered is the hub's to remember, as a grant.
 */
export function chooseOption(options: readonly Option[], isAllowed: boolean): string | undefined {
  const kinds = isAllowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  return kinds.flatMap((kind) => options.find((option) => option.kind === kind)?.optionId ?? [])[0];
}
