import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { freshFolder } from '../fixtures/databases.ts';
import { AGENT } from '../fixtures/dispatch-hub.ts';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { freshRepository } from '../fixtures/repository.ts';
import { expectAccessible, expectAccessibleInBoth } from './axe.ts';
import { openBrowser, openPage, PHONE } from './chromium.ts';
import { keepPicture } from './images.ts';

const SHIPWRIGHT = fileURLToPath(new URL('../fixtures/dispatch/shipwright.mjs', import.meta.url));

const JOINER = fileURLToPath(new URL('../fixtures/dispatch/worker.mjs', import.meta.url));

/** Runs in a real browser: real processes, one that speaks ACP and one that only prints. */
describe('a run in the page', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  async function open(options: object = {}) {
    const env = freshHome();
    const sailor = 'say casting off\nsleep 400\nsay still at sea\nforever';
    const agents = {
      sailor: { family: 'command', command: [process.execPath, AGENT, sailor] },
      shipwright: { family: 'acp', command: [process.execPath, SHIPWRIGHT, freshFolder()] },
      joiner: { family: 'command', command: [process.execPath, JOINER] },
      absent: { family: 'command', command: ['no-such-program-anywhere'] },
    };
    writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), stringify({ agents }));
    const { address } = await startHub(env);
    const token = tokenIn(env);
    const rest = restAt(address, token);
    const watched = await openPage(browser, options);
    const { path } = await rest('POST', '/api/open');
    await watched.page.goto(`${address}${path}`);
    const { id } = await rest('POST', '/api/board/tasks', { title: 'Greet the harbour' });
    await watched.page.goto(`${address}/board/${id}`);
    return { address, rest, id: id as string, ...watched };
  }

  it('is started from a task, shows what it says as it says it, and ends when it is cancelled', async () => {
    const { page, rest, id, expectQuiet } = await open();
    await page.getByRole('button', { name: 'Start a run…' }).click();
    const form = page.getByRole('form', { name: 'Start a run' });
    // What cannot be called says why, and cannot be chosen.
    await form.getByRole('radio', { name: /^absent/ }).waitFor();
    expect(await form.getByRole('radio', { name: /^absent/ }).isDisabled()).toBe(true);
    await form.getByText(/no-such-program-anywhere/).waitFor();
    await form.getByRole('radio', { name: /^sailor/ }).check();
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Start the run' }).click();
    const drawer = page.getByRole('complementary', { name: /^Run of sailor-/ });
    await drawer.getByText('casting off').waitFor();
    await drawer.getByText('still at sea').waitFor();
    await expectAccessible(page);
    await drawer.getByRole('textbox', { name: 'Say something to it' }).fill('Mind the rocks.');
    await drawer.getByRole('button', { name: 'Send' }).click();
    await drawer.getByText('Mind the rocks.').waitFor();
    await drawer.getByRole('button', { name: 'Cancel' }).click();
    await drawer.getByText('cancelled', { exact: true }).waitFor();
    const { tasks } = await rest('GET', `/v1/biam/tasks?board_task=${id}`);
    expect(tasks[0]).toMatchObject({ status: 'cancelled' });
    expectQuiet();
  });

  it(
    'asks inside the run, is answered there, shows its plan, cost and diff, and hears comments on lines',
    { timeout: 120_000 },
    async () => {
      const { address, page, rest, id, expectQuiet } = await open();
      const repository = freshRepository();
      await page.getByRole('button', { name: 'Start a run…' }).click();
      const form = page.getByRole('form', { name: 'Start a run' });
      await form.getByRole('radio', { name: /^shipwright/ }).check();
      await form.getByRole('combobox', { name: 'In a worktree of' }).fill(repository.path);
      await form.getByRole('button', { name: 'Start the run' }).click();
      const drawer = page.getByRole('complementary', { name: /^Run of shipwright-/ });
      const question = drawer.getByRole('region', { name: 'It asks for permission' });
      await question.getByText('npm', { exact: true }).waitFor();
      // What it would run stands there once, and nothing that is empty.
      expect(await question.getByText('npm test --workspaces').count()).toBe(1);
      expect(await question.locator('dl').innerText()).toBe('title\nBash');
      await page
        .getByRole('link', { name: /waits for you/ })
        .first()
        .waitFor();
      await drawer.getByRole('region', { name: 'Plan' }).getByText('2 of 3').waitFor();
      await drawer.getByText('I will greet the harbour.').waitFor();
      await drawer.getByText('+2 −1').waitFor();
      await expectAccessibleInBoth(page, 'run');
      await question.getByRole('button', { name: 'Allow once' }).click();
      await drawer.getByText('The tests pass.').waitFor();
      await drawer.getByText(/12k tokens read .* \$0\.42/).waitFor();
      // Folded to one line until somebody looks.
      await drawer.locator('summary', { hasText: 'Bash' }).click();
      await drawer.getByText('12 passed').waitFor();

      // It is called by its task, and says how long each step took and how full its context was.
      await drawer.getByRole('heading', { name: 'Greet the harbour' }).waitFor();
      await drawer.getByRole('button', { name: 'Trace' }).click();
      const steps = drawer.getByRole('list', { name: 'Steps' });
      await steps.getByText('Waited for an approval').waitFor();
      await drawer.getByText(/2 tool calls .* context up to 10 of 100 \(10%\) · \$0\.42/).waitFor();
      await expectAccessibleInBoth(page, 'run-trace');
      await drawer.getByRole('textbox', { name: 'Search the steps' }).fill('12 passed');
      await drawer.getByText(/^1 of \d+ steps$/).waitFor();
      await steps.locator('summary', { hasText: 'Bash' }).click();
      await steps.locator('pre', { hasText: '12 passed' }).waitFor();
      await drawer.getByRole('textbox', { name: 'Search the steps' }).fill('');
      await drawer.getByRole('combobox', { name: 'Kind of step' }).selectOption('Waiting');
      await drawer.getByText(/^1 of \d+ steps$/).waitFor();
      await expect.poll(() => page.url()).toContain('at=wait');

      await drawer.getByRole('button', { name: 'Diff' }).click();
      await expect.poll(() => page.url()).toContain('view=diff');
      await drawer.getByText('harbour', { exact: true }).waitFor();
      await drawer.getByRole('button', { name: 'Comment on line 2' }).click();
      await drawer.getByRole('textbox', { name: 'Comment on this line' }).fill('Greet the lighthouse, too.');
      await page.keyboard.press('Control+Enter');
      await drawer.getByRole('region', { name: 'Comments on line 2' }).waitFor();
      await expectAccessibleInBoth(page, 'run-diff');
      await drawer.getByRole('button', { name: 'Request changes' }).click();
      await drawer.getByRole('button', { name: 'Request changes: 1 comment' }).click();
      // Its session goes on in a run of its own, which heard the comment and where it stands.
      await drawer.getByText(/goes on with it/).waitFor();
      const { tasks } = await rest('GET', `/v1/biam/tasks?board_task=${id}`);
      const { result } = await rest('GET', `/v1/biam/tasks/${tasks[0].task_id}/wait`);
      expect(result).toContain('README.md:2\n> harbour\nGreet the lighthouse, too.');
      expect(tasks).toHaveLength(2);
      // Two runs at one task lie side by side.
      await page.goto(`${address}/runs/${tasks[0].task_id}?view=compare`);
      const [first, second] = [
        page.getByRole('region', { name: 'First' }),
        page.getByRole('region', { name: 'Second' }),
      ];
      await first.getByText('Heard:').first().waitFor();
      await second.getByText('I will greet the harbour.').waitFor();
      await second.getByText('$0.42').first().waitFor();
      await expectAccessibleInBoth(page, 'run-compare');
      await page.goto(`${address}/runs`);
      await page.getByText('Greet the harbour').first().waitFor();
      await expectAccessibleInBoth(page, 'runs');
      expectQuiet();
    },
  );

  it('is merged from its diff, and says where it cannot be', async () => {
    const { address, page, rest, id, expectQuiet } = await open();
    const repository = freshRepository();
    const { id: other } = await rest('POST', '/api/board/tasks', { title: 'Greet the pier' });
    for (const [task, said] of [
      [id, 'merged into main'],
      [other, /^conflicts in .*\.txt; nothing was changed$/],
    ] as const) {
      const body = { task_id: task, instance: 'joiner', project: repository.path };
      const { task: run } = await rest('POST', '/v1/runs', body);
      await rest('GET', `/v1/biam/tasks/${run.task_id}/wait`);
      if (task === other) repository.commit(`${task}.txt`, 'somebody else was here\n');
      const before = repository.git('rev-parse', 'HEAD');
      await page.goto(`${address}/runs/${run.task_id}?view=diff`);
      const drawer = page.getByRole('complementary', { name: /^Run of joiner-/ });
      await drawer.getByRole('button', { name: 'Merge into main…' }).click();
      await drawer.getByRole('button', { name: 'Merge 1 commit into main' }).click();
      await drawer.getByRole('status').getByText(said).waitFor();
      await expectAccessible(page);
      expect(repository.git('rev-parse', 'HEAD') === before).toBe(task === other);
    }
    expect(repository.git('show', `HEAD:${id}.txt`)).toContain('done by');
    expectQuiet();
  });

  it('fits a phone', async () => {
    const { address, page, rest, expectQuiet } = await open(PHONE);
    const { task_id: run } = await rest('POST', '/v1/send_message', {
      instance: 'sailor',
      prompt: 'sail',
      async: true,
    });
    for (const path of ['/runs', `/runs/${run}`]) {
      await page.goto(`${address}${path}`);
      await page
        .getByText(/sailor/)
        .first()
        .waitFor();
      expect(
        await page.evaluate(() => (globalThis as any).document.documentElement.scrollWidth),
      ).toBeLessThanOrEqual(390);
    }
    await page.getByRole('complementary').getByText('still at sea').waitFor();
    await expectAccessible(page);
    await keepPicture(page, 'run-phone');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('complementary').getByText('cancelled', { exact: true }).waitFor();
    expectQuiet();
  });
});
