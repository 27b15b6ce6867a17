import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { asksToken, httpAttachment, stdioAttachment } from '../../src/features/attach/attach.ts';
import { snippetFor } from '../../src/features/attach/snippets.ts';
import { defaultHome } from '../../src/kernel/site.ts';
import { builtBin } from '../fixtures/built.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { openTestHub, type TestHub } from '../fixtures/hub.ts';
import { MODERN_META } from '../fixtures/modern-call.ts';

type Answer = {
  error?: string;
  config: { id: string; transport: string; snippet: string; structured: any; hint?: string };
};

async function configOf(hub: TestHub, query: string, token?: string): Promise<Answer & { status: number }> {
  const response = await hub.fetch(
    `/api/mcp/config${query}`,
    token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
  );
  return { status: response.status, ...((await response.json()) as Answer) };
}

/** What a real shell makes of a line. */
function wordsOf(line: string): string[] {
  return execFileSync('sh', ['-c', `for word in ${line}; do printf '%s\\0' "$word"; done`], {
    encoding: 'utf8',
  })
    .split('\0')
    .slice(0, -1);
}

afterEach(() => vi.unstubAllEnvs());

describe('the snippets, as they are', () => {
  it('over HTTP', async () => {
    const hub = await openTestHub();
    const { port } = new URL(hub.address);
    const of = async (query: string) => {
      const { config } = await configOf(hub, query);
      return `${config.snippet}\n${JSON.stringify(config.structured)}`.replaceAll(port, 'PORT');
    };
    expect((await configOf(hub, '')).config).toMatchObject({ id: 'clawboo-tasks', transport: 'http' });
    expect(await of('')).toBe(
      'claude mcp add --transport http clawboo-tasks http://127.0.0.1:PORT/api/mcp/tasks\n' +
        '{"clawboo-tasks":{"type":"http","url":"http://127.0.0.1:PORT/api/mcp/tasks"}}',
    );
    expect(await of('?runtime=codex&server=memory')).toBe(
      '# ~/.codex/config.toml\n[mcp_servers.clawboo-memory]\nurl = "http://127.0.0.1:PORT/api/mcp/memory"\n' +
        '{"mcp_servers":{"clawboo-memory":{"url":"http://127.0.0.1:PORT/api/mcp/memory"}}}',
    );
    expect(await of('?runtime=openclaw&server=teamchat')).toBe(
      '// openclaw.json: add under the top-level "mcp": { "servers": { … } }\n' +
        '"clawboo-teamchat": {\n  "url": "http://127.0.0.1:PORT/api/mcp/teamchat",\n  "transport": "streamable-http"\n}\n' +
        '{"url":"http://127.0.0.1:PORT/api/mcp/teamchat","transport":"streamable-http"}',
    );
    expect(await of('?runtime=gemini&server=brain')).toBe(
      'gemini mcp add -t http clawbrain http://127.0.0.1:PORT/api/mcp/brain\n{"mcpServers":{"clawbrain":{"httpUrl":"http://127.0.0.1:PORT/api/mcp/brain"}}}',
    );
    expect(await of('?runtime=vscode&server=tools')).toContain(
      '{"servers":{"clawboo-tools":{"type":"http","url":"http://127.0.0.1:PORT/api/mcp/tools"}}}',
    );
    expect(await of('?runtime=cursor')).toContain(
      '{"mcpServers":{"clawboo-tasks":{"url":"http://127.0.0.1:PORT/api/mcp/tasks"}}}',
    );
    expect(await of('?runtime=opencode')).toContain(
      '"type":"remote","url":"http://127.0.0.1:PORT/api/mcp/tasks","enabled":true',
    );
    expect(await of('?server=hub')).toBe(
      'claude mcp add --transport http holdfast http://127.0.0.1:PORT/mcp\n' +
        '{"holdfast":{"type":"http","url":"http://127.0.0.1:PORT/mcp"}}',
    );
  });

  it('of a hub that asks its owner for a token, too', () => {
    const here = { host: '127.0.0.1', noAuth: false, mcpAuth: 'local', gateway: undefined } as const;
    expect(asksToken(here)).toBe('nothing');
    expect(asksToken({ ...here, mcpAuth: 'token' })).toBe('hub');
    expect(asksToken({ ...here, mcpAuth: 'token', noAuth: true })).toBe('nothing');
    expect(asksToken({ ...here, host: '0.0.0.0' })).toBe('everything');
    const gateway = { mcpHttp: true, isOpenToAll: false, isTokenFileNamed: true };
    expect(asksToken({ ...here, gateway })).toBe('hub');
    const attachment = httpAttachment({ address: 'http://127.0.0.1:PORT', asksToken: 'hub' }, 'hub');
    expect(snippetFor('claude-code', attachment).snippet).toBe(
      "claude mcp add --transport http holdfast http://127.0.0.1:PORT/mcp --header 'Authorization: Bearer ${HOLDFAST_TOKEN}'",
    );
    expect(snippetFor('claude-code', attachment).structured).toEqual({
      holdfast: {
        type: 'http',
        url: 'http://127.0.0.1:PORT/mcp',
        headers: { Authorization: 'Bearer ${HOLDFAST_TOKEN}' },
      },
    });
    expect(snippetFor('codex', attachment).snippet).toContain('bearer_token_env_var = "HOLDFAST_TOKEN"');
  });

  it('over stdio, with the documented variable alone when the home is the usual one', () => {
    const { env } = stdioAttachment(
      { config: { home: defaultHome(), database: '/data/board.db' }, env: {} },
      'tasks',
    );
    expect(env).toEqual({ CLAWBOO_DB_PATH: '/data/board.db' });
  });

  it('over stdio, with the database and the Node of the hub, quoted for each reader', async () => {
    const place = join(freshFolder(), `it's "here" ü $HOME`);
    const home = freshFolder();
    const hub = await openTestHub({ flags: { '--database': `${place}.db` }, home });
    const claude = (await configOf(hub, '?transport=stdio')).config;
    expect(claude.structured['clawboo-tasks']).toMatchObject({
      type: 'stdio',
      command: process.execPath,
      env: { CLAWBOO_DB_PATH: `${place}.db`, HOLDFAST_HOME: home },
    });
    expect(claude.structured['clawboo-tasks'].args[0]).toMatch(/dist\/bin\/clawboo-mcp-tasks\.js$/);
    const { command, args } = claude.structured['clawboo-tasks'];
    expect(wordsOf(claude.snippet)).toEqual([
      'claude',
      'mcp',
      'add',
      'clawboo-tasks',
      '-e',
      `CLAWBOO_DB_PATH=${place}.db`,
      '-e',
      `HOLDFAST_HOME=${home}`,
      '--',
      command,
      ...args,
    ]);
    const codex = (await configOf(hub, '?transport=stdio&runtime=codex')).config;
    expect(codex.snippet.split('\n').slice(0, 3)).toEqual([
      '# CODEX_HOME/config.toml',
      '[mcp_servers.clawboo-tasks]',
      `command = ${JSON.stringify(command)}`,
    ]);
    expect(codex.snippet).toContain(
      `env = { CLAWBOO_DB_PATH = "${place.replaceAll('"', '\\"')}.db", HOLDFAST_HOME = "${home}" }`,
    );
    const opencode = (await configOf(hub, '?transport=stdio&runtime=opencode')).config;
    expect(JSON.parse(opencode.snippet.slice(opencode.snippet.indexOf('\n')))).toEqual(opencode.structured);
    expect((await configOf(hub, '?transport=stdio&server=hub')).config.structured.holdfast.args.at(-1)).toBe(
      'serve',
    );
    vi.stubEnv('CLAWBOO_MCP_BIN_DIR', '/opt/bins');
    const documented = (await configOf(hub, '?transport=stdio&server=memory')).config;
    expect(documented.structured['clawboo-memory']).toMatchObject({
      command: 'node',
      args: ['/opt/bins/memory.js'],
    });
  });

  it('over stdio, with files that are there, whichever folder of bins is named', () => {
    const argsOf = (server: 'tasks' | 'brain' | 'hub', folder: string) =>
      stdioAttachment(
        { config: { home: defaultHome(), database: '/b.db' }, env: { CLAWBOO_MCP_BIN_DIR: folder } },
        server,
      ).args;
    const clawboo = freshFolder();
    writeFileSync(join(clawboo, 'tasks.js'), '');
    expect(argsOf('tasks', clawboo)).toEqual([join(clawboo, 'tasks.js')]);
    expect(argsOf('brain', clawboo)).toEqual([builtBin('clawbrain-mcp')]);
    expect(argsOf('hub', clawboo)).toEqual([builtBin('holdfast'), 'serve']);
    const ours = freshFolder();
    for (const name of ['clawboo-mcp-tasks', 'clawbrain-mcp', 'holdfast'])
      writeFileSync(join(ours, `${name}.js`), '');
    expect(argsOf('tasks', ours)).toEqual([join(ours, 'clawboo-mcp-tasks.js')]);
    expect(argsOf('brain', ours)).toEqual([join(ours, 'clawbrain-mcp.js')]);
    expect(argsOf('hub', ours)).toEqual([join(ours, 'holdfast.js'), 'serve']);
  });

  it('beyond loopback ask for the token', async () => {
    const hub = await openTestHub({ flags: { '--host': '0.0.0.0' } });
    const { config } = await configOf(hub, '?runtime=codex', hub.token);
    expect(config.snippet).toContain('bearer_token_env_var = "HOLDFAST_TOKEN"');
    expect(config.hint).toContain('HOLDFAST_TOKEN');
    expect(JSON.stringify(config)).not.toContain(hub.token);
  });
});

it('the base URL is the bound port, whatever Host says', async () => {
  const hub = await openTestHub({ flags: { '--allow-host': 'evil.example' } });
  const { status, config } = await configOf(hub, '');
  expect(status).toBe(200);
  expect(config.snippet).toContain(hub.address);
});

it.each([
  ['?server=nope', 'unknown server: nope'],
  ['?runtime=emacs', 'unknown runtime: emacs'],
  ['?transport=sse', 'unknown transport: sse'],
  ['?server=constructor', 'unknown server: constructor'],
])('%s is a clear 400', async (query, message) => {
  const hub = await openTestHub();
  expect(await configOf(hub, query)).toMatchObject({ status: 400, error: message });
});

describe('a bound attach URL', () => {
  const scope = 'scopeTeamId=red&scopeAgentId=ada';

  it('is signed for the hub token and for nobody else', async () => {
    const hub = await openTestHub();
    const signed = (await configOf(hub, `?${scope}`, hub.token)).config.structured['clawboo-tasks']
      .url as string;
    const plain = (await configOf(hub, `?${scope}`)).config.structured['clawboo-tasks'].url as string;
    expect(plain).toBe(`${hub.address}/api/mcp/tasks?${scope}`);
    expect(signed).toMatch(/scopeSig=[0-9a-f]{64}$/);
    const made = await hub.fetch('/api/tokens', {
      method: 'POST',
      headers: { authorization: `Bearer ${hub.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ agent: 'eve' }),
    });
    const { token } = (await made.json()) as { token: string };
    expect((await configOf(hub, `?${scope}`, token)).status).toBe(403);
  });

  it('works as it is, and not with a changed team', async () => {
    const hub = await openTestHub();
    const url = new URL(
      (await configOf(hub, `?${scope}`, hub.token)).config.structured['clawboo-tasks'].url as string,
    );
    const create = (path: string) =>
      hub.rpc(path, 'tools/call', {
        name: 'create_task',
        arguments: { title: 'x', teamId: 'blue' },
        _meta: MODERN_META,
      });
    expect((await create(`${url.pathname}${url.search}`)).body.result.structuredContent).toMatchObject({
      teamId: 'red',
    });
    url.searchParams.set('scopeTeamId', 'blue');
    expect((await create(`${url.pathname}${url.search}`)).status).toBe(403);
  });

  it('cannot be had over stdio', async () => {
    const hub = await openTestHub();
    expect((await configOf(hub, `?${scope}&transport=stdio`)).status).toBe(400);
  });
});
