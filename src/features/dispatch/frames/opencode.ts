import {
  asCount,
  asObject,
  asText,
  classify,
  type Common,
  type FrameReader,
  type Json,
  NO_USAGE,
  parseObject,
  type Usage,
  type Verdict,
} from './common.ts';

/**
 * `opencode run --format json`. There is no final frame: a step that finished with reason `stop` is the agent's word that it
 * is done. Tokens come per step and are summed.
 */
export function createOpencodeReader(): FrameReader {
  let session: string | undefined;
  let verdict: Verdict | undefined;
  let usage: Usage | undefined;
  let said = '';

  function readStep(part: Json): Common | undefined {
    const tokens = asObject(part['tokens']) ?? {};
    const cache = asObject(tokens['cache']) ?? {};
    const sum = usage ?? { ...NO_USAGE, costUsd: 0 };
    usage = {
      ...sum,
      inputUncached: sum.inputUncached + asCount(tokens['input']),
      cacheRead: sum.cacheRead + asCount(cache['read']),
      cacheWrite: sum.cacheWrite + asCount(cache['write']),
      output: sum.output + asCount(tokens['output']),
      reasoning: sum.reasoning + asCount(tokens['reasoning']),
      costUsd: (sum.costUsd ?? 0) + asCount(part['cost']),
      turns: sum.turns + 1,
    };
    if (part['reason'] === 'stop') verdict = { ok: true, text: said };
    return { type: 'usage', usage };
  }

  return {
    read(line) {
      const frame = parseObject(line);
      if (!frame) return { type: 'notice', text: line };
      session = asText(frame['sessionID']) ?? session;
      const part = asObject(frame['part']) ?? {};
      switch (frame['type']) {
        case 'text':
          said = asText(part['text']) ?? '';
          return { type: 'text', text: said };
        case 'tool_use': {
          const state = asObject(part['state']) ?? {};
          const tool = {
            id: asText(part['callID']) ?? '',
            name: asText(part['tool']) ?? '',
            phase: 'end',
            input: state['input'],
          } as const;
          return { type: 'tool', tool: { ...tool, ok: state['status'] === 'completed' } };
        }
        case 'step_finish':
          return readStep(part);
        case 'error': {
          const error = asObject(frame['error']) ?? {};
          const data = asObject(error['data']);
          const text = asText(data?.['message']) ?? asText(error['name']) ?? 'the agent reported an error';
          verdict = { ok: false, class: classify(text, asCount(data?.['statusCode']) || undefined), text };
          return { type: 'error', text };
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
