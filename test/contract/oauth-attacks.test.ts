import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRedirectUri, isRegistered } from '../../src/features/access/oauth/proofs.ts';
import { type BeingHost, openBeingHost } from '../fixtures/being-host.ts';
import {
  authorizeUrl,
  CALLBACK,
  formOf,
  newPkce,
  postForm,
  registerClient,
  signIn,
} from '../fixtures/oauth-person.ts';

async function stage() {
  const host = await openBeingHost();
  const luna = await host.create('Luna');
  const person = await signIn(host);
  const client_id = await registerClient(host);
  const pkce = newPkce();
  const url = (ask: Record<string, string | undefined> = {}) =>
    authorizeUrl(host, { client_id, code_challenge: pkce.challenge, ...ask });
  const code = async () => (await person.consent(url(), { being: luna.id })).searchParams.get('code')!;
  return { host, luna, person, client_id, pkce, url, code };
}

const exchange = (host: BeingHost, form: Record<string, string | undefined>) =>
  postForm(host, '/oauth/token', { grant_type: 'authorization_code', ...form });

describe('what is wrong with client or address goes nowhere', () => {
  it.each([
    ['another path', 'http://127.0.0.1:3999/elsewhere'],
    ['another host', 'http://evil.example/callback'],
    ['a look-alike host', 'http://127.0.0.1.evil.example:3999/callback'],
    ['a user in front', 'http://127.0.0.1@evil.example/callback'],
    ['a longer query', 'http://127.0.0.1:3999/callback?next=evil'],
    ['a fragment', 'http://127.0.0.1:3999/callback#x'],
    ['another scheme', 'https://127.0.0.1:3999/callback'],
    ['a path that climbs', 'http://127.0.0.1:3999/callback/../elsewhere'],
    ['a script', 'javascript:alert(1)'],
  ])('a redirect to %s', async (_, redirect_uri) => {
    const { person, url } = await stage();
    const page = await person.open(url({ redirect_uri }));
    expect([page.status, page.headers.get('location')]).toEqual([400, null]);
    expect(await page.text()).toContain('did not register this redirect_uri');
  });

  it('an unknown client, a missing one, a parameter twice', async () => {
    const { person, url } = await stage();
    expect((await person.open(url({ client_id: 'cid_unknown' }))).status).toBe(400);
    expect((await person.open(url({ client_id: undefined }))).status).toBe(400);
    expect((await person.open(`${url()}&redirect_uri=http://evil.example`)).status).toBe(400);
    expect((await person.open(`${url()}&scope=full&scope=read-only`)).status).toBe(400);
  });

  it('loopback may use another port, and nothing else may', () => {
    expect(isRegistered('http://127.0.0.1:5/cb', ['http://127.0.0.1/cb'])).toBe(true);
    expect(isRegistered('http://localhost:5/cb', ['http://127.0.0.1/cb'])).toBe(false);
    expect(isRegistered('https://app.example:5/cb', ['https://app.example/cb'])).toBe(false);
    expect(isRedirectUri('com.example.app:/cb')).toBe(true);
    for (const bad of [
      'http://app.example/cb',
      'data:text/html,x',
      'file:///etc/passwd',
      '/cb',
      'https://u:p@app.example/',
      'https://a.example/\\x',
    ])
      expect([bad, isRedirectUri(bad)]).toEqual([bad, false]);
  });
});

describe('everything else goes back to the client with state and iss', () => {
  it.each([
    ['no PKCE', { code_challenge: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'abc' }, 'invalid_request'],
    ['an implicit grant', { response_type: 'token' }, 'unsupported_response_type'],
    ['an unknown scope', { scope: 'full admin' }, 'invalid_scope'],
    ['another resource', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
    ['an unknown Being', { resource: '/mcp/01a89c1e-0000-7000-8000-000000000000' }, 'invalid_target'],
  ])('%s', async (_, ask, error) => {
    const { host, person, url } = await stage();
    const resource =
      'resource' in ask && ask.resource.startsWith('/')
        ? { resource: `${host.hub.address}${ask.resource}` }
        : {};
    const back = await person.consent(url({ ...ask, ...resource }));
    expect(back.href.startsWith(CALLBACK)).toBe(true);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error,
      state: 'st',
      iss: host.hub.address,
    });
    expect(back.searchParams.has('code')).toBe(false);
  });

  it('a person who denies', async () => {
    const { person, url, luna } = await stage();
    const back = await person.consent(url(), { decision: 'deny', being: luna.id });
    expect(back.searchParams.get('error')).toBe('access_denied');
  });
});

describe('consent', () => {
  it('names client, Being and scope, escapes what a client calls itself, and cannot be framed', async () => {
    const { host, person, pkce } = await stage();
    const client_id = await registerClient(host, [CALLBACK], '<img src=x onerror=alert(1)>\u202e"');
    const page = await person.open(
      authorizeUrl(host, { client_id, code_challenge: pkce.challenge, scope: 'read-only' }),
    );
    const html = await page.text();
    expect(html).not.toContain('<img');
    expect(html).not.toContain('\u202e');
    for (const shown of ['&#60;img', client_id, 'Luna', 'read-only: read']) expect(html).toContain(shown);
    expect(html).not.toContain('value="full"');
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('cache-control')).toBe('no-store');
  });

  it('a resource without an id shows a choice of Beings', async () => {
    const { host, person, url } = await stage();
    await host.create('Sol');
    const html = await (await person.open(url({ resource: `${host.hub.address}/mcp` }))).text();
    expect([...html.matchAll(/name="being"/g)]).toHaveLength(2);
  });

  it('without the cookie: first a page that loads itself again, then a request to sign in; an agent on this machine cannot consent', async () => {
    const { host, url } = await stage();
    const first = await fetch(url(), { headers: { 'sec-fetch-site': 'cross-site' } });
    const html = await first.text();
    expect([first.status, html]).toEqual([200, expect.stringContaining('http-equiv="refresh"')]);
    const second = await fetch(`${url()}&holdfast_reloaded=1`, {
      headers: { authorization: `Bearer ${host.hub.token}` },
    });
    expect([second.status, await second.text()]).toEqual([401, expect.stringContaining('holdfast open')]);
    const posted = await host.hub.fetch('/oauth/authorize', {
      method: 'POST',
      headers: { authorization: `Bearer ${host.hub.token}` },
      body: new URL(url()).searchParams,
    });
    expect(posted.status).toBe(401);
  });

  it.each([
    ['from another site', { origin: 'https://evil.example' }, undefined, 403],
    ['by a page of another site', { 'sec-fetch-site': 'cross-site' }, undefined, 403],
    ['without its token', {}, (form: URLSearchParams) => form.delete('form_token'), 403],
    ['with another client', {}, (form: URLSearchParams) => form.set('client_id', 'cid_other'), 403],
    ['with another scope', {}, (form: URLSearchParams) => form.set('scope', 'full'), 403],
    [
      'for another Being',
      {},
      (form: URLSearchParams) => form.set('being', '01a89c1e-0000-7000-8000-000000000000'),
      400,
    ],
  ])('a form that was posted %s is refused', async (_, headers, change, status) => {
    const { host, person, url, luna } = await stage();
    const form = formOf(await (await person.open(url({ scope: 'read-only' }))).text());
    form.set('decision', 'allow');
    form.set('being', luna.id);
    change?.(form);
    const response = await host.hub.fetch('/oauth/authorize', {
      method: 'POST',
      headers: { cookie: person.cookie, ...headers },
      body: form,
    });
    expect([response.status, response.headers.get('location')]).toEqual([status, null]);
  });

  it('one person cannot be given the form of another, and two cookies are none', async () => {
    const { host, person, url } = await stage();
    const form = formOf(await (await person.open(url())).text());
    const other = await signIn(host);
    const response = await host.hub.fetch('/oauth/authorize', {
      method: 'POST',
      headers: { cookie: other.cookie },
      body: form,
    });
    expect(response.status).toBe(403);
    const planted = await fetch(`${url()}&holdfast_reloaded=1`, {
      headers: { cookie: `${other.cookie}; ${person.cookie}` },
    });
    expect(planted.status).toBe(401);
  });
});

describe('tokens', () => {
  it.each([
    ['another verifier', () => ({ code_verifier: newPkce().verifier })],
    ['a short verifier', () => ({ code_verifier: 'short' })],
    ['another address', () => ({ redirect_uri: `${CALLBACK}/x` })],
  ])('a code with %s is refused, and still good for who has the right one', async (_, wrong) => {
    const { host, pkce, client_id, code } = await stage();
    const good = { code: await code(), client_id, code_verifier: pkce.verifier, redirect_uri: CALLBACK };
    expect((await exchange(host, { ...good, ...wrong() })).body.error).toBe('invalid_grant');
    expect((await exchange(host, good)).status).toBe(200);
  });

  it('a code is bound to its client: another one neither spends it nor ends what came of it', async () => {
    const { host, luna, pkce, client_id, code } = await stage();
    const good = { code: await code(), client_id, code_verifier: pkce.verifier };
    const other = await registerClient(host);
    expect((await exchange(host, { ...good, client_id: other })).body.error).toBe('invalid_grant');
    const { status, body } = await exchange(host, good);
    expect(status).toBe(200);
    expect((await exchange(host, { ...good, client_id: other })).body.error).toBe('invalid_grant');
    const caller = { id: luna.id, token: body.access_token };
    expect((await host.call(caller, 'get_context', {}, { path: '/mcp' })).status).toBe(200);
  });

  it('a client nobody registered hears that it must register again, and has spent nothing', async () => {
    const { host, pkce, client_id, code } = await stage();
    const good = { code: await code(), client_id, code_verifier: pkce.verifier };
    const stranger = await exchange(host, { ...good, client_id: 'cid_other' });
    expect([stranger.status, stranger.body.error]).toEqual([401, 'invalid_client']);
    expect((await exchange(host, good)).status).toBe(200);
  });

  it.each([
    ['/oauth/token', 'text/plain', 'grant_type=refresh_token'],
    ['/oauth/token', 'application/json', '{'],
    ['/oauth/revoke', 'text/plain', 'token=x'],
    ['/oauth/register', 'application/json', '{'],
    ['/oauth/register', 'text/plain', '{}'],
  ])('%s answers a body of %s that it cannot read in the words of OAuth', async (path, type, body) => {
    const { host } = await stage();
    const answer = await host.hub.fetch(path, { method: 'POST', headers: { 'content-type': type }, body });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([400, 'no-store']);
    expect(await answer.json()).toEqual({
      error: 'invalid_request',
      error_description: expect.stringContaining('body'),
    });
  });

  it('a code for one resource is no code for another', async () => {
    const { host, person, pkce, client_id, url, luna } = await stage();
    const resource = `${host.hub.address}/mcp/${luna.id}`;
    const code = (await person.consent(url({ resource }))).searchParams.get('code')!;
    const other = `${host.hub.address}/mcp`;
    const good = { code, client_id, code_verifier: pkce.verifier };
    expect((await exchange(host, { ...good, resource: other })).body.error).toBe('invalid_target');
    expect((await exchange(host, { ...good, resource: resource.toUpperCase() })).body.error).toBe(
      'invalid_target',
    );
    expect((await exchange(host, { ...good, resource: `${resource}/` })).status).toBe(200);
  });

  it.each([
    '/mcp/../mcp',
    '/x/../mcp',
    '/./mcp',
    '/%2e%2e/mcp',
    '//mcp',
    '/mcp//',
    '/mcp?x',
    '/mcp#x',
    '/MCP',
    '\\mcp',
    '/m\tcp',
    '/mcp/../mcp/{being}',
    '/mcp/{being}/..',
  ])('a resource that only looks like ours is none: %j', async (path) => {
    const { host, person, url, luna } = await stage();
    const resource = `${host.hub.address}${path.replace('{being}', luna.id)}`;
    const back = await person.consent(url({ resource }));
    expect(back.searchParams.get('error')).toBe('invalid_target');
  });

  it.each([{ scope: 'nonsense' }, { resource: 'https://evil.example/mcp' }])(
    'a refresh that is refused for %j ends nothing, and the same token still works',
    async (wrong) => {
      const { host, person, pkce, client_id, url, luna } = await stage();
      const resource = `${host.hub.address}/mcp/${luna.id}`;
      const code = (await person.consent(url({ resource }))).searchParams.get('code')!;
      const { body } = await exchange(host, { code, client_id, code_verifier: pkce.verifier });
      const refresh = (more: object) =>
        postForm(host, '/oauth/token', {
          grant_type: 'refresh_token',
          client_id,
          refresh_token: body.refresh_token,
          ...more,
        });
      for (let i = 0; i < 2; i += 1)
        expect((await refresh(wrong)).body.error).toMatch(/^invalid_(scope|target)$/);
      const again = await refresh({});
      expect([again.status, again.body.scope]).toEqual([200, 'full']);
    },
  );

  it('a refresh narrowed once has the consented scope again the next time, and never more', async () => {
    const { host, pkce, client_id, code, luna } = await stage();
    const { body } = await exchange(host, { code: await code(), client_id, code_verifier: pkce.verifier });
    const refresh = async (refresh_token: string, scope?: string) =>
      (await postForm(host, '/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token, scope }))
        .body;
    const narrow = await refresh(body.refresh_token, 'read-only');
    const deed = async (token: string) =>
      (await host.call({ id: luna.id, token }, 'trigger_patrol', { messages: [] }, { path: '/mcp' })).status;
    expect([narrow.scope, await deed(narrow.access_token)]).toEqual(['read-only', 403]);
    const asked = await refresh(narrow.refresh_token, 'full');
    expect([asked.scope, await deed(asked.access_token)]).toEqual(['full', 200]);
    expect((await refresh((await refresh(asked.refresh_token, 'read-only')).refresh_token)).scope).toBe(
      'full',
    );
  });

  it.each([
    [{}, 'invalid_request'],
    [{ grant_type: 'password', username: 'a', password: 'b' }, 'unsupported_grant_type'],
    [{ grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    [{ grant_type: 'refresh_token', client_id: 'x' }, 'invalid_request'],
    [{ grant_type: 'refresh_token', client_id: 'x', refresh_token: 'btr_unknown' }, 'invalid_client'],
    [{ grant_type: 'authorization_code', client_id: 'x', client_secret: 'y' }, 'invalid_client'],
  ])('the token endpoint answers %j with an error of RFC 6749', async (form, error) => {
    const { host } = await stage();
    const answer = await postForm(host, '/oauth/token', form);
    expect(answer.body.error).toBe(error);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('an access token is no refresh token, a refresh token opens nothing, and neither is kept as it is', async () => {
    const { host, pkce, client_id, code, luna } = await stage();
    const { body } = await exchange(host, { code: await code(), client_id, code_verifier: pkce.verifier });
    const wrong = await postForm(host, '/oauth/token', {
      grant_type: 'refresh_token',
      client_id,
      refresh_token: body.access_token,
    });
    expect(wrong.body.error).toBe('invalid_grant');
    expect((await host.call({ id: luna.id, token: body.refresh_token }, 'get_context')).status).toBe(401);
    await host.hub.hub.close();
    const files = ['holdfast.db', 'holdfast.db-wal'].map((name) => join(host.hub.config.home, name));
    const stored = files.map((file) => readFile(file)).join('');
    for (const secret of [body.access_token, body.refresh_token, luna.token, luna.readOnly])
      expect(stored.includes(secret)).toBe(false);
  });
});

describe('registration', () => {
  it.each([
    [{}],
    [{ redirect_uris: [] }],
    [{ redirect_uris: ['http://app.example/cb'] }],
    [{ redirect_uris: ['javascript:alert(1)'] }],
    [{ redirect_uris: ['https://app.example/cb#x'] }],
    [{ redirect_uris: 'https://app.example/cb' }],
    [null],
  ])('refuses %j', async (body) => {
    const { host } = await stage();
    const headers = { 'content-type': 'application/json' };
    const response = await host.hub.fetch('/oauth/register', {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_client_metadata' }),
    ]);
  });

  it('a flood is slowed down, and nobody but who makes it', async () => {
    const { host } = await stage();
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ redirect_uris: [CALLBACK] });
    const statuses = await Promise.all(
      Array.from(
        { length: 60 },
        async () => (await host.hub.fetch('/oauth/register', { method: 'POST', headers, body })).status,
      ),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(19);
    expect(statuses.filter((status) => status === 429)).toHaveLength(41);
    const elsewhere = await host.hub.fetch('/oauth/register', {
      method: 'POST',
      headers: { ...headers, 'x-forwarded-for': '203.0.113.9' },
      body,
    });
    expect(elsewhere.status).toBe(201);
  });
});

describe('signing in', () => {
  it('signing out ends this browser and what is open in it, and no other', async () => {
    const { host } = await stage();
    const [person, other] = [await signIn(host), await signIn(host)];
    const tokens = async ({ cookie }: { cookie: string }) =>
      (await host.hub.fetch('/api/tokens', { headers: { cookie } })).status;
    const stream = await host.hub.fetch('/api/events', { headers: { cookie: person.cookie } });
    const ended = stream.text().catch(() => 'cut');
    const out = (headers: Record<string, string>) => host.hub.fetch('/signout', { method: 'POST', headers });
    expect((await out({ cookie: person.cookie, origin: 'http://evil.example' })).status).toBe(403);
    expect(await tokens(person)).toBe(200);
    const answer = await out({ cookie: person.cookie });
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([
      200,
      'holdfast_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
    ]);
    expect([await tokens(person), await tokens(other)]).toEqual([401, 200]);
    await ended;
    for (const headers of [{ cookie: person.cookie }, {}] as Record<string, string>[])
      expect((await out(headers)).status).toBe(401);
  });

  it('a link works once, is for whoever has the hub token, and its cookie is strict', async () => {
    const { host, luna } = await stage();
    const { body } = await host.rest('POST', '/api/open');
    const first = await host.hub.fetch(body.path);
    expect(first.headers.get('set-cookie')).toMatch(
      /^holdfast_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/,
    );
    expect((await host.hub.fetch(body.path)).status).toBe(401);
    expect((await host.hub.fetch('/signin?link=guess')).status).toBe(401);
    expect((await host.hub.fetch('/api/open', { method: 'POST' })).status).toBe(401);
    const agent = (await host.rest('POST', '/api/tokens', { agent: 'ada' })).body.token;
    for (const token of [agent, luna.token])
      expect((await host.rest('POST', '/api/open', {}, token)).status).toBe(403);
  });
});

function readFile(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // A closed database has no log beside it.
    return '';
  }
}
