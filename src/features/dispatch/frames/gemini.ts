import {
  asCount,
  asObject,
  asText,
  classify,
  type Common,
  type FrameReader,
  type Json,
  parseObject,
  type Usage,
  type Verdict,
} from './common.ts';

/** `gemini -o stream-json`. The last frame is `result`; without one, whatever the exit code, nothing was finished. */
export function createGeminiReader(): FrameReader {
  let session: string | undefined;
  let verdict: Verdict | undefined;
  let usage: Usage | undefined;
  let said = '';

  function readMessage(frame: Json): Common | undefined {
    if (frame['role'] !== 'assistant') return undefined;
    const text = asText(frame['content']) ?? '';
    said = frame['delta'] === true ? said + text : text;
    return { type: 'text', text };
  }

  return {
    read(line) {
      const frame = parseObject(line);
      if (!frame) return { type: 'notice', text: line };
      switch (frame['type']) {
        case 'init':
          session = asText(frame['session_id']);
          return undefined;
        case 'message':
          return readMessage(frame);
        case 'tool_use':
          return {
            type: 'tool',
            tool: {
              id: asText(frame['tool_id']) ?? '',
              name: asText(frame['tool_name']) ?? '',
              phase: 'start',
              input: frame['parameters'],
            },
          };
        case 'tool_result':
          return {
            type: 'tool',
            tool: {
              id: asText(frame['tool_id']) ?? '',
              name: '',
              phase: 'end',
              ok: frame['status'] === 'success',
            },
          };
        case 'error':
          return {
            type: frame['severity'] === 'error' ? 'error' : 'notice',
            text: asText(frame['message']) ?? '',
          };
        case 'result': {
          usage = usageOf(asObject(frame['stats']) ?? {});
          if (frame['status'] === 'success') verdict = { ok: true, text: said };
          else {
            const error = asObject(frame['error']);
            const text = asText(error?.['message']) ?? 'the agent reported an error';
            verdict = { ok: false, class: classify(`${asText(error?.['type']) ?? ''} ${text}`), text };
          }
          return verdict.ok ? { type: 'usage', usage } : { type: 'error', text: verdict.text };
        }
        default:
          return undefined;
      }
    },
    verdict: () => verdict,
    sessionId: () => session,
    usage: () => usage,
  };
}

/** `input_tokens` includes what was cached, `input` does not. */
function usageOf(told: Json): Usage {
  const cached = asCount(told['cached']);
  const uncached =
    typeof told['input'] === 'number'
      ? asCount(told['input'])
      : Math.max(0, asCount(told['input_tokens']) - cached);
  return {
    inputUncached: uncached,
    cacheRead: cached,
    cacheWrite: 0,
    output: asCount(told['output_tokens']),
    reasoning: 0,
    costUsd: null,
    turns: 1,
    basis: 'reported',
  };
}
