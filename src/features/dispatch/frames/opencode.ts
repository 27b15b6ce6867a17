import {
  asCount,
  asObject,
  asText,
  type Common,
  type FrameReader,
  type Json,
  NO_USAGE,
  readFrames,
  type Telling,
} from './common.ts';
import { readFailure } from '../quota/limit.ts';

/**
 * `opencode run --format json`. There is no final frame: a step that finished with reason `stop` is the agent's word that it
 * is done. Tokens come per step and are summed.
 */
export function createOpencodeReader(): FrameReader {
  let said = '';

  function readStep(part: Json, told: Telling): Common {
    const tokens = asObject(part['tokens']) ?? {};
    const cache = asObject(tokens['cache']) ?? {};
    const sum = told.usage ?? { ...NO_USAGE, costUsd: 0 };
    told.usage = {
      ...sum,
      inputUncached: sum.inputUncached + asCount(tokens['input']),
      cacheRead: sum.cacheRead + asCount(cache['read']),
      cacheWrite: sum.cacheWrite + asCount(cache['write']),
      output: sum.output + asCount(tokens['output']),
      reasoning: sum.reasoning + asCount(tokens['reasoning']),
      costUsd: (sum.costUsd ?? 0) + asCount(part['cost']),
      turns: sum.turns + 1,
    };
    if (part['reason'] === 'stop') told.verdict = { ok: true, text: said };
    const context = asCount(tokens['input']) + asCount(cache['read']) + asCount(cache['write']);
    return {
      type: 'usage',
      usage: told.usage,
      spent: { ...(context > 0 && { context }), totalUsd: told.usage.costUsd ?? 0 },
    };
  }

  return readFrames((frame, told) => {
    told.session = asText(frame['sessionID']) ?? told.session;
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
        return readStep(part, told);
      case 'error': {
        const error = asObject(frame['error']) ?? {};
        const data = asObject(error['data']);
        const text = asText(data?.['message']) ?? asText(error['name']) ?? 'the agent reported an error';
        const seconds = Number(asObject(data?.['responseHeaders'])?.['retry-after']);
        told.verdict = {
          ok: false,
          ...readFailure({
            text,
            status: asCount(data?.['statusCode']) || undefined,
            ...(seconds > 0 && { afterMs: seconds * 1_000 }),
          }),
        };
        return { type: 'error', text };
      }
      default:
        return undefined;
    }
  });
}
