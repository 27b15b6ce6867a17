import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { openBrowser, openPage } from './chromium.ts';

/** What the page shows to a browser that `holdfast open` has signed in. */
describe('the page, signed in', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  async function open() {
    const env = freshHome();
    const { address } = await startHub(env);
    const token = readFileSync(join(env['HOLDFAST_HOME']!, 'token'), 'utf8').trim();
    const rest = async (method: string, path: string, body?: object): Promise<any> => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
      };
      const answer = await fetch(`${address}${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      return answer.json();
    };
    const watched = await openPage(browser);
    const { path } = await rest('POST', '/api/open');
    await watched.page.goto(`${address}${path}`);
    return { address, rest, ...watched };
  }

  it('makes a token that is shown once, and revokes it', async () => {
    const { address, page, expectQuiet } = await open();
    await page.goto(`${address}/settings`);
    await page.getByRole('textbox', { name: 'Name of the agent' }).fill('ada');
    await page.getByRole('button', { name: 'Make a token' }).click();
    await page.getByText(/^hft_/).waitFor();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('revoked').waitFor();
    expectQuiet();
  });

  it('shows Beings and their souls', async () => {
    const { address, page, rest, expectQuiet } = await open();
    await rest('POST', '/v1/beings', { name: 'Ada', soul: { identity: 'Keeps the **tide tables**.' } });
    await page.goto(`${address}/beings`);
    await page.getByRole('link', { name: /Ada/ }).click();
    await page.getByRole('complementary', { name: 'A Being' }).waitFor();
    expectQuiet();
  });

  it('shows the tools of a source that nobody has looked at, and approves what was shown', async () => {
    const { address, page, rest, expectQuiet } = await open();
    const program = createRequire(import.meta.url).resolve(
      '@modelcontextprotocol/server-everything/dist/index.js',
    );
    await rest('PUT', '/api/sources/everything', { command: [process.execPath, program], trust: 'ask' });
    await rest('POST', '/api/sources/everything/test');
    await page.goto(`${address}/sources/everything`);
    const drawer = page.getByRole('complementary', { name: 'Source everything' });
    await drawer.getByRole('heading', { name: /^Tools \(\d+\)$/ }).waitFor();
    const { pending } = await rest('GET', '/api/sources/everything/review');
    expect(pending.length).toBeGreaterThan(3);
    await drawer.getByRole('button', { name: `Approve all ${pending.length}` }).click();
    await drawer.getByText('Look at these').waitFor({ state: 'detached' });
    expect((await rest('GET', '/api/sources/everything/review')).pending).toEqual([]);
    expectQuiet();
  });
});
