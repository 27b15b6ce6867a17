import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { silentLog } from '../kernel/log.ts';
import { localPrincipal } from '../kernel/principal.ts';
import { createHttpApp, type HttpApp } from './app.ts';
import { defineRoute } from './route.ts';

let app: HttpApp;
let port: number;

beforeAll(async () => {
  const route = defineRoute({
    method: 'POST',
    path: '/api/x',
    summary: 'Takes anything',
    tag: 'test',
    scope: 'test',
    body: z.unknown(),
    response: z.object({}),
    handler: async () => ({}),
  });
  const timeouts = { headersMs: 200, requestMs: 400, idleMs: 200, lookMs: 50 };
  app = createHttpApp({ routes: [route], authenticate: () => localPrincipal(''), log: silentLog, timeouts });
  port = (await app.listen({ host: '127.0.0.1', ports: [0] })).port;
});
afterAll(() => app.close());

/** Sends these bytes and nothing more; answers what came back once the hub closed the connection. */
function sayAndWait(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => (text += chunk.toString())).on('close', () => resolve(text));
  });
}

it('headers that never end are answered with 408 JSON and a closed connection', async () => {
  expect(await sayAndWait('GET /api/health HTTP/1.1\r\nhost: x\r\nx-slow: ')).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"invalid"\}$/);
});

it('a body that never comes is answered with 408 JSON and a closed connection', async () => {
  const head = `POST /api/x HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{`;
  expect(await sayAndWait(head)).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"invalid"\}$/);
});

it('a connection that stays silent after its answer is closed', async () => {
  expect(await sayAndWait(`GET /api/openapi.json HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
});
