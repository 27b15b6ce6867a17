import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reviewedHub } from '../fixtures/reviewed.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';

/** What an agent could hide in a change, and what happens to a change while somebody reads it. */
describe('a review, at its edges', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  async function open() {
    const at = await reviewedHub();
    const watched = await openPage(browser);
    await watched.page.goto(await at.signIn());
    const region = (name: string) => watched.page.getByRole('region', { name, exact: true });
    return { ...at, ...watched, region };
  }

  it('shows whatever a change holds, whole and as text', { timeout: 180_000 }, async () => {
    const { page, address, task, work, region, expectQuiet } = await open();
    const long = `const a = '${'x'.repeat(100_000)}'; reallyEvil();`;
    work({
      'src/<img src=x onerror=alert(1)>.ts': '<script>alert(1)</script>\n[go](javascript:alert(1))\n',
      'src/hidden.ts': 'fine()\u2028diff --git a/z b/z\nevil();\n',
      'src/turned.ts': `const isAdmin = false; /*\u202e } \u2066if (isAdmin)\u2069 \u2066 begin */\n`,
      'src/long.ts': `${long}\n`,
      'src/ends.txt': 'one\r\ntwo\r\nthree',
      'be\x07ll.txt': 'ring\n',
    });
    await page.goto(`${address}/review/${task}`);
    await region('src/hidden.ts').getByText('evil();').waitFor();
    await region('src/hidden.ts').getByText('U+2028').waitFor();
    await region('src/turned.ts').getByText('U+202E').waitFor();
    await region('src/<img src=x onerror=alert(1)>.ts').getByText('<script>alert(1)</script>').waitFor();
    expect(await region('src/ends.txt').getByText('CR', { exact: true }).count()).toBe(2);
    await region('src/ends.txt').getByText('no line end at the end of the file').waitFor();
    await region('be\x07ll.txt').getByText('U+0007').first().waitFor();
    // The end of a line is a click away, never out of reach.
    expect(await region('src/long.ts').getByText('reallyEvil').count()).toBe(0);
    await region('src/long.ts')
      .getByRole('button', { name: /^Show the other 98,0\d\d characters of this line$/ })
      .click();
    await region('src/long.ts').getByText('reallyEvil').waitFor();
    expect(await page.locator('main').locator('img, script, iframe, style').count()).toBe(0);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(width).toBeLessThanOrEqual(0);
    await expectAccessible(page);
    expectQuiet();
  });

  it('loses nothing that was said or begun about what is gone since', { timeout: 180_000 }, async () => {
    const { page, address, task, work, rest, region, expectQuiet } = await open();
    await page.goto(`${address}/review/${task}`);
    const login = region('src/auth/login.ts');
    await login.getByRole('button', { name: 'Comment on line 6', exact: true }).click();
    await login.getByRole('textbox', { name: 'Comment on this line' }).fill('Is this so?');
    // About a line between the hunks, which nobody would see by itself.
    await login
      .getByRole('button', { name: /^Show 20 more lines below line/ })
      .first()
      .click();
    await login.getByRole('button', { name: 'Comment on line 25', exact: true }).click();
    await login.getByRole('textbox', { name: 'Comment on this line' }).last().fill('Why so many?');
    await page.keyboard.press('Control+Enter');
    await login.getByRole('region', { name: 'Comments on line 25' }).waitFor();
    const tests = region('test/login.test.ts');
    await tests.getByRole('button', { name: 'Comment on line 1', exact: true }).click();
    await tests.getByRole('textbox', { name: 'Comment on this line' }).fill('One more, please.');
    await page.keyboard.press('Control+Enter');
    await tests.getByRole('region', { name: 'Comments on line 1' }).waitFor();
    // Its agent takes a file out of the change and writes other lines meanwhile: that is told, and nothing is let through unseen.
    const { files } = await rest('GET', `/api/reviews/${task}`);
    expect(files).toHaveLength(6);
    work({ 'test/login.test.ts': null, 'src/auth/login.ts': 'export const afterLogin = () => "/home";\n' });
    const [thread] = (await rest('GET', `/api/reviews/${task}`)).threads;
    await rest('POST', `/api/reviews/comments/${thread.id}/reply`, { body: 'Changed.' });
    const news = page.getByRole('status').filter({ hasText: 'It has changed since you began to read.' });
    await news.getByRole('button', { name: 'test/login.test.ts' }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    const land = page.getByRole('button', { name: /^Land onto main/ });
    expect(await land.isDisabled()).toBe(true);
    await expectAccessible(page);
    await news.getByRole('button', { name: 'I have seen it' }).click();
    await expect.poll(() => land.isEnabled()).toBe(true);
    await page.keyboard.press('Escape');
    const elsewhere = page.getByRole('region', { name: 'Said about other files' });
    await elsewhere.getByText('One more, please.').waitFor();
    await login.getByText('Begun on line 6 of').waitFor();
    await page.reload();
    await login.getByText('Begun on line 6 of').waitFor();
    await expect
      .poll(() => login.getByRole('textbox', { name: 'Comment on this line' }).inputValue())
      .toBe('Is this so?');
    await expectAccessible(page);
    expectQuiet();
  });

  it(
    'opens what lies between hunks for what was said there, and takes lines out by a suggestion',
    { timeout: 180_000 },
    async () => {
      const { page, address, task, rest, region, expectQuiet } = await open();
      const { head } = await rest('GET', `/api/reviews/${task}`);
      const line = { path: 'src/auth/login.ts', side: 'after', fromLine: 30, toLine: 30, head };
      await rest('POST', `/api/reviews/${task}/comments`, {
        ...line,
        quoted: 'export const step19 = 19;',
        body: 'Needed?',
      });
      await page.goto(`${address}/review/${task}`);
      const login = region('src/auth/login.ts');
      await login.getByText('Needed?').waitFor();
      await login.getByText('export const step18').waitFor();
      expect(await login.getByText('which has changed since').count()).toBe(0);
      await login.getByRole('button', { name: 'Comment on line 6', exact: true }).click();
      const form = login.getByRole('form', { name: 'Comment on line 6' });
      await form.getByRole('button', { name: 'Suggest a change' }).click();
      await form.getByRole('textbox', { name: /^Instead of/ }).fill('');
      await form.getByRole('button', { name: 'Comment', exact: true }).click();
      await login.getByRole('region', { name: 'Comments on line 6' }).waitFor();
      const { threads } = await rest('GET', `/api/reviews/${task}`);
      expect(threads.at(-1).comments[0].suggestion).toBe('');
      expectQuiet();
    },
  );
});
