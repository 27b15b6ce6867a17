import { countOf, findTool, sendEvents, sendJson, startMock, stepOf } from './mock-server.mjs';

/** The Gemini API, for Gemini CLI. */
export function startGoogle(turn) {
  return startMock(({ request, response, body }) => {
    if (request.url.includes(':countTokens')) return sendJson(response, { totalTokens: 1 });
    if (!request.url.includes('enerateContent')) return;
    const done = countOf(body.contents, 'functionResponse');
    const { tool, args, thought } = stepOf(turn, done);
    const name = tool && findTool(body.tools, tool);
    const last = name ? { functionCall: { id: `call-${done + 1}`, name, args } } : { text: turn.lastWord };
    const parts = thought ? [{ text: thought, thought: true }, last] : [last];
    const answer = {
      candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    };
    if (request.url.includes(':streamGenerateContent')) sendEvents(response, [[undefined, answer]]);
    else sendJson(response, answer);
  });
}
