import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { connectSdk } from '../fixtures/mcp-sdk-clients.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';
import { sendNow, tabTo } from './hands.ts';

describe('approvals in the page', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  async function open() {
    const env = freshHome();
    const workspace = freshFolder();
    mkdirSync(join(workspace, 'old'));
    const hub = await startHub(env, ['--port', '0', '--workspace', workspace]);
    const token = tokenIn(env);
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
    return { hub, workspace, client, ...watched };
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
    await page.keyboard.press('Shift+D');
    await page.keyboard.type('Not on a Friday.');
    await page.keyboard.press('Enter');
    await sendNow(page);
    const refusal = await denied;
    expect(refusal.isError).toBe(true);
    expect(JSON.stringify(refusal.content)).toContain('Not on a Friday.');
    const allowed = client.call('Bash', { command: 'echo yes' });
    await page.getByText('echo yes').first().waitFor();
    await page.getByRole('button', { name: 'Allow always' }).click();
    await sendNow(page);
    expect((await allowed).isError ?? false).toBe(false);
    expect((await client.call('Bash', { command: 'echo yes' })).isError ?? false).toBe(false);
    await page.goto(`${hub.address}/audit?q=${encodeURIComponent('phase:decision decision:deny')}`);
    await page.locator('summary', { hasText: 'Bash' }).click();
    await page.getByText('Not on a Friday.').waitFor();
    await page.goto(`${hub.address}/grants`);
    await page.getByText('may use').waitFor();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Nothing is allowed for always').waitFor();
    expectQuiet();
  });

  it('a decision can be taken back before it goes out, and several are decided at once', async () => {
    const { hub, client, page, expectQuiet } = await open();
    await page.clock.install();
    await page.reload();
    const calls = ['echo first', 'echo second'].map((command) => client.call('Bash', { command }));
    await page.getByText('2 calls wait').waitFor();
    await page.keyboard.press('d');
    await page.getByText('1 agent waits').waitFor();
    await page.keyboard.press('u');
    await page.getByText('2 calls wait').waitFor();
    // Longer than a decision is held back: what was taken back never goes out, nor does what somebody is at with keys.
    await page.keyboard.press('d');
    await tabTo(page, 'BUTTON Undo');
    await page.getByText('waits while you are here').waitFor();
    await page.clock.runFor(6_000);
    const { approvals } = (await (await fetch(`${hub.address}/api/tools/approvals`)).json()) as any;
    expect(approvals).toHaveLength(2);
    await page.keyboard.press('Enter');
    await page.getByText('2 calls wait').waitFor();
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Allow 2 once' }).click();
    await sendNow(page, 'Send all now');
    for (const { isError } of await Promise.all(calls)) expect(isError ?? false).toBe(false);
    expectQuiet();
  });

  it('what is decided on Now can be taken back in the same way, on whatever view one is by then', async () => {
    const { hub, client, page, expectQuiet } = await open();
    await page.goto(hub.address);
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    const call = client.call('Bash', { command: 'echo ahoy' });
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('goes out in a moment').waitFor();
    await page.getByRole('link', { name: /waits for you/ }).waitFor({ state: 'detached' });
    // However long that takes: it waits for whoever is there.
    await tabTo(page, 'BUTTON Undo');
    await expectAccessible(page);
    await page.keyboard.press('g');
    await page.keyboard.press('b');
    await page.waitForURL(/\/board/);
    await page.keyboard.press('u');
    await page.getByText('waits while you are here').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /1 waits for you/ }).click();
    await page.getByRole('button', { name: 'Allow once' }).click();
    await sendNow(page);
    const { isError, content } = await call;
    expect(isError ?? false).toBe(false);
    expect(JSON.stringify(content)).toContain('ahoy');
    expectQuiet();
  });

  it('shows an edit as what goes and what comes, and "always" as a sentence that can be narrowed', async () => {
    const { hub, workspace, client, page, expectQuiet } = await open();
    writeFileSync(join(workspace, 'tide.txt'), 'high\nlow\n');
    await client.call('Read', { path: 'tide.txt' });
    const edit = { path: 'tide.txt', old_string: 'low', new_string: 'ebb <img src=x onerror=alert(1)>' };
    const call = client.call('Edit', edit);
    await page.getByRole('heading', { name: /ada.* wants to use Edit/ }).waitFor();
    const diff = page.locator('pre[aria-label="The edit"]');
    expect(await diff.textContent()).toBe('-low+ebb <img src=x onerror=alert(1)>');
    expect(await page.locator('img').count()).toBe(0);
    await page.getByText('can change or remove things').waitFor();
    await page.getByRole('group', { name: 'Always would mean' }).waitFor();
    const choices = page.getByRole('group', { name: 'Always would mean' }).getByRole('radio');
    await expect.poll(() => choices.count()).toBe(4);
    expect(await choices.nth(0).isChecked()).toBe(true);
    expect(await page.getByRole('radio', { name: /exactly these arguments/ }).isChecked()).toBe(true);
    await page.getByRole('combobox', { name: 'For how long' }).selectOption('an hour');
    await page.getByRole('heading', { name: /wants to use Edit/ }).click();
    await page.keyboard.press('Shift+A');
    await sendNow(page);
    expect((await call).isError ?? false).toBe(false);
    const { grants } = (await (await fetch(`${hub.address}/api/tools/grants`)).json()) as any;
    expect(JSON.parse(grants[0].shape.exactly)).toMatchObject(edit);
    expect(grants[0].expiresAt - grants[0].createdAt).toBe(3_600_000);
    expectQuiet();
  });

  it('"always" is widened to what is below a folder, with what it would have spared, and holds for just that', async () => {
    const { hub, workspace, client, page, expectQuiet } = await open();
    mkdirSync(join(workspace, 'src/deep'), { recursive: true });
    const write = (path: string) => client.call('Write', { path, content: 'x' });
    const first = write('src/one.ts');
    await page.getByRole('heading', { name: /ada.* wants to use Write/ }).waitFor();
    await page.keyboard.press('a');
    await sendNow(page);
    expect((await first).isError ?? false).toBe(false);
    const second = write('src/deep/two.ts');
    const below = page.getByRole('radio', {
      name: /any file below src, but for hidden ones 2 of its last 2/,
    });
    await below.check();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Allow always' }).click();
    await sendNow(page);
    expect((await second).isError ?? false).toBe(false);
    expect((await write('src/three.ts')).isError ?? false).toBe(false);
    const outside = write('four.ts');
    await page.getByRole('heading', { name: /ada.* wants to use Write/ }).waitFor();
    await page.keyboard.press('d');
    await sendNow(page);
    expect((await outside).isError).toBe(true);
    await page.goto(`${hub.address}/grants`);
    await page.getByText('any file below').waitFor();
    expectQuiet();
  });
});
