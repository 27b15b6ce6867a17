import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reviewedHub } from '../fixtures/reviewed.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage, PHONE } from './chromium.ts';
import { keep } from './images.ts';

/** A change is read, talked about, sent back and landed, in a real browser on a real repository. */
describe('a review in the page', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  it(
    'shows files as people know them, keeps what is typed, and lands what was seen',
    { timeout: 180_000 },
    async () => {
      const at = await reviewedHub();
      const { page, expectQuiet } = await openPage(browser);
      await page.goto(await at.signIn());
      await page.goto(`${at.address}/board/${at.task}`);
      await page.getByRole('link', { name: 'Review the changes' }).click();
      await page.getByRole('heading', { name: 'Fix login redirect' }).waitFor();
      const tree = page.getByRole('navigation', { name: 'Changed files' });
      const login = page.getByRole('region', { name: 'src/auth/login.ts' });
      for (const name of ['login.ts', 'signing-in.md', 'logo.bin', 'notes.txt'])
        await tree.getByRole('button', { name: new RegExp(name) }).waitFor();
      await page.getByRole('region', { name: 'docs/signing-in.md' }).getByText('docs/old-name.md').waitFor();
      await page.getByText('It is not text, so there are no lines to show.').waitFor();
      // Painted in a worker, under the policy of the page.
      await login.locator('.syntax-comment').getByText('Only addresses of our own').waitFor();
      await login.locator('.bg-come-word').first().waitFor();

      // It opens in the editor of whoever looks, at its first change.
      await page.getByRole('combobox', { name: /files open in/ }).selectOption('cursor');
      const editor = login.getByRole('link', { name: 'Open src/auth/login.ts in Cursor' });
      expect(await editor.getAttribute('href')).toMatch(/^cursor:\/\/file\/.+\/src\/auth\/login\.ts:\d+$/);

      // What lies around a change is there when it is asked for.
      expect(await login.getByText('export const step30').count()).toBe(0);
      await login
        .getByRole('button', { name: /^Show 20 more lines below line/ })
        .first()
        .click();
      await login.getByText('step15', { exact: false }).first().waitFor();

      // Side by side, and without changes of white space.
      await page.keyboard.press('s');
      await expect
        .poll(() => page.getByRole('button', { name: 'Split' }).getAttribute('aria-pressed'))
        .toBe('true');
      await expectAccessible(page);
      await keep(page, 'review-split');
      await page.getByRole('checkbox', { name: 'Hide white space' }).check();
      await page.getByRole('region', { name: 'src/auth/session.ts' }).waitFor({ state: 'detached' });
      await page.getByRole('checkbox', { name: 'Hide white space' }).uncheck();
      await page.keyboard.press('s');

      // A comment on a range, with a suggestion; half written it survives a reload.
      await login.getByRole('button', { name: 'Comment on line 6', exact: true }).click();
      await page.keyboard.press('Escape');
      await login
        .getByRole('button', { name: 'Comment on line 7', exact: true })
        .click({ modifiers: ['Shift'] });
      const form = login.getByRole('form', { name: 'Comment on lines 6 to 7' });
      await form.getByRole('textbox', { name: 'Comment on this line' }).fill('Also refuse two slashes.');
      await page.reload();
      await expect
        .poll(() => form.getByRole('textbox', { name: 'Comment on this line' }).inputValue())
        .toBe('Also refuse two slashes.');
      await form.getByRole('button', { name: 'Suggest a change' }).click();
      await form
        .getByRole('textbox', { name: /^Instead of/ })
        .fill("  return isOwn(wanted) ? wanted : '/home';");
      await form.getByRole('button', { name: 'Comment', exact: true }).click();
      const thread = login.getByRole('region', { name: 'Comments on lines 6 to 7' });
      await thread.getByText('return isOwn(wanted)').waitFor();
      await thread.getByRole('textbox', { name: 'Reply' }).fill('On second thought, later.');
      await thread.getByRole('button', { name: 'Reply', exact: true }).click();
      await thread.getByText('On second thought, later.').waitFor();
      await expectAccessible(page);
      await keep(page, 'review');

      // Back it goes, with what was said.
      await page.getByRole('button', { name: 'Request changes' }).click();
      await page.getByRole('textbox', { name: 'What is to change' }).fill('Nearly there.');
      await page.getByRole('button', { name: 'Request changes: 1 comment' }).click();
      await page.getByRole('status').getByText('Changes requested.').waitFor();
      const { comments } = await at.rest('GET', `/api/board/tasks/${at.task}`);
      expect(comments.at(-1).body).toContain('Nearly there.\n\nsrc/auth/login.ts:6-7\n>   // Only addresses');
      await thread.getByRole('button', { name: 'Resolve' }).click();
      await login.getByRole('button', { name: /^Resolved: 2 comments on lines 6 to 7/ }).waitFor();

      // What is viewed is folded, until it changes.
      await login.getByRole('checkbox', { name: 'Viewed' }).check();
      await page.getByText('1 of 6 viewed').waitFor();
      expect(await login.getByText('afterLogout').count()).toBe(0);

      // What came since has to be seen first.
      at.work({ 'late.txt': 'late\n' });
      await page.getByRole('button', { name: 'Approve' }).click();
      const approve = page.getByRole('form', { name: 'Approve' });
      await approve.getByRole('button', { name: 'Land onto main: 1 commit, 2 checks run first' }).click();
      await approve.getByText('It has changed since you looked at it.').waitFor();
      await page.reload();
      await page.getByRole('region', { name: 'late.txt' }).waitFor();
      await page.getByText('1 of 7 viewed').waitFor();
      await page.getByRole('button', { name: 'Approve' }).click();
      await approve.getByRole('button', { name: 'Land onto main: 2 commits, 2 checks run first' }).click();
      await page.getByRole('list', { name: 'Landing' }).getByText('landed').waitFor();
      await expect.poll(() => at.repository.git('ls-files')).toContain('late.txt');
      await page.getByRole('region', { name: 'Checks' }).getByText('types').waitFor();
      await expectAccessible(page);
      expectQuiet(/409/);
    },
  );

  it(
    'is read and landed with the keyboard alone, and shows conflicts side by side',
    { timeout: 180_000 },
    async () => {
      const at = await reviewedHub();
      at.repository.commit('src/auth/session.ts', 'export const session = 2;\n');
      const { page, expectQuiet } = await openPage(browser);
      await page.goto(await at.signIn());
      await page.goto(`${at.address}/review/${at.task}`);
      const conflict = page.locator('summary', { hasText: 'Does not go together with main: 1 file' });
      await conflict.focus();
      await page.keyboard.press('Enter');
      await page.getByLabel('src/auth/session.ts on main').getByText('session = 2').waitFor();
      await page.getByLabel('src/auth/session.ts on login').getByText('session  =  1').last().waitFor();
      await expectAccessible(page);
      at.repository.commit('src/auth/session.ts', 'export const session = 1;\n');
      await page.reload();
      await page.getByRole('heading', { name: 'Fix login redirect' }).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('v');
      await page.getByText('1 of 6 viewed').waitFor();
      await page.keyboard.press('a');
      await page.getByRole('textbox', { name: 'Say something about it' }).waitFor();
      await page.keyboard.type('Good.');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('list', { name: 'Landing' }).getByText('landed').waitFor();
      expect((await at.rest('GET', `/api/board/tasks/${at.task}`)).task.status).toBe('done');
      expectQuiet();
    },
  );

  it('is read, sent back and landed on a phone', { timeout: 180_000 }, async () => {
    const at = await reviewedHub();
    const { page, expectQuiet } = await openPage(browser, PHONE);
    await page.goto(await at.signIn());
    await page.goto(`${at.address}/review/${at.task}`);
    const login = page.getByRole('region', { name: 'src/auth/login.ts' });
    await login.getByRole('button', { name: 'Comment on line 7', exact: true }).tap();
    await login.getByRole('textbox', { name: 'Comment on this line' }).fill('Fine.');
    await login.getByRole('button', { name: 'Comment', exact: true }).tap();
    await login.getByRole('region', { name: 'Comments on line 7' }).waitFor();
    const width = await page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(390);
    await expectAccessible(page);
    await keep(page, 'review-phone');
    await page.getByRole('button', { name: 'Approve' }).tap();
    await page.getByRole('button', { name: /^Land onto main/ }).tap();
    await page.getByRole('list', { name: 'Landing' }).getByText('landed').waitFor();
    expectQuiet();
  });
});
