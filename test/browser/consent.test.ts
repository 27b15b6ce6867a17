import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { connectSdk } from '../fixtures/mcp-sdk-clients.ts';
import { newPkce } from '../fixtures/oauth-person.ts';
import { violationsOn } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';
import { keep } from './images.ts';

/** A client of a Being, a person and a real browser between them. */
describe('consent in the browser', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  async function open(clientName: string) {
    const env = freshHome();
    const { address } = await startHub(env);
    const token = tokenIn(env);
    const post = async (path: string, body: object | URLSearchParams, bearer?: string): Promise<any> => {
      const isForm = body instanceof URLSearchParams;
      const headers = {
        ...(!isForm && { 'content-type': 'application/json' }),
        ...(bearer && { authorization: `Bearer ${bearer}` }),
      };
      const answer = await fetch(`${address}${path}`, {
        method: 'POST',
        headers,
        body: isForm ? body : JSON.stringify(body),
      });
      return answer.json();
    };
    const callback = await listen();
    const { client_id } = await post('/oauth/register', {
      client_name: clientName,
      redirect_uris: [callback],
    });
    const { being } = await post('/v1/beings', { name: 'Marina' }, token);
    const { verifier, challenge } = newPkce();
    const resource = `${address}/mcp/${being.id}`;
    const params = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: callback,
      state: 'st-1',
      resource,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    const watched = await openPage(browser);
    return {
      address,
      post,
      callback,
      resource,
      verifier,
      client_id,
      ...watched,
      link: async () => `${address}${(await post('/api/open', {}, token)).path}`,
      ask: `${address}/oauth/authorize?${params.toString()}`,
    };
  }

  /** Where a client on this machine waits for its answer. */
  async function listen(): Promise<string> {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>Back</title><link rel="icon" href="data:,">Back at the client.');
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  }

  it('from a stranger to a signed-in person, to consent, to a client whose token works', async () => {
    const { address, post, page, ask, link, callback, resource, verifier, client_id, expectQuiet } =
      await open('Tide<img src=x onerror=alert(1)>clock\u202e');
    await page.goto(ask);
    await page.getByRole('heading', { name: 'Sign in first' }).waitFor();
    await page.getByText(`holdfast open --at ${address}`).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.goto(await link());
    await page.getByRole('heading', { name: 'Signed in' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.goto(ask);
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
    await page.getByText('Tide<img src=x onerror=alert(1)>clock').waitFor();
    expect(await page.locator('img').count()).toBe(0);
    await page.getByText(new URL(callback).origin).waitFor();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violationsOn(page), colorScheme).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    expect(
      await page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth),
    ).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(await page.getByRole('radio', { name: /Marina/ }).isChecked()).toBe(true);
    await page.getByRole('radio', { name: /read-only/ }).check();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByText('Back at the client.').waitFor();
    const back = new URL(page.url());
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ state: 'st-1', iss: address });
    const tokens = await post(
      '/oauth/token',
      new URLSearchParams({
        grant_type: 'authorization_code',
        code: back.searchParams.get('code')!,
        client_id,
        resource,
        code_verifier: verifier,
        redirect_uri: callback,
      }),
    );
    expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'read-only' });
    const client = await connectSdk('SDK v1', {
      url: resource,
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect(JSON.stringify(await client.call('get_context'))).toContain('Marina');
    await page.goto(`${address}/beings/${resource.split('/').at(-1)}?view=tokens`);
    const clients = page.getByRole('region', { name: 'Clients' });
    await clients.getByText('Tide<img src=x onerror=alert(1)>clock').waitFor();
    await clients.getByText('read-only').waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await violationsOn(page)).toEqual([]);
    await clients.getByRole('button', { name: 'Revoke' }).click();
    await clients.getByText(/^None\./).waitFor();
    await expect(client.call('get_context')).rejects.toThrow(/revoked|401|nauthorized/);
    expectQuiet(/401 \(Unauthorized\)/);
  });

  it('a person who denies sends the client away without a code', async () => {
    const { page, ask, link, expectQuiet } = await open('Tide clock');
    await page.goto(await link());
    await page.goto(ask);
    await page.getByRole('button', { name: 'Deny' }).waitFor();
    await keep(page, 'consent');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Back at the client.').waitFor();
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('error'), searchParams.get('state'), searchParams.get('code')]).toEqual([
      'access_denied',
      'st-1',
      null,
    ]);
    expectQuiet();
  });
});
