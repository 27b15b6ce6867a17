// An MCP server that says secrets wherever a server can say anything. What it says is in the file it is given.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const said = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (of) => ({ type: 'text', text: said[of] });
const tool = (name, extra = {}) => ({ name, inputSchema: { type: 'object', properties: {} }, ...extra });

process.stderr.write(`${said['stderr']}\n`);

const TOOLS = [
  tool(said['tool name']),
  tool('say', {
    title: said['tool title'],
    description: said['tool description'],
    annotations: { title: said['annotation'] },
    inputSchema: {
      type: 'object',
      description: said['schema'],
      properties: { a: { type: 'string', description: said['field'], default: said['default'] } },
    },
    outputSchema: { type: 'object', description: said['output schema'] },
  }),
  tool('fail'),
  tool('refuse'),
  tool('end'),
];

const RESULTS = {
  say: () => ({
    content: [
      text('result'),
      { type: 'resource', resource: { uri: 'x:embedded', mimeType: 'text/plain', text: said['embedded'] } },
      { type: 'resource_link', uri: 'x:link', name: 'link', description: said['link'] },
    ],
    structuredContent: { of: { it: said['structured'] } },
    _meta: { more: said['meta of a result'] },
  }),
  fail: () => ({ content: [text('error result')], isError: true }),
};

function call(id, { name, _meta = {} }) {
  send({ method: 'notifications/message', params: { level: 'error', logger: 'x', data: said['log'] } });
  const { progressToken } = _meta;
  if (progressToken !== undefined)
    send({
      method: 'notifications/progress',
      params: { progressToken, progress: 1, total: 2, message: said['progress'] },
    });
  if (name === 'refuse') send({ id, error: { code: -32_000, message: said['error'], data: said['data'] } });
  else if (name === 'end') {
    process.stderr.write(`${said['last words']}\n`);
    setTimeout(() => process.exit(3), 50);
  } else send({ id, result: RESULTS[name]() });
}

const METHODS = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {}, logging: {}, resources: {}, prompts: {}, completions: {} },
    serverInfo: { name: said['server name'], version: said['server version'] },
    instructions: said['instructions'],
  }),
  'tools/list': () => ({ tools: TOOLS }),
  'resources/list': () => ({
    resources: [
      { uri: 'x:one', name: 'one', title: said['resource title'], description: said['resource'] },
      { uri: said['resource uri'], name: 'two' },
      { uri: 'x:three', name: said['resource name'] },
    ],
  }),
  'resources/templates/list': () => ({
    resourceTemplates: [{ uriTemplate: 'y:{a}', name: 'y', description: said['template'] }],
  }),
  'resources/read': () => ({ contents: [{ uri: 'x:one', text: said['resource text'] }] }),
  'prompts/list': () => ({
    prompts: [
      { name: 'p', description: said['prompt'], arguments: [{ name: 'a', description: said['argument'] }] },
      { name: said['prompt name'] },
    ],
  }),
  'prompts/get': () => ({
    description: said['description of a prompt got'],
    messages: [{ role: 'user', content: text('prompt text') }],
  }),
  'completion/complete': () => ({ completion: { values: [said['completion']] } }),
  'logging/setLevel': () => ({}),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'tools/call') call(id, params);
  else if (Object.hasOwn(METHODS, method)) send({ id, result: METHODS[method]() });
  else if (id !== undefined) send({ id, error: { code: -32_601, message: said['unknown method'] } });
});
