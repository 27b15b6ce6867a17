import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { niceTop } from '../../web/src/pulse/say.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';
import { startDemo } from './demo.ts';
import { keep } from './images.ts';

describe('pulse', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  it(
    'answers questions in pictures, with their tables one key away, on a phone as well',
    { timeout: 60_000 },
    async () => {
      const demo = await startDemo();
      const { page, expectQuiet } = await openPage(browser);
      await page.goto(`${demo.address}/pulse`);
      const finished = page.getByRole('region', {
        name: 'How much gets finished, and how long does it take?',
      });
      await finished.getByRole('img').waitFor();
      await finished.getByText(/finished, half of them within/).waitFor();
      for (const question of [
        'What does it cost, and who spends it?',
        'How long did things wait for me?',
        'Who was at work over the day?',
        'What do agents call, and what is refused?',
        'Does work land?',
        'Does memory grow, is it kept right, and is it used?',
        'Does what agents wrote down help?',
        'Which budgets run out?',
        'Is there room on the machines?',
      ])
        await page.getByRole('region', { name: question }).waitFor();
      await expectAccessible(page);
      await keep(page, 'pulse');
      await page.keyboard.press('t');
      await finished.getByRole('columnheader', { name: 'From created to done' }).waitFor();
      await expectAccessible(page);
      await page.getByRole('button', { name: '30 days' }).click();
      await expect.poll(() => page.url()).toContain('view=30');
      await page.setViewportSize({ width: 390, height: 844 });
      await page.reload();
      await finished.getByRole('img').waitFor();
      expect(
        await page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth),
      ).toBeLessThanOrEqual(390);
      await keep(page, 'pulse-phone');
      expectQuiet();
      // The demo has a change to review, on a repository of its own.
      const { tasks } = (await (await fetch(`${demo.address}/api/board/tasks?status=in_review`)).json()) as {
        tasks: { id: string; title: string }[];
      };
      const { id } = tasks.find(({ title }) => title.startsWith('Fix login redirect'))!;
      expect(await (await fetch(`${demo.address}/api/reviews/${id}`)).json()).toMatchObject({
        branch: 'fix-login-redirect',
        files: [{ path: 'src/login.ts' }, { kind: 'added' }, { path: 'test/login.test.ts' }],
        plan: { does: 'land', target: 'main', conflicts: [] },
      });
      await demo.stop();
    },
  );

  it('has scales that people read at a glance', () => {
    expect([0, 0.3, 1, 3, 7, 12, 41, 99, 1500].map(niceTop)).toEqual([0, 0.4, 1, 4, 10, 20, 50, 100, 2000]);
  });
});
