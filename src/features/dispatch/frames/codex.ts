import {
  asCount,
  asObject,
  asText,
  type Common,
  type FrameReader,
  type Json,
  NO_USAGE,
  readFrames,
  type Usage,
} from './common.ts';
import { readFailure } from '../quota/limit.ts';

/** Tokens that a thread had used before this run: Codex counts over the whole thread. */
export type Before = Readonly<{ inputUncached: number; cacheRead: number; output: number }>;
const NOTHING: Before = { inputUncached: 0, cacheRead: 0, output: 0 };

/**
 * `codex exec --json`. An item of type `error` is a warning; a top-level `error` may be a reconnect. Only `turn.completed` and
 * `turn.failed` end anything.
 */
export function createCodexReader(before: Before = NOTHING): FrameReader {
  let said = '';
  let turns = 0;

  function readItem(frame: Json, phase: 'start' | 'end'): Common | undefined {
    const item = asObject(frame['item']) ?? {};
    const id = asText(item['id']) ?? '';
    switch (item['type']) {
      case 'agent_message':
        said = asText(item['text']) ?? '';
        return { type: 'text', text: said };
      case 'reasoning':
        return { type: 'thought', text: asText(item['text']) ?? '' };
      case 'command_execution':
        return {
          type: 'tool',
          tool: { id, name: 'shell', phase, input: { command: item['command'] }, ...okOf(item, phase) },
        };
      case 'file_change':
        return {
          type: 'tool',
          tool: { id, name: 'edit', phase, input: { changes: item['changes'] }, ...okOf(item, phase) },
        };
      case 'mcp_tool_call': {
        const name = `${asText(item['server']) ?? ''}.${asText(item['tool']) ?? ''}`;
        return { type: 'tool', tool: { id, name, phase, input: item['arguments'], ...okOf(item, phase) } };
      }
      case 'todo_list':
        return { type: 'plan', plan: item['items'] };
      case 'error':
        return { type: 'notice', text: asText(item['message']) ?? '' };
      default:
        return undefined;
    }
  }

  return readFrames((frame, told) => {
    switch (frame['type']) {
      case 'thread.started':
        told.session = asText(frame['thread_id']);
        return undefined;
      case 'turn.started':
        turns += 1;
        return undefined;
      case 'item.started':
        return readItem(frame, 'start');
      case 'item.completed':
        return readItem(frame, 'end');
      case 'error':
        return { type: 'notice', text: asText(frame['message']) ?? '' };
      case 'turn.failed': {
        const text = asText(asObject(frame['error'])?.['message']) ?? 'the turn failed';
        told.verdict = { ok: false, ...readFailure({ text }) };
        told.usage = { ...NO_USAGE, turns, basis: 'lower_bound' };
        return { type: 'error', text };
      }
      case 'turn.completed':
        told.verdict = { ok: true, text: said };
        told.usage = usageOf(asObject(frame['usage']) ?? {}, before, turns);
        return { type: 'usage', usage: told.usage };
      default:
        return undefined;
    }
  });
}

function okOf(item: Json, phase: 'start' | 'end'): { ok?: boolean } {
  return phase === 'start' ? {} : { ok: item['status'] !== 'failed' && item['status'] !== 'declined' };
}

function usageOf(told: Json, before: Before, turns: number): Usage {
  const cached = asCount(told['cached_input_tokens']);
  const less = (now: number, then: number) => Math.max(0, now - then);
  return {
    ...NO_USAGE,
    turns,
    inputUncached: less(asCount(told['input_tokens']) - cached, before.inputUncached),
    cacheRead: less(cached, before.cacheRead),
    output: less(asCount(told['output_tokens']), before.output),
    reasoning: asCount(told['reasoning_output_tokens']),
  };
}
