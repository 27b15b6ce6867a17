// An MCP server on stdio with as many tools as its argument says; each echoes.
import { createInterface } from 'node:readline';

const count = Number(process.argv[2] ?? 25);
const verbs = ['create', 'list', 'update', 'delete', 'search', 'read', 'send', 'move', 'merge', 'close'];
const things = [
  'issue',
  'page',
  'channel',
  'invoice',
  'branch',
  'calendar event',
  'contact',
  'deployment',
  'ticket',
  'file',
];
const tools = Array.from({ length: count }, (_, i) => {
  const [verb, thing] = [verbs[i % 10], things[Math.floor(i / 10) % 10]];
  const properties = {
    text: { type: 'string', description: `What to ${verb}.` },
    id: { type: 'string' },
    limit: { type: 'integer' },
  };
  return {
    name: `${verb}_${thing.replace(' ', '_')}_${i}`,
    description: `Use this to ${verb} one ${thing} or several of them. It answers the ${thing} as it is afterwards.`,
    inputSchema: { type: 'object', properties, required: ['text'] },
    annotations: { readOnlyHint: true },
  };
});
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize')
    send({
      id,
      result: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'many', version: '1' },
      },
    });
  else if (method === 'tools/list') send({ id, result: { tools } });
  else if (method === 'tools/call')
    send({ id, result: { content: [{ type: 'text', text: params.arguments.text }] } });
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
});
