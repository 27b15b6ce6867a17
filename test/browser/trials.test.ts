import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { CHECKS } from '../fixtures/landing-hub.ts';
import { freshRepository } from '../fixtures/repository.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';
import { keep } from './images.ts';

const MERGER = fileURLToPath(new URL('../fixtures/dispatch/merger.mjs', import.meta.url));

/** Several attempts at one task, compared and picked in a real browser. */
describe('attempts in the page', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  it(
    'stand in one table, and the one that is picked is what the task goes on with',
    { timeout: 90_000 },
    async () => {
      const env = freshHome();
      const merger = (...manner: string[]) => ({
        family: 'command',
        command: [process.execPath, MERGER, ...manner],
      });
      writeFileSync(
        join(env['HOLDFAST_HOME']!, 'config.yaml'),
        stringify({
          sandbox: 'off',
          land: { '*': { unconfined: true } },
          agents: { good: merger('README.md', 'one'), leaky: merger('bad-roof', 'x') },
        }),
      );
      const { address } = await startHub(env);
      const rest = restAt(address, tokenIn(env));
      const repository = freshRepository();
      mkdirSync(join(repository.path, '.holdfast'));
      repository.commit('.holdfast/checks.yaml', CHECKS);
      const { project } = await rest('POST', '/api/projects/resolve', { folder: repository.path });
      const task = await rest('POST', '/api/board/tasks', { title: 'Mend the roof', teamId: project.teamId });

      const { page, expectQuiet } = await openPage(browser);
      const { path } = await rest('POST', '/api/open');
      await page.goto(`${address}${path}`);
      await page.goto(`${address}/board/${task.id}`);
      const given = { task_id: task.id, instances: ['good', 'leaky'], project: repository.path };
      const { trial } = await rest('POST', '/v1/trials', given);
      // The page hears of it by itself, and of the end of both.
      const table = page.getByRole('table').filter({ hasText: 'Attempt' });
      const row = (name: string) => table.getByRole('row').filter({ hasText: name });
      await row('good').getByText('unit passed').waitFor({ timeout: 60_000 });
      await row('leaky').getByText('unit failed').waitFor({ timeout: 60_000 });
      expect(await row('good').innerText()).toMatch(/1 file \+\d+ −\d+/);
      expect(await row('good').innerText()).toMatch(/\d+ s/);
      await expectAccessible(page);
      await keep(page, 'trials');
      await row('good').getByRole('button', { name: 'Pick good' }).click();
      await row('good').getByText('picked').waitFor();
      expect(await table.getByRole('button', { name: /^Pick/ }).count()).toBe(0);
      const { picked, state, attempts } = await rest('GET', `/v1/trials/${trial}`);
      expect([picked, state]).toEqual([attempts[0].run.task_id, 'closed']);
      const { task: now } = await rest('GET', `/api/board/tasks/${task.id}`);
      expect(now.branchRef).toBe(attempts[0].run.worktree.branch);
      await page.setViewportSize({ width: 390, height: 844 });
      await row('good').getByText('picked').waitFor();
      await expectAccessible(page);
      expectQuiet();
    },
  );
});
