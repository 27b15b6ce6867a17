import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HubError } from '../kernel/errors.ts';
import { silentLog } from '../kernel/log.ts';
import { localPrincipal } from '../kernel/principal.ts';
import { createEngine } from '../mcp/engine/engine.ts';
import { createHttpHost } from '../mcp/hosts/http/http.ts';
import { prepareServer } from '../mcp/registry.ts';
import { createSessions } from '../mcp/sessions/sessions.ts';
import { createHttpApp, type HttpApp } from './app.ts';

const key = Buffer.alloc(32, 7);
const host = createHttpHost({
  engine: createEngine({ key, log: silentLog }),
  sessions: createSessions({ key }),
});
const server = prepareServer({ key: 'tasks', name: 'empty', version: '0', tools: [] });

let app: HttpApp;
let address: string;

beforeAll(async () => {
  app = createHttpApp({
    routes: [],
    mounts: [{ path: '/api/mcp/tasks', handle: host.mount({ server, sessions: 'documented' }) }],
    authenticate({ headers }) {
      if (headers.authorization === 'Bearer wrong')
        throw new HubError('unauthorized', 'This token is not valid.');
      return localPrincipal('');
    },
    log: silentLog,
  });
  address = (await app.listen({ host: '127.0.0.1', ports: [0] })).address;
});
afterAll(async () => {
  host.close();
  await app.close();
});

const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(`${address}/api/mcp/tasks`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
});

describe('an MCP path', () => {
  it('hands a request to its host', async () => {
    const response = await post(INITIALIZE);
    expect(response.status).toBe(200);
    expect(response.headers.get('mcp-session-id')).toBeTruthy();
  });

  it('is the same with a slash at its end, whatever the method', async () => {
    const at = (url: string, init: RequestInit) => fetch(`${address}/api/mcp/tasks${url}`, init);
    const headers = { 'content-type': 'application/json' };
    const opened = await at('/?profile=default', { method: 'POST', body: INITIALIZE, headers });
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
    expect(opened.status).toBe(200);
    const list = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}';
    expect((await at('', { method: 'POST', body: list, headers: { ...headers, ...session } })).status).toBe(
      200,
    );
    expect((await at('/', { method: 'POST', body: list, headers: { ...headers, ...session } })).status).toBe(
      200,
    );
    expect(
      (
        await at('/', {
          method: 'POST',
          body: INITIALIZE,
          headers: { ...headers, authorization: 'Bearer wrong' },
        })
      ).status,
    ).toBe(401);
    const wrong = await at('/', { method: 'PUT', headers, body: '{}' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'DELETE, GET, POST']);
    expect((await at('/', { method: 'DELETE', headers: session })).status).toBe(200);
    expect((await at('//', { method: 'POST', body: INITIALIZE, headers })).status).toBe(404);
  });

  it.each([
    ['malformed JSON', '{"jsonrpc":', {}, 400, -32700],
    ['an empty body', '', {}, 400, -32700],
    ['a wrong content type', INITIALIZE, { 'content-type': 'text/plain' }, 415, -32000],
    ['a foreign Origin', INITIALIZE, { origin: 'http://evil.example' }, 403, -32000],
    ['a cross-site page', INITIALIZE, { 'sec-fetch-site': 'cross-site' }, 403, -32000],
    ['a wrong token', INITIALIZE, { authorization: 'Bearer wrong' }, 401, -32000],
    ['a body over 2 MB', `"${'x'.repeat(2 * 1024 * 1024)}"`, {}, 413, -32000],
  ])('answers %s with a JSON-RPC error', async (_what, body, headers, status, code) => {
    const response = await post(body, headers);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code } });
  });

  it('answers a foreign Host with a JSON-RPC error', async () => {
    const text = await new Promise<string>((resolve) => {
      const request = httpRequest(
        `${address}/api/mcp/tasks`,
        { method: 'POST', headers: { host: 'evil.example' } },
        (response) => {
          let body = '';
          response
            .on('data', (chunk) => (body += String(chunk)))
            .on('end', () => resolve(`${response.statusCode} ${body}`));
        },
      );
      request.end();
    });
    expect(text).toMatch(/^403 \{"jsonrpc":"2\.0","id":null,/);
  });

  it('takes a body over 1 MiB', async () => {
    const padded = { ...(JSON.parse(INITIALIZE) as object), padding: 'x'.repeat(1_200_000) };
    expect((await post(JSON.stringify(padded))).status).toBe(200);
  });

  it('names the methods it has when asked with another', async () => {
    const response = await fetch(`${address}/api/mcp/tasks`, { method: 'PUT' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'DELETE, GET, POST']);
  });

  it('tells where to present a credential when it refuses one', async () => {
    expect(
      (await post(INITIALIZE, { authorization: 'Bearer wrong' })).headers.get('www-authenticate'),
    ).toContain('Bearer');
  });
});
