import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { freshHome, startHub } from '../fixtures/hub-process.ts';

/** The two commands of the REST document, as printed there. */
const INITIALIZE = `curl -i -X POST http://localhost:18790/api/mcp/tasks \\
-H 'Content-Type: application/json' \\
-H 'Accept: application/json, text/event-stream' \\
-d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"curl","version":"0"}}}'`;
const LIST = `curl -X POST http://localhost:18790/api/mcp/tasks \\
-H 'Content-Type: application/json' \\
-H 'mcp-session-id: <id-from-step-1>' \\
-d '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'`;

const shell = (command: string) => spawnSync('sh', ['-c', command], { encoding: 'utf8' }).stdout;

it('the documented curl commands work as printed', async () => {
  // Without flags the hub takes 18790, or the next free port when something else has it: only then does the number differ.
  const { address } = await startHub(freshHome(), []);
  const here = (command: string) => command.replace('localhost:18790', `localhost:${new URL(address).port}`);

  const opened = shell(here(INITIALIZE));
  expect(opened).toMatch(/^HTTP\/1\.1 200 OK/);
  const session = /^mcp-session-id: (.+)\r$/im.exec(opened)?.[1];
  expect(session).toBeDefined();
  expect(opened).toContain('"serverInfo":{"name":"clawboo-tasks","version":"0.1.0"');

  const listed = JSON.parse(shell(here(LIST).replace('<id-from-step-1>', session!))) as {
    id: number;
    result: { tools: { name: string }[] };
  };
  expect(listed.id).toBe(2);
  expect(listed.result.tools.map(({ name }) => name)).toHaveLength(12);
});

it('a session survives the restart of its hub', async () => {
  const env = freshHome();
  const first = await startHub(env);
  const post = (address: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${address}/api/mcp/tasks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    });
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '0' },
  };
  const session = (await post(first.address, { method: 'initialize', params })).headers.get(
    'mcp-session-id',
  )!;
  await first.stop();
  const second = await startHub(env);
  const answer = await post(second.address, { method: 'tools/list' }, { 'mcp-session-id': session });
  expect(answer.status).toBe(200);
  const stranger = await startHub(freshHome());
  const refused = await post(stranger.address, { method: 'tools/list' }, { 'mcp-session-id': session });
  expect([refused.status, await refused.json()]).toEqual([
    400,
    expect.objectContaining({
      error: expect.objectContaining({
        code: -32000,
        message: 'No valid session; send an initialize request first.',
      }),
    }),
  ]);
});
