import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { callRest } from '../fixtures/rest-call.ts';

/** What the page asks for that nobody else does. */
describe('REST for the page', () => {
  async function open() {
    const env = freshHome();
    const { address } = await startHub(env);
    const token = tokenIn(env);
    const call = async (
      method: string,
      path: string,
      { body, bearer }: { body?: object; bearer?: string } = {},
    ): Promise<any> => {
      const answer = await callRest({ at: address, token: bearer }, [method, path], body);
      return { status: answer.status, ...answer.body };
    };
    return { address, call, token, home: env['HOLDFAST_HOME']! };
  }

  it('says which rooms there are and whether the caller has signed in', async () => {
    const { call, token } = await open();
    expect(await call('GET', '/api/page')).toMatchObject({
      isSignedIn: false,
      rooms: expect.arrayContaining(['board', 'memory']),
    });
    expect(await call('GET', '/api/page', { bearer: token })).toMatchObject({ isSignedIn: true });
  });

  it('a browser that was signed in speaks for the person on REST, not over MCP, and not for another site', async () => {
    const { address, call, token } = await open();
    const { path } = await call('POST', '/api/open', { bearer: token });
    const entered = await fetch(new URL(path, address), { redirect: 'manual' });
    const cookie = entered.headers.get('set-cookie')!.split(';')[0]!;
    const get = (path: string, more: Record<string, string> = {}) =>
      fetch(`${address}${path}`, { headers: { cookie, ...more } });
    expect(await (await get('/api/page')).json()).toMatchObject({ isSignedIn: true });
    expect((await get('/v1/beings')).status).toBe(200);
    expect((await get('/api/tokens')).status).toBe(200);
    expect((await get('/api/tokens', { origin: 'http://example.com' })).status).toBe(403);
    expect((await get('/mcp')).status).toBe(401);
    expect((await fetch(`${address}/v1/beings`)).status).toBe(401);
    expect(
      (await fetch(`${address}/v1/beings`, { headers: { cookie: `holdfast_session=${'x'.repeat(43)}` } }))
        .status,
    ).toBe(401);
  });

  it('a session holds on the way it was opened: under the same name, and through a proxy or not', async () => {
    const { address, call, token } = await open();
    const enter = async (headers: Record<string, string> = {}) => {
      const { path } = await call('POST', '/api/open', { bearer: token });
      const entered = await fetch(new URL(path, address), { redirect: 'manual', headers });
      return entered.headers.get('set-cookie')!.split(';')[0]!;
    };
    const statusWith = async (cookie: string, to = address, more: Record<string, string> = {}) =>
      (await fetch(`${to}/api/tokens`, { headers: { cookie, ...more } })).status;
    const proxied = { 'x-forwarded-for': '192.0.2.7' };
    const direct = await enter();
    expect(await statusWith(direct)).toBe(200);
    expect(await statusWith(direct, address.replace('127.0.0.1', 'localhost'))).toBe(401);
    expect(await statusWith(direct, address, proxied)).toBe(401);
    const behind = await enter(proxied);
    expect(await statusWith(behind, address, proxied)).toBe(200);
    expect(await statusWith(behind)).toBe(401);
  });

  it('writes the policy for the operator alone, over the version that was read, into the chain', async () => {
    const { call, token, home } = await open();
    const path = '/api/tools/policy/file';
    const text = 'version: 1\nrules:\n  - { name: no echo, tool: echo, decide: deny }\n';
    const put = (body: object, bearer?: string) => call('PUT', path, { body, ...(bearer && { bearer }) });
    expect((await call('GET', path)).status).toBe(401);
    expect((await put({ text, version: 'absent' })).status).toBe(401);
    const { token: agent } = await call('POST', '/api/tokens', {
      body: { agent: 'ada', scopes: ['tools:admin'] },
      bearer: token,
    });
    expect((await put({ text, version: 'absent' }, agent)).status).toBe(403);
    expect(existsSync(join(home, 'policy.yaml'))).toBe(false);

    expect(await call('GET', path, { bearer: token })).toMatchObject({ text: '', version: 'absent' });
    const made = await put({ text, version: 'absent' }, token);
    expect(made).toMatchObject({ status: 200, text, version: expect.stringMatching(/^sha256:/) });
    expect(readFileSync(join(home, 'policy.yaml'), 'utf8')).toBe(text);
    const explained = { body: { tool: 'echo', args: { message: 'x' } }, bearer: token };
    // In force from the answer on, and not a moment later.
    expect((await call('POST', '/api/tools/policy/explain', explained)).decision).toBe('deny');

    // Somebody with an editor comes between: what was not seen is not overwritten.
    writeFileSync(join(home, 'policy.yaml'), `${text}# by hand\n`);
    expect(await put({ text: 'version: 1\n', version: made.version }, token)).toMatchObject({
      status: 409,
      error: 'policy.yaml has changed since it was read.',
    });
    const { version } = await call('GET', path, { bearer: token });
    const broken = await put({ text: 'version: 1\nrules: [ { decide: maybe } ]\n', version }, token);
    expect([broken.status, broken.error]).toEqual([400, expect.stringContaining('line 2')]);
    expect(readFileSync(join(home, 'policy.yaml'), 'utf8')).toContain('# by hand');
    expect((await put({ text: 'version: 1\n', version }, token)).status).toBe(200);

    const { audit } = await call('GET', '/api/tools/audit?phase=decision', { bearer: token });
    expect(audit.map(({ toolName, reason }: any) => [toolName, reason])).toEqual([
      ['policy.yaml', 'policy:changed'],
      ['policy.yaml', 'policy:changed'],
    ]);
    expect(JSON.parse(audit[1].resultSummary)).toMatchObject({
      by: 'operator:operator',
      from: 'absent',
      to: made.version,
      rules: 1,
      added: expect.arrayContaining(['  - { name: no echo, tool: echo, decide: deny }']),
    });
    expect((await call('GET', '/api/tools/audit/verify', { bearer: token })).ok).toBe(true);
  });

  it('shows all mail with its receipts to the person, fetches none of it, and refuses agents', async () => {
    const { call, token } = await open();
    const made = await call('POST', '/api/tokens', { bearer: token, body: { agent: 'ada' } });
    await call('POST', '/v1/peers/register', {
      bearer: made.token,
      body: { display_name: 'ada', backend: 'test' },
    });
    const sent = await call('POST', '/api/mail', { body: { to: 'ada', text: 'Good morning.' } });
    expect(sent).toMatchObject({ status: 201, to_agent: 'ada', state: 'queued' });
    const look = () => call('GET', '/api/mail');
    expect(await look()).toMatchObject({
      messages: [{ id: sent.id, state: 'queued' }],
      peers: [{ agent_id: 'ada' }],
    });
    expect(await look()).toMatchObject({ messages: [{ state: 'queued' }] });
    const mail = await call('GET', '/v1/peers/ada/messages', { bearer: made.token });
    expect(mail).toMatchObject({ messages: [{ id: sent.id, text: 'Good morning.' }] });
    expect(await look()).toMatchObject({ messages: [{ state: 'acked' }] });
    expect(await call('GET', '/api/mail?state=expired')).toMatchObject({ messages: [] });
    expect(await call('GET', '/api/mail', { bearer: made.token })).toMatchObject({
      status: 403,
      code: 'forbidden',
    });
  });
});
