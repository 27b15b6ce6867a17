import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../axe.ts';
import { PHONE } from '../chromium.ts';
import type { SignedInDemo } from '../demo.ts';
import { tabTo } from '../hands.ts';

/** Every address of a view, as the page itself lists them. */
const VIEWS = [
  ...readFileSync(join(import.meta.dirname, '../../../web/src/frame/views.ts'), 'utf8').matchAll(
    /\bto: '([^']+)'/g,
  ),
].map(([, to]) => to!);

/** Talk, settings, pictures and the rest in the one grid: what was found wrong when they were looked at, and two walks. */
export function views({ suite, open }: SignedInDemo): void {
  describe('views in the one grid', { timeout: 120_000 }, () => {
    const focused = (page: Page) =>
      page.evaluate(() => (globalThis as any).document.activeElement?.getAttribute('aria-label'));

    it('every view has an address of its own, and nothing in it is scrolled sideways on a phone', async () => {
      const { page, expectQuiet } = await open(PHONE);
      expect(VIEWS.length).toBeGreaterThan(20);
      for (const to of VIEWS) {
        const answer = await page.goto(`${suite.demo.address}${to}`);
        expect(answer!.status(), to).toBe(200);
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
        if (to === '/board') continue;
        const wide = await page.evaluate(() => {
          const { document, getComputedStyle } = globalThis as any;
          return [...document.querySelectorAll('main, main *')]
            .filter((it) => /auto|scroll/.test(getComputedStyle(it).overflowX))
            .filter((it) => it.scrollWidth > it.clientWidth + 1 && !it.closest('pre, textarea, .code-field'))
            .map((it) => it.outerHTML.slice(0, 160));
        });
        expect(wide, to).toEqual([]);
      }
      expectQuiet();
      await page.context().close();
    });

    it('a room on a phone is a page: opened from the list, written to with a button, left again', async () => {
      const { page, expectQuiet } = await open(PHONE);
      await page.goto(`${suite.demo.address}/rooms`);
      const list = page.getByRole('list', { name: 'Rooms' });
      await list.getByRole('link', { name: /tidepool/ }).tap();
      const room = page.getByRole('region', { name: 'Room tidepool' });
      await room.getByText('Rebased, all 212 samples still import.').waitFor();
      expect(await list.isVisible()).toBe(false);
      await expect.poll(() => focused(page)).toBe('Room tidepool');
      await expectAccessible(page);
      await room.getByRole('textbox', { name: 'Say something in tidepool' }).fill('Well done, both.');
      expect(await room.locator('kbd').first().isVisible()).toBe(false);
      await room.getByRole('button', { name: 'Send' }).tap();
      await room.getByText('Well done, both.').waitFor();
      await room.getByRole('link', { name: 'Rooms' }).tap();
      await list.waitFor();
      await expectAccessible(page);
      expectQuiet();
      await page.context().close();
    });

    it('a letter goes to whoever is picked, beside the list of peers', async () => {
      const { page, expectQuiet } = await open();
      await page.goto(`${suite.demo.address}/mail`);
      await page.getByRole('button', { name: 'New letter' }).click();
      const letter = page.getByRole('region', { name: 'New letter' });
      await letter.getByRole('combobox', { name: 'To' }).selectOption('codex');
      await letter.getByRole('textbox', { name: 'Write to codex' }).fill('Is the proxy documented?');
      await expectAccessible(page);
      await page.keyboard.press('Control+Enter');
      await letter.waitFor({ state: 'detached' });
      await page.getByRole('list', { name: 'Peers' }).getByRole('button', { name: /codex/ }).click();
      const letters = page.getByRole('region', { name: 'Letters of codex' });
      await letters.getByText('Is the proxy documented?').waitFor();
      const [peers, read] = await Promise.all([
        page.getByRole('list', { name: 'Peers' }).boundingBox(),
        letters.boundingBox(),
      ]);
      expect(peers!.x + peers!.width).toBeLessThanOrEqual(read!.x + 1);
      // What belongs to a project is all that is seen of it, here as everywhere.
      await page.goto(`${suite.demo.address}/mail?project=lighthouse`);
      await page.getByText('No letters yet').waitFor();
      await page.goto(`${suite.demo.address}/policy?project=lighthouse`);
      await page.getByText('Belongs to no project: all of it is shown.').waitFor();
      expectQuiet();
      await page.context().close();
    });

    it('settings are a list with what is chosen beside it; a token says who, of what project and until when', async () => {
      const { page, expectQuiet } = await open();
      await page.goto(`${suite.demo.address}/settings`);
      await page.getByText('holdfast connect claude-code').waitFor();
      await page.keyboard.press(']');
      await page.getByRole('region', { name: 'This browser' }).waitFor();
      await page.getByRole('link', { name: /^Tokens/ }).click();
      const form = page.getByRole('form', { name: 'New token' });
      await form.getByRole('textbox', { name: 'Name of the agent' }).fill('ferry');
      await form.getByRole('combobox', { name: 'What it sees' }).selectOption('lighthouse');
      await form.getByRole('combobox', { name: 'How long it lasts' }).selectOption('7');
      await form.getByRole('textbox', { name: 'What it is for' }).fill('the laptop');
      await form.getByRole('button', { name: 'Create token' }).click();
      await page.getByText(/^hft_/).waitFor();
      await expectAccessible(page);
      const row = page.getByRole('list', { name: 'Tokens', exact: true }).getByRole('listitem');
      await row.filter({ hasText: /ferry.*lighthouse.*the laptop.*in [67] d/ }).waitFor();
      await page.setViewportSize({ width: 390, height: 844 });
      await expectAccessible(page);
      await page.getByRole('region', { name: 'Tokens' }).getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('link', { name: /^The hub/ }).waitFor();
      expect(await page.getByRole('region', { name: 'Attach a client' }).isVisible()).toBe(false);
      expectQuiet();
      await page.context().close();
    });

    it('pictures keep their words readable on a phone, and their questions are not squeezed', async () => {
      const { page, expectQuiet } = await open(PHONE);
      await page.goto(`${suite.demo.address}/pulse`);
      const first = page.getByRole('img', { name: /finished/ }).first();
      await first.waitFor();
      const size = await first
        .locator('text')
        .first()
        .evaluate((it: any) => it.getBoundingClientRect().height);
      expect(size).toBeGreaterThan(10);
      for (const head of await page.getByRole('heading', { level: 2 }).all())
        expect((await head.boundingBox())!.width).toBeGreaterThan(200);
      await expectAccessible(page);
      expectQuiet();
      await page.context().close();
    });

    /** From anywhere to the words that led to a line. */
    it('finds why a line is as it is by the keyboard alone', async () => {
      const { page, expectQuiet } = await open();
      await page.goto(suite.demo.address);
      await page.getByText('Waits for you').first().waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /Search tasks/ }).waitFor();
      await page.keyboard.type('why is a line');
      await page.getByRole('option', { name: /Why is a line/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Why is this line so?' }).waitFor();
      await tabTo(page, 'SELECT Project');
      await page.keyboard.type('tidepool');
      await page.keyboard.press('Tab');
      await page.keyboard.type('src/http.ts');
      await page.keyboard.press('Tab');
      await page.keyboard.type('2');
      await page.keyboard.press('Enter');
      await page.getByText('Redirects are not kept').first().waitFor();
      await page.getByText(/no-cache would still let it be kept/).waitFor();
      await expectAccessible(page);
      await tabTo(page, 'A Wrong page after signing in again');
      await page.keyboard.press('Enter');
      await page
        .getByRole('complementary', { name: 'Session' })
        .getByText('Whoever signs out and in again')
        .waitFor();
      await expectAccessible(page);
      expectQuiet();
      await page.context().close();
    });

    it('finds why a line is as it is with a thumb', async () => {
      const { page, expectQuiet } = await open(PHONE);
      await page.goto(suite.demo.address);
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Know' }).tap();
      await page.getByRole('navigation', { name: 'Know' }).getByRole('link', { name: 'Why' }).tap();
      await page.getByRole('combobox', { name: 'Project' }).selectOption({ label: 'tidepool' });
      await page.getByRole('textbox', { name: 'File' }).fill('src/http.ts');
      await page.getByRole('textbox', { name: 'Line' }).fill('2');
      await page.getByRole('button', { name: 'Ask why' }).tap();
      await page.getByText(/no-cache would still let it be kept/).waitFor();
      await expectAccessible(page);
      await page
        .getByRole('main')
        .getByRole('link', { name: 'Wrong page after signing in again' })
        .first()
        .tap();
      const read = page.getByRole('complementary', { name: 'Session' });
      await read.getByText('Whoever signs out and in again').waitFor();
      expect((await read.boundingBox())!.width).toBe(390);
      await expectAccessible(page);
      expectQuiet();
      await page.context().close();
    });
  });
}
