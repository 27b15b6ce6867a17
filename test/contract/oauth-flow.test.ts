import {
  auth,
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BeingHost, openBeingHost } from '../fixtures/being-host.ts';
import { eachEngine } from '../fixtures/databases.ts';
import { connectSdk } from '../fixtures/mcp-sdk-clients.ts';
import {
  authorizeUrl,
  CALLBACK,
  newPkce,
  postForm,
  publish,
  registerClient,
  signIn,
} from '../fixtures/oauth-person.ts';

/** From consent to tokens, by hand. */
async function obtain(host: BeingHost, beingId: string, ask: Record<string, string> = {}, granted?: string) {
  const person = await signIn(host);
  const client_id = await registerClient(host);
  const { verifier, challenge } = newPkce();
  const resource = `${host.hub.address}/mcp/${beingId}`;
  const url = authorizeUrl(host, { client_id, code_challenge: challenge, resource, ...ask });
  const back = await person.consent(url, { ...(granted && { granted }) });
  const form = {
    grant_type: 'authorization_code',
    code: back.searchParams.get('code')!,
    client_id,
    code_verifier: verifier,
    redirect_uri: CALLBACK,
    resource,
  };
  return { person, client_id, back, form, tokens: await postForm(host, '/oauth/token', form) };
}

eachEngine('OAuth', (engine) => {
  it('from consent to a token that opens the Being, also without its id in the path', async () => {
    const host = await openBeingHost(engine);
    const luna = await host.create('Luna');
    const { back, tokens, client_id } = await obtain(host, luna.id);
    expect(back.origin + back.pathname).toBe(CALLBACK);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      state: 'st',
      iss: host.hub.address,
    });
    expect(tokens).toMatchObject({
      status: 200,
      body: { token_type: 'Bearer', expires_in: 3600, scope: 'full' },
    });
    expect(tokens.headers.get('cache-control')).toBe('no-store');
    const { access_token, refresh_token } = tokens.body;
    expect([access_token, refresh_token]).toEqual([
      expect.stringMatching(/^bto_[\w-]{43}$/),
      expect.stringMatching(/^btr_[\w-]{43}$/),
    ]);
    const caller = { id: luna.id, token: access_token };
    for (const path of ['/mcp', '/mcp/', `/mcp/${luna.id}`, `/mcp/${luna.id}/`]) {
      expect((await host.call(caller, 'get_context', {}, { path })).value.metadata.soul_name).toBe('Luna');
    }
    const sol = await host.create('Sol');
    for (const path of [`/mcp/${sol.id}`, `/mcp?being_id=${sol.id}`])
      expect((await host.call(caller, 'get_context', {}, { path })).status).toBe(401);
    const refreshed = await postForm(host, '/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token,
      client_id,
    });
    expect(refreshed.status).toBe(200);
    expect(
      (
        await host.call(
          { ...caller, token: refreshed.body.access_token },
          'get_context',
          {},
          { path: '/mcp' },
        )
      ).status,
    ).toBe(200);
  });

  it('the second configuration example, read by a client from JSON', async () => {
    const host = await openBeingHost(engine);
    const luna = await host.create('Luna');
    const { tokens } = await obtain(host, luna.id);
    const config = {
      mcpServers: {
        'my-being': {
          url: `${host.hub.address}/mcp`,
          headers: { Authorization: `Bearer ${tokens.body.access_token}` },
        },
      },
    };
    const client = await connectSdk(
      'SDK v1',
      (JSON.parse(JSON.stringify(config)) as typeof config).mcpServers['my-being'],
    );
    expect((await client.call('get_context')).structuredContent).toMatchObject({
      metadata: { being_id: luna.id },
    });
  });

  it('a person may grant less than was asked, and a refresh does not widen it', async () => {
    const host = await openBeingHost(engine);
    const luna = await host.create('Luna');
    const { tokens, client_id } = await obtain(host, luna.id, {}, 'read-only');
    expect(tokens.body.scope).toBe('read-only');
    const caller = { id: luna.id, token: tokens.body.access_token };
    expect((await host.call(caller, 'trigger_patrol', { messages: [] }, { path: '/mcp' })).status).toBe(403);
    expect((await host.call(caller, 'search_memory', { query: 'x' }, { path: '/mcp' })).status).toBe(200);
    const { refresh_token } = tokens.body;
    const wider = await postForm(host, '/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token,
      client_id,
      scope: 'full',
    });
    expect(wider.body.error).toBe('invalid_scope');
  });

  it('a consent is listed for the operator, and taken back it ends all that came of it', async () => {
    const host = await openBeingHost(engine);
    const [luna, sol] = [await host.create('Luna'), await host.create('Sol')];
    const { tokens, client_id } = await obtain(host, luna.id, {}, 'read-only');
    const refresh = (refresh_token: string) =>
      postForm(host, '/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id });
    const renewed = (await refresh(tokens.body.refresh_token)).body;
    const caller = { id: luna.id, token: renewed.access_token };
    const path = `/v1/beings/${luna.id}/consents`;
    const { consents } = (await host.rest('GET', path)).body;
    expect(consents).toEqual([
      {
        id: expect.any(String),
        client: 'Test client',
        scope: 'read-only',
        since: expect.any(Number),
        renewedAt: expect.any(Number),
        expiresAt: expect.any(Number),
      },
    ]);
    expect(consents[0].since).toBeLessThanOrEqual(consents[0].renewedAt);
    const agent = (await host.rest('POST', '/api/tokens', { agent: 'ada' })).body.token;
    for (const token of [luna.token, renewed.access_token, agent])
      expect((await host.rest('GET', path, undefined, token)).status).toBe(403);
    expect((await host.rest('DELETE', `/v1/beings/${sol.id}/consents/${consents[0].id}`)).status).toBe(404);
    expect((await host.call(caller, 'get_context', {}, { path: '/mcp' })).status).toBe(200);
    expect((await host.rest('DELETE', `${path}/${consents[0].id}`)).status).toBe(200);
    expect((await host.call(caller, 'get_context', {}, { path: '/mcp' })).status).toBe(401);
    expect((await refresh(renewed.refresh_token)).body.error).toBe('invalid_grant');
    expect((await host.rest('GET', path)).body.consents).toEqual([]);
    expect((await host.rest('DELETE', `${path}/${consents[0].id}`)).status).toBe(404);
  });

  it('a code works once: a second use ends what came of the first', async () => {
    const host = await openBeingHost(engine);
    const luna = await host.create('Luna');
    const { form, tokens } = await obtain(host, luna.id);
    expect((await postForm(host, '/oauth/token', form)).body.error).toBe('invalid_grant');
    const caller = { id: luna.id, token: tokens.body.access_token };
    expect((await host.call(caller, 'get_context', {}, { path: '/mcp' })).status).toBe(401);
  });

  it('of twenty that show one code at once, at most one gets tokens', async () => {
    const host = await openBeingHost(engine);
    const luna = await host.create('Luna');
    const person = await signIn(host);
    const client_id = await registerClient(host);
    const { verifier, challenge } = newPkce();
    const back = await person.consent(authorizeUrl(host, { client_id, code_challenge: challenge }), {
      being: luna.id,
    });
    const form = {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code')!,
      client_id,
      code_verifier: verifier,
    };
    const answers = await Promise.all(Array.from({ length: 20 }, () => postForm(host, '/oauth/token', form)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('a stolen refresh token ends the family when either side uses it again', async () => {
    const host = await openBeingHost(engine);
    const luna = await host.create('Luna');
    const { tokens, client_id } = await obtain(host, luna.id);
    const refresh = (refresh_token: string) =>
      postForm(host, '/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id });
    const thief = await refresh(tokens.body.refresh_token);
    expect(thief.status).toBe(200);
    expect((await refresh(tokens.body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await refresh(thief.body.refresh_token)).body.error).toBe('invalid_grant');
    for (const token of [tokens.body.access_token, thief.body.access_token]) {
      expect((await host.call({ id: luna.id, token }, 'get_context', {}, { path: '/mcp' })).status).toBe(401);
    }
  });

  it('revocation ends an access token, and a refresh token with its family', async () => {
    const host = await openBeingHost(engine);
    const luna = await host.create('Luna');
    const { tokens, client_id } = await obtain(host, luna.id);
    const { access_token, refresh_token } = tokens.body;
    const status = async () =>
      (await host.call({ id: luna.id, token: access_token }, 'get_context', {}, { path: '/mcp' })).status;
    expect((await postForm(host, '/oauth/revoke', { token: 'bto_unknown', client_id })).status).toBe(200);
    expect(
      (await postForm(host, '/oauth/revoke', { token: refresh_token, client_id: 'cid_other' })).body.error,
    ).toBe('invalid_client');
    expect(await status()).toBe(200);
    expect((await postForm(host, '/oauth/revoke', { token: refresh_token, client_id })).status).toBe(200);
    expect(await status()).toBe(401);
  });
});

describe('metadata', () => {
  const ID = '01a89c1e-0000-7000-8000-000000000000';
  const open = async () => {
    const host = await openBeingHost();
    const read = async (path: string, headers: Record<string, string> = {}) =>
      (await (await host.hub.fetch(path, { headers })).json()) as any;
    return { read, address: host.hub.address, host };
  };

  it.each([
    ['', '', '/mcp'],
    ['/mcp', '/mcp', '/mcp'],
    [`/mcp/${ID}`, '/mcp', `/mcp/${ID}`],
  ])('stands at the well-known paths with %j appended', async (suffix, issuer, resource) => {
    const { read, address } = await open();
    expect(await read(`/.well-known/oauth-authorization-server${suffix}`)).toMatchObject({
      issuer: address + issuer,
      authorization_endpoint: `${address}/oauth/authorize${issuer === '' ? '' : '/mcp'}`,
      token_endpoint: `${address}/oauth/token`,
      registration_endpoint: `${address}/oauth/register`,
      revocation_endpoint: `${address}/oauth/revoke`,
      scopes_supported: ['full', 'read-only'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
    expect(await read(`/.well-known/oauth-protected-resource${suffix}`)).toMatchObject({
      resource: address + resource,
      authorization_servers: [address],
    });
  });

  it('who looks as Codex does is led to the issuer under /mcp, and gets its name back', async () => {
    const { read, address, host } = await open();
    const codex = { 'mcp-protocol-version': '2024-11-05' };
    const found = await read(`/.well-known/oauth-protected-resource/mcp/${ID}`, codex);
    expect(found.authorization_servers).toEqual([`${address}/mcp`]);
    const server = await read('/.well-known/oauth-authorization-server/mcp', codex);
    expect(server.issuer).toBe(`${address}/mcp`);
    const person = await signIn(host);
    const luna = await host.create('Luna');
    const client_id = await registerClient(host);
    const { challenge } = newPkce();
    for (const [more, issuer] of [
      ['', address],
      ['/mcp', `${address}/mcp`],
    ] as const) {
      const url = authorizeUrl(host, { client_id, code_challenge: challenge }).replace('?', `${more}?`);
      const back = await person.consent(url, { being: luna.id });
      expect(back.searchParams.get('iss')).toBe(issuer);
    }
  });
});

describe('a client that is described by a document', () => {
  it('is asked about by what the document says, and gets its tokens', async () => {
    const host = await openBeingHost();
    const luna = await host.create('Luna');
    const person = await signIn(host);
    const client_id = await publish((url) => ({
      body: JSON.stringify({ client_id: url, client_name: 'Published', redirect_uris: [CALLBACK] }),
    }));
    const { verifier, challenge } = newPkce();
    const url = authorizeUrl(host, { client_id, code_challenge: challenge });
    expect(await (await person.open(url)).text()).toContain('Published');
    const back = await person.consent(url, { being: luna.id });
    const form = {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code')!,
      client_id,
      code_verifier: verifier,
    };
    expect((await postForm(host, '/oauth/token', form)).status).toBe(200);
  });

  it.each([
    [
      'names another id',
      () => ({ body: JSON.stringify({ client_id: 'https://else.example/c', redirect_uris: [CALLBACK] }) }),
    ],
    ['is no JSON', () => ({ body: '<html>' })],
    ['is of another type', () => ({ type: 'text/html', body: '{}' })],
    ['is a redirect', () => ({ status: 302, body: 'http://127.0.0.1:1/elsewhere' })],
    ['is without end', () => ({ body: JSON.stringify('x'.repeat(200_000)) })],
  ])('is refused when the document %s', async (_, answer) => {
    const host = await openBeingHost();
    const person = await signIn(host);
    const client_id = await publish(answer);
    const page = await person.open(authorizeUrl(host, { client_id, code_challenge: newPkce().challenge }));
    expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('Unknown client')]);
  });

  it.each([
    'https://10.0.0.1/c.json',
    'https://[::1]/c.json',
    'https://169.254.169.254/latest',
    'https://[::ffff:127.0.0.1]/x',
  ])('is not fetched from %s', async (client_id) => {
    const host = await openBeingHost();
    const person = await signIn(host);
    const page = await person.open(authorizeUrl(host, { client_id, code_challenge: newPkce().challenge }));
    expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('private address')]);
  });
});

describe('the official client', () => {
  it('goes the whole way: 401, discovery, registration, consent, tokens, calls, refresh', async () => {
    const host = await openBeingHost();
    const luna = await host.create('Luna');
    const person = await signIn(host);
    const url = new URL(`${host.hub.address}/mcp/${luna.id}`);
    const kept: { client?: any; tokens?: any; verifier?: string; page?: URL; discovery?: any } = {};
    const provider: OAuthClientProvider = {
      redirectUrl: CALLBACK,
      clientMetadata: {
        client_name: 'SDK client',
        redirect_uris: [CALLBACK],
        token_endpoint_auth_method: 'none',
      },
      clientInformation: () => kept.client,
      saveClientInformation: (client) => void (kept.client = client),
      tokens: () => kept.tokens,
      saveTokens: (tokens) => void (kept.tokens = tokens),
      redirectToAuthorization: (page) => void (kept.page = page),
      saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
      codeVerifier: () => kept.verifier!,
    };
    const first = new StreamableHTTPClientTransport(url, { authProvider: provider });
    const connecting = new Client({ name: 'flow', version: '0' });
    await expect(connecting.connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
    expect(kept.page!.searchParams.get('resource')).toBe(url.href);
    const back = await person.consent(kept.page!.href);
    await first.finishAuth(back.searchParams);
    const client = new Client({ name: 'flow', version: '0' });
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }));
    onTestFinished(() => client.close());
    const context = await client.callTool({ name: 'get_context', arguments: {} });
    expect(context.structuredContent).toMatchObject({ metadata: { being_id: luna.id } });
    const before = kept.tokens.access_token;
    expect(await auth(provider, { serverUrl: url })).toBe('AUTHORIZED');
    expect(kept.tokens.access_token).not.toBe(before);
  });
});
