import { countOf, findTool, sendEvents, sendJson, startMock, stepOf } from './mock-server.mjs';

/** The Responses API, for Codex. */
export function startOpenai(turn) {
  return startMock(({ request, response, body }) => {
    if (request.url.startsWith('/v1/models'))
      return sendJson(response, { object: 'list', data: [], models: [] });
    if (request.method !== 'POST' || !request.url.startsWith('/v1/responses')) return;
    const done = countOf(body.input, 'type', 'function_call_output');
    const { tool, args, thought } = stepOf(turn, done);
    const offer = tool && offerOf(body.tools, tool);
    const item = offer
      ? {
          type: 'function_call',
          id: `fc_${done + 1}`,
          call_id: `call_${done + 1}`,
          arguments: JSON.stringify(args),
          ...offer,
        }
      : {
          type: 'message',
          id: `msg_${done + 1}`,
          role: 'assistant',
          content: [{ type: 'output_text', text: turn.lastWord }],
        };
    const summary = [{ type: 'summary_text', text: thought }];
    const reasoning = {
      type: 'reasoning',
      id: `rs_${done + 1}`,
      summary,
      content: null,
      encrypted_content: null,
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
      ...(thought ? [{ type: 'response.output_item.done', output_index: 0, item: reasoning }] : []),
      { type: 'response.output_item.done', output_index: thought ? 1 : 0, item },
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
