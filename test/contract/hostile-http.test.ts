import { describe, expect, it } from 'vitest';
import { openTestHub } from '../fixtures/hub.ts';
import { sendTarget, statusOf } from '../fixtures/raw-http.ts';

describe('a guarded path', () => {
  const SPELLINGS = [
    '/v1/health',
    '/v%31/health',
    '/%761/health',
    '/v1%2Fhealth',
    '/v1/health#',
    '/v1/health#/api',
    '//v1/health',
    '/api/../v1/health',
  ];

  it.each(SPELLINGS)('asks for its token under every spelling: %s', async (target) => {
    const { address } = await openTestHub();
    expect([400, 401, 404]).toContain(statusOf(await sendTarget(address, 'GET', target)));
  });

  it.each(['/mcp', '/%6dcp', '/mc%70?x=1', '/mcp#', '/mcp#?x', '/%6Dcp#'])(
    'lets no tool be called without a token: %s',
    async (target) => {
      const { address } = await openTestHub();
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
      expect([401, 404]).toContain(statusOf(await sendTarget(address, 'POST', target, [], body)));
    },
  );

  it.each([
    'http://127.0.0.1/v1/health',
    'http://evil.example/api/health',
    'https://evil.example/mcp',
    '*',
    'evil.example:80',
  ])('is no proxy and takes paths alone: %s', async (target) => {
    const { address } = await openTestHub();
    expect(statusOf(await sendTarget(address, 'OPTIONS', target))).toBe(400);
    expect([400, 0]).toContain(statusOf(await sendTarget(address, 'GET', target)));
  });

  it.each(['/api/mcp/%74asks', '/api/mcp/tasks#', '/%61pi/mcp/tasks'])(
    'a wrong signature is refused under every spelling: %s',
    async (path) => {
      const { address } = await openTestHub();
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: {} });
      expect(
        statusOf(
          await sendTarget(address, 'POST', `${path}?scopeTeamId=red&scopeSig=${'0'.repeat(64)}`, [], body),
        ),
      ).toBe(403);
    },
  );
});

describe('a request that is not what any client means', () => {
  it.each([
    ['two Host headers', ['host: evil.example']],
    ['two credentials', ['authorization: Bearer a', 'Authorization: Bearer b']],
    ['two Origins', ['origin: http://evil.example', 'origin: http://evil.example']],
  ])('is refused: %s', async (_what, headers) => {
    const { address } = await openTestHub();
    const answer = await sendTarget(address, 'GET', '/api/health', headers);
    expect([statusOf(answer), answer]).toEqual([400, expect.stringContaining('more than one')]);
  });

  it.each(['CROSS-SITE', 'cross-site, none', 'none, cross-site', 'anything'])(
    'is refused: Sec-Fetch-Site %s',
    async (site) => {
      const { address } = await openTestHub();
      expect(statusOf(await sendTarget(address, 'GET', '/api/health', [`sec-fetch-site: ${site}`]))).toBe(
        403,
      );
    },
  );

  it('is refused: a name longer than any', async () => {
    const { address } = await openTestHub();
    expect(statusOf(await sendTarget(address, 'GET', `/api/board/tasks/${'a'.repeat(5_000)}`))).toBe(400);
  });
});

describe('a body deeper than the stack', () => {
  const lists = '['.repeat(100_000) + ']'.repeat(100_000);
  const objects = '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000);

  it.each([
    ['/api/board/tasks', lists],
    ['/api/board/tasks', objects],
    ['/api/board/tasks', `{"title":"x","description":${objects}}`],
    ['/api/tools/approvals/x/resolve', lists],
    ['/api/tools/policy/explain', `{"tool":"echo","args":{"message":${lists}}}`],
  ])('is refused as such at %s', async (path, body) => {
    const { fetch } = await openTestHub();
    const response = await fetch(path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('nested more than 64 levels deep'),
    ]);
  });
});
