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
  toolBegins,
  toolEnds,
} from './common.ts';
import { readFailure } from '../quota/limit.ts';

/**
 * `gemini -o stream-json`. The last frame is `result`; without one, whatever the exit code, nothing was
 * finished.
 */
export function createGeminiReader(): FrameReader {
  let said = '';

  function readMessage(frame: Json): Common | undefined {
    if (frame['role'] !== 'assistant') return undefined;
    const text = asText(frame['content']) ?? '';
    said = frame['delta'] === true ? said + text : text;
    return { type: 'text', text };
  }

  return readFrames((frame, told) => {
    switch (frame['type']) {
      case 'init':
        told.session = asText(frame['session_id']);
        return undefined;
      case 'message':
        return readMessage(frame);
      case 'tool_use':
        return toolBegins(frame['tool_id'], frame['tool_name'], frame['parameters']);
      case 'tool_result':
        return toolEnds(frame['tool_id'], frame['status'] === 'success');
      case 'error':
        return {
          type: frame['severity'] === 'error' ? 'error' : 'notice',
          text: asText(frame['message']) ?? '',
        };
      case 'result': {
        told.usage = usageOf(asObject(frame['stats']) ?? {});
        if (frame['status'] === 'success') {
          told.verdict = { ok: true, text: said };
          return { type: 'usage', usage: told.usage };
        }
        const error = asObject(frame['error']);
        const text = asText(error?.['message']) ?? 'the agent reported an error';
        told.verdict = { ok: false, ...readFailure({ text, code: asText(error?.['type']) }) };
        return { type: 'error', text };
      }
      default:
        return undefined;
    }
  });
}

/** `input_tokens` includes what was cached, `input` does not. */
function usageOf(told: Json): Usage {
  const cached = asCount(told['cached']);
  const uncached =
    typeof told['input'] === 'number'
      ? asCount(told['input'])
      : Math.max(0, asCount(told['input_tokens']) - cached);
  const output = asCount(told['output_tokens']);
  return { ...NO_USAGE, inputUncached: uncached, cacheRead: cached, output, turns: 1 };
}
