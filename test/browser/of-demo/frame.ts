import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../axe.ts';
import { openPage } from '../chromium.ts';
import type { SignedInDemo } from '../demo.ts';

/** By group: each view with the key that follows `g`. */
const GROUPS = {
  Now: { Now: 'n' },
  Work: { Board: 'b', Due: 'f', Runs: 'r', Landing: 'l', Schedules: 'c' },
  Talk: { Rooms: 'o', Mail: 'i' },
  Know: { Memory: 'm', Brain: 'k', Beings: 'e' },
  Govern: { Approvals: 'a', Grants: 'g', Policy: 'p', Audit: 'u', Sources: 's' },
  Settings: { Settings: ',', Agents: 't', Projects: 'j' },
} as const;

/** The frame around every view: the rail, its tabs, one header, and what lies open beside a list. */
export function frame({ suite }: SignedInDemo): void {
  describe('the frame', () => {
    const rail = (page: Page) => page.getByRole('navigation', { name: 'Views' });

    it('has at most eight groups, all views as tabs in them, and a key for each', async () => {
      const { page, expectQuiet } = await openPage(suite.browser);
      await page.goto(suite.demo.address);
      await rail(page).getByRole('link', { name: 'Work' }).waitFor();
      expect(await rail(page).getByRole('link').count()).toBeLessThanOrEqual(8);
      for (const [group, views] of Object.entries(GROUPS)) {
        await rail(page).getByRole('link', { name: group, exact: true }).click();
        await rail(page)
          .locator('[aria-current]', { hasText: new RegExp(`^${group}$`) })
          .waitFor();
        const tabs = page.getByRole('navigation', { name: group, exact: true }).getByRole('link');
        if (Object.keys(views).length > 1)
          await expect.poll(() => tabs.allInnerTexts()).toEqual(expect.arrayContaining(Object.keys(views)));
        for (const [view, key] of Object.entries(views)) {
          await page.keyboard.press('g');
          await page.keyboard.press(key);
          await expect.poll(() => page.title()).toContain(`${view} · Holdfast`);
        }
      }
      expectQuiet();
      await page.context().close();
    });

    const widths = [
      [1440, 400, 480],
      [2560, 360, 480],
    ] as const;
    it.each(widths)(
      'shows the list and what lies open side by side (%i wide)',
      async (width, least, most) => {
        const { page, expectQuiet } = await openPage(suite.browser, { viewport: { width, height: 900 } });
        await page.goto(`${suite.demo.address}/agents?at=claude-code`);
        const detail = (await page.getByRole('complementary', { name: 'Agent claude-code' }).boundingBox())!;
        const list = (await page.getByRole('list', { name: 'Agents' }).boundingBox())!;
        expect(list.width).toBeGreaterThanOrEqual(least - 2);
        expect(list.width).toBeLessThanOrEqual(most);
        expect(list.x + list.width).toBeLessThanOrEqual(detail.x + 1);
        expect(detail.width).toBeLessThanOrEqual(1_080);
        await expectAccessible(page);
        expectQuiet();
        await page.context().close();
      },
    );

    it('gives what lies open the whole page, by an address, and its list back', async () => {
      const { page, expectQuiet } = await openPage(suite.browser);
      await page.goto(`${suite.demo.address}/board`);
      await page.locator('[data-card]').first().click();
      await page.getByRole('complementary').getByRole('button', { name: 'Full page' }).click();
      await expect.poll(() => page.url()).toContain('full=1');
      await page.locator('[data-card]').first().waitFor({ state: 'hidden' });
      await page.reload();
      await page.getByRole('button', { name: 'Full page', pressed: true }).waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await page.locator('[data-card]').first().waitFor();
      await expect.poll(() => page.url()).not.toContain('full');
      await page.getByRole('complementary').waitFor();
      expectQuiet();
      await page.context().close();
    });

    it('lies over the list where there is no room beside it', async () => {
      const { page, expectQuiet } = await openPage(suite.browser, { viewport: { width: 1000, height: 800 } });
      await page.goto(`${suite.demo.address}/agents?at=claude-code`);
      const drawer = page.getByRole('complementary', { name: 'Agent claude-code' });
      await drawer.waitFor();
      expect((await drawer.boundingBox())!.width).toBeLessThan(700);
      expect((await page.getByRole('list', { name: 'Agents' }).boundingBox())!.width).toBeGreaterThan(900);
      expectQuiet();
      await page.context().close();
    });
  });
}
