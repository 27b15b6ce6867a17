import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { manyTasks } from '../../bench/page-board.ts';
import { makeScratch } from '../fixtures/scratch.ts';
import { AGENT } from '../fixtures/dispatch-hub.ts';
import { tokenIn } from '../fixtures/hub-process.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { startBin, type StartedBin } from '../fixtures/started-bin.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage, PHONE } from './chromium.ts';
import { keepPicture } from './images.ts';

/** The views of work, by hand: one hub with one agent for all of them. */
describe('the views of work', () => {
  let browser: Browser;
  let hub: StartedBin;
  let home: string;
  let rest: ReturnType<typeof restAt>;
  beforeAll(async () => {
    home = makeScratch('test');
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, HOLDFAST_HOME: home, HOLDFAST_LOG: 'warn' };
    const sailor = 'say casting off\nforever';
    const agents = { sailor: { family: 'command', command: [process.execPath, AGENT, sailor] } };
    writeFileSync(join(home, 'config.yaml'), stringify({ agents }));
    [hub, browser] = await Promise.all([
      startBin(['holdfast', 'up', '--json', '--port', '0'], env),
      openBrowser(),
    ]);
    rest = restAt(hub.address, tokenIn(env));
  });
  afterAll(async () => {
    await browser?.close();
    // Its runs end with it.
    await hub?.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });

  async function open(options: object = {}) {
    const watched = await openPage(browser, options);
    await watched.page.goto(`${hub.address}${(await rest('POST', '/api/open')).path}`);
    await watched.page.goto(hub.address);
    return watched;
  }

  it(
    'a run is started with the keyboard alone, and is read beside the list it stands in',
    {
      timeout: 120_000,
    },
    async () => {
      const { page, expectQuiet } = await open();
      await page.getByRole('heading', { name: 'The water is still' }).waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('r');
      await page.getByRole('heading', { name: 'No run yet' }).waitFor();
      await expectAccessible(page);
      await page.keyboard.press('n');
      await page.getByRole('radio', { name: /^sailor/ }).waitFor();
      expect(await page.getByRole('button', { name: 'Start the run' }).isDisabled()).toBe(true);
      await page.keyboard.type('Sound the horn\nTwice, at dusk.');
      await expectAccessible(page);
      await page.keyboard.press('Control+Enter');
      const drawer = page.getByRole('complementary', { name: /^Run of sailor-/ });
      await drawer.getByRole('heading', { name: 'Sound the horn' }).waitFor();
      await drawer.getByText('casting off').waitFor();
      const { tasks } = await rest('GET', '/api/board/tasks');
      expect(tasks).toMatchObject([{ title: 'Sound the horn' }]);
      const { task } = await rest('GET', `/api/board/tasks/${tasks[0].id}`);
      expect(task.description).toBe('Twice, at dusk.');
      // Its row keeps its title where the run lies open beside it, and nothing lies over it.
      const row = page.getByRole('list', { name: 'Runs' }).getByText('Sound the horn', { exact: true });
      const [title, beside] = [(await row.boundingBox())!, (await drawer.boundingBox())!];
      expect(title.width).toBeGreaterThan(60);
      expect(title.x + title.width).toBeLessThanOrEqual(beside.x);
      await expectAccessible(page);
      await keepPicture(page, 'work-run-1440');
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });

      // It is found by the one query language, and by the project it belongs to alone.
      await page.keyboard.press('/');
      await page.keyboard.type('agent:sailor horn');
      await row.waitFor();
      await expect.poll(() => page.url()).toContain('runs=agent');
      await page.getByRole('button', { name: 'Failed' }).click();
      await page.getByText('No run matches this filter.').waitFor();
      await page.getByRole('searchbox', { name: 'Filter runs' }).fill('status:sunk');
      await page
        .getByRole('alert')
        .getByText(/status knows .* got "sunk"/)
        .waitFor();
      await page.goto(`${hub.address}/runs?project=elsewhere`);
      await page.getByText('No run of elsewhere yet.').waitFor();
      expectQuiet(/400/);
      await page.context().close();
    },
  );

  it('a run is started with a phone alone, and is spoken to there', async () => {
    const { page, expectQuiet } = await open(PHONE);
    const views = page.getByRole('navigation', { name: 'Views' });
    await views.getByRole('link', { name: 'Work' }).tap();
    await page.getByRole('link', { name: 'Runs', exact: true }).tap();
    await page.getByRole('button', { name: 'Start a run' }).first().tap();
    await page.getByRole('textbox', { name: 'What is to be done?' }).fill('Trim the lamp');
    await page.getByRole('radio', { name: /^sailor/ }).check();
    await expectAccessible(page);
    await keepPicture(page, 'work-start-phone');
    await page.getByRole('button', { name: 'Start the run' }).tap();
    const drawer = page.getByRole('complementary', { name: /^Run of sailor-/ });
    await drawer.getByText('casting off').waitFor();
    await drawer.getByRole('textbox', { name: 'Say something to it' }).fill('Mind the glass.');
    await drawer.getByRole('button', { name: 'Send' }).tap();
    await drawer.getByText('Mind the glass.').waitFor();
    expect(await page.locator('kbd').filter({ visible: true }).count()).toBe(0);
    const width = await page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
    await drawer.getByRole('button', { name: 'Cancel' }).tap();
    await drawer.getByText('cancelled', { exact: true }).waitFor();
    expectQuiet();
    await page.context().close();
  });

  it('what is typed outlives the session it was typed in, and how one signs in again is said', async () => {
    const { page, expectQuiet } = await open();
    await page.goto(`${hub.address}/runs?at=new`);
    const words = page.getByRole('textbox', { name: 'What is to be done?' });
    await words.fill('Splice the rope');
    const session = (await page.context().cookies()).find(({ name }) => name === 'holdfast_session');
    const cookie = `holdfast_session=${session!.value}`;
    const headers = { cookie, origin: hub.address, 'sec-fetch-site': 'same-origin' };
    expect((await fetch(`${hub.address}/signout`, { method: 'POST', headers })).status).toBe(200);
    await words.press('Control+Enter');
    const refused = page.getByRole('form', { name: 'Start a run' }).getByRole('alert');
    await refused.getByText('This browser is not signed in.').waitFor();
    await refused.getByText("holdfast open '/runs?at=new'").waitFor();
    await page.goto(`${hub.address}${(await rest('POST', '/api/open')).path}`);
    await page.goto(`${hub.address}/runs?at=new`);
    await expect.poll(() => words.inputValue()).toBe('Splice the rope');
    expectQuiet(/401/);
    await page.context().close();
  });

  it('what had the focus and is gone leaves it to its neighbour, never to nobody', async () => {
    for (const prompt of ['look north', 'look south'])
      await rest('POST', '/api/schedules', { when: 'webhook', agent: 'sailor', prompt });
    const { page, expectQuiet } = await open();
    await page.goto(`${hub.address}/schedules`);
    const row = (text: string) => page.getByRole('listitem').filter({ hasText: text });
    await row('look north').getByRole('button', { name: 'Pause' }).focus();
    await page.keyboard.press('Enter');
    await row('look north').getByRole('button', { name: 'Resume' }).waitFor();
    await expect.poll(() => focused(page)).toBe('Resume');
    const gone = (await row('look north').count()) === 1 ? 'look north' : 'look south';
    // What takes something away is asked twice.
    const remove = async (text: string) => {
      await row(text).getByRole('button', { name: 'Remove', exact: true }).focus();
      await page.keyboard.press('Enter');
      await row(text)
        .getByRole('button', { name: /^Remove it/ })
        .focus();
      await page.keyboard.press('Enter');
    };
    await remove(gone);
    await row(gone).waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toContain(gone === 'look north' ? 'look south' : 'look north');
    await remove('look south');
    await page.getByText('Nothing starts by itself').waitFor();
    await expect.poll(() => focused(page)).toContain('Nothing starts by itself');
    // Whoever lets go of something on purpose is not brought back to it.
    await page.getByRole('button', { name: 'New schedule' }).click();
    await page.getByRole('textbox', { name: 'When' }).focus();
    await page.getByRole('textbox', { name: 'When' }).evaluate((field) => (field as any).blur());
    await page.getByRole('button', { name: 'Cancel' }).evaluate((button) => (button as any).click());
    await page.getByRole('form').waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('nobody');
    expectQuiet();
    await page.context().close();
  });

  it('a card that is moved by key takes the focus along', async () => {
    await rest('POST', '/api/board/tasks', { title: 'Paint the buoy' });
    const { page, expectQuiet } = await open();
    await page.goto(`${hub.address}/board?q=buoy`);
    await page.locator('[data-column=todo]').getByText('Paint the buoy').waitFor();
    await page.keyboard.press('j');
    await expect.poll(() => focused(page)).toContain('Paint the buoy');
    await page.keyboard.press('1');
    await page.locator('[data-column=backlog]').getByText('Paint the buoy').waitFor();
    await expect.poll(() => focused(page)).toContain('Paint the buoy');
    expectQuiet();
    await page.context().close();
  });

  it('keys are told in the order one learns them', async () => {
    const { page, expectQuiet } = await open();
    await page.goto(`${hub.address}/board`);
    await page.getByRole('heading', { name: 'Board', level: 1 }).waitFor();
    await page.locator('[data-column=todo]').waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    const board = dialog.locator('section', { hasText: 'Next card' });
    await board.waitFor();
    const told = await board.locator('dt').allTextContents();
    expect(told.slice(0, 4)).toEqual(['Filter', 'New task', 'Next card', 'Card before']);
    expect(told.at(-7)).toBe('Move to Backlog');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    expectQuiet();
    await page.context().close();
  });

  it('of hundreds that wait a dozen are shown, and what happened is found by its words', async () => {
    const held = { status: 'in_review', assigneeAgentId: 'ada', fence: 1, claimedAt: Date.now() };
    const lines = manyTasks(20).map((line) => JSON.stringify({ ...(JSON.parse(line) as object), ...held }));
    const { added, problems } = await rest('POST', '/api/board/archive', { lines });
    expect({ added, problems }).toEqual({ added: 20, problems: [] });
    const { page, expectQuiet } = await open();
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Review', exact: true }).count()).toBe(12);
    const happened = page.getByRole('list', { name: 'What happened, newest first' });
    const field = page.getByRole('searchbox', { name: 'Filter what happened' });
    await happened.getByText('Trim the lamp').first().waitFor();
    const all = await happened.getByRole('listitem').count();
    await field.fill('lamp');
    await happened.getByText('Trim the lamp').first().waitFor();
    expect(await happened.getByRole('listitem').count()).toBeLessThan(all);
    await field.fill('no such words');
    await page.getByText('Nothing that happened has these words in it.').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: '8 more handed in' }).click();
    const list = page.getByRole('list', { name: 'Waits for a review' });
    await expect.poll(() => list.getByRole('listitem').count()).toBe(20);
    await expectAccessible(page);
    expectQuiet();
    await page.context().close();
  });
});

function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement: element, body } = (globalThis as any).document;
    return element === body ? 'nobody' : element.innerText;
  });
}
