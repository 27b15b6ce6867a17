import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { MODERN_META } from '../fixtures/modern-call.ts';

type Letter = { path: string; headers: IncomingHttpHeaders; body: string };

async function openReceiver() {
  const letters: Letter[] = [];
  const server = createServer(async (request, response) => {
    letters.push({ path: request.url!, headers: request.headers, body: await text(request) });
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { letters, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

it('a notice of an approval can be opened and denied from elsewhere, never allowed, and says nothing of the call', async () => {
  const { letters, url } = await openReceiver();
  const env = freshHome();
  const to = {
    ci: { webhook: `${url}/ci`, private: true },
    phone: { ntfy: `${url}/phone`, private: true },
    team: { slack: `${url}/team`, private: true },
  };
  const settings = { notices: { address: 'https://hub.example.com/', to }, 'mcp-auth': 'token' };
  writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), JSON.stringify(settings));
  const hub = await startHub(env);
  const calling = fetch(`${hub.address}/api/mcp/tools`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tokenIn(env)}`,
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'delete_path',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'delete_path', arguments: { path: '/tmp/very-private-plans' }, _meta: MODERN_META },
    }),
  }).then((answer) => answer.text());
  await expect.poll(() => letters.length, { timeout: 30_000 }).toBe(3);
  const sent = (path: string) => letters.find((letter) => letter.path === path)!;
  expect(JSON.stringify(letters)).not.toContain('very-private');
  expect(JSON.stringify(letters)).not.toMatch(/allow/i);
  const notice = JSON.parse(sent('/ci').body);
  expect(notice.actions.open.url).toBe(`https://hub.example.com/approvals?at=${notice.subject}`);
  expect(notice.actions.deny).toEqual({
    method: 'POST',
    url: expect.stringMatching(/^https:\/\/hub\.example\.com\/api\/notices\/deny\/[\w-]+\.[\w-]{43}$/),
  });
  expect(sent('/phone').headers['actions']).toMatch(
    /^view, Open, https:\/\/hub\.example\.com\/approvals\?at=\S+; http, Deny, https:\S+, method=POST, clear=true$/,
  );
  expect(sent('/team').body).toMatch(/<https:\/\/hub\.example\.com\/approvals\?at=[\w-]+\|Open>/);

  // Whoever has the link needs nothing else. Looking at it denies nothing.
  const path = new URL(notice.actions.deny.url).pathname;
  expect((await fetch(`${hub.address}${path}`)).status).toBeGreaterThanOrEqual(404);
  const denied = await fetch(`${hub.address}${path}`, { method: 'POST' });
  expect([denied.status, await denied.json()]).toEqual([200, { decision: 'deny' }]);
  expect(await calling).toContain('approval:deny');
  expect((await fetch(`${hub.address}${path}`, { method: 'POST' })).status).toBe(404);
  expect(
    (await fetch(`${hub.address}/api/notices/deny/x.${'x'.repeat(43)}`, { method: 'POST' })).status,
  ).toBe(404);
}, 90_000);
