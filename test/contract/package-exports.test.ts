import { spawn, spawnSync } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as holdfast from '../../src/index.ts';
import { builtBin } from '../fixtures/built.ts';
import { freshDatabase, freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { MODERN_META } from '../fixtures/modern-call.ts';

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
    const memory = await attach(
      holdfast.createMemoryServer(db, undefined, { boundScope: { teamId: 'red' } }),
    );
    expect(await namesOf(memory)).toEqual(['memory_browse', 'memory_save', 'memory_search']);
    await memory.callTool({
      name: 'memory_save',
      arguments: { title: 'a', content: 'the sky is blue', scopeTeamId: 'blue' },
    });
    const other = await attach(
      holdfast.createMemoryServer(db, undefined, { boundScope: { teamId: 'blue' } }),
    );
    const seen = await other.callTool({ name: 'memory_browse', arguments: { scopeTeamId: 'red' } });
    expect(JSON.stringify(seen)).not.toContain('the sky is blue');
    const chat = await attach(
      holdfast.createTeamChatServer(db, { boundIdentity: { teamId: 'red', authorAgentId: 'ada' } }),
    );
    const posted = await chat.callTool({
      name: 'team_chat_post',
      arguments: { text: 'hello', authorAgentId: 'eve', teamId: 'blue' },
    });
    expect(posted.structuredContent).toMatchObject({ posted: { roomId: 'team:red', authorAgentId: 'ada' } });
  });
});

describe('createMemoryServer(db, embed)', () => {
  const axes = ['cat', 'dog', 'fish'];
  const embed = async (text: string) => [
    0.1,
    ...axes.map((word) => (text.toLowerCase().includes(word) ? 1 : 0)),
  ];
  const search = async (client: Client, query: string) =>
    (await client.callTool({ name: 'memory_search', arguments: { query, mode: 'vector' } }))
      .structuredContent as any;

  it('embeds with the function it was given', async () => {
    const db = await freshDatabase('sqlite');
    const memory = await attach(holdfast.createMemoryServer(db, embed));
    for (const word of axes)
      await memory.callTool({
        name: 'memory_save',
        arguments: { title: word, content: `about the ${word}` },
      });
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
      expect(() => holdfast.createMemoryServer(db, wrong as never), JSON.stringify(wrong)).toThrow(
        /^embed must be a function/,
      );
  });
});

describe('connect', () => {
  it('finds the running hub, asks it, and says what it refuses', async () => {
    const env = freshHome();
    await expect(holdfast.connect({ env })).rejects.toMatchObject({ code: 'unavailable' });
    const { address } = await startHub(env);
    const hub = await holdfast.connect({ env });
    expect([hub.address, (await hub.ask('GET /api/health')).ok]).toEqual([address, true]);
    await hub.ask('POST /v1/peers/register', { display_name: 'ada', backend: 'codex' });
    const sent = await hub.ask('POST /api/mail', { to: 'ada', text: 'hello' });
    expect(await hub.ask('GET /v1/peers/:peerId/messages', { peerId: 'ada', peek: '1' })).toMatchObject({
      messages: [{ id: sent.id, text: 'hello' }],
    });
    await expect(hub.ask('GET /v1/peers/:peerId', { peerId: 'nobody' })).rejects.toMatchObject({
      code: 'not_found',
      message: 'unknown peer: nobody',
    });
    const heard = hub.follow('/api/events?kinds=peer.registered&since=0', AbortSignal.timeout(20_000));
    for await (const { event, data } of heard) {
      if (event !== 'message') continue;
      expect(data).toMatchObject({ kind: 'peer.registered' });
      break;
    }
    await hub.close();
    await expect(hub.ask('GET /api/health')).rejects.toThrow('This connection was closed.');
  });
});

it('requests carry the method always and a name only where there is one', async () => {
  const call = holdfast.buildMcpRequest(
    'http://127.0.0.1:1/mcp',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}',
  );
  expect(call.headers.get(holdfast.HEADER_MCP_METHOD)).toBe('tools/call');
  expect(call.headers.get(holdfast.HEADER_MCP_NAME)).toBe('echo');
  const note = holdfast.buildMcpRequest(
    'http://127.0.0.1:1/mcp',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  );
  const asked = holdfast.buildMcpRequest('http://127.0.0.1:1/mcp', {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/list',
  });
  expect([asked.headers.get('Mcp-Method'), await asked.text()]).toEqual([
    'tools/list',
    '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
  ]);
  expect(note.headers.has(holdfast.HEADER_MCP_NAME)).toBe(false);
});

describe('what the document of the gateway lists', () => {
  const post = (address: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${address}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const MODERN = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: MODERN_META } };
  const MODERN_HEADERS = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };

  async function serve(options: Omit<holdfast.HTTPOptions, 'Listen'>) {
    vi.stubEnv('HOLDFAST_HOME', freshFolder());
    const stopping = new AbortController();
    const { promise: address, resolve: OnListen, reject } = Promise.withResolvers<string>();
    const served = holdfast.ServeHTTP(stopping.signal, { Listen: '127.0.0.1:0', ...options, OnListen });
    served.catch(reject);
    onTestFinished(() => stopping.abort());
    return { address: await address, served, stop: () => stopping.abort() };
  }

  afterEach(() => vi.unstubAllEnvs());

  it('has its documented names', () => {
    expect([holdfast.HeaderMcpMethod, holdfast.HeaderMcpName]).toEqual(['Mcp-Method', 'Mcp-Name']);
    const {
      BuildMCPRequest,
      InitTokenFile,
      MCPMethodFromContext,
      MCPNameFromContext,
      ServeHTTP,
      ServeStdio,
    } = holdfast;
    const functions = [
      BuildMCPRequest,
      InitTokenFile,
      MCPMethodFromContext,
      MCPNameFromContext,
      ServeHTTP,
      ServeStdio,
    ];
    for (const each of functions) expect(each).toBeTypeOf('function');
  });

  it('BuildMCPRequest takes the context first and leaves Mcp-Name out where there is none', async () => {
    const stopping = new AbortController();
    const call = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}');
    const request = holdfast.BuildMCPRequest(stopping.signal, 'http://127.0.0.1:1/mcp', call);
    expect([request.method, request.headers.get('content-type')]).toEqual(['POST', 'application/json']);
    expect([request.headers.get('mcp-method'), request.headers.get('mcp-name')]).toEqual([
      'tools/call',
      'echo',
    ]);
    expect(await request.clone().text()).toBe(call.toString());
    stopping.abort();
    expect(request.signal.aborted).toBe(true);
    for (const body of [
      '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    ]) {
      expect(holdfast.BuildMCPRequest(null, 'http://127.0.0.1:1/mcp', body).headers.has('mcp-name')).toBe(
        false,
      );
    }
    expect(() => holdfast.BuildMCPRequest({}, 'not a url', call)).toThrow('Failed to parse URL');
  });

  it('InitTokenFile writes 32 random bytes as hex for its owner alone', () => {
    const path = join(freshFolder(), 'deep', 'listener-token');
    const token = holdfast.InitTokenFile(path);
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(readFileSync(path, 'utf8')).toBe(`${token}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(holdfast.InitTokenFile(path)).not.toBe(token);
  });

  it('ServeHTTP asks for the token of its file, has /mcp only when told to, and ends with its context', async () => {
    const TokenFile = join(freshFolder(), 'token');
    const authorization = `Bearer ${holdfast.InitTokenFile(TokenFile)}`;
    const plain = await serve({ TokenFile });
    expect((await fetch(`${plain.address}/v1/peers`)).status).toBe(401);
    expect((await fetch(`${plain.address}/v1/peers`, { headers: { authorization } })).status).toBe(200);
    expect((await post(plain.address, MODERN, { authorization, ...MODERN_HEADERS })).status).toBe(404);
    plain.stop();
    await plain.served;
    await expect(fetch(`${plain.address}/v1/peers`)).rejects.toThrow('fetch failed');
    const withMcp = await serve({ TokenFile, MCPHTTP: true });
    expect((await post(withMcp.address, MODERN, { authorization, ...MODERN_HEADERS })).status).toBe(200);
  });

  it('ServeHTTP with NoAuth asks nobody on loopback', async () => {
    const { address } = await serve({ NoAuth: true, MCPHTTP: true });
    expect((await post(address, MODERN, MODERN_HEADERS)).status).toBe(200);
  });

  it.each<[string, holdfast.HTTPOptions, RegExp]>([
    ['no address', { Listen: '', NoAuth: true }, /^Listen must look like/],
    ['no token file', { Listen: '127.0.0.1:0' }, /^TokenFile is needed/],
    [
      'a token file that is not there',
      { Listen: '127.0.0.1:0', TokenFile: '/nonexistent/token' },
      /cannot be read \(ENOENT: /,
    ],
    [
      'no token beyond loopback',
      { Listen: ':0', NoAuth: true },
      /does not listen on 0\.0\.0\.0 without authentication/,
    ],
  ])('ServeHTTP refuses %s', async (_, options, words) => {
    vi.stubEnv('HOLDFAST_HOME', freshFolder());
    await expect(holdfast.ServeHTTP(undefined, options)).rejects.toThrow(words);
  });

  it('MCPMethodFromContext and MCPNameFromContext say what the body asked for', async () => {
    const seen: string[][] = [];
    const look = (message: unknown) => {
      const { request } = message as { request: object };
      seen.push([holdfast.MCPMethodFromContext(request), holdfast.MCPNameFromContext(request)]);
    };
    subscribe('http.server.response.finish', look);
    onTestFinished(() => void unsubscribe('http.server.response.finish', look));
    const { address } = await serve({ NoAuth: true, MCPHTTP: true });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'PeerList', arguments: {} } };
    for (const body of [call, { ...call, method: 'tools/list' }])
      await post(address, body, { 'mcp-method': 'something/else' });
    await fetch(`${address}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{',
    });
    await fetch(`${address}/v1/health`);
    expect(seen).toEqual([
      ['tools/call', 'PeerList'],
      ['tools/list', ''],
      ['', ''],
      ['', ''],
    ]);
    expect([holdfast.MCPMethodFromContext(undefined), holdfast.MCPNameFromContext({})]).toEqual(['', '']);
  });

  it(
    'ServeStdio serves the hub until its input ends or its context says stop',
    { timeout: 90_000 },
    async () => {
      const index = builtBin('holdfast').replace('bin/holdfast.js', 'index.js');
      const start = (context: string) =>
        spawn(
          process.execPath,
          [
            '--input-type=module',
            '-e',
            `const { ServeStdio } = await import(${JSON.stringify(index)}); await ServeStdio(${context});`,
          ],
          { env: freshHome(), stdio: ['pipe', 'pipe', 'inherit'] },
        );
      const served = start('');
      onTestFinished(() => void served.kill('SIGKILL'));
      const params = {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'test', version: '0' },
      };
      served.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
      const [line] = (await once(served.stdout, 'data')) as [Buffer];
      expect(JSON.parse(line.toString())).toMatchObject({
        id: 1,
        result: { serverInfo: { name: 'holdfast' } },
      });
      served.stdin.end();
      expect(await once(served, 'exit')).toEqual([0, null]);
      const stopped = start('AbortSignal.timeout(500)');
      onTestFinished(() => void stopped.kill('SIGKILL'));
      expect(await once(stopped, 'exit')).toEqual([0, null]);
    },
  );
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
import { connect, createMemoryServer, createTasksServer, createTeamChatServer, createToolsServer, openDatabase, type Database } from 'holdfast';
import { BuildMCPRequest, HeaderMcpMethod, HeaderMcpName, InitTokenFile, type HTTPOptions } from 'holdfast';
import { MCPMethodFromContext, MCPNameFromContext, ServeHTTP, ServeStdio } from 'holdfast';

const db: Database = await openDatabase('/tmp/some.db');
createMemoryServer(db, undefined, { boundScope: { teamId: 'red' } });
createMemoryServer(db, async (text) => [text.length, 1]);
createMemoryServer(db, Object.assign((text: string) => new Float32Array([text.length]), { id: 'length' }));
createMemoryServer(db, null);
// @ts-expect-error a function answers a vector
createMemoryServer(db, (text: string) => text);
createToolsServer(db, { boundAgent: 'ada' });
await createTeamChatServer(db, { boundIdentity: { teamId: 'red', authorAgentId: 'ada' } }).close();
const built: Request = BuildMCPRequest(AbortSignal.timeout(1), new URL('http://127.0.0.1:1/mcp'), new Uint8Array());
const token: string = InitTokenFile('/tmp/token');
const options: HTTPOptions = { Listen: ':8080', TokenFile: '/tmp/token', MCPHTTP: true, NoAuth: false };
const served: Promise<void> = ServeHTTP({ signal: AbortSignal.timeout(1) }, options);
const stdio: Promise<void> = ServeStdio();
const [method, name]: string[] = [MCPMethodFromContext(built), MCPNameFromContext(built)];
const headers: readonly ['Mcp-Method', 'Mcp-Name'] = [HeaderMcpMethod, HeaderMcpName];
console.log(token, served, stdio, method, name, headers);
const hub = await connect({ database: '/tmp/some.db' });
const { version }: { version: string } = await hub.ask('GET /api/health');
const { posts } = await hub.ask('GET /api/chat/rooms/:roomId/posts', { roomId: 'team:red', limit: 5 });
console.log(version, posts.map(({ body }: { body: string }) => body));
// @ts-expect-error it does not work without a room
await hub.ask('GET /api/chat/rooms/:roomId/posts');
// @ts-expect-error there is no such route
await hub.ask('GET /api/weed');
// @ts-expect-error it has to listen somewhere
ServeHTTP(undefined, { NoAuth: true });
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
  const guide = readFileSync(join(root, 'docs/guides/programs.md'), 'utf8');
  writeFileSync(join(folder, 'guide.ts'), /```ts\n([\s\S]+?)```/.exec(guide)![1]!);
  writeFileSync(join(folder, 'more.ts'), MORE);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024', 'dom'],
    types: [],
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['example.ts', 'guide.ts', 'more.ts'] }),
  );
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});
