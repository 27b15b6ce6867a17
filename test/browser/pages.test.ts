import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, violationsOn } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';
import { startDemo } from './demo.ts';
import { keepPicture } from './images.ts';

const VIEWS = [
  ['now', '/', 'Waits for you'],
  ['board', '/board', 'Import of old gauge files'],
  ['graph', '/board?view=graph', 'Write the migration guide'],
  ['lanes', '/board?lanes=agent', 'Import of old gauge files'],
  ['approvals', '/approvals', 'Always would mean'],
  ['grants', '/grants', 'Nothing is allowed for always'],
  ['policy', '/policy', 'publishing is for people'],
  ['audit', '/audit', 'whole and unchanged'],
  ['rooms', '/rooms', 'Rebased, all 212 samples still import.'],
  ['mail', '/mail', 'Does the new schema keep the raw line?'],
  ['agents', '/agents', 'claude-code'],
  ['projects', '/projects', 'tidepool'],
  ['memory', '/memory', 'Release day'],
  ['brain', '/brain', 'commit-style'],
  ['settings', '/settings', 'holdfast connect claude-code'],
  ['runs', '/runs', /No run yet|need you to sign in/],
  ['schedules', '/schedules', 'Nothing starts by itself'],
  ['budget', '/budget', 'What agents used within'],
  ['sources', '/sources', 'No source yet'],
  ['beings', '/beings', /No Being yet|need you to sign in/],
] as const;

describe('every view of the page', () => {
  let browser: Browser;
  let demo: Awaited<ReturnType<typeof startDemo>>;

  beforeAll(async () => {
    [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.stop();
  });

  const themes = ['light', 'dark'] as const;
  it.each(themes)('loads without a complaint and is accessible (%s)', async (theme) => {
    const { page, expectQuiet } = await openPage(browser, { colorScheme: theme });
    const violations: string[] = [];
    for (const [name, path, text] of VIEWS) {
      await page.goto(`${demo.address}${path}`);
      await page.getByText(text).first().waitFor();
      await page.waitForTimeout(150);
      // Runs have their pictures where there are some: in runs.test.ts.
      if (name !== 'runs') await keepPicture(page, `${name}-${theme}`);
      for (const violation of await violationsOn(page)) violations.push(`${path} ${violation}`);
    }
    expect(violations).toEqual([]);
    expect(await page.evaluate(() => (globalThis as any).document.documentElement.dataset['theme'])).toBe(
      theme,
    );
    expectQuiet();
    await page.context().close();
  });

  it('fits a phone: nothing is wider than the screen, and a task is a page of its own', async () => {
    const { page, expectQuiet } = await openPage(browser, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    for (const [name, path, text] of VIEWS) {
      await page.goto(`${demo.address}${path}`);
      await page.getByText(text).first().waitFor({ state: 'attached' });
      expect(
        await page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth),
        path,
      ).toBeLessThanOrEqual(390);
      const inside = await page.evaluate(
        () => (globalThis as any).document.querySelector('main').scrollWidth,
      );
      expect(inside, `the content of ${path}`).toBeLessThanOrEqual(390);
      if (name === 'now') await keepPicture(page, 'now-phone');
    }
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Know' }).click();
    await expectAccessible(page);
    await page.getByRole('heading', { name: 'Memory' }).waitFor();
    await page.goto(`${demo.address}/?project=tidepool`);
    await page.getByRole('button', { name: 'Review', exact: true }).click();
    const drawer = page.getByRole('complementary', { name: /^Task: Fix login redirect/ });
    await drawer.waitFor();
    expect((await drawer.boundingBox())!.width).toBe(390);
    await keepPicture(page, 'task-phone');
    await expectAccessible(page);
    expectQuiet();
    await page.context().close();
  });

  it.each(themes)('a task, the palette and the keys are accessible (%s)', async (theme) => {
    const { page, expectQuiet } = await openPage(browser, { colorScheme: theme });
    await page.goto(`${demo.address}/board`);
    await page.locator('[data-column=in_progress]').getByText('Import of old gauge files').click();
    await page.getByRole('heading', { name: 'Conversation' }).waitFor();
    await page.locator('summary', { hasText: 'History' }).click();
    await page.getByText('claude-code took it').waitFor();
    await page
      .locator('aside [tabindex="0"]')
      .first()
      .evaluate((box) => box.scrollTo({ top: 0 }));
    await keepPicture(page, `task-${theme}`);
    await expectAccessible(page);
    await page.getByRole('complementary').getByRole('button', { name: 'In progress' }).click();
    await page.getByRole('menuitem', { name: /Blocked/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Project:/ }).click();
    await page.getByRole('menuitem', { name: 'lighthouse' }).click();
    await expect.poll(() => page.url()).toContain('project=lighthouse');
    await page.locator('aside').focus();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Search tasks/ }).fill('gauge');
    await page.getByRole('option', { name: /Gauge files before 2019/ }).waitFor();
    await keepPicture(page, `palette-${theme}`);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    // What still lies over the page, seen or not, has the keys to itself.
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.getByText('Move to Blocked').first().waitFor();
    await expectAccessible(page);
    expectQuiet();
    await page.context().close();
  });

  it('finds in every room from one box, and lands on what was found', async () => {
    const { page, expectQuiet } = await openPage(browser);
    await page.goto(`${demo.address}/`);
    await page.getByText('Waits for you').first().waitFor();
    const find = async (words: string, group: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /Search tasks/ }).fill(words);
      const option = page.getByRole('option', { name: group }).first();
      await option.waitFor();
      await option.click();
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    };
    await find('212 samples', 'Rebased, all 212 samples still import.');
    await page.locator('li[aria-current]', { hasText: 'Rebased, all 212 samples still import.' }).waitFor();
    expect(page.url()).toContain('/rooms/');
    await find('raw line', 'Does the new schema keep the raw line?');
    await page.getByText('Letters with').waitFor();
    await find('commit-style', 'commit-style:');
    await page.getByRole('complementary', { name: 'A memory' }).waitFor();
    await page.keyboard.press('Escape');
    await find('firmware-old', 'firmware-old');
    await page.locator('summary', { hasText: 'firmware-old' }).first().waitFor();
    expect(page.url()).toContain('/audit');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Search tasks/ }).fill('zzz nothing');
    await page.getByText('nobody has said, remembered or called it').waitFor();
    expectQuiet();
    await page.context().close();
  });

  it('finds what is remembered, says why, and keeps what it corrects', async () => {
    const { page, expectQuiet } = await openPage(browser);
    await page.goto(`${demo.address}/memory`);
    await page.getByRole('searchbox', { name: 'Search memory' }).fill('when do we release?');
    await page.getByRole('button', { name: /Release day/ }).click();
    await page.getByRole('button', { name: 'Correct it' }).click();
    await page.getByRole('textbox', { name: 'What holds instead' }).fill('Releases are made on Wednesdays.');
    await page.getByRole('button', { name: 'This holds instead' }).click();
    await page.getByText('Releases are made on Wednesdays.').first().waitFor();
    await page.getByRole('heading', { name: 'Earlier' }).waitFor();
    expectQuiet();
    await page.context().close();
  });
});
