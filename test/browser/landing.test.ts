import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { freshRepository } from '../fixtures/repository.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';
import { keep } from './images.ts';

const CHECKS =
  'version: 1\nchecks:\n  unit: { run: "cat report.xml 2>/dev/null; ! ls | grep -q ^bad", junit: report.xml }\n';
const REPORT =
  '<testsuite><testcase classname="roof" name="holds"><failure message="it leaks"/></testcase></testsuite>';

/** Landing in a real browser, on a real repository. */
describe('landing in the page', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  it(
    'shows what waits, what failed and what collides, and does what the terminal does',
    { timeout: 90_000 },
    async () => {
      const env = freshHome();
      const settings = { land: { '*': { unconfined: true } } };
      writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), stringify(settings));
      const { address } = await startHub(env);
      const rest = restAt(address, tokenIn(env));
      const repository = freshRepository();
      mkdirSync(join(repository.path, '.holdfast'));
      repository.commit('.holdfast/checks.yaml', CHECKS);
      const { project } = await rest('POST', '/api/projects/resolve', { folder: repository.path });
      const branch = async (title: string, name: string, files: Readonly<Record<string, string>>) => {
        const aside = freshFolder();
        repository.git('worktree', 'add', '-q', '-f', '-b', name, aside, 'main');
        for (const [file, text] of Object.entries(files)) {
          mkdirSync(dirname(join(aside, file)), { recursive: true });
          writeFileSync(join(aside, file), text);
        }
        repository.git('-C', aside, 'add', '-A', '-f');
        repository.git('-C', aside, 'commit', '-q', '-m', title);
        repository.git('worktree', 'remove', '--force', aside);
        const { id } = await rest('POST', '/api/board/tasks', { title, teamId: project.teamId });
        await rest('PATCH', `/api/board/tasks/${id}`, { branchRef: name });
        return id as string;
      };
      const leaking = await branch('Mend the roof', 'roof', { 'bad-roof': '', 'report.xml': REPORT });
      const guarded = await branch('Build on every push', 'ci', { '.github/workflows/ci.yml': 'on: push\n' });
      const red = await branch('Paint it red', 'red', { 'colour.txt': 'red\n' });
      await branch('Paint it blue', 'blue', { 'colour.txt': 'blue\n' });
      for (const taskId of [leaking, guarded])
        await rest('POST', '/api/landings', { taskId, folder: repository.path });

      const { page, expectQuiet } = await openPage(browser);
      const { path } = await rest('POST', '/api/open');
      await page.goto(`${address}${path}`);
      await page.goto(`${address}/landing`);
      // Every view of the rail and of its tabs has an address of its own that can be loaded.
      const rail = page.getByRole('navigation').getByRole('link');
      await rail.first().waitFor();
      const views = await rail.evaluateAll((links) => links.map((link) => link.getAttribute('href')!));
      expect(views).toContain('/landing');
      for (const to of views) {
        const answer = await fetch(`${address}${to}`, { headers: { accept: 'text/html' } });
        expect([to, answer.status]).toEqual([to, 200]);
      }
      const waits = page.getByRole('region', { name: 'Waits for you' });
      await waits.getByText(/only a person lets through: .github.workflows.ci.yml/).waitFor();
      const over = page.getByRole('region', { name: 'Finished' });
      await over.getByText('roof › holds').waitFor();
      await over.getByText('it leaks').waitFor();
      const apart = page.getByRole('region', { name: 'Branches that do not go together' });
      await apart.getByText('colour.txt:1').waitFor();
      await expectAccessible(page);
      await keep(page, 'landing');

      // Nothing lands while it is paused; what a person approves waits in the queue.
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Nothing lands for now.').waitFor();
      await waits.getByRole('button', { name: /^Approve/ }).click();
      const queue = page.getByRole('region', { name: 'Queue' });
      await queue.getByRole('button', { name: 'Build on every push', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await over.getByRole('button', { name: 'Build on every push', exact: true }).waitFor();
      expect(repository.git('ls-files')).toContain('.github/workflows/ci.yml');

      await page.goto(`${address}/board/${red}`);
      const card = page.getByTitle('Its branch does not go together with blue');
      await card.waitFor();
      const drawer = page.getByRole('complementary', { name: 'Task: Paint it red' });
      await drawer.getByText('Does not go together with').waitFor();
      await drawer.getByText(/Merged onto main; its checks run on the result/).waitFor();
      await expectAccessible(page);
      await keep(page, 'landing-task');
      await drawer.getByRole('button', { name: 'Land red on main' }).click();
      await drawer.getByText('landed').waitFor();
      await expect.poll(() => repository.git('ls-files')).toContain('colour.txt');
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(`${address}/landing`);
      await over.getByRole('button', { name: 'Paint it red', exact: true }).waitFor();
      await expectAccessible(page);
      await keep(page, 'landing-phone');
      expectQuiet();
    },
  );
});
