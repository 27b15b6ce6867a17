import { findTool, sendEvents, sendJson, startMock } from './mock-server.mjs';

/** The Gemini API, for Gemini CLI. */
export function startGoogle({ tool, args, lastWord }) {
  return startMock(({ request, response, body }) => {
    if (request.url.includes(':countTokens')) return sendJson(response, { totalTokens: 1 });
    if (!request.url.includes('enerateContent')) return;
    const name = findTool(body.tools, tool);
    const isAnswered = JSON.stringify(body.contents).includes('"functionResponse"');
    const part = name && !isAnswered ? { functionCall: { id: 'call-1', name, args } } : { text: lastWord };
    const answer = {
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    };
    if (request.url.includes(':streamGenerateContent')) sendEvents(response, [[undefined, answer]]);
    else sendJson(response, answer);
  });
}
