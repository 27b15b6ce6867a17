import { setTimeout as sleep } from 'node:timers/promises';
import { countOf, findTool, sendEvents, sendJson, startMock, stepOf } from './mock-server.mjs';

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

function reply(response, body, turn) {
  const done = countOf(body.messages, 'type', 'tool_result');
  const { tool, args, thought } = stepOf(turn, done);
  const name = tool && findTool(body.tools, tool);
  const last = name
    ? { type: 'tool_use', id: `toolu_${done + 1}`, name, input: args }
    : { type: 'text', text: turn.lastWord };
  const blocks =
    thought && body.thinking ? [{ type: 'thinking', thinking: thought, signature: 'c2ln' }, last] : [last];
  const message = {
    id: `msg_${done + 1}`,
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: blocks,
    stop_reason: last.type === 'tool_use' ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  if (body.stream) sendEvents(response, eventsOf(message, blocks));
  else sendJson(response, message);
}

function eventsOf(message, blocks) {
  return [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    ...blocks.flatMap(eventsOfBlock),
    {
      type: 'message_delta',
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: 'message_stop' },
  ].map((event) => [event.type, event]);
}

function eventsOfBlock(block, index) {
  const [begin, ...deltas] = PARTS[block.type](block);
  return [
    { type: 'content_block_start', index, content_block: begin },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

const PARTS = {
  text: ({ text }) => [
    { type: 'text', text: '' },
    { type: 'text_delta', text },
  ],
  thinking: ({ thinking, signature }) => [
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking },
    { type: 'signature_delta', signature },
  ],
  tool_use: (block) => [
    { ...block, input: {} },
    { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
  ],
};
