import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBeingHost, scene } from '../fixtures/being-host.ts';
import { MODERN_META } from '../fixtures/modern-call.ts';
import { connectSdk, SDK_FLAVOURS } from '../fixtures/mcp-sdk-clients.ts';

const CALL = (name: string, id = 1, args: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

describe('who is let in to a Being', () => {
  const open = async (flags: Record<string, string> = {}) => {
    const host = await openBeingHost('sqlite', flags);
    const luna = await host.create('Luna');
    const post = (
      path: string,
      token: string | undefined,
      body: unknown = CALL('get_context'),
      headers: object = {},
    ) =>
      host.hub.fetch(path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token && { authorization: `Bearer ${token}` }),
          ...headers,
        },
        body: JSON.stringify(body),
      });
    return { host, luna, post };
  };

  it.each([
    ['in the path', (id: string) => `/mcp/${id}`],
    ['in the path with a slash', (id: string) => `/mcp/${id}/`],
    ['in capitals', (id: string) => `/mcp/${id.toUpperCase()}`],
    ['in the query', (id: string) => `/mcp?being_id=${id}`],
    ['in the query with a slash', (id: string) => `/mcp/?being_id=${id}`],
  ])('a brt_ token with the id %s', async (_, path) => {
    const { host, luna } = await open();
    expect((await host.call(luna, 'get_context', {}, { path: path(luna.id) })).value.metadata.soul_name).toBe(
      'Luna',
    );
  });

  it('a brt_ token without an id is told both ways', async () => {
    const { luna, post } = await open();
    const response = await post('/mcp', luna.token);
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(text).toContain('/mcp/<being id>');
    expect(text).toContain('?being_id=');
  });

  it.each<Record<string, string>>([{}, { '--no-auth': 'true' }])(
    'another Being, another token, none, or what is no id: refused (%j)',
    async (flags) => {
      const { host, luna, post } = await open(flags);
      const sol = await host.create('Sol');
      const expectStatus = async (status: number, path: string, token: string | undefined) => {
        const response = await post(path, token);
        expect([path, response.status]).toEqual([path, status]);
        return response;
      };
      await expectStatus(401, `/mcp/${sol.id}`, luna.token);
      await expectStatus(401, `/mcp?being_id=${sol.id}`, luna.token);
      await expectStatus(401, `/mcp/${luna.id}?being_id=${sol.id}`, luna.token);
      await expectStatus(401, `/mcp/${luna.id}`, host.hub.token);
      await expectStatus(401, `/mcp/${luna.id}`, `brt_${'x'.repeat(43)}`);
      await expectStatus(401, `/mcp/${luna.id}`, `bto_${'x'.repeat(43)}`);
      await expectStatus(400, '/mcp/not-a-uuid', luna.token);
      const missing = await expectStatus(401, `/mcp/${luna.id}`, undefined);
      expect(missing.headers.get('www-authenticate')).toBe(
        `Bearer realm="holdfast", resource_metadata="${host.hub.address}/.well-known/oauth-protected-resource/mcp/${luna.id}"`,
      );
      const agent = await host.rest('POST', '/api/tokens', { agent: 'ada' });
      await expectStatus(401, `/mcp/${luna.id}`, agent.body.token);
    },
  );

  it('on /mcp the hub answers its own callers as before', async () => {
    const { host } = await open();
    const { body } = await host.hub.rpc('/mcp', 'initialize', {}, { token: host.hub.token });
    expect(body.result.serverInfo.name).toBe('holdfast');
    const { body: listed } = await host.hub.rpc(
      '/mcp',
      'tools/list',
      { _meta: MODERN_META },
      { token: host.hub.token },
    );
    const names = listed.result.tools.map(({ name }: { name: string }) => name);
    expect(names.filter((name: string) => /being|recall_memory|get_context/.test(name))).toEqual([]);
  });

  it('revoked and expired tokens are refused', async () => {
    const { host, luna, post } = await open();
    const made = await host.rest('POST', `/v1/beings/${luna.id}/tokens`, { expiresAt: Date.now() + 400 });
    expect((await post(`/mcp/${luna.id}`, made.body.token)).status).toBe(200);
    await expect.poll(async () => (await post(`/mcp/${luna.id}`, made.body.token)).status).toBe(401);
    const { body } = await host.rest('GET', `/v1/beings/${luna.id}/tokens`);
    expect(JSON.stringify(body)).not.toContain('brt_');
    for (const { id } of body.tokens) await host.rest('DELETE', `/v1/beings/${luna.id}/tokens/${id}`);
    expect((await post(`/mcp/${luna.id}`, luna.token)).status).toBe(401);
  });

  it.each(['update_memory', 'update_notes', 'merge_nodes', 'update_relation', 'trigger_patrol'])(
    'a read-only token that calls %s gets 403 with a JSON body, in both eras and in a batch',
    async (tool) => {
      const { luna, post } = await open();
      const path = `/mcp/${luna.id}`;
      const modern = { ...CALL(tool), params: { name: tool, arguments: {}, _meta: MODERN_META } };
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': tool };
      for (const response of [
        await post(path, luna.readOnly, CALL(tool)),
        await post(path, luna.readOnly, modern, headers),
        await post(path, luna.readOnly, [CALL('get_context', 1), CALL(tool, 2)]),
        await post(`${path}/`, luna.readOnly, [CALL(tool)], { 'mcp-protocol-version': '2025-03-26' }),
      ]) {
        expect(response.status).toBe(403);
        expect(await response.json()).toMatchObject({
          error: expect.stringContaining(tool),
          code: 'forbidden',
        });
      }
    },
  );

  it('a read-only token reads with all six other tools, in a batch too', async () => {
    const { host, luna, post } = await open();
    const reader = { id: luna.id, token: luna.readOnly };
    const reads: [string, object][] = [
      ['recall', { user_message: 'x' }],
      ['get_context', {}],
      ['recall_memory', {}],
      ['search_memory', { query: 'x' }],
      ['search_history', {}],
      ['get_current_time', {}],
    ];
    for (const [tool, args] of reads) expect((await host.call(reader, tool, args)).isError).toBe(false);
    const batch = await post(
      `/mcp/${luna.id}`,
      luna.readOnly,
      reads.map(([tool, args], i) => CALL(tool, i, args)),
    );
    expect(batch.status).toBe(200);
    expect(await batch.json()).toHaveLength(6);
  });

  it('a token of a Being opens nothing else of the hub', async () => {
    const { host, luna } = await open();
    const sol = await host.create('Sol');
    for (const [method, path] of [
      ['GET', '/api/health'],
      ['GET', '/api/events'],
      ['GET', '/api/board/tasks'],
      ['GET', '/api/openapi.json'],
      ['POST', '/api/mcp/tasks'],
      ['POST', '/api/tokens'],
      ['POST', '/api/open'],
      ['GET', '/v1/beings'],
      ['POST', '/v1/beings'],
      ['GET', '/v1/peers'],
      ['GET', `/v1/beings/${luna.id}/export`],
      ['GET', `/v1/beings/${luna.id}/tokens`],
      ['DELETE', `/v1/beings/${luna.id}`],
    ] as const) {
      const answer = await host.rest(method, path, method === 'POST' ? {} : undefined, luna.token);
      expect([path, answer.status]).toEqual([path, 403]);
    }
    for (const path of ['', '/context', '/soul', '/patrol', '/capabilities']) {
      expect((await host.rest('GET', `/v1/beings/${sol.id}${path}`, undefined, luna.token)).status).toBe(401);
      expect((await host.rest('GET', `/v1/beings/${luna.id}${path}`, undefined, luna.token)).status).toBe(
        200,
      );
    }
    expect((await host.rest('PUT', `/v1/beings/${luna.id}/soul`, { voice: 'x' }, luna.readOnly)).status).toBe(
      403,
    );
  });

  it('agents and unnamed local callers reach no Being over REST, also under --no-auth', async () => {
    const { host, luna } = await open({ '--no-auth': 'true' });
    const agent = (await host.rest('POST', '/api/tokens', { agent: 'ada' })).body.token;
    expect((await host.rest('GET', `/v1/beings/${luna.id}`, undefined, agent)).status).toBe(403);
    expect((await host.hub.fetch('/v1/beings')).status).toBe(401);
    expect((await host.hub.fetch(`/v1/beings/${luna.id}/context`)).status).toBe(401);
  });
});

describe('the transport of a Being is stateless', () => {
  it('GET opens a stream, DELETE answers 200, no session id is given, and the modern era has neither', async () => {
    const host = await openBeingHost();
    const luna = await host.create('Luna');
    const path = `/mcp/${luna.id}`;
    const authorization = `Bearer ${luna.token}`;
    const { headers, body } = await host.hub.rpc(path, 'initialize', {}, { token: luna.token });
    expect(headers.get('mcp-session-id')).toBeNull();
    expect(body.result).toMatchObject({
      serverInfo: { name: 'being' },
      instructions: expect.stringContaining('get_context'),
    });
    const leaving = new AbortController();
    const stream = await host.hub.fetch(path, {
      headers: { authorization, accept: 'text/event-stream' },
      signal: leaving.signal,
    });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    leaving.abort();
    expect((await host.hub.fetch(path, { method: 'DELETE', headers: { authorization } })).status).toBe(200);
    for (const method of ['GET', 'DELETE']) {
      const modern = { authorization, 'mcp-protocol-version': '2026-07-28' };
      expect((await host.hub.fetch(path, { method, headers: modern })).status).toBe(405);
    }
    const listed = await host.hub.rpc(path, 'tools/list', {}, { token: luna.token });
    expect(listed.body.result.tools).toHaveLength(11);
  });

  it('a stream ends with its token: revoked, or its Being deleted', async () => {
    const host = await openBeingHost();
    for (const [name, end] of [
      [
        'Luna',
        async (id: string) => {
          const { tokens } = (await host.rest('GET', `/v1/beings/${id}/tokens`)).body;
          for (const token of tokens) await host.rest('DELETE', `/v1/beings/${id}/tokens/${token.id}`);
        },
      ],
      ['Sol', async (id: string) => void (await host.rest('DELETE', `/v1/beings/${id}`))],
    ] as const) {
      const being = await host.create(name);
      const headers = { authorization: `Bearer ${being.token}`, accept: 'text/event-stream' };
      const stream = await host.hub.fetch(`/mcp/${being.id}`, { headers });
      expect(stream.status).toBe(200);
      const over = stream.text().then(
        () => 'over',
        () => 'over',
      );
      await end(being.id);
      expect(await over).toBe('over');
    }
  });

  it.each(SDK_FLAVOURS)('%s connects, lists and calls', async (flavour) => {
    const host = await openBeingHost();
    const luna = await host.create('Luna');
    const url = `${host.hub.address}/mcp/${luna.id}`;
    const client = await connectSdk(flavour, { url, headers: { authorization: `Bearer ${luna.token}` } });
    expect(await client.tools()).toHaveLength(11);
    const context = await client.call('get_context');
    expect(context.structuredContent).toMatchObject({ metadata: { being_id: luna.id } });
  });

  it('the client example of the document, line by line', async () => {
    const host = await openBeingHost();
    const luna = await host.create('Luna');
    await host.call(luna, 'update_notes', { scenes: [scene('Promised to fix the squeaky door')] });
    await host.call(luna, 'trigger_patrol', { messages: [] });
    const client = new ClientV1({ name: 'cowork-agent', version: '1.0.0' });
    const transport = new HttpV1(new URL(`${host.hub.address}/mcp/${luna.id}`), {
      requestInit: { headers: { Authorization: `Bearer ${luna.token}` } },
    });
    await client.connect(transport);
    onTestFinished(() => client.close());
    const ctx = await client.callTool({ name: 'get_context', arguments: {} });
    expect(JSON.parse((ctx.content as { text: string }[])[0]!.text)).toMatchObject({
      metadata: { soul_name: 'Luna' },
    });
    const memories = await client.callTool({
      name: 'recall',
      arguments: { user_message: 'what about the squeaky door?' },
    });
    expect((memories.content as { text: string }[])[0]!.text).toContain('Promised to fix the squeaky door');
  });

  it('the first configuration example, read by a client from JSON', async () => {
    const host = await openBeingHost();
    const luna = await host.create('Luna');
    const config = JSON.parse(
      JSON.stringify({
        mcpServers: {
          'my-being': {
            url: `${host.hub.address}/mcp/${luna.id}`,
            headers: { Authorization: `Bearer ${luna.token}` },
          },
        },
      }),
    ) as { mcpServers: Record<string, { url: string; headers: Record<string, string> }> };
    const client = await connectSdk('SDK v1', config.mcpServers['my-being']!);
    expect((await client.call('get_current_time')).isError).toBeFalsy();
  });
});

describe('bridges', () => {
  it('register what they can do, and show in get_context while they are online', async () => {
    const host = await openBeingHost();
    const luna = await host.create('Luna');
    const path = `/v1/beings/${luna.id}/capabilities`;
    const capabilities = [
      { type: 'act', name: 'lamp', description: 'Turns the lamp on and off' },
      { type: 'sense', name: 'camera', description: 'Sees the room' },
    ];
    const made = await host.rest('POST', path, { bridge: 'pi', capabilities, ttlSeconds: 10 }, luna.token);
    expect(made.status).toBe(201);
    const tools = async () => (await host.call(luna, 'get_context')).value.capability_tools;
    expect(await tools()).toEqual([
      { name: 'lamp', description: 'Turns the lamp on and off', untrusted: true },
    ]);
    await host.rest('POST', path, { bridge: 'pi', capabilities, ttlSeconds: 60 }, luna.token);
    const { body } = await host.rest('GET', path, undefined, luna.token);
    expect(body.capabilities).toHaveLength(2);
    for (const { id } of body.capabilities)
      expect((await host.rest('DELETE', `${path}/${id}`, undefined, luna.token)).status).toBe(200);
    expect(await tools()).toEqual([]);
    expect((await host.rest('POST', path, { bridge: 'pi', capabilities }, luna.readOnly)).status).toBe(403);
    await host.rest('POST', path, { bridge: 'pi', capabilities, ttlSeconds: 1 }, luna.token);
    expect(await tools()).toHaveLength(1);
    await expect.poll(tools).toEqual([]);
  });
});
