import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/features/access/scopes.ts';
import { routesOf, type ApiRoute } from '../fixtures/api.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { openTestHub, type TestHub } from '../fixtures/hub.ts';
import { leastOf } from '../fixtures/sample.ts';
import { type Documented, documentedBy } from '../fuzz/documented.ts';

/**
 * Whatever is answered is documented in OpenAPI: status, content type and body.
 *
 * Who gets past the door of every route. The routes come from the hub's own table; what is expected stands in
 * `route-matrix.txt`, a line for each, and a route without one fails.
 *
 *   in   past the door: whatever comes then, it is neither 401 nor 403
 *   401  who are you?      403  not you
 */
const PRINCIPALS = [
  'owner',
  'proxied',
  'operator',
  'scoped',
  'unscoped',
  'team',
  'wrong',
  'revoked',
] as const;
type Name = (typeof PRINCIPALS)[number];

async function setUp(hub: TestHub, scopes: readonly string[]) {
  const post = async (body: object) => {
    const headers = { authorization: `Bearer ${hub.token}`, 'content-type': 'application/json' };
    const response = await hub.fetch('/api/tokens', { method: 'POST', headers, body: JSON.stringify(body) });
    expect(response.status).toBe(201);
    return (await response.json()) as { token: string; record: { id: string } };
  };
  const scoped = new Map<string, string>();
  const unscoped = new Map<string, string>();
  for (const scope of scopes) {
    scoped.set(scope, (await post({ agent: 'ada', scopes: [scope] })).token);
    unscoped.set(
      scope,
      (await post({ agent: 'ada', scopes: SCOPES.filter((each) => each !== scope) })).token,
    );
  }
  const team = (await post({ agent: 'ada', team: 'red' })).token;
  const revoked = await post({ agent: 'ada' });
  await hub.fetch(`/api/tokens/${revoked.record.id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${hub.token}` },
  });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  return (who: Name, scope: string): Record<string, string> => {
    const shown: Readonly<Record<Name, Record<string, string>>> = {
      owner: {},
      proxied: { 'x-real-ip': '10.0.0.9' },
      operator: bearer(hub.token),
      scoped: bearer(scoped.get(scope)!),
      unscoped: bearer(unscoped.get(scope)!),
      team: bearer(team),
      wrong: bearer('0'.repeat(64)),
      revoked: bearer(revoked.token),
    };
    return shown[who];
  };
}

type House = Readonly<{ hub: TestHub; documented: Documented }>;

async function ask(
  { hub, documented }: House,
  { method, path, body, parameters }: ApiRoute,
  headers: Record<string, string>,
): Promise<string> {
  const stop = new AbortController();
  const query = parameters
    .filter((each) => each.in === 'query' && each.required)
    .map(({ name, schema }) => [name, String(leastOf(schema))] as [string, string]);
  const response = await hub.fetch(
    `${path.replaceAll(/\{\w+\}/g, 'none-such')}?${new URLSearchParams(query).toString()}`,
    {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(leastOf(body)) }),
      signal: stop.signal,
    },
  );
  const { status } = response;
  const type = response.headers.get('content-type') ?? '';
  const isStream = type.startsWith('text/event-stream');
  const text = isStream ? '' : await response.text();
  if (isStream) stop.abort();
  expect(status, `${method} ${path}`).not.toBe(500);
  expect(
    documented(`${method} ${path}`, { status, type, text }),
    `${method} ${path} ${text}`,
  ).toBeUndefined();
  return status === 401 || status === 403 ? String(status) : 'in';
}

const AT_ONCE = 60;
const WRONG_TYPE = { 'content-type': 'text/plain' };

describe('every route, for everybody', () => {
  it('answers as expected, and each has an expected answer', { timeout: 180_000 }, async () => {
    const home = freshFolder();
    // Nobody is there to approve what an agent asks for.
    writeFileSync(join(home, 'config.yaml'), 'approvals:\n  wait: 1s\n');
    const hub = await openTestHub({ home });
    // Exchanging the key would end what the other requests stand on; it is refused or done like its neighbour, /api/keys/revoke.
    const routes = (await routesOf(hub)).filter(({ path }) => path !== '/api/keys/rotate');
    const headersOf = await setUp(hub, [...new Set(routes.map(({ scope }) => scope))]);
    const house = { hub, documented: await documentedBy(hub.address) };
    const linesOf = (some: typeof routes) =>
      Promise.all(
        some.map(async (route) => {
          const answers = await Promise.all(
            PRINCIPALS.map((who) => ask(house, route, headersOf(who, route.scope))),
          );
          expect(route.isOpen, `${route.path} says who must show a credential`).toBe(answers[0] === 'in');
          if (route.method !== 'GET') await ask(house, route, WRONG_TYPE);
          return `${`${route.method} ${route.path}`.padEnd(62)} ${route.scope.padEnd(14)} ${answers.map((each) => each.padEnd(3)).join(' ')}`.trimEnd();
        }),
      );
    // As many at once as a hub takes connections.
    const lines: string[] = [];
    for (let at = 0; at < routes.length; at += AT_ONCE)
      lines.push(...(await linesOf(routes.slice(at, at + AT_ONCE))));
    const expected = readFileSync(new URL('./route-matrix.txt', import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.toSorted()).toEqual(expected.toSorted());
  });

  it('guards MCP the same way', { timeout: 60_000 }, async () => {
    const hub = await openTestHub();
    const headersOf = await setUp(hub, ['board:read']);
    const paths = [
      '/mcp',
      ...['tasks', 'memory', 'teamchat', 'tools', 'brain'].map((key) => `/api/mcp/${key}`),
    ];
    for (const path of paths) {
      const status = async (who: Name) =>
        (
          await hub.fetch(path, {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...headersOf(who, 'board:read') },
            body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}',
          })
        ).status;
      // The hub asks itself here, and is no program of its owner (mcp-local.test.ts has the others).
      expect(await status('owner'), path).toBe(path === '/mcp' ? 401 : 200);
      for (const who of ['proxied', 'wrong', 'revoked'] as const)
        expect(await status(who), `${path} ${who}`).toBe(401);
      for (const who of ['operator', 'scoped', 'team'] as const)
        expect(await status(who), `${path} ${who}`).toBe(200);
    }
  });
});
