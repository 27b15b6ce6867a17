import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as holdfast from '../../src/index.ts';
import { builtBin } from '../fixtures/built.ts';
import { freshDatabase, freshFolder } from '../fixtures/databases.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

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

describe('createMemoryServer(db, embed)', () => {
  const axes = ['cat', 'dog', 'fish'];
  const embed = async (text: string) => [0.1, ...axes.map((word) => (text.toLowerCase().includes(word) ? 1 : 0))];
  const search = async (client: Client, query: string) =>
    (await client.callTool({ name: 'memory_search', arguments: { query, mode: 'vector' } })).structuredContent as any;

  it('embeds with the function it was given', async () => {
    const db = await freshDatabase('sqlite');
    const memory = await attach(holdfast.createMemoryServer(db, embed));
    for (const word of axes) await memory.callTool({ name: 'memory_save', arguments: { title: word, content: `about the ${word}` } });
    await expect
      .poll(async () => (await search(memory, 'dogs and dogs only')).results?.[0], { timeout: 20_000 })
      .toMatchObject({ title: 'dog', matchedVia: 'vector' });
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no model');
      },
    ],
    ['answers nonsense', async () => 'no vector'],
    ['answers nothing', async () => undefined],
  ])('goes on with words when the function %s', async (_, broken) => {
    const db = await freshDatabase('sqlite');
    const memory = await attach(holdfast.createMemoryServer(db, broken as holdfast.EmbedFunction));
    await memory.callTool({ name: 'memory_save', arguments: { title: 'cat', content: 'about the cat' } });
    expect(await search(memory, 'cat')).toMatchObject({ mode: 'fts', results: [{ title: 'cat' }] });
  });

  it('takes null for none and refuses what is neither a function nor settings', async () => {
    const db = await freshDatabase('sqlite');
    const memory = await attach(holdfast.createMemoryServer(db, null));
    expect((await search(memory, 'cat')).mode).toBe('fts');
    for (const wrong of ['ollama', 7, true, {}, { id: 'x' }, []])
      expect(() => holdfast.createMemoryServer(db, wrong as never), JSON.stringify(wrong)).toThrow(/^embed must be a function/);
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
  const asked = holdfast.buildMcpRequest('http://127.0.0.1:1/mcp', { jsonrpc: '2.0', id: 2, method: 'tools/list' });
  expect([asked.headers.get('Mcp-Method'), await asked.text()]).toEqual(['tools/list', '{"jsonrpc":"2.0","id":2,"method":"tools/list"}']);
  expect(note.headers.has(holdfast.HEADER_MCP_NAME)).toBe(false);
});

it('the built package offers the same', { timeout: 90_000 }, async () => {
  const built = (await import(builtBin('holdfast').replace('bin/holdfast.js', 'index.js'))) as object;
  expect(Object.keys(built).sort()).toEqual(Object.keys(holdfast).sort());
});

const PAGE = readFileSync(join(root, 'docs/reference/package.md'), 'utf8');

it('its page names every export', () => {
  for (const name of Object.keys(holdfast)) expect(PAGE).toContain(`\`${name}`);
});

/** What the example of the page leaves out. */
const MORE = `
import { createMemoryServer, createTasksServer, createTeamChatServer, createToolsServer, openDatabase, type Database } from 'holdfast';

const db: Database = await openDatabase('/tmp/some.db');
createMemoryServer(db, undefined, { boundScope: { teamId: 'red' } });
createMemoryServer(db, async (text) => [text.length, 1]);
createMemoryServer(db, Object.assign((text: string) => new Float32Array([text.length]), { id: 'length' }));
createMemoryServer(db, null);
// @ts-expect-error a function answers a vector
createMemoryServer(db, (text: string) => text);
createToolsServer(db, { boundAgent: 'ada' });
await createTeamChatServer(db, { boundIdentity: { teamId: 'red', authorAgentId: 'ada' } }).close();
// @ts-expect-error a database is not optional
createTasksServer();
`;

it('the built package has types that a strict program can use', { timeout: 90_000 }, () => {
  builtBin('holdfast');
  const folder = freshFolder();
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules', 'holdfast'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'example.ts'), /```ts\n([\s\S]+?)```/.exec(PAGE)![1]!);
  writeFileSync(join(folder, 'more.ts'), MORE);
  const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'es2024', lib: ['es2024', 'dom'], types: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['example.ts', 'more.ts'] }));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});
