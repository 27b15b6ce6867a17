import { describe, expect, it } from 'vitest';
import { expectAccessible, expectAccessibleInBoth, violationsInBoth } from '../axe.ts';
import { openPage, PHONE } from '../chromium.ts';
import type { SignedInDemo } from '../demo.ts';
import { keepPicture } from '../images.ts';

const VIEWS = [
  ['now', '/', 'Waits for you'],
  ['board', '/board', 'Import of old gauge files'],
  ['graph', '/board?view=graph', 'Write the migration guide'],
  ['lanes', '/board?lanes=agent', 'Import of old gauge files'],
  ['approvals', '/approvals', 'Always would mean'],
  ['grants', '/grants', 'may use'],
  ['policy', '/policy', 'publishing is for people'],
  ['audit', '/audit', 'whole and unchanged'],
  ['rooms', '/rooms', 'Rebased, all 212 samples still import.'],
  ['mail', '/mail', 'Does the new schema keep the raw line?'],
  ['agents', '/agents', 'claude-code'],
  ['projects', '/projects', 'tidepool'],
  ['memory', '/memory', 'Release day'],
  ['brain', '/brain', 'commit-style'],
  ['settings', '/settings', 'holdfast connect claude-code'],
  ['due', '/due', 'Alert when a gauge is silent for an hour'],
  ['runs', '/runs', /No run yet|need you to sign in/],
  ['schedules', '/schedules', 'Nothing starts by itself'],
  ['budget', '/budget', 'What agents used within'],
  ['sources', '/sources', 'tides'],
  ['runners', '/runners', /No other machine takes runs|need you to sign in/],
  ['beings', '/beings', /No Being yet|need you to sign in/],
] as const;

export function pages({ suite }: SignedInDemo): void {
  describe('every view of the page', { timeout: 120_000 }, () => {
    it('loads without a complaint and is accessible, light and dark', async () => {
      const { page, expectQuiet } = await openPage(suite.browser);
      const violations: string[] = [];
      for (const [name, path, text] of VIEWS) {
        await page.goto(`${suite.demo.address}${path}`);
        await page.getByText(text).first().waitFor();
        await page.waitForTimeout(150);
        // Runs have their pictures where there are some: in runs.test.ts.
        const picture = name === 'runs' ? undefined : name;
        for (const violation of await violationsInBoth(page, picture))
          violations.push(`${path} ${violation}`);
      }
      expect(violations).toEqual([]);
      expectQuiet();
    });

    it('is dark from its first moment where the system is', async () => {
      const { page, expectQuiet } = await openPage(suite.browser, { colorScheme: 'dark' });
      await page.goto(`${suite.demo.address}/`, { waitUntil: 'commit' });
      await page.locator('html[data-theme=dark]').waitFor();
      expectQuiet();
    });

    it('fits a phone: nothing is wider than the screen, and a task is a page of its own', async () => {
      const { page, expectQuiet } = await openPage(suite.browser, PHONE);
      for (const [name, path, text] of VIEWS) {
        await page.goto(`${suite.demo.address}${path}`);
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
      await page.goto(`${suite.demo.address}/?project=tidepool`);
      await page
        .getByRole('button', { name: /^Fix login redirect/ })
        .first()
        .click();
      const drawer = page.getByRole('complementary', { name: /^Task: Fix login redirect/ });
      await drawer.waitFor();
      expect((await drawer.boundingBox())!.width).toBe(390);
      await keepPicture(page, 'task-phone');
      await expectAccessible(page);
      expectQuiet();
      await page.context().close();
    });

    it('a task, the palette and the keys are accessible, light and dark', async () => {
      const { page, expectQuiet } = await openPage(suite.browser);
      await page.goto(`${suite.demo.address}/board`);
      await page.locator('[data-column=in_progress]').getByText('Import of old gauge files').click();
      await page.getByRole('heading', { name: 'Conversation' }).waitFor();
      await page.locator('summary', { hasText: 'History' }).click();
      await page.getByText('claude-code took it').waitFor();
      await page
        .locator('aside [tabindex="0"]')
        .first()
        .evaluate((box) => box.scrollTo({ top: 0 }));
      await expectAccessibleInBoth(page, 'task');
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
      await expectAccessibleInBoth(page, 'palette');
      await page.keyboard.press('Escape');
      // What still lies over the page, seen or not, has the keys to itself.
      await page.locator('dialog[open]').waitFor({ state: 'detached' });
      await page.keyboard.press('?');
      await page.getByText('Move to Blocked').first().waitFor();
      await expectAccessibleInBoth(page);
      expectQuiet();
      await page.context().close();
    });

    it('finds in every room from one box, and lands on what was found', async () => {
      const { page, expectQuiet } = await openPage(suite.browser);
      await page.goto(`${suite.demo.address}/`);
      await page.getByText('Waits for you').first().waitFor();
      const find = async (words: string, group: string | RegExp) => {
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: /Search tasks/ }).fill(words);
        const option = page.getByRole('option', { name: group }).first();
        await option.waitFor();
        await option.click();
        await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
      };
      await find('212 samples', 'Rebased, all 212 samples still import.');
      await page.locator('li[aria-current]', { hasText: 'Rebased, all 212 samples still import.' }).waitFor();
      await expect.poll(() => page.url()).toContain('/rooms/');
      await find('raw line', 'Does the new schema keep the raw line?');
      await page.getByText('Letters with').waitFor();
      await find('commit-style', 'commit-style:');
      await page.getByRole('complementary', { name: 'A memory' }).waitFor();
      await page.keyboard.press('Escape');
      // Who waits for an answer comes first.
      await find('firmware-old', /wants to use .*firmware-old/);
      await page.getByRole('region', { name: 'The request' }).getByText('firmware-old').first().waitFor();
      await expect.poll(() => page.url()).toContain('/approvals');
      await find('firmware-old', /^(?!.*wants to use).*firmware-old/);
      await page.locator('summary', { hasText: 'firmware-old' }).first().waitFor();
      await expect.poll(() => page.url()).toContain('/audit');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /Search tasks/ }).fill('zzz nothing');
      await page.getByText('nobody has said, remembered or called it').waitFor();
      expectQuiet();
      await page.context().close();
    });

    it('finds what is remembered, says why, and keeps what it corrects', async () => {
      const { page, expectQuiet } = await openPage(suite.browser);
      await page.goto(`${suite.demo.address}/memory`);
      await page.getByRole('searchbox', { name: 'Search memory' }).fill('when do we release?');
      await page.getByRole('button', { name: /Release day/ }).click();
      await page.getByRole('button', { name: 'Correct it' }).click();
      await page
        .getByRole('textbox', { name: 'What holds instead' })
        .fill('Releases are made on Wednesdays.');
      await page.getByRole('button', { name: 'This holds instead' }).click();
      await page.getByText('Releases are made on Wednesdays.').first().waitFor();
      await page.getByRole('heading', { name: 'Earlier' }).waitFor();
      expectQuiet();
      await page.context().close();
    });
  });
}
