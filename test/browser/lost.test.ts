import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';

/** Wrong addresses, the way back, and one box that finds everything although it is mistyped. */
describe('whoever is lost', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  async function open() {
    const env = freshHome();
    const { address } = await startHub(env);
    return { address, rest: restAt(address, tokenIn(env)), ...(await openPage(browser)) };
  }

  it('is told by a page in a browser, and by JSON elsewhere', async () => {
    const { page, address, expectQuiet } = await open();
    const answer = await page.goto(`${address}/no/such/view`);
    expect(answer!.status()).toBe(404);
    await page.getByRole('heading', { name: 'There is nothing at this address' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('main').getByRole('link', { name: 'Work' }).click();
    await page.getByRole('heading', { name: 'Board', exact: true }).waitFor();
    const plain = await fetch(`${address}/no/such/view`, { headers: { accept: 'text/html' } });
    expect(plain.status).toBe(404);
    expect(await plain.json()).toMatchObject({ code: 'not_found' });
    await page.goto(`${address}/rooms/nowhere`);
    await page.getByText('Nobody has said anything in nowhere yet.').waitFor();
    await expectAccessible(page);
    expectQuiet(/404 \(Not Found\)/);
  });

  it('signs in and lands where they wanted', async () => {
    const { page, address, rest, expectQuiet } = await open();
    await page.goto(`${address}/runs`);
    await page.getByText('holdfast open /runs').waitFor();
    await expectAccessible(page);
    const { path } = await rest('POST', '/api/open');
    await page.goto(`${address}${path}&to=%2Fruns`);
    await page.waitForURL(`${address}/runs`);
    await page.getByText('No run yet').waitFor();
    for (const to of ['//example.com', '/\\example.com', 'http://example.com', '/"><b>']) {
      const link = (await rest('POST', '/api/open')).path;
      const html = await (await fetch(`${address}${link}&to=${encodeURIComponent(to)}`)).text();
      expect(html).not.toContain('http-equiv="refresh"');
      expect(html).toContain('<a href="/">');
    }
    expectQuiet();
  });

  it('finds by a wrong letter, by a verb and by the end of an id, and what was chosen comes first again', async () => {
    const { page, address, rest, expectQuiet } = await open();
    const { id } = await rest('POST', '/api/board/tasks', { title: 'Mend the northern roof' });
    await page.goto(`${address}${(await rest('POST', '/api/open')).path}`);
    await page.goto(`${address}/board`);
    await page.locator('[data-card]').first().waitFor();
    // What is typed before the box is there is meant for the box, and for no key of the board.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('nothern rooof');
    const box = page.getByRole('combobox', { name: /^Search tasks/ });
    const first = page.getByRole('dialog').getByRole('option').first();
    await expect.poll(() => box.inputValue()).toBe('nothern rooof');
    expect(await page.getByRole('complementary').count()).toBe(0);
    await expect.poll(() => first.innerText()).toContain('Mend the northern roof');
    await box.fill(id.slice(-8));
    await expect.poll(() => first.innerText()).toContain('Mend the northern roof');
    for (const [verb, text] of [
      ['approve', 'Approve or deny what waits'],
      ['land', 'Land a branch'],
      ['create', 'Create a task'],
    ] as const) {
      await box.fill(verb);
      await expect.poll(() => first.innerText()).toContain(text);
    }
    // A setting by its name, and a part of them by what it is about.
    await box.fill('dispatch parks');
    await page.getByRole('option', { name: /^dispatch\.parks/ }).waitFor();
    await box.fill('credentials');
    await page.getByRole('option', { name: /^Tokens/ }).waitFor();
    await expectAccessible(page);
    await box.fill('northern');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: /Mend the northern roof/ }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByText('Recent', { exact: true }).waitFor();
    await expect.poll(() => first.innerText()).toContain('Mend the northern roof');
    expectQuiet();
  });
});
