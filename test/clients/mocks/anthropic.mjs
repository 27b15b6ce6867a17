import { setTimeout as sleep } from 'node:timers/promises';
import { findTool, sendEvents, sendJson, startMock } from './mock-server.mjs';

/** The Messages API, for Claude Code. */
export function startAnthropic(turn) {
  return startMock(async ({ request, response, body }) => {
    if (request.method === 'HEAD') response.writeHead(200).end();
    else if (request.url.includes('/count_tokens')) sendJson(response, { input_tokens: 1 });
    else if (request.url.startsWith('/v1/messages')) {
      await sleep(turn.thinkMs ?? 0);
      reply(response, body, turn);
    }
  });
}

function reply(response, body, { tool, args, lastWord }) {
  const name = findTool(body.tools, tool);
  const isAnswered = JSON.stringify(body.messages).includes('"tool_result"');
  const block =
    name && !isAnswered
      ? { type: 'tool_use', id: 'toolu_1', name, input: args }
      : { type: 'text', text: lastWord };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [block],
    stop_reason: block.type === 'tool_use' ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  if (body.stream) sendEvents(response, eventsOf(message, block));
  else sendJson(response, message);
}

function eventsOf(message, block) {
  const isCall = block.type === 'tool_use';
  const delta = isCall
    ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
    : { type: 'text_delta', text: block.text };
  return [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: isCall ? { ...block, input: {} } : { type: 'text', text: '' },
    },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: 'message_stop' },
  ].map((event) => [event.type, event]);
}
