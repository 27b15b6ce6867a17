import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHub } from '../../src/app.ts';
import { resolveConfig } from '../../src/kernel/config.ts';
import { newId } from '../../src/kernel/ids.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { openTestHub, type TestHub } from '../fixtures/hub.ts';
import { MODERN_META } from '../fixtures/modern-call.ts';

const withToken = (token: string, init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: { authorization: `Bearer ${token}`, ...(init.body ? { 'content-type': 'application/json' } : {}) },
});

async function makeToken(hub: TestHub, request: object): Promise<{ token: string; record: { id: string } }> {
  const response = await hub.fetch(
    '/api/tokens',
    withToken(hub.token, { method: 'POST', body: JSON.stringify(request) }),
  );
  expect(response.status).toBe(201);
  return (await response.json()) as never;
}

const callTool = (hub: TestHub, path: string, name: string, args: object, token?: string) =>
  hub.rpc(
    path,
    'tools/call',
    { name, arguments: args, _meta: MODERN_META },
    token === undefined ? {} : { token },
  );

/** The status of a POST whose target is sent byte for byte as given, which no client library would do. */
function rawStatus(port: number, target: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      const head = [
        `POST ${target} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'Connection: close',
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    });
    let said = '';
    socket.on('data', (chunk) => (said += String(chunk)));
    socket.on('end', () => resolve(Number(said.split(' ')[1])));
    socket.on('error', reject);
  });
}

describe('the hub token', () => {
  it('is made on first start, 32 bytes as hex for its owner alone, and kept', async () => {
    const home = freshFolder();
    const first = await openTestHub({ home });
    expect(first.token).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(join(home, 'token')).mode & 0o777).toBe(0o600);
    await first.hub.close();
    expect((await openTestHub({ home })).token).toBe(first.token);
  });

  it('that is too weak stops the hub from starting', async () => {
    const home = freshFolder();
    writeFileSync(join(home, 'token'), 'short\n');
    await expect(openTestHub({ home })).rejects.toThrow('does not hold a key of at least 32 characters');
  });

  it('named by the operator must be there', async () => {
    const config = await resolveConfig({
      flags: { '--port': '0', '--token-file': '/nowhere/token' },
      env: {},
      home: freshFolder(),
    });
    await expect(createHub(config, 'public')).rejects.toThrow('There is no token in /nowhere/token.');
  });
});

describe('on loopback', () => {
  it('/mcp asks for a token and says so the way RFC 6750 wants it', async () => {
    const hub = await openTestHub();
    const none = await hub.rpc('/mcp', 'initialize');
    expect(none.status).toBe(401);
    const metadata = `resource_metadata="${hub.address}/.well-known/oauth-protected-resource/mcp"`;
    expect(none.headers.get('www-authenticate')).toBe(`Bearer realm="holdfast", ${metadata}`);
    expect(none.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { data: { code: 'unauthorized' } } });
    const wrong = await hub.rpc('/mcp', 'initialize', {}, { token: 'x'.repeat(64) });
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get('www-authenticate')).toBe(
      `Bearer realm="holdfast", error="invalid_token", ${metadata}`,
    );
    expect((await hub.rpc('/mcp', 'initialize', {}, { token: hub.token })).body.result.serverInfo.name).toBe(
      'holdfast',
    );
  });

  it('hints name a file that is there, with a token that does what was refused', async () => {
    const hub = await openTestHub();
    const file = join(hub.config.home, 'token');
    const bearer = `Bearer ${readFileSync(file, 'utf8').trim()}`;
    for (const path of ['/api/tokens', '/v1/beings', '/v1/peers', '/v1/agents', '/peers']) {
      const told = [await hub.fetch(path), await hub.fetch(path, withToken('wrong'))];
      for (const refused of told) {
        expect([path, refused.status]).toEqual([path, 401]);
        expect(((await refused.json()) as { hint: string }).hint).toContain(`the token in ${file}.`);
      }
      expect([path, (await hub.fetch(path, { headers: { authorization: bearer } })).status]).toEqual([
        path,
        200,
      ]);
    }
    // A source is added by a command as well, and a Being has tokens of its own.
    const source = await hub.fetch('/api/sources/x', { method: 'DELETE' });
    expect(await source.json()).toMatchObject({
      hint: `Use \`holdfast source …\`, or send \`Authorization: Bearer <token>\` with the token in ${file}.`,
    });
    for (const token of [undefined, 'wrong', hub.token]) {
      const { status, body } = await hub.rpc(
        `/mcp/${newId()}`,
        'initialize',
        {},
        { ...(token && { token }) },
      );
      expect([status, body.error.data.hint]).toEqual([401, expect.stringContaining('holdfast being token')]);
    }
    const far = await hub.fetch('/api/tokens', { headers: { via: '1.1 proxy' } });
    expect(((await far.json()) as { hint: string }).hint).toBe(
      'Ask the user who runs the hub for a token (`holdfast token create`).',
    );
  });

  it('/api needs none, and a wrong one is still refused', async () => {
    const hub = await openTestHub();
    expect((await hub.rpc('/api/mcp/tasks', 'initialize')).status).toBe(200);
    expect((await hub.rpc('/api/mcp/tasks', 'initialize', {}, { token: 'wrong' })).status).toBe(401);
    expect((await hub.fetch('/api/health', withToken('wrong'))).status).toBe(401);
    expect((await hub.fetch('/api/events', withToken('wrong'))).status).toBe(401);
  });

  it('no other spelling of a path gets round the guard', async () => {
    const hub = await openTestHub();
    const port = Number(new URL(hub.address).port);
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}';
    for (const path of [
      '/mcp',
      '/%6dcp',
      '/mcp#x',
      '/mcp?',
      '//mcp',
      '/mcp;x',
      '/MCP',
      '/./mcp',
      '/api/mcp/%74asks?scopeTeamId=red&scopeSig=00',
    ]) {
      const status = await rawStatus(port, path, body);
      expect(status === 200 ? `${path} was served` : status).toBeGreaterThanOrEqual(400);
    }
  });

  it('--no-auth opens /mcp', async () => {
    const hub = await openTestHub({ flags: { '--no-auth': 'true' } });
    expect((await hub.rpc('/mcp', 'initialize')).status).toBe(200);
  });

  it('every well-known path that is not about /mcp is a clean JSON 404, for Codex the root as well', async () => {
    const hub = await openTestHub();
    for (const path of [
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/api/mcp/tasks',
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-authorization-server/api/mcp/tasks',
      '/.well-known/openid-configuration',
      '/mcp/.well-known/openid-configuration',
      '/api/mcp/tasks/.well-known/oauth-authorization-server',
    ]) {
      const isRoot = /^\/\.well-known\/oauth-[a-z-]+$/.test(path);
      // What Codex says when it looks whether a server wants a login.
      const headers = isRoot ? { 'mcp-protocol-version': '2024-11-05' } : {};
      if (isRoot) expect((await hub.fetch(path)).status).toBe(200);
      const response = await hub.fetch(path, { headers });
      expect(response.status, path).toBe(404);
      expect(response.headers.get('content-type')).toContain('application/json');
      expect(await response.json()).toMatchObject({
        code: 'not_found',
        error: `There is nothing at ${path}.`,
      });
    }
  });
});

describe('agent tokens over REST', () => {
  it('are made once, listed without their secret and revoked at once', async () => {
    const hub = await openTestHub();
    const { token, record } = await makeToken(hub, { agent: 'ada', team: 'red', label: 'laptop' });
    expect(token).toMatch(/^hft_[0-9a-f]{16}_[0-9a-f]{64}$/);
    const list = await (await hub.fetch('/api/tokens', withToken(hub.token))).text();
    expect(list).toContain(record.id);
    expect(list).not.toContain(token.slice(21));
    expect((await hub.rpc('/mcp', 'initialize', {}, { token })).status).toBe(200);
    const revoked = await hub.fetch(`/api/tokens/${record.id}`, withToken(hub.token, { method: 'DELETE' }));
    expect(await revoked.json()).toMatchObject({ ok: true, record: { state: 'revoked' } });
    expect((await hub.rpc('/mcp', 'initialize', {}, { token })).body.error.message).toBe(
      'This token was revoked.',
    );
    expect((await hub.fetch('/api/tokens/nope', withToken(hub.token, { method: 'DELETE' }))).status).toBe(
      404,
    );
  });

  it('are for the operator alone', async () => {
    const hub = await openTestHub();
    const { token } = await makeToken(hub, { agent: 'ada' });
    const body = JSON.stringify({ agent: 'eve' });
    expect(
      (
        await hub.fetch('/api/tokens', {
          method: 'POST',
          body,
          headers: { 'content-type': 'application/json' },
        })
      ).status,
    ).toBe(401);
    expect((await hub.fetch('/api/tokens', withToken(token, { method: 'POST', body }))).status).toBe(403);
    expect((await hub.fetch('/api/tokens', withToken(token))).status).toBe(403);
  });

  it('refuse a bad request', async () => {
    const hub = await openTestHub();
    for (const body of [
      {},
      { agent: '' },
      { agent: 'a', scopes: [] },
      { agent: 'a', scopes: ['everything please'] },
      { agent: 'a', expiresAt: 1 },
      { agent: 'a', admin: true },
    ]) {
      const response = await hub.fetch(
        '/api/tokens',
        withToken(hub.token, { method: 'POST', body: JSON.stringify(body) }),
      );
      expect(response.status, JSON.stringify(body)).toBe(400);
    }
  });
});

describe('what a credential fixes', () => {
  it('beats the URL and the arguments', async () => {
    const hub = await openTestHub();
    const { token } = await makeToken(hub, { agent: 'ada', team: 'red' });
    const path = '/api/mcp/tasks?scopeTeamId=blue&scopeAgentId=eve';
    await callTool(hub, '/api/mcp/tasks?scopeTeamId=blue', 'create_task', { title: 'theirs' });
    const made = await callTool(hub, path, 'create_task', { title: 'mine' }, token);
    expect(made.body.result.structuredContent).toMatchObject({ teamId: 'red' });
    const listed = await callTool(hub, path, 'list_tasks', { teamId: 'blue' }, token);
    expect(listed.body.result.structuredContent.tasks.map((task: { title: string }) => task.title)).toEqual([
      'mine',
    ]);
    const asEve = await callTool(
      hub,
      path,
      'claim_task',
      { taskId: made.body.result.structuredContent.id, assigneeAgentId: 'eve' },
      token,
    );
    expect(asEve.body.result).toMatchObject({
      isError: true,
      structuredContent: { code: 'forbidden', boundAgentId: 'ada' },
    });
  });

  it('a scope it lacks hides the tool from the list and refuses the call', async () => {
    const hub = await openTestHub();
    const { token } = await makeToken(hub, { agent: 'ada', scopes: ['board:read'] });
    const { body } = await hub.rpc('/mcp', 'tools/list', { _meta: MODERN_META }, { token });
    const names = body.result.tools.map((tool: { name: string }) => tool.name);
    expect(names).toEqual(expect.arrayContaining(['tasks__get_task', 'tasks__list_tasks']));
    for (const hidden of ['tasks__create_task', 'memory__memory_search', 'tools__echo'])
      expect(names).not.toContain(hidden);
    const refused = await callTool(hub, '/api/mcp/tasks', 'create_task', { title: 'x' }, token);
    expect(refused.body.result).toMatchObject({
      isError: true,
      structuredContent: { code: 'forbidden', scope: 'board:write' },
    });
    expect((await hub.fetch('/api/events', withToken(token))).status).toBe(403);
  });

  it('a wrong signature is 403 on every MCP path', async () => {
    const hub = await openTestHub({ flags: { '--no-auth': 'true' } });
    for (const path of ['/api/mcp/tasks', '/api/mcp/memory', '/mcp']) {
      const { status, body } = await hub.rpc(`${path}?scopeTeamId=red&scopeSig=00`, 'initialize');
      expect(status, path).toBe(403);
      expect(body.error.data.code).toBe('forbidden');
    }
  });
});

describe('sessions', () => {
  it('answer only to whoever opened them', async () => {
    const hub = await openTestHub();
    const { token } = await makeToken(hub, { agent: 'ada' });
    const opened = await hub.rpc('/api/mcp/tasks', 'initialize', {}, { token });
    const session = opened.headers.get('mcp-session-id')!;
    expect((await hub.rpc('/api/mcp/tasks', 'tools/list', {}, { token, session })).status).toBe(200);
    expect((await hub.rpc('/api/mcp/tasks', 'tools/list', {}, { session })).status).toBe(400);
    expect((await hub.rpc('/api/mcp/tasks', 'tools/list', {}, { token: hub.token, session })).status).toBe(
      400,
    );
    expect((await hub.rpc('/api/mcp/memory', 'tools/list', {}, { token, session })).status).toBe(400);
  });

  it('survive a restart of the hub, and a deleted one does not come back', async () => {
    const home = freshFolder();
    const first = await openTestHub({ home });
    const [kept, deleted] = await Promise.all(
      [1, 2].map(async () =>
        (await first.rpc('/api/mcp/tasks', 'initialize')).headers.get('mcp-session-id')!,
      ),
    );
    await first.fetch('/api/mcp/tasks', { method: 'DELETE', headers: { 'mcp-session-id': deleted! } });
    await first.hub.close();
    const second = await openTestHub({ home });
    expect((await second.rpc('/api/mcp/tasks', 'tools/list', {}, { session: kept! })).status).toBe(200);
    expect((await second.rpc('/api/mcp/tasks', 'tools/list', {}, { session: deleted! })).status).toBe(400);
  });
});

describe('beyond loopback', () => {
  it('everything needs a credential, and an unsigned binding is refused', async () => {
    const hub = await openTestHub({ flags: { '--host': '0.0.0.0' } });
    expect(hub.address).toContain('http://127.0.0.1:');
    for (const path of ['/api/health', '/api/events', '/api/mcp/config', '/api/openapi.json', '/api/tokens'])
      expect((await hub.fetch(path)).status, path).toBe(401);
    for (const path of ['/mcp', '/api/mcp/tasks', '/api/mcp/memory']) {
      expect((await hub.rpc(path, 'initialize')).status, path).toBe(401);
      expect((await hub.rpc(path, 'initialize', {}, { token: hub.token })).status, path).toBe(200);
      expect(
        (await hub.rpc(`${path}?scopeTeamId=red`, 'initialize', {}, { token: hub.token })).status,
        path,
      ).toBe(403);
    }
  });

  it('the hub does not start with --no-auth', async () => {
    await expect(openTestHub({ flags: { '--host': '0.0.0.0', '--no-auth': 'true' } })).rejects.toThrow(
      'without authentication',
    );
  });
});
