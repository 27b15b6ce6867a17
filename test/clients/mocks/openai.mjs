import { findTool, sendEvents, sendJson, startMock } from './mock-server.mjs';

/** The Responses API, for Codex. */
export function startOpenai({ tool, args, lastWord }) {
  return startMock(({ request, response, body }) => {
    if (request.url.startsWith('/v1/models'))
      return sendJson(response, { object: 'list', data: [], models: [] });
    if (request.method !== 'POST' || !request.url.startsWith('/v1/responses')) return;
    const offer = offerOf(body.tools, tool);
    const isAnswered = JSON.stringify(body.input).includes('"function_call_output"');
    const item =
      offer && !isAnswered
        ? { type: 'function_call', id: 'fc_1', call_id: 'call_1', arguments: JSON.stringify(args), ...offer }
        : {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            content: [{ type: 'output_text', text: lastWord }],
          };
    const usage = {
      input_tokens: 1,
      input_tokens_details: null,
      output_tokens: 1,
      output_tokens_details: null,
      total_tokens: 2,
    };
    const events = [
      { type: 'response.created', response: { id: 'resp_1' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id: 'resp_1', usage } },
    ];
    sendEvents(
      response,
      events.map((event) => [event.type, event]),
    );
  });
}

/** Codex offers tools of an MCP server either under one long name or inside a namespace. */
function offerOf(tools, tool) {
  for (const each of tools ?? []) {
    if (each.type === 'namespace') {
      const name = findTool(each.tools, tool);
      if (name) return { name, namespace: each.name };
    } else if (findTool(each, tool)) return { name: findTool(each, tool) };
  }
  return undefined;
}
