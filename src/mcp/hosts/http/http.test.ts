import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type HttpFixture, serveHttp } from '../../../../test/fixtures/mcp-http.ts';
import { ENVELOPE, INITIALIZE, readMessages, type Wire } from '../../../../test/fixtures/mcp-peers.ts';
import { cancellations, sampleServer } from '../../../../test/fixtures/mcp-server.ts';
import { createLog } from '../../../kernel/log.ts';
import { localPrincipal } from '../../../kernel/principal.ts';
import { createChangeBoard } from '../../changes.ts';
import { createSessionMemory } from '../../sessions/memory.ts';

const board = createChangeBoard();
let fixture: HttpFixture;
let logged = '';
beforeEach(async () => {
  logged = '';
  fixture = await serveHttp(sampleServer, {
    engine: {
      changes: board,
      log: createLog('warn', (line) => (logged += line)),
      limits: { listeners: { total: 9, perCaller: 3, perSeat: 2 } },
    },
  });
});
afterEach(() => fixture.close());

type Headers = Record<string, string>;

function send(url: string, body: unknown, headers: Headers = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const rpc = (method: string, params?: object, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });
const modern = (method: string, name?: string): Headers => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name && { 'mcp-name': name }),
});
const modernCall = (name: string, args: object) =>
  rpc('tools/call', { name, arguments: args, _meta: ENVELOPE });

async function open(url: string, version = '2025-11-25'): Promise<Headers> {
  const response = await send(url, rpc('initialize', { ...INITIALIZE, protocolVersion: version }));
  expect(response.status).toBe(200);
  await response.text();
  return { 'mcp-session-id': response.headers.get('mcp-session-id')! };
}

const NO_SESSION = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32000, message: 'No valid session; send an initialize request first.' },
};
const BAD_ID = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32000, message: 'Invalid or missing MCP session id.' },
};

describe('documented sessions', () => {
  test.each([
    ['without a session', {}],
    ['with an unknown session', { 'mcp-session-id': 'nope' }],
    [
      'with an unknown session and a protocol version',
      { 'mcp-session-id': 'nope', 'mcp-protocol-version': '2025-11-25' },
    ],
  ])('a POST %s is refused with the documented text', async (_, headers) => {
    for (const body of [
      rpc('tools/list'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      [rpc('ping')],
    ]) {
      const response = await send(fixture.documented, body, headers);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual(NO_SESSION);
    }
  });

  test.each(['GET', 'DELETE'])(
    '%s with a missing or unknown session is refused with the documented text, in either era',
    async (method) => {
      for (const headers of [
        {},
        { 'mcp-session-id': 'nope' },
        { 'mcp-protocol-version': '2026-07-28' },
      ] as Headers[]) {
        const response = await fetch(fixture.documented, {
          method,
          headers: { accept: 'text/event-stream', ...headers },
        });
        expect(response.status).toBe(400);
        expect(await response.json()).toEqual(BAD_ID);
      }
    },
  );

  test('a client told to initialize may do so with its stale session id still in the header', async () => {
    const response = await send(fixture.documented, rpc('initialize', INITIALIZE), {
      'mcp-session-id': 'stale',
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('mcp-session-id')).not.toBe('stale');
  });

  test('a deleted session is refused like an unknown one', async () => {
    const session = await open(fixture.documented);
    expect((await fetch(fixture.documented, { method: 'DELETE', headers: session })).status).toBe(200);
    expect(await (await send(fixture.documented, rpc('ping'), session)).json()).toEqual(NO_SESSION);
    expect(await (await fetch(fixture.documented, { method: 'DELETE', headers: session })).json()).toEqual(
      BAD_ID,
    );
  });

  test('a session survives a restart', async () => {
    const session = await open(fixture.documented);
    await fixture.close();
    fixture = await serveHttp(sampleServer);
    const response = await send(fixture.documented, rpc('tools/call', { name: 'whoami' }), session);
    expect(((await response.json()) as Wire).result.structuredContent.seat).toMatch(/^session:/);
  });
});

describe('sessions of the specification', () => {
  test('missing is 400, unknown is 404', async () => {
    expect((await send(fixture.url, rpc('tools/list'))).status).toBe(400);
    const unknown = await send(fixture.url, rpc('tools/list'), { 'mcp-session-id': 'nope' });
    expect(unknown.status).toBe(404);
    expect(((await unknown.json()) as Wire).error.code).toBe(-32001);
    expect(
      (await fetch(fixture.url, { headers: { accept: 'text/event-stream', 'mcp-session-id': 'nope' } }))
        .status,
    ).toBe(404);
  });

  test('GET and DELETE do not exist in the modern era, other methods in none', async () => {
    for (const method of ['GET', 'DELETE'])
      expect(
        (await fetch(fixture.url, { method, headers: { 'mcp-protocol-version': '2026-07-28' } })).status,
      ).toBe(405);
    const put = await fetch(fixture.url, { method: 'PUT' });
    expect(put.status).toBe(405);
    expect(put.headers.get('allow')).toBe('GET, POST, DELETE');
  });

  test('a session belongs to the caller who opened it', async () => {
    await fixture.close();
    fixture = await serveHttp(sampleServer, {
      who: (req) => ({ ...localPrincipal(''), kind: 'agent', id: String(req.headers['x-agent']) }),
    });
    const opened = await send(fixture.url, rpc('initialize', INITIALIZE), { 'x-agent': 'ada' });
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
    expect((await send(fixture.url, rpc('ping'), { ...session, 'x-agent': 'ada' })).status).toBe(200);
    expect((await send(fixture.url, rpc('ping'), { ...session, 'x-agent': 'bob' })).status).toBe(404);
  });

  test('an unsupported protocol version in the header is refused, a missing one is not', async () => {
    const session = await open(fixture.url);
    expect(
      (await send(fixture.url, rpc('ping'), { ...session, 'mcp-protocol-version': '1999-01-01' })).status,
    ).toBe(400);
    expect((await send(fixture.url, rpc('ping'), session)).status).toBe(200);
  });
});

describe('bindings', () => {
  const whoami = async (response: Response) =>
    ((await response.json()) as Wire).result.structuredContent.bound as object;

  test('a legacy session keeps the binding of its initialize URL', async () => {
    const session = await open(`${fixture.url}?scopeTeamId=red`);
    const response = await send(
      `${fixture.url}?scopeTeamId=blue`,
      rpc('tools/call', { name: 'whoami' }),
      session,
    );
    expect(await whoami(response)).toEqual({ team: 'red' });
  });

  test('a stateless request is bound by its own URL', async () => {
    const response = await send(
      `${fixture.url}?scopeTeamId=blue`,
      modernCall('whoami', {}),
      modern('tools/call', 'whoami'),
    );
    expect(await whoami(response)).toEqual({ team: 'blue' });
  });

  test('a credential beats the URL', async () => {
    await fixture.close();
    fixture = await serveHttp(sampleServer, { who: () => localPrincipal('', { team: 'gold' }) });
    const response = await send(
      `${fixture.url}?scopeTeamId=blue`,
      modernCall('whoami', {}),
      modern('tools/call', 'whoami'),
    );
    expect(await whoami(response)).toEqual({ team: 'gold' });
  });
});

describe('Accept', () => {
  test.each([
    ['application/json', 'application/json'],
    ['*/*', 'application/json'],
    ['application/json, text/event-stream', 'application/json'],
    ['text/event-stream', 'text/event-stream'],
    ['text/event-stream;q=0, application/json', 'application/json'],
  ])('%s is answered with %s', async (accept, type) => {
    for (const [body, headers] of [
      [rpc('initialize', INITIALIZE), {}],
      [modernCall('echo', { text: 'a' }), modern('tools/call', 'echo')],
    ] as const) {
      const response = await send(fixture.url, body, { accept, ...headers });
      expect(response.headers.get('content-type')).toBe(type);
      expect(await readMessages(response)).toMatchObject([{ id: 1, result: {} }]);
    }
  });

  test('no Accept header at all is answered with JSON', async () => {
    const { port } = new URL(fixture.url);
    const type = await new Promise((resolve) => {
      const req = httpRequest(
        { port, path: '/mcp', method: 'POST', headers: { 'content-type': 'application/json' } },
        (res) => resolve(res.headers['content-type']),
      );
      req.end(JSON.stringify(rpc('initialize', INITIALIZE)));
    });
    expect(type).toBe('application/json');
  });

  test('an SSE-only answer is one event with the bare message', async () => {
    const response = await send(fixture.url, rpc('initialize', INITIALIZE), { accept: 'text/event-stream' });
    expect(await response.text()).toMatch(/^event: message\ndata: \{"jsonrpc":"2.0","id":1,.*\}\n\n$/);
  });

  test.each(['legacy', 'modern'])('a %s stream is sent as it happens, not when it is over', async (era) => {
    const session = era === 'legacy' ? await open(fixture.url) : modern('tools/call', 'slow');
    const body = rpc('tools/call', {
      name: 'slow',
      arguments: { ms: 5_000, steps: 10 },
      _meta: { ...(era === 'modern' && ENVELOPE), progressToken: 1 },
    });
    const response = await send(fixture.url, body, session);
    const reader = response.body!.getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    expect(first).toContain('notifications/progress');
    expect(first).not.toContain('"result"');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    await reader.cancel();
  });

  test('a client that takes only JSON gets its answer without the progress', async () => {
    const response = await send(
      fixture.url,
      rpc('tools/call', {
        name: 'slow',
        arguments: { ms: 10, steps: 2 },
        _meta: { ...ENVELOPE, progressToken: 1 },
      }),
      {
        ...modern('tools/call', 'slow'),
        accept: 'application/json',
      },
    );
    expect(await readMessages(response)).toMatchObject([{ result: { structuredContent: { done: true } } }]);
  });
});

describe('headers that mirror the body', () => {
  test('legacy: the body wins, a mismatch is warned of, and what was done is echoed', async () => {
    const session = await open(fixture.url);
    const response = await send(fixture.url, rpc('tools/call', { name: 'echo', arguments: { text: 'a' } }), {
      ...session,
      'mcp-method': 'tools/list',
      'mcp-name': 'other',
    });
    expect(((await response.json()) as Wire).result.structuredContent).toEqual({ text: 'a' });
    expect(response.headers.get('mcp-method')).toBe('tools/call');
    expect(response.headers.get('mcp-name')).toBe('echo');
    expect(logged).toContain('Mcp-Method differs from the body');
    expect(logged).toContain('Mcp-Name differs from the body');
  });

  test('legacy: without the headers they are read from the body; without a sub-target there is no Mcp-Name', async () => {
    const response = await send(fixture.url, rpc('tools/list'), await open(fixture.url));
    expect(response.headers.get('mcp-method')).toBe('tools/list');
    expect(response.headers.get('mcp-name')).toBeNull();
    const read = await send(
      fixture.url,
      rpc('resources/read', { uri: 'holdfast://a' }),
      await open(fixture.url),
    );
    expect(read.headers.get('mcp-name')).toBeNull();
    expect(logged).toBe('');
  });

  test('a refusal of the transport echoes what was asked, too', async () => {
    const response = await send(fixture.documented, rpc('tools/call', { name: 'echo' }));
    expect(response.status).toBe(400);
    expect([response.headers.get('mcp-method'), response.headers.get('mcp-name')]).toEqual([
      'tools/call',
      'echo',
    ]);
  });

  test('a method that cannot be a header value is echoed encoded', async () => {
    const response = await send(fixture.url, rpc('bad\r\nx: y'), await open(fixture.url));
    expect(response.status).toBe(200);
    expect(response.headers.get('mcp-method')).toMatch(/^=\?base64\?/);
  });

  test.each([
    [
      'another method',
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list', 'mcp-name': 'echo' },
    ],
    ['another name', modern('tools/call', 'other')],
    ['no name', modern('tools/call')],
    ['no method', { 'mcp-protocol-version': '2026-07-28', 'mcp-name': 'echo' }],
    ['no version', { 'mcp-method': 'tools/call', 'mcp-name': 'echo' }],
    ['another version', { ...modern('tools/call', 'echo'), 'mcp-protocol-version': '2025-11-25' }],
  ])('modern: %s is refused with -32020', async (_, headers) => {
    const response = await send(fixture.url, modernCall('echo', { text: 'a' }), headers);
    expect(response.status).toBe(400);
    expect((await response.json()) as Wire).toMatchObject({ id: 1, error: { code: -32020 } });
  });
});

describe('bad input', () => {
  test.each(['', '{', 'hello'])('%j is a parse error', async (body) => {
    for (const url of [fixture.url, fixture.documented]) {
      const response = await send(url, body);
      expect(response.status).toBe(400);
      expect((await response.json()) as Wire).toMatchObject({ id: null, error: { code: -32700 } });
    }
  });

  test.each([{ id: 4, method: 'ping' }, { jsonrpc: '2.0', id: null, method: 'ping' }, 5, null])(
    '%j is not a message',
    async (body) => {
      const response = await send(fixture.url, body);
      expect(response.status).toBe(400);
      expect(((await response.json()) as Wire).error.code).toBe(-32600);
    },
  );

  test('modern errors have their HTTP status and the id of their request', async () => {
    const cases = [
      [rpc('no/such', { _meta: ENVELOPE }, 7), modern('no/such'), 404, -32601],
      [rpc('tools/list', {}, 7), modern('tools/list'), 400, -32602],
      [
        rpc('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }, 7),
        modern('tools/list'),
        400,
        -32602,
      ],
      [
        rpc(
          'tools/list',
          { _meta: { ...ENVELOPE, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' } },
          7,
        ),
        { ...modern('tools/list'), 'mcp-protocol-version': '2030-01-01' },
        400,
        -32022,
      ],
    ] as const;
    for (const [body, headers, status, code] of cases) {
      const response = await send(fixture.url, body, headers);
      expect(response.status).toBe(status);
      expect((await response.json()) as Wire).toMatchObject({ id: 7, error: { code } });
    }
  });

  test('batches exist in one legacy revision only', async () => {
    const old = await open(fixture.url, '2025-03-26');
    const answers = await readMessages(
      await send(
        fixture.url,
        [rpc('ping', {}, 1), rpc('ping', {}, 2), { jsonrpc: '2.0', method: 'notifications/initialized' }],
        old,
      ),
    );
    expect(answers.map((wire) => wire.id)).toEqual([1, 2]);
    expect(
      (await send(fixture.url, [{ jsonrpc: '2.0', method: 'notifications/initialized' }], old)).status,
    ).toBe(202);
    expect((await send(fixture.url, [], old)).status).toBe(400);
    expect((await send(fixture.url, [rpc('ping')], await open(fixture.url))).status).toBe(400);
    expect(
      (await send(fixture.url, [rpc('tools/list', { _meta: ENVELOPE })], modern('tools/list'))).status,
    ).toBe(400);
  });

  test('a batch of more than a hundred messages is refused before any of it is worked on', async () => {
    const old = await open(fixture.url, '2025-03-26');
    const batch = (length: number) => Array.from({ length }, (_, id) => rpc('ping', {}, id));
    expect(await readMessages(await send(fixture.url, batch(100), old))).toHaveLength(100);
    const refused = await send(fixture.url, batch(101), old);
    expect(refused.status).toBe(400);
    expect((await refused.json()) as Wire).toMatchObject({
      error: { code: -32600, message: expect.stringContaining('at most 100') },
    });
  });

  test('an unknown profile is refused', async () => {
    expect((await send(`${fixture.url}?profile=secret`, rpc('initialize', INITIALIZE))).status).toBe(400);
    expect(
      (
        await send(
          `${fixture.url}?profile=secret`,
          rpc('tools/list', { _meta: ENVELOPE }),
          modern('tools/list'),
        )
      ).status,
    ).toBe(400);
  });

  test('an initialize without version is refused under its id', async () => {
    const response = await send(fixture.url, rpc('initialize', { capabilities: {} }, 9));
    expect(response.status).toBe(400);
    expect((await response.json()) as Wire).toMatchObject({ id: 9, error: { code: -32602 } });
  });

  test('our own failure is a 500 with { error } that tells nothing', async () => {
    await fixture.close();
    const memory = {
      ...createSessionMemory(),
      recall: () => Promise.reject(new Error('disk I/O error at /secret')),
    };
    fixture = await serveHttp(sampleServer, { sessions: { memory } });
    const response = await send(fixture.url, rpc('ping'), await open(fixture.url));
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ error: 'The hub hit an internal error.' });
  });
});

describe('cancellation', () => {
  const note = () => {
    const { begun, count } = cancellations;
    return {
      async untilBegun() {
        await expect.poll(() => cancellations.begun - begun).toBe(1);
      },
      async untilCancelled() {
        await expect.poll(() => cancellations.count - count).toBe(1);
      },
    };
  };

  test('modern: hanging up cancels the work', async () => {
    const { untilBegun, untilCancelled } = note();
    const gone = new AbortController();
    const call = fetch(fixture.url, {
      method: 'POST',
      signal: gone.signal,
      headers: { 'content-type': 'application/json', ...modern('tools/call', 'slow') },
      body: JSON.stringify(modernCall('slow', { ms: 60_000 })),
    });
    await untilBegun();
    gone.abort();
    await expect(call).rejects.toThrow('abort');
    await untilCancelled();
  });

  test('legacy: a notification cancels, and the request ends without an answer', async () => {
    const { untilBegun, untilCancelled } = note();
    const session = await open(fixture.url);
    const call = send(
      fixture.url,
      rpc('tools/call', { name: 'slow', arguments: { ms: 60_000 } }, 'x'),
      session,
    );
    await untilBegun();
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } };
    expect((await send(fixture.url, cancel, session)).status).toBe(202);
    const response = await call;
    expect(response.status).toBe(202);
    expect(await response.text()).toBe('');
    await untilCancelled();
  });

  test('legacy: hanging up cancels nothing', async () => {
    const before = cancellations.count;
    const { untilBegun } = note();
    const session = await open(fixture.url);
    const gone = new AbortController();
    const body = rpc('tools/call', { name: 'slow', arguments: { ms: 300 } }, 'x');
    const headers = { 'content-type': 'application/json', ...session };
    const call = fetch(fixture.url, {
      method: 'POST',
      signal: gone.signal,
      headers,
      body: JSON.stringify(body),
    });
    await untilBegun();
    gone.abort();
    await expect(call).rejects.toThrow('abort');
    // The id is free again only when the work is over.
    const isOver = async () =>
      ((await (await send(fixture.url, rpc('ping', {}, 'x'), session)).json()) as Wire).error === undefined;
    await expect.poll(isOver).toBe(true);
    expect(cancellations.count).toBe(before);
  });
});

describe('streams', () => {
  const listen = (session: Headers) =>
    fetch(fixture.url, { headers: { accept: 'text/event-stream', ...session } });

  test('a GET stream hears of changed lists, and ends with its session', async () => {
    const session = await open(fixture.url);
    const stream = await listen(session);
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    board.publish({ server: 'sample', list: 'tools' });
    await fetch(fixture.url, { method: 'DELETE', headers: session });
    expect(await stream.text()).toBe(
      'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n',
    );
  });

  test('a GET stream that comes back is told that anything may have changed meanwhile', async () => {
    await fixture.close();
    let now = Date.now();
    const clock = { now: () => now, elapsed: () => now };
    fixture = await serveHttp(sampleServer, { engine: { changes: board, clock }, sessions: { clock } });
    const session = await open(fixture.url);
    const first = await listen(session);
    now += 60_000;
    const second = await listen(session);
    expect(await first.text()).toBe('');
    await fetch(fixture.url, { method: 'DELETE', headers: session });
    expect(await second.text()).toBe(
      'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n',
    );
  });

  test('a second GET of a session replaces the first', async () => {
    const session = await open(fixture.url);
    const first = await listen(session);
    const second = await listen(session);
    expect(await first.text()).toBe('');
    await second.body!.cancel();
  });

  test('open streams are capped and the refusal says so', async () => {
    const streams = [];
    for (let i = 0; i < 3; i += 1) streams.push(await listen(await open(fixture.url)));
    const refused = await listen(await open(fixture.url));
    expect(refused.status).toBe(503);
    expect(((await refused.json()) as Wire).error.message).toContain(
      'Too many open streams (3 of this caller)',
    );
    await streams[0]!.body!.cancel();
    await expect.poll(async () => (await listen(await open(fixture.url))).status).toBe(200);
  });

  test('a GET that cannot read streams is told', async () => {
    expect(
      (await fetch(fixture.url, { headers: { accept: 'application/json', ...(await open(fixture.url)) } }))
        .status,
    ).toBe(406);
  });

  test('a listener is acknowledged first, hears what it asked for and ends with a result when the hub stops', async () => {
    const response = await send(
      fixture.url,
      rpc('subscriptions/listen', { _meta: ENVELOPE, notifications: { toolsListChanged: true } }, 'sub'),
      modern('subscriptions/listen'),
    );
    board.publish({ server: 'sample', list: 'tools' });
    board.publish({ server: 'sample', list: 'prompts' });
    fixture.engine.stop();
    const meta = { 'io.modelcontextprotocol/subscriptionId': 'sub' };
    expect(await readMessages(response)).toMatchObject([
      {
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: { toolsListChanged: true }, _meta: meta },
      },
      { method: 'notifications/tools/list_changed', params: { _meta: meta } },
      { id: 'sub', result: { resultType: 'complete', _meta: meta } },
    ]);
  });

  test('a question whose stream was dropped is given up, and its call ends', async () => {
    const session = await open(fixture.url);
    const response = await send(fixture.url, rpc('tools/call', { name: 'confirm' }, 'asked'), session);
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    // The id is free again only when the call is over.
    await expect
      .poll(
        async () =>
          ((await (await send(fixture.url, rpc('ping', {}, 'asked'), session)).json()) as Wire).error,
      )
      .toBeUndefined();
  });

  test('a listener that said it reads anything still gets its stream', async () => {
    const body = rpc('subscriptions/listen', { _meta: ENVELOPE, notifications: { toolsListChanged: true } });
    const response = await send(fixture.url, body, { ...modern('subscriptions/listen'), accept: '*/*' });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    await response.body!.cancel();
  });

  test('a binding too long for a session is refused', async () => {
    expect(
      (await send(`${fixture.url}?scopeTeamId=${'x'.repeat(6_000)}`, rpc('initialize', INITIALIZE))).status,
    ).toBe(413);
  });

  test('a legacy client is asked on the stream of its own request', async () => {
    const session = await open(fixture.url);
    const response = await send(fixture.url, rpc('tools/call', { name: 'confirm' }), session);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const { value } = await reader.read();
    const question = JSON.parse(value!.split('data: ')[1]!) as Wire;
    expect(question.method).toBe('elicitation/create');
    expect(
      (
        await send(
          fixture.url,
          { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { ok: true } } },
          session,
        )
      ).status,
    ).toBe(202);
    const { value: last } = await reader.read();
    expect(last).toContain('"answer":"accept"');
  });
});

test('a client that opens a stream and never reads is dropped, and others are served', async () => {
  const session = await open(fixture.url);
  const { port } = new URL(fixture.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    `GET /mcp HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\nmcp-session-id: ${session['mcp-session-id']}\r\n\r\n`,
  );
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  for (let i = 0; i < 100_000; i += 1) board.publish({ server: 'sample', list: 'tools' });
  socket.resume();
  await closed;
  expect((await send(fixture.url, rpc('ping'), session)).status).toBe(200);
});

test('10,000 abandoned sessions lock nobody out', async () => {
  const body = JSON.stringify(rpc('initialize', INITIALIZE));
  for (let i = 0; i < 100; i += 1) {
    await Promise.all(Array.from({ length: 100 }, async () => (await send(fixture.url, body)).text()));
  }
  expect((await send(fixture.url, rpc('ping'), await open(fixture.url))).status).toBe(200);
}, 60_000);
