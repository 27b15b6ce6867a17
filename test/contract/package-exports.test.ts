import { Client } from '@modelcontextprotocol/sdk/client';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as holdfast from '../../src/index.ts';
import { builtBin } from '../fixtures/built.ts';
import { freshDatabase } from '../fixtures/databases.ts';

async function attach(server: holdfast.StandaloneServer): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'program', version: '1' });
  await server.connect(far);
  await client.connect(near);
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return client;
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

describe('the four documented factories', () => {
  it('serve an official client over its own transport', async () => {
    const db = await freshDatabase('sqlite');
    const tasks = await attach(holdfast.createTasksServer(db));
    expect(tasks.getServerVersion()).toMatchObject({ name: 'clawboo-tasks', version: '0.1.0' });
    expect(await namesOf(tasks)).toHaveLength(12);
    const made = await tasks.callTool({ name: 'create_task', arguments: { title: 'by a program' } });
    expect(made.structuredContent).toMatchObject({ title: 'by a program' });
    const tools = await attach(holdfast.createToolsServer(db));
    expect(tools.getServerVersion()).toMatchObject({ name: 'clawboo-tools', version: '0.1.0' });
    expect(await namesOf(tools)).toContain('echo');
  });

  it('bind memory and chat beyond the reach of arguments', async () => {
    const db = await freshDatabase('sqlite');
    const memory = await attach(holdfast.createMemoryServer(db, undefined, { boundScope: { teamId: 'red' } }));
    expect(await namesOf(memory)).toEqual(['memory_browse', 'memory_save', 'memory_search']);
    await memory.callTool({ name: 'memory_save', arguments: { title: 'a', content: 'the sky is blue', scopeTeamId: 'blue' } });
    const other = await attach(holdfast.createMemoryServer(db, undefined, { boundScope: { teamId: 'blue' } }));
    const seen = await other.callTool({ name: 'memory_browse', arguments: { scopeTeamId: 'red' } });
    expect(JSON.stringify(seen)).not.toContain('the sky is blue');
    const chat = await attach(holdfast.createTeamChatServer(db, { boundIdentity: { teamId: 'red', authorAgentId: 'ada' } }));
    const posted = await chat.callTool({ name: 'team_chat_post', arguments: { text: 'hello', authorAgentId: 'eve', teamId: 'blue' } });
    expect(posted.structuredContent).toMatchObject({ posted: { roomId: 'team:red', authorAgentId: 'ada' } });
  });
});

it('requests carry the method always and a name only where there is one', async () => {
  const call = holdfast.buildMcpRequest(
    'http://127.0.0.1:1/mcp',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}',
  );
  expect(call.headers.get(holdfast.HEADER_MCP_METHOD)).toBe('tools/call');
  expect(call.headers.get(holdfast.HEADER_MCP_NAME)).toBe('echo');
  const note = holdfast.buildMcpRequest('http://127.0.0.1:1/mcp', '{"jsonrpc":"2.0","method":"notifications/initialized"}');
  expect(note.headers.has(holdfast.HEADER_MCP_NAME)).toBe(false);
});

it('the built package offers the same', { timeout: 90_000 }, async () => {
  const built = (await import(builtBin('holdfast').replace('bin/holdfast.js', 'index.js'))) as object;
  expect(Object.keys(built).sort()).toEqual(Object.keys(holdfast).sort());
});
