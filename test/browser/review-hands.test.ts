import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { freshRepository } from '../fixtures/repository.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { reviewedHub } from '../fixtures/reviewed.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage, PHONE } from './chromium.ts';

const MERGER = fileURLToPath(new URL('../fixtures/dispatch/merger.mjs', import.meta.url));
const LONG = { timeout: 180_000 };

/** What a hand does in a review takes effect once, on what was seen, with a thumb as with keys. */
describe('a review, by hand', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  it('merges what was shown, where it was to go, and only when asked twice', LONG, async () => {
    const env = freshHome();
    const good = { family: 'command', command: [process.execPath, MERGER, 'made.txt', 'one'] };
    writeFileSync(
      join(env['HOLDFAST_HOME']!, 'config.yaml'),
      stringify({ sandbox: 'off', agents: { good } }),
    );
    const { address } = await startHub(env);
    const rest = restAt(address, tokenIn(env));
    const { git, path } = freshRepository();
    const { project } = await rest('POST', '/api/projects/resolve', { folder: path });
    const task = await rest('POST', '/api/board/tasks', { title: 'Make it', teamId: project.teamId });
    const begun = await rest('POST', '/v1/runs', { task_id: task.id, instance: 'good', project: path });
    const run = begun.task.task_id;
    await expect
      .poll(async () => (await rest('GET', `/v1/biam/tasks/${run}`)).task.status, { timeout: 60_000 })
      .toBe('done');
    const { page, expectQuiet } = await openPage(browser);
    await page.goto(`${address}${(await rest('POST', '/api/open')).path}`);
    await page.goto(`${address}/review/${run}`);
    const ask = page.getByRole('button', { name: 'Merge into main…' });
    const form = page.getByRole('form', { name: 'Merge into main' });
    const merge = form.getByRole('button', { name: 'Merge 1 commit into main' });
    await ask.click();
    const branch = begun.task.worktree.branch;
    await form.getByText(`${branch} at ${git('rev-parse', branch).slice(0, 12)} goes into main`).waitFor();
    await expectAccessible(page);
    // Another commit has come meanwhile: what was shown is not there any more.
    const seen = git('rev-parse', branch).trim();
    git('update-ref', `refs/heads/${branch}`, 'main');
    await merge.click();
    await form.getByText('is not where it was when you looked at it.').waitFor();
    git('update-ref', `refs/heads/${branch}`, seen);
    await merge.click();
    await page.getByRole('status').filter({ hasText: 'merged into main' }).waitFor();
    expect(git('ls-files')).toContain('made.txt');
    expectQuiet(/409/);
  });

  it('says a comment once, although its answer was lost', LONG, async () => {
    const at = await reviewedHub();
    const { page, expectQuiet } = await openPage(browser);
    await page.goto(await at.signIn());
    let isLost = false;
    await page.route('**/api/reviews/*/comments', async (route) => {
      if (isLost) return route.continue();
      isLost = true;
      await route.fetch();
      await route.abort();
    });
    await page.goto(`${at.address}/review/${at.task}`);
    const login = page.getByRole('region', { name: 'src/auth/login.ts' });
    await login.getByRole('button', { name: 'Comment on line 6', exact: true }).click();
    const form = login.getByRole('form', { name: 'Comment on line 6' });
    await form.getByRole('textbox', { name: 'Comment on this line' }).fill('Once.');
    await form.getByRole('button', { name: 'Comment', exact: true }).click();
    await form.getByText('The hub does not answer.').waitFor();
    await form.getByRole('button', { name: 'Comment', exact: true }).click();
    await form.waitFor({ state: 'detached' });
    const { threads } = await at.rest('GET', `/api/reviews/${at.task}`);
    expect(threads.map(({ comments }: any) => comments[0].body)).toEqual(['Once.']);
    expectQuiet(/ERR_FAILED/);
  });

  it('takes several lines with a thumb, and keeps what was typed about the first', LONG, async () => {
    const at = await reviewedHub();
    const { page, expectQuiet } = await openPage(browser, PHONE);
    await page.goto(await at.signIn());
    await page.goto(`${at.address}/review/${at.task}`);
    const login = page.getByRole('region', { name: 'src/auth/login.ts' });
    await login.getByRole('button', { name: 'Comment on line 7', exact: true }).tap();
    const one = login.getByRole('form', { name: 'Comment on line 7' });
    await one.getByRole('textbox', { name: 'Comment on this line' }).fill('Both of them?');
    await one.getByRole('button', { name: 'To another line' }).tap();
    await one.getByText('Press the number of the line that it reaches to.').waitFor();
    await expectAccessible(page);
    await login.getByRole('button', { name: 'Comment on line 6', exact: true }).tap();
    const both = login.getByRole('form', { name: 'Comment on lines 6 to 7' });
    await expect
      .poll(() => both.getByRole('textbox', { name: 'Comment on this line' }).inputValue())
      .toBe('Both of them?');
    await one.waitFor({ state: 'detached' });
    await both.getByRole('button', { name: 'Comment', exact: true }).tap();
    await login.getByRole('region', { name: 'Comments on lines 6 to 7' }).waitFor();
    const [{ fromLine, toLine }] = (await at.rest('GET', `/api/reviews/${at.task}`)).threads;
    expect([fromLine, toLine]).toEqual([6, 7]);
    expectQuiet();
  });
});
