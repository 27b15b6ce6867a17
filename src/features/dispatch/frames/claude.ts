import {
  asCount,
  asList,
  asObject,
  asText,
  type Common,
  type FrameReader,
  type Json,
  readFrames,
  type Spent,
  type Telling,
  type Usage,
  toolBegins,
  toolEnds,
} from './common.ts';
import { type ClientFailure, readFailure } from '../quota/limit.ts';

/**
 * `claude -p --output-format stream-json --verbose`. `type` is not always the first key. A failed API call carries
 * `subtype: "success"` with `is_error: true`; cost is cumulative over the session, also across --resume.
 */
export function createClaudeReader(before: Readonly<{ costUsd: number }> = { costUsd: 0 }): FrameReader {
  /** When the window opens again that refused; it tells so before it fails. */
  let resetsAt: number | undefined;
  /** Several models may work for one; it is this one's context that is told of. */
  let model = '';

  function readResult(frame: Json, told: Telling): Common {
    const usage = usageOf(frame, before.costUsd);
    told.usage = usage;
    const text = asText(frame['result']) ?? asList(frame['errors']).join('; ');
    const subtype = asText(frame['subtype']) ?? '';
    const isError = frame['is_error'] === true || subtype.startsWith('error');
    if (!isError) {
      told.verdict = { ok: true, text };
      return { type: 'usage', usage };
    }
    const why = text === '' ? subtype : text;
    const failure: ClientFailure = subtype.startsWith('error_max')
      ? { class: 'limit', text: why }
      : readFailure({
          text: why,
          status: asCount(frame['api_error_status']) || undefined,
          code: asText(frame['api_error_type']),
          ...(resetsAt !== undefined && { resetsAt }),
        });
    told.verdict = { ok: false, ...failure };
    return { type: 'error', text: why };
  }

  return readFrames((frame, told) => {
    told.session = asText(frame['session_id']) ?? told.session;
    switch (frame['type']) {
      case 'system':
        return readSystem(frame);
      case 'assistant': {
        const said = readMessage(frame);
        model = asText(asObject(frame['message'])?.['model']) ?? model;
        const spent = spentIn(frame);
        return said && spent ? { ...said, spent } : said;
      }
      case 'user':
        return readToolResult(frame);
      case 'rate_limit_event':
        resetsAt = resetOf(asObject(frame['rate_limit_info']) ?? {}) ?? resetsAt;
        return undefined;
      case 'stream_event':
        return readDelta(frame);
      case 'result':
        return { ...readResult(frame, told), spent: spentByEnd(frame, model, told.usage) };
      default:
        return undefined;
    }
  });
}

function readSystem(frame: Json): Common | undefined {
  if (frame['subtype'] === 'api_retry')
    return { type: 'notice', text: `The model API failed (${String(frame['error_status'])}); trying again.` };
  if (frame['subtype'] === 'permission_denied')
    return {
      type: 'notice',
      text: `${asText(frame['tool_name']) ?? 'A tool'} was denied: ${asText(frame['message']) ?? ''}`,
    };
  return undefined;
}

/** Of windows that let one through there are many words; one that is closed counts, and what it says of money beyond it does not. */
function resetOf(info: Json): number | undefined {
  return info['status'] === 'rejected' ? asCount(info['resetsAt']) * 1_000 || undefined : undefined;
}

function readMessage(frame: Json): Common | undefined {
  // What the client itself says in the voice of the model.
  const isError = frame['is_api_error_message'] === true;
  for (const block of asList(asObject(frame['message'])?.['content'])) {
    const part = asObject(block);
    if (part?.['type'] === 'tool_use') return toolBegins(part['id'], part['name'], part['input']);
    if (part?.['type'] === 'thinking') return { type: 'thought', text: asText(part['thinking']) ?? '' };
    if (part?.['type'] === 'text')
      return { type: isError ? 'notice' : 'text', text: asText(part['text']) ?? '' };
  }
  return undefined;
}

/** What went into the model is its context then. Helpers that it starts have one of their own. */
function spentIn(frame: Json): Spent | undefined {
  const message = asObject(frame['message']);
  const usage = asObject(message?.['usage']);
  if (!usage || asText(frame['parent_tool_use_id']) !== undefined) return undefined;
  const parts = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
  const context = parts.reduce((sum, name) => sum + asCount(usage[name]), 0);
  const call = asText(message?.['id']);
  return context === 0 ? undefined : { context, ...(call !== undefined && { call }) };
}

function spentByEnd(frame: Json, model: string, usage: Usage | undefined): Spent {
  const window = asCount(asObject(asObject(frame['modelUsage'])?.[model])?.['contextWindow']);
  return {
    ...(window > 0 && { window }),
    ...(usage && usage.costUsd !== null && { totalUsd: usage.costUsd }),
  };
}

function readToolResult(frame: Json): Common | undefined {
  for (const block of asList(asObject(frame['message'])?.['content'])) {
    const part = asObject(block);
    if (part?.['type'] === 'tool_result') return toolEnds(part['tool_use_id'], part['is_error'] !== true);
  }
  return undefined;
}

function readDelta(frame: Json): Common | undefined {
  const delta = asObject(asObject(frame['event'])?.['delta']);
  if (delta?.['type'] === 'thinking_delta') return { type: 'thought', text: asText(delta['thinking']) ?? '' };
  return undefined;
}

function usageOf(frame: Json, costBefore: number): Usage {
  const told = asObject(frame['usage']) ?? {};
  const cost = frame['total_cost_usd'];
  const isBroken =
    frame['terminal_reason'] !== undefined &&
    frame['terminal_reason'] !== 'completed' &&
    frame['is_error'] === true;
  return {
    inputUncached: asCount(told['input_tokens']),
    cacheRead: asCount(told['cache_read_input_tokens']),
    cacheWrite: asCount(told['cache_creation_input_tokens']),
    output: asCount(told['output_tokens']),
    reasoning: 0,
    costUsd: typeof cost === 'number' ? Math.max(0, cost - costBefore) : null,
    turns: asCount(frame['num_turns']),
    basis: isBroken ? 'lower_bound' : 'reported',
  };
}
