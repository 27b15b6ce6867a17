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

  it.each(['/mcp', '/%6dcp', '/mc%70?x=1', '/mcp#', '/mcp#?x', '/%6Dcp#'])('lets no tool be called without a token: %s', async (target) => {
    const { address } = await openTestHub();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    expect([401, 404]).toContain(statusOf(await sendTarget(address, 'POST', target, [], body)));
  });

  it.each(['http://127.0.0.1/v1/health', 'http://evil.example/api/health', 'https://evil.example/mcp', '*', 'evil.example:80'])(
    'is no proxy and takes paths alone: %s',
    async (target) => {
      const { address } = await openTestHub();
      expect(statusOf(await sendTarget(address, 'OPTIONS', target))).toBe(400);
      expect([400, 0]).toContain(statusOf(await sendTarget(address, 'GET', target)));
    },
  );

  it.each(['/api/mcp/%74asks', '/api/mcp/tasks#', '/%61pi/mcp/tasks'])(
    'a wrong signature is refused under every spelling: %s',
    async (path) => {
      const { address } = await openTestHub();
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: {} });
      expect(statusOf(await sendTarget(address, 'POST', `${path}?scopeTeamId=red&scopeSig=${'0'.repeat(64)}`, [], body))).toBe(403);
    },
  );
});
