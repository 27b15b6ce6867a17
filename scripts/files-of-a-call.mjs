// Which files of src a call passes: those in which a function ran between its question and its answer, by V8's own
// count, each of five times: what the hub does meanwhile is not of the call. The hub runs from its sources, so that a file is a file. `node scripts/files-of-a-call.mjs [--names] [folder]`
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const folder = process.argv.slice(2).find((word) => word !== '--names');
const withNames = process.argv.includes('--names');
const root = resolve(folder ?? join(import.meta.dirname, '..'));
const node = join(root, 'node_modules/node/bin/node');
const home = mkdtempSync(join(tmpdir(), 'holdfast-files-'));

/** Loaded before the program: answers `take` with the files that ran since the last time. */
const COUNTER = `
import { Session } from 'node:inspector';
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
process.on('message', () => session.post('Profiler.takePreciseCoverage', (_, { result }) => process.send(
  result.filter(({ url, functions }) => url.includes('/src/') && functions.some((each) => each.functionName !== '' && each.ranges[0].count > 0)).map(({ url }) => url))));
process.channel.unref();
`;
writeFileSync(
  join(home, 'config.yaml'),
  'no-auth: true\nagents:\n  quick:\n    family: command\n    command: ["true"]\n',
);
const counter = join(home, 'counter.mjs');
writeFileSync(counter, COUNTER);

/** A program of ours under the counter; `quiet` answers what it prints, line by line. */
function start(entry, words, stdin) {
  const child = spawn(node, ['--no-warnings', '--import', counter, join(root, 'src/bin', entry), ...words], {
    env: {
      ...process.env,
      HOLDFAST_HOME: home,
      CLAWBOO_DB_PATH: join(home, 'hub.db'),
      HOLDFAST_LOG: 'error',
    },
    stdio: [stdin ?? 'ignore', 'pipe', 'inherit', 'ipc'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const take = () =>
    new Promise((resolve) => {
      child.once('message', (urls) =>
        resolve(new Set(urls.map((url) => relative(root, new URL(url).pathname)))),
      );
      child.send('take');
    });
  return { child, take, line: async () => (await lines.next()).value };
}

const UNSEEN = 2;
const CALLS = UNSEEN + 5;

/** Twice unseen, so that nothing is made for the first time; then what ran during every one. */
async function count(name, { take }, call) {
  let files;
  for (let n = 1; n <= CALLS; n += 1) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await take();
    await call(n);
    const ran = await take();
    if (n > UNSEEN) files = files ? new Set([...files].filter((file) => ran.has(file))) : ran;
  }
  console.log(`${name}: ${files.size}`);
  if (withNames) for (const file of [...files].toSorted()) console.log(`  ${file}`);
}

const hub = start('holdfast.ts', ['up', '--json', '--port', '0']);
const { address } = JSON.parse(await hub.line());
const rpc = async (path, tool, given) => {
  const answer = await fetch(`${address}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': tool,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: tool,
        arguments: given,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'count', version: '0' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  const { result, error } = await answer.json();
  if (error || result.isError) throw new Error(JSON.stringify(error ?? result.content));
  return result.structuredContent;
};
const ids = [];
for (let i = 0; i < CALLS; i += 1)
  ids.push((await rpc('/api/mcp/tasks', 'create_task', { title: `task ${i}` })).id);
await count('claim_task over HTTP', hub, (n) =>
  rpc('/api/mcp/tasks', 'claim_task', { taskId: ids[n - 1], agentId: 'ada' }),
);
await count('create_task by REST (board add)', hub, async (n) => {
  const answer = await fetch(`${address}/api/board/tasks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: `added ${n}` }),
  });
  if (!answer.ok) throw new Error(await answer.text());
});
await count('send_message by REST', hub, async (n) => {
  const answer = await fetch(`${address}/v1/send_message`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ instance: 'quick', prompt: `hello ${n}` }),
  });
  if (!answer.ok) throw new Error(await answer.text());
});
await count('note, a governed tool', hub, (n) => rpc('/api/mcp/tools', 'note', { note: `to remember ${n}` }));
hub.child.kill('SIGTERM');
await new Promise((resolve) => hub.child.once('exit', resolve));

const alone = start('clawboo-mcp-memory.ts', [], 'pipe');
const ask = async (id, method, params) => {
  alone.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  return JSON.parse(await alone.line());
};
await ask(0, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'count', version: '0' },
});
await ask(1, 'tools/call', {
  name: 'memory_save',
  arguments: { content: 'The port of the hub is chosen freely.' },
});
await count('memory_search over stdio', alone, (n) =>
  ask(n + 1, 'tools/call', { name: 'memory_search', arguments: { query: 'which port' } }),
);
alone.child.stdin.end();
await new Promise((resolve) => alone.child.once('exit', resolve));
rmSync(home, { recursive: true, force: true });
