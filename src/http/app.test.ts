import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { HubError } from '../kernel/errors.ts';
import { createLog, silentLog } from '../kernel/log.ts';
import { localPrincipal } from '../kernel/principal.ts';
import { createHttpApp, type HttpApp } from './app.ts';
import { defineRoute, integerText } from './route.ts';

const echo = defineRoute({
  method: 'POST',
  path: '/api/echo/:id',
  summary: 'Echo',
  tag: 'echo',
  scope: 'echo',
  params: z.object({ id: z.string() }),
  query: z.object({
    times: integerText(z.int().min(1).max(9)).default(1),
    tone: z
      .string()
      .max(9)
      .transform((text) => text || undefined)
      .optional(),
  }),
  body: z.object({ text: z.string().max(3_000_000) }),
  response: z.object({ text: z.string() }),
  status: 201,
  refusals: ['conflict', 'busy'],
  async handler({ params, query, body }) {
    if (body.text === 'conflict') throw new HubError('conflict', 'claim failed: conflict', { holder: 'ada' });
    if (body.text === 'busy') throw new HubError('busy', 'Too much is waiting.');
    if (body.text === 'defect') throw new Error('select * from secret_table failed');
    return { text: `${params.id}:${body.text.repeat(query.times)}` };
  },
});

/** Stands where an id could stand. */
const silence = defineRoute({
  method: 'GET',
  path: '/api/echo/silence',
  summary: 'No echo',
  tag: 'echo',
  scope: 'echo',
  response: z.object({ text: z.literal('') }),
  handler: async () => ({ text: '' as const }),
});

const waits: AbortSignal[] = [];
const wait = defineRoute({
  method: 'GET',
  path: '/api/wait',
  summary: 'Wait for the end',
  tag: 'echo',
  scope: 'echo',
  response: z.object({ ended: z.literal(true) }),
  handler: (_input, { signal }) =>
    new Promise((resolve) => {
      waits.push(signal);
      signal.addEventListener('abort', () => resolve({ ended: true as const }));
    }),
});

const ping = defineRoute({
  method: 'POST',
  path: '/api/ping',
  summary: 'Ping',
  tag: 'echo',
  scope: 'echo',
  response: z.object({ ok: z.literal(true) }),
  handler: async () => ({ ok: true as const }),
});

const logged: string[] = [];
const newApp = () =>
  createHttpApp({
    routes: [echo, silence, wait, ping],
    authenticate: () => localPrincipal(''),
    log: createLog('error', (line) => logged.push(line)),
    verifyResponses: true,
  });

let app: HttpApp;
let address: string;

beforeAll(async () => {
  app = newApp();
  address = (await app.listen({ host: '127.0.0.1', ports: [0] })).address;
});
afterAll(() => app.close());

const post = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(`${address}${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });

describe('a route', () => {
  it('gets its parsed input and answers with its status', async () => {
    const response = await post('/api/echo/a?times=2', '{"text":"x"}');
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({ text: 'a:xx' });
  });

  it.each([
    [
      '/api/echo/a?times=10',
      '{"text":"x"}',
      'Invalid query: times must be a whole number from 1 to 9, got "10".',
    ],
    ['/api/echo/a?time=1', '{"text":"x"}', 'Invalid query: unknown argument "time"; known: times, tone.'],
    [
      '/api/echo/a',
      '{"text":7}',
      'Invalid body: text must be a string of at most 3000000 characters, got 7.',
    ],
    ['/api/echo/a', '{"text":"x","more":1}', 'Invalid body: unknown argument "more"; known: text.'],
    ['/api/echo/a', '', 'Invalid body: '],
    ['/api/echo/a', '{"text":', 'The request body is not valid JSON.'],
    ['/api/echo/a', '{"text":"a\\u0000b"}', 'The body must not contain NUL characters.'],
    ['/api/echo/a%00b', '{"text":"x"}', 'The path must not contain NUL characters.'],
  ])('refuses %s %s', async (path, body, message) => {
    const response = await post(path, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid', error: expect.stringContaining(message) });
  });

  it('is the same with a slash at its end', async () => {
    expect((await fetch(`${address}/api/echo/silence/`)).status).toBe(200);
    expect((await post('/api/echo/7/', '{"text":"hi"}')).status).toBe(201);
    expect((await fetch(`${address}/api/echo/silence//`)).status).toBe(404);
    const wrong = await fetch(`${address}/api/echo/7/`);
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('refuses a body that is not UTF-8', async () => {
    const response = await post('/api/echo/a', new Uint8Array([0x22, 0xff, 0x22]));
    expect(await response.json()).toMatchObject({
      code: 'invalid',
      error: 'The request body is not valid UTF-8.',
    });
  });

  it('refuses a body where none is taken, and takes an empty one', async () => {
    expect((await post('/api/ping', '{"a":1}')).status).toBe(400);
    expect((await post('/api/ping', '')).status).toBe(200);
    expect((await fetch(`${address}/api/ping`, { method: 'POST' })).status).toBe(200);
  });

  it('sees when its caller hangs up', async () => {
    const abort = new AbortController();
    const pending = fetch(`${address}/api/wait`, { signal: abort.signal }).catch(() => 'hung up');
    await expect.poll(() => waits.length).toBeGreaterThan(0);
    abort.abort();
    await pending;
    await expect.poll(() => waits.at(-1)?.aborted).toBe(true);
  });
});

describe('an error', () => {
  it('carries its documented text, code, hint and details', async () => {
    const response = await post('/api/echo/a', '{"text":"conflict"}');
    expect(response.status).toBe(409);
    expect(await response.json()).toEqual({
      error: 'claim failed: conflict',
      code: 'conflict',
      hint: expect.any(String),
      details: { holder: 'ada' },
    });
  });

  it('that will pass says when to come back', async () => {
    const response = await post('/api/echo/a', '{"text":"busy"}');
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
  });

  it('that is a defect shows nothing of itself and is logged', async () => {
    const response = await post('/api/echo/a', '{"text":"defect"}');
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret_table');
    expect(logged.join('')).toContain('secret_table');
  });

  it('is JSON for an unknown path, a wrong method and a broken path', async () => {
    const unknown = await fetch(`${address}/api/nothing`);
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'not_found', hint: expect.stringContaining('/api/openapi.json') }),
    ]);
    const wrong = await fetch(`${address}/api/echo/a`);
    expect([wrong.status, wrong.headers.get('allow'), await wrong.json()]).toEqual([
      405,
      'POST',
      expect.objectContaining({ code: 'method_not_allowed' }),
    ]);
    const named = await post('/api/echo/silence', '{"text":"hello"}');
    expect([named.status, named.headers.get('allow')]).toEqual([405, 'GET']);
    const broken = await fetch(`${address}/api/echo/%E0%A4%A`, { method: 'POST' });
    expect([broken.status, await broken.json()]).toEqual([400, expect.objectContaining({ code: 'invalid' })]);
  });

  it('is JSON-RPC on MCP paths', async () => {
    const response = await fetch(`${address}/api/mcp/nothing`, { method: 'POST' });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32000, data: { code: 'not_found' } },
    });
  });

  it('is JSON for what is not even HTTP', async () => {
    const port = Number(new URL(address).port);
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () => socket.write('hello\r\n\r\n'));
      socket.on('data', (chunk) => (text += String(chunk))).on('close', () => resolve(text));
    });
    expect(answer).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*\{"error":"This is not an HTTP request\.","code":"invalid"\}$/,
    );
  });

  it('is JSON for oversized headers', async () => {
    const response = await fetch(`${address}/api/wait`, { headers: { 'x-long': 'x'.repeat(20_000) } });
    expect(response.status).toBe(431);
    expect(await response.json()).toMatchObject({ code: 'invalid' });
  });
});

describe('before the body is read', () => {
  it('a foreign Host or Origin is 403', async () => {
    const status = await new Promise((resolve) => {
      const request = httpRequest(`${address}/api/wait`, { headers: { host: 'evil.example' } }, (response) =>
        resolve(response.statusCode),
      );
      request.end();
    });
    expect(status).toBe(403);
    const origin = await post('/api/echo/a', '{"text":"x"}', { origin: 'http://evil.example' });
    expect([origin.status, await origin.json()]).toEqual([
      403,
      expect.objectContaining({ code: 'forbidden', error: 'This Origin is not allowed here.' }),
    ]);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', ''])('content type %j is 415', async (type) => {
    const response = await post('/api/echo/a', '{"text":"x"}', { 'content-type': type });
    expect([response.status, await response.json()]).toEqual([
      415,
      expect.objectContaining({ code: 'unsupported_media' }),
    ]);
  });

  it('two megabytes pass and one byte more is 413', async () => {
    const limit = 2 * 1024 * 1024;
    const frame = '{"text":""}'.length;
    expect((await post('/api/echo/a', `{"text":"${'x'.repeat(limit - frame)}"}`)).status).toBe(201);
    const response = await post('/api/echo/a', `{"text":"${'x'.repeat(limit - frame + 1)}"}`);
    expect([response.status, await response.json()]).toEqual([
      413,
      expect.objectContaining({ code: 'too_large' }),
    ]);
  });
});

describe('listening', () => {
  it('moves on to the next free port of the list', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { port: number };
    const second = newApp();
    const bound = await second.listen({ host: '127.0.0.1', ports: [port, 0] });
    expect(bound.port).not.toBe(port);
    expect((await fetch(`${bound.address}/api/openapi.json`)).status).toBe(200);
    await second.close();
    const third = newApp();
    await expect(third.listen({ host: '127.0.0.1', ports: [port] })).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is taken. Choose another with --port`,
    );
    await third.close();
    taken.close();
  });

  it('says which address it cannot use', async () => {
    const other = newApp();
    await expect(other.listen({ host: '203.0.113.1', ports: [0] })).rejects.toThrow('EADDRNOTAVAIL');
    await other.close();
  });
});

it('closing lets a waiting request answer', async () => {
  const closing = createHttpApp({ routes: [wait], authenticate: () => localPrincipal(''), log: silentLog });
  const { address: there } = await closing.listen({ host: '127.0.0.1', ports: [0] });
  const before = waits.length;
  const pending = fetch(`${there}/api/wait`);
  await expect.poll(() => waits.length).toBe(before + 1);
  await closing.close();
  expect(await (await pending).json()).toEqual({ ended: true });
});

it('closing does not wait for a connection on which nothing was said', async () => {
  const closing = createHttpApp({ routes: [], authenticate: () => localPrincipal(''), log: silentLog });
  const { port } = await closing.listen({ host: '127.0.0.1', ports: [0] });
  const silent = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(silent, 'connect');
  let isForced = false;
  const force = setTimeout(() => (isForced = true), 4_500);
  await closing.close();
  clearTimeout(force);
  expect(isForced).toBe(false);
});

it('a caller without the scope is refused', async () => {
  const narrow = createHttpApp({
    routes: [echo],
    authenticate: () => ({ ...localPrincipal(''), scopes: new Set(['other']) }),
    log: silentLog,
  });
  const response = await narrow.inject({ method: 'POST', url: '/api/echo/a', payload: { text: 'x' } });
  expect([response.statusCode, response.json()]).toEqual([
    403,
    expect.objectContaining({ code: 'forbidden', details: { scope: 'echo' } }),
  ]);
});

it('OpenAPI describes the same schemas', async () => {
  const api = (await (await fetch(`${address}/api/openapi.json`)).json()) as {
    openapi: string;
    paths: Record<string, Record<string, object>>;
  };
  expect(api.openapi).toBe('3.1.0');
  expect(api.paths['/api/echo/{id}']?.['post']).toMatchObject({
    operationId: 'postEchoById',
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
      {
        name: 'times',
        in: 'query',
        required: false,
        schema: { type: 'integer', minimum: 1, maximum: 9, default: 1 },
      },
      { name: 'tone', in: 'query', required: false, schema: { type: 'string', maxLength: 9 } },
    ],
    requestBody: { required: true },
    responses: { 201: {}, 400: {}, 403: {}, 409: {}, 500: {}, 503: {} },
  });
});
