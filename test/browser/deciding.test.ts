import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { connectSdk } from '../fixtures/mcp-sdk-clients.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage, PHONE } from './chromium.ts';
import { readOn, sendNow } from './hands.ts';
import { keepPicture } from './images.ts';

describe('deciding', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  async function open(options: BrowserContextOptions = {}) {
    const folder = freshFolder();
    execFileSync('git', ['init', '-q', folder]);
    execFileSync('git', ['-C', folder, 'remote', 'add', 'origin', 'git@code.example.com:harbour/site.git']);
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src/app.ts'), 'one\n');
    symlinkSync('src', join(folder, 'code'));
    const env = freshHome();
    const { address } = await startHub(env, ['--port', '0', '--workspace', folder]);
    const headers = { authorization: `Bearer ${tokenIn(env)}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ agent: 'ada', team: 'red' });
    const made = await fetch(`${address}/api/tokens`, { method: 'POST', headers, body });
    const { token } = (await made.json()) as { token: string };
    const client = await connectSdk('SDK v1', {
      url: `${address}/mcp`,
      headers: { authorization: `Bearer ${token}` },
    });
    const waiting = async (): Promise<any[]> =>
      ((await (await fetch(`${address}/api/tools/approvals`, { headers })).json()) as any).approvals;
    /** One after the other, so that which came first is certain. */
    const ask = async (...commands: readonly string[]) => {
      const calls: Promise<{ isError?: boolean }>[] = [];
      for (const [at, command] of commands.entries()) {
        calls.push(client.call('Bash', { command }));
        await expect.poll(async () => (await waiting()).length).toBe(at + 1);
      }
      return calls;
    };
    return { address, waiting, ask, ...(await openPage(browser, options)) };
  }

  const request = (page: Page) => page.getByRole('region', { name: 'The request' });

  it('a request says what it touches, how much time is left and why one is asked', async () => {
    const { address, ask, page, expectQuiet } = await open({ viewport: { width: 1440, height: 900 } });
    const [call] = await ask('cd code && rm app.ts /etc/hosts && git push');
    await page.goto(`${address}/approvals`);
    const touches = request(page).getByRole('group', { name: 'What it touches' });
    await touches.getByText('src/app.ts').waitFor();
    await touches.getByText('outside the folder it works in').waitFor();
    await touches.getByText('code.example.com').waitFor();
    await touches.getByText('the remote origin, unless its branch has another').waitFor();
    const timer = request(page).getByRole('timer', { name: 'Time to decide' });
    const first = await timer.textContent();
    expect(first).toMatch(/^\d+ min \d+ s left to decide, then it is a no$/);
    await expect.poll(() => timer.textContent()).not.toBe(first);
    await request(page)
      .getByText(/Some risk/)
      .waitFor();
    await expectAccessible(page);
    await keepPicture(page, 'approval-touches-1440-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await keepPicture(page, 'approval-touches-1440-dark');
    await page.setViewportSize({ width: 2560, height: 1300 });
    await keepPicture(page, 'approval-touches-2560-dark');
    await request(page).getByRole('button', { name: /^Deny/ }).click();
    await sendNow(page);
    expect((await call!).isError).toBe(true);
    expectQuiet();
  });

  it('stands in one order everywhere: what runs out first comes first', async () => {
    const { address, ask, page, expectQuiet } = await open();
    const calls = await ask('echo one', 'echo two', 'echo three');
    const orderOf = async (rows: Locator) =>
      (await rows.allTextContents()).map((text) => /echo (one|two|three)/.exec(text)?.[1]);
    await page.goto(`${address}/approvals`);
    await page.getByText('3 calls wait').waitFor();
    const inList = page.getByRole('list', { name: 'Requests' }).getByRole('listitem');
    expect(await orderOf(inList)).toEqual(['one', 'two', 'three']);
    await page.goto(address);
    const onNow = page.getByRole('listitem', { name: /^ada wants to use/ });
    await expect.poll(() => orderOf(onNow)).toEqual(['one', 'two', 'three']);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('approve');
    const found = page.getByRole('option').filter({ hasText: 'echo' });
    await expect.poll(() => orderOf(found)).toEqual(['one', 'two', 'three']);
    await found.filter({ hasText: 'echo two' }).click();
    await request(page).getByText('echo two').waitFor();
    for (const box of await page.getByRole('checkbox', { name: /^Pick the request/ }).all())
      await box.check();
    await page.keyboard.press('d');
    await page.getByText('Nobody waits for you').waitFor();
    await sendNow(page, 'Send all now');
    for (const { isError } of await Promise.all(calls)) expect(isError).toBe(true);
    expectQuiet();
  });

  it('of what was decided together each is taken back by itself', async () => {
    const { address, ask, waiting, page, expectQuiet } = await open();
    const calls = await ask('echo one', 'echo two', 'echo three');
    await page.goto(`${address}/approvals`);
    await page.getByText('3 calls wait').waitFor();
    for (const box of await page.getByRole('checkbox', { name: /^Pick the request/ }).all())
      await box.check();
    await page.getByRole('button', { name: 'Deny 3' }).click();
    await page.getByRole('button', { name: 'Undo ada, echo two' }).click();
    await request(page).getByText('echo two').waitFor();
    expect(await page.getByRole('button', { name: /^Undo ada/ }).count()).toBe(2);
    await sendNow(page, 'Send all now');
    await expect.poll(async () => (await waiting()).length, { timeout: 15_000 }).toBe(1);
    expect((await waiting())[0].argsSummary).toContain('echo two');
    await request(page)
      .getByRole('button', { name: /^Allow once/ })
      .click();
    await sendNow(page);
    const ended = await Promise.all(calls);
    expect(ended.map(({ isError = false }) => isError)).toEqual([true, false, true]);
    expectQuiet();
  });

  it('with a phone alone: what waits is found, read, decided and taken back', async () => {
    const { address, ask, page, expectQuiet } = await open(PHONE);
    const calls = await ask('rm src/app.ts && git push', 'echo second');
    await page.goto(address);
    await page.getByRole('link', { name: 'Govern' }).tap();
    await page.getByText('1 of 2').waitFor();
    const box = request(page);
    await box.getByText('code.example.com').waitFor();
    const allow = box.getByRole('button', { name: 'Allow once' });
    await readOn(box, allow, 'tap');
    for (const button of [allow, box.getByRole('button', { name: 'Deny' })]) {
      const { width, height } = (await button.boundingBox())!;
      expect(width).toBeGreaterThan(150);
      expect(height).toBeGreaterThanOrEqual(48);
    }
    expect(await page.locator('kbd:visible').count()).toBe(0);
    expect(
      await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
    ).toBeLessThanOrEqual(0);
    await expectAccessible(page);
    await keepPicture(page, 'approval-phone-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await keepPicture(page, 'approval-phone-dark');
    await box.getByRole('button', { name: 'Deny' }).tap();
    await page.getByRole('button', { name: /^Undo ada/ }).tap();
    await box.getByText('rm src/app.ts').waitFor();
    await box.getByRole('button', { name: 'Deny' }).tap();
    await page.getByRole('button', { name: 'Send now' }).tap();
    expect((await calls[0]!).isError).toBe(true);
    await box.getByText('echo second').waitFor();
    await box.getByRole('button', { name: 'Allow once' }).tap();
    await page.getByRole('button', { name: 'Send now' }).tap();
    expect((await calls[1]!).isError ?? false).toBe(false);
    await page.getByText('Nobody waits for you').waitFor();
    expectQuiet();
  });

  it('one press decides one request, however long a hand rests on the key', async () => {
    const { address, ask, page, expectQuiet } = await open();
    const calls = await ask('echo one', 'echo two');
    await page.goto(`${address}/approvals`);
    await page.getByText('2 calls wait').waitFor();
    await request(page).getByText('echo one').waitFor();
    for (let times = 0; times < 4; times += 1) await page.keyboard.down('d');
    await page.keyboard.up('d');
    await request(page).getByText('echo two').waitFor();
    expect(await page.getByRole('button', { name: /^Undo ada/ }).count()).toBe(1);
    await page.keyboard.press('d');
    await sendNow(page, 'Send all now');
    for (const { isError } of await Promise.all(calls)) expect(isError).toBe(true);
    expectQuiet();
  });

  it('with the keyboard alone: to what waits, allowed, taken back, and denied with a word', async () => {
    const { address, ask, page, expectQuiet } = await open();
    const [call] = await ask('echo by hand');
    await page.goto(address);
    await page.getByRole('listitem', { name: /^ada wants to use/ }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await request(page)
      .getByRole('button', { name: /^Allow once/ })
      .waitFor();
    await page.keyboard.press('a');
    await page.getByRole('button', { name: /^Undo ada/ }).waitFor();
    await page.keyboard.press('u');
    await request(page).getByText('echo by hand').waitFor();
    await page.keyboard.press('Shift+D');
    await page.keyboard.type('not today');
    await page.keyboard.press('Enter');
    await page.getByText('saying not today').waitFor();
    const { isError, ...said } = await call!;
    expect(isError).toBe(true);
    expect(JSON.stringify(said)).toContain('not today');
    expectQuiet();
  });
});
