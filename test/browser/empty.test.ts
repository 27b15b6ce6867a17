import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage, PHONE } from './chromium.ts';

let browser: Browser;
beforeAll(async () => void (browser = await openBrowser()));
afterAll(() => browser?.close());

it('what is empty has a button for what comes next, and it leads there', { timeout: 120_000 }, async () => {
  const env = freshHome();
  const { address } = await startHub(env);
  const rest = restAt(address, tokenIn(env));
  await rest('POST', '/api/board/tasks', { title: 'Paint the hull' });
  const { page, expectQuiet } = await openPage(browser);
  await page.goto(`${address}${(await rest('POST', '/api/open')).path}`);
  const main = page.getByRole('main');
  for (const [to, title, next] of [
    ['/mail', 'No letters yet', main.getByRole('link', { name: 'Attach a client' })],
    ['/mail?view=expired', 'Every letter was fetched', main.getByRole('button', { name: 'All letters' })],
    [
      '/memory?view=proposals',
      'Nothing is offered',
      main.getByRole('link', { name: 'Sessions that are read' }),
    ],
    ['/board?view=archived', 'Nothing is archived', main.getByRole('link', { name: 'Show what is done' })],
  ] as const) {
    await page.goto(`${address}${to}`);
    await main.getByRole('heading', { name: title }).waitFor();
    await expectAccessible(page);
    await next.click();
    await main.getByRole('heading', { name: title }).waitFor({ state: 'detached' });
  }
  // On a phone, too, where nothing lies beside a list.
  await page.setViewportSize(PHONE.viewport);
  await page.goto(`${address}/mail`);
  await main.getByRole('heading', { name: 'Mail', exact: true }).waitFor();
  await main.getByRole('heading', { name: 'No letters yet' }).waitFor();
  expect(await main.getByRole('list', { name: 'Peers' }).count()).toBe(0);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${address}/board?view=graph`);
  await main.getByRole('button', { name: 'Open a task' }).click();
  await page.getByRole('textbox', { name: 'Comment' }).waitFor();

  await page.goto(`${address}/memory?view=procedures`);
  await main.getByRole('button', { name: 'Write a procedure' }).click();
  const form = page.getByRole('form', { name: 'New procedure' });
  await form.getByRole('textbox', { name: 'Its name' }).fill('paint-a-hull');
  await form.getByRole('textbox', { name: 'The steps' }).fill('Sand it, wash it, paint it twice.');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Create' }).click();
  await main.getByText('paint-a-hull').waitFor();
  const { procedures } = await rest('GET', '/api/memory/procedures?limit=10');
  expect(procedures).toMatchObject([{ name: 'paint-a-hull', version: 1 }]);
  expectQuiet();
});
