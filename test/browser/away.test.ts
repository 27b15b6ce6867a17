import { type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../fixtures/free-port.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { openBrowser, openPage } from './chromium.ts';

/** A page that is left open outlives its hub: it goes on, and takes the newer page when that disturbs nobody. */
describe('a page whose hub was away', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  const marked = (page: Page) => page.evaluate(() => (globalThis as any).mark === true);
  const mark = (page: Page) => page.evaluate(() => void ((globalThis as any).mark = true));
  const AWAY = /ERR_CONNECTION|ERR_EMPTY|ERR_INCOMPLETE|Failed to load resource/;

  it('has every view, also one that was never opened', async () => {
    const hub = await startHub(freshHome());
    const { page, expectQuiet } = await openPage(browser);
    const fetched = new Set<string>();
    page.on('requestfinished', (request) => fetched.add(request.url()));
    await page.goto(`${hub.address}/board`);
    await page.getByText('The board is empty').waitFor();
    await mark(page);
    // All parts have come when no further one comes for longer than the page ever pauses.
    let known = -1;
    await expect
      .poll(() => known === (known = fetched.size) && known > 25, { timeout: 60_000, interval: 3_000 })
      .toBe(true);
    await hub.stop();
    await page.getByText('The hub does not answer.', { exact: false }).first().waitFor();
    await page.getByRole('link', { name: 'Know' }).click();
    await page.getByRole('heading', { name: 'Memory' }).waitFor();
    await page.getByRole('alert').getByText('The hub does not answer.').first().waitFor();
    expect(await marked(page)).toBe(true);
    expectQuiet(AWAY);
  });

  it('waits with a newer page until nobody types, and loads it then', async () => {
    const env = freshHome();
    const args = ['--port', String(await freePort())];
    const hub = await startHub(env, args);
    const { page, expectQuiet } = await openPage(browser);
    await page.goto(`${hub.address}/board?view=new`);
    await page.getByRole('textbox', { name: 'Description' }).fill('Half a sentence');
    await mark(page);
    // The page asks whether it is still the one: it hears of another script.
    await page.route(`${hub.address}/`, (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: '<script type="module" src="/assets/other.js"></script>',
      }),
    );
    await hub.stop();
    await page.getByText('The hub does not answer.', { exact: false }).first().waitFor();
    await startHub(env, args);
    await page.getByRole('button', { name: 'Load it now' }).waitFor();
    await page.getByRole('textbox', { name: 'Title' }).fill('A task');
    await page.waitForTimeout(300);
    expect(await marked(page)).toBe(true);
    expect(await page.getByRole('textbox', { name: 'Description' }).inputValue()).toBe('Half a sentence');
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await expect.poll(() => marked(page).catch(() => undefined)).toBe(false);
    expectQuiet(AWAY);
  });

  it('tells by the desktop what waits for a person, once, and only while nobody looks', async () => {
    const { address } = await startHub(freshHome());
    const rest = restAt(address);
    const { page, expectQuiet } = await openPage(browser);
    // The desktop's own notices cannot be read; what is handed to it can.
    await page.addInitScript(() => {
      const scope = globalThis as any;
      scope.told = [];
      scope.Notification = class extends EventTarget {
        static permission = 'granted';
        constructor(_title: string, { body }: { body: string }) {
          super();
          scope.told.push(body);
        }
      };
      Object.defineProperty(scope.document, 'hidden', { get: () => scope.isAway === true });
    });
    const told = () => page.evaluate(() => (globalThis as any).told as string[]);
    const handIn = async (title: string) => {
      const { id } = await rest('POST', '/api/board/tasks', { title });
      await rest('POST', `/api/board/tasks/${id}/assign`, { assigneeAgentId: 'ada' });
      await rest('PATCH', `/api/board/tasks/${id}`, { status: 'in_review' });
    };
    await page.goto(`${address}/board`);
    await handIn('Seen at once');
    await page.locator('[data-column=in_review]').getByText('Seen at once').waitFor();
    expect(await told()).toEqual([]);
    await page.evaluate(() => void ((globalThis as any).isAway = true));
    await handIn('Mend the net');
    await expect.poll(told).toEqual(['Ready for review: Mend the net']);
    await page.reload();
    await page.evaluate(() => void ((globalThis as any).isAway = true));
    await page.locator('[data-column=in_review]').getByText('Mend the net').waitFor();
    await handIn('Paint the boat');
    await expect.poll(told).toEqual(['Ready for review: Paint the boat']);
    expectQuiet();
  });
});
