// The same tool on the official SDK's low-level server, stateless, in the modern era.
import { createServer } from 'node:http';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

const inputSchema = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] };
const handler = createMcpHandler(
  () => {
    const server = new Server({ name: 'echo', version: '0' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', async () => ({ tools: [{ name: 'echo', inputSchema }] }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      const value = { message: params.arguments.message };
      return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
    });
    return server;
  },
  { legacy: 'reject' },
);

const server = createServer(async (req, res) => {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const answer = await handler.fetch(
    new Request(`http://127.0.0.1${req.url}`, {
      method: req.method,
      headers: req.headers,
      body: Buffer.concat(chunks),
    }),
  );
  const text = await answer.text();
  res.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => process.exit(0));
