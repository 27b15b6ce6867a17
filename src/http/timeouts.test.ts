import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { silentLog } from '../kernel/log.ts';
import { localPrincipal } from '../kernel/principal.ts';
import { createHttpApp, type Timeouts } from './app.ts';
import { defineRoute } from './route.ts';

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

/** Only the patience under test is short: on a machine that stalls, the others must not run out first. */
async function listen(timeouts: Partial<Timeouts>): Promise<number> {
  const app = createHttpApp({
    routes: [route],
    authenticate: () => localPrincipal(''),
    log: silentLog,
    timeouts: { headersMs: 60_000, requestMs: 60_000, idleMs: 60_000, lookMs: 50, ...timeouts },
  });
  onTestFinished(() => app.close());
  return (await app.listen({ host: '127.0.0.1', ports: [0] })).port;
}

/** Sends these bytes and nothing more; answers what came back once the hub closed the connection. */
function sayAndWait(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket
      .on('data', (chunk) => (text += chunk.toString()))
      .on('close', () => resolve(text))
      .on('error', reject);
  });
}

it('headers that never end are answered with 408 JSON and a closed connection', async () => {
  const port = await listen({ headersMs: 200 });
  expect(await sayAndWait(port, 'GET /api/health HTTP/1.1\r\nhost: x\r\nx-slow: ')).toMatch(
    /^HTTP\/1\.1 408 [\s\S]*"code":"invalid"\}$/,
  );
});

it('a body that never comes is answered with 408 JSON and a closed connection', async () => {
  const port = await listen({ headersMs: 400, requestMs: 400 });
  const head = `POST /api/x HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{`;
  expect(await sayAndWait(port, head)).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"invalid"\}$/);
});

it('a connection that stays silent after its answer is closed', async () => {
  const port = await listen({ idleMs: 200 });
  expect(await sayAndWait(port, `GET /api/openapi.json HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 200 /,
  );
});
