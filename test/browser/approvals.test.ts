import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { connectSdk } from '../fixtures/mcp-sdk-clients.ts';
import { openBrowser, openPage } from './chromium.ts';

describe('approvals in the page', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  async function open() {
    const env = freshHome();
    const workspace = freshFolder();
    mkdirSync(join(workspace, 'old'));
    const hub = await startHub(env, ['--port', '0', '--workspace', workspace]);
    const token = readFileSync(join(env['HOLDFAST_HOME']!, 'token'), 'utf8').trim();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ agent: 'ada' });
    const made = await fetch(`${hub.address}/api/tokens`, { method: 'POST', headers, body });
    const { token: own } = (await made.json()) as { token: string };
    const client = await connectSdk('SDK v1', {
      url: `${hub.address}/mcp`,
      headers: { authorization: `Bearer ${own}` },
    });
    const watched = await openPage(browser);
    await watched.page.goto(`${hub.address}/approvals`);
    await watched.page.getByText('Nobody waits for you').waitFor();
    return { hub, client, ...watched };
  }

  it('a call waits, a person reads all of it and allows it with one key, and the call goes on', async () => {
    const { client, page, expectQuiet } = await open();
    const call = client.call('Bash', { command: 'echo "one" && echo two' });
    await page.getByRole('heading', { name: /ada.* wants to use Bash/ }).waitFor();
    await page.getByRole('link', { name: /1 waits for you/ }).waitFor();
    expect(await page.locator('pre[aria-label="The command"]').textContent()).toBe('echo "one" && echo two');
    await page.keyboard.press('a');
    const { isError, content } = await call;
    expect(isError ?? false).toBe(false);
    expect(JSON.stringify(content)).toContain('two');
    await page.getByText('Nobody waits for you').waitFor();
    expectQuiet();
  });

  it('a denied call is refused, and what is allowed always is listed and can be revoked', async () => {
    const { hub, client, page, expectQuiet } = await open();
    const denied = client.call('Bash', { command: 'echo no' });
    await page.getByRole('heading', { name: /ada.* wants to use Bash/ }).waitFor();
    await page.keyboard.press('d');
    expect((await denied).isError).toBe(true);
    const allowed = client.call('Bash', { command: 'echo yes' });
    await page.getByText('echo yes').first().waitFor();
    await page.getByRole('button', { name: 'Allow always' }).click();
    expect((await allowed).isError ?? false).toBe(false);
    expect((await client.call('Bash', { command: 'echo yes' })).isError ?? false).toBe(false);
    await page.goto(`${hub.address}/grants`);
    await page.getByText('may use').waitFor();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Nothing is allowed for always').waitFor();
    expectQuiet();
  });
});
