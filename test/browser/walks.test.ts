import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { expectAccessible } from './axe.ts';
import { withSignedInDemo } from './demo.ts';
import { chosen, focused, noteInput, press, tabTo } from './hands.ts';
import { PHONE } from './chromium.ts';
import { keep } from './images.ts';

const PATIENT = { timeout: 30_000 };

/**
 * The four things a person comes for, each from Now on: once with keys alone, once with a thumb alone. The page itself notes
 * what it was used with, and what became of it is asked of the hub.
 */
describe('from Now on', { timeout: 120_000 }, () => {
  const { suite, open: openSignedIn } = withSignedInDemo();

  async function open(options: BrowserContextOptions = {}) {
    const watched = await openSignedIn(options);
    const { page } = watched;
    await page.addInitScript(noteInput);
    await page.goto(suite.demo.address);
    await page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    const ask = async (path: string) => (await page.request.get(`${suite.demo.address}${path}`)).json();
    /** What it was used with from the first view to the last. */
    const usedWith = () => page.evaluate(() => [...(globalThis as any).usedWith].sort() as string[]);
    return { ...watched, ask, usedWith };
  }

  const request = (page: Page) => page.getByRole('region', { name: 'The request' });
  const statusOf = async (ask: (path: string) => Promise<any>, id: string) =>
    (await ask(`/api/tools/approvals/${id}`)).approval.status;

  describe('with keys alone', () => {
    it('something that waits is read and allowed', async () => {
      const { page, ask, usedWith, expectQuiet } = await open();
      const { approvals } = await ask('/api/tools/approvals');
      const [first, second] = ['delete_path', 'Bash'].map((tool) =>
        approvals.find(({ toolName }: any) => toolName === tool),
      );
      await press(page, 'g', 'a');
      await request(page).getByText('build/firmware-old').first().waitFor();
      await press(page, 'j');
      await request(page).getByText('npm').first().waitFor();
      await press(page, 'k');
      await request(page).getByText('build/firmware-old').first().waitFor();
      await request(page)
        .getByRole('button', { name: /^Allow once/ })
        .waitFor();
      await press(page, 'a');
      await tabTo(page, 'BUTTON Send now');
      await press(page, 'Enter');
      await expect.poll(() => statusOf(ask, first.id)).toBe('allow_once');
      expect(await statusOf(ask, second.id)).toBe('pending');
      expect(await usedWith()).toEqual(['key']);
      expectQuiet();
      await page.context().close();
    });

    it('a change is read file by file, talked about, and landed', async () => {
      const { page, ask, usedWith, expectQuiet } = await open();
      await press(page, 'g', 'w');
      await page
        .getByRole('list', { name: 'Waits for a review' })
        .getByRole('link', { name: /^Fix login redirect behind a proxy/ })
        .waitFor();
      await press(page, 'o');
      await page.getByRole('heading', { name: 'Fix login redirect behind a proxy' }).waitFor();
      const id = new URL(page.url()).pathname.split('/').at(-1)!;
      const login = page.getByRole('region', { name: 'src/login.ts' });
      await login.getByText('schemeOf').first().waitFor();
      for (let files = 0; files < 4 && !(await focused(page)).includes('src/login.ts'); files += 1)
        await press(page, 'j');
      await tabTo(page, 'Comment on line');
      await press(page, 'ArrowDown');
      await press(page, 'Enter');
      await page.keyboard.type('Say which proxy, please.');
      await press(page, 'Control+Enter');
      await login.getByRole('region', { name: /^Comments on line/ }).waitFor();
      await press(page, 'v');
      await page.getByText('1 of 3 viewed').waitFor();
      await press(page, 'a');
      const form = page.getByRole('form', { name: 'Approve' });
      await form.getByText('One comment is not resolved.').waitFor();
      await form.getByRole('button', { name: /^Land onto main: 1 commit/ }).waitFor();
      await expectAccessible(page);
      await page.keyboard.type('Good as it is.');
      await press(page, 'Control+Enter');
      await page.getByRole('list', { name: 'Landing' }).getByText('landed').waitFor();
      const { task } = await ask(`/api/board/tasks/${id}`);
      expect(task.status).toBe('done');
      const { verdicts, threads } = await ask(`/api/reviews/${id}`);
      expect(verdicts).toMatchObject([{ verdict: 'approved', body: 'Good as it is.' }]);
      expect(threads).toMatchObject([
        { path: 'src/login.ts', comments: [{ body: 'Say which proxy, please.' }] },
      ]);
      expect(await usedWith()).toEqual(['key']);
      expectQuiet();
      await page.context().close();
    });

    it('a run is started', async () => {
      const { page, ask, usedWith, expectQuiet } = await open();
      await press(page, 'Control+k');
      await page.getByRole('combobox', { name: /^Search tasks/ }).waitFor();
      await page.keyboard.type('strat a run');
      await page.getByRole('option', { name: /^Start a run/ }).waitFor();
      await press(page, 'Enter');
      await page.getByRole('radio', { name: /^deckhand/ }).waitFor();
      await tabTo(page, 'What is to be done?');
      await page.keyboard.type('Count the buoys');
      await tabTo(page, 'bosun');
      for (let steps = 0; steps < 4 && !(await focused(page)).includes('deckhand'); steps += 1)
        await press(page, 'ArrowDown');
      await tabTo(page, 'BUTTON Start the run');
      await press(page, 'Enter');
      await page.getByRole('complementary', { name: /^Run of deckhand-/ }).waitFor();
      await expect.poll(async () => (await ask('/v1/biam/tasks')).tasks).toHaveLength(1);
      const [run] = (await ask('/v1/biam/tasks')).tasks;
      expect(run.instance).toMatch(/^deckhand/);
      const { task } = await ask(`/api/board/tasks/${run.board_task}`);
      expect(task.title).toBe('Count the buoys');
      await expect.poll(async () => (await ask('/v1/biam/tasks')).tasks[0].status, PATIENT).toBe('done');
      expect(await usedWith()).toEqual(['key']);
      expectQuiet();
      await page.context().close();
    });

    it('a line is asked why it is as it is', async () => {
      const { page, usedWith, expectQuiet } = await open();
      await press(page, 'Control+k');
      await page.getByRole('combobox', { name: /^Search tasks/ }).waitFor();
      await page.keyboard.type('http.ts:2');
      await page
        .getByRole('option', { name: /src\/http\.ts/ })
        .first()
        .waitFor();
      await expect.poll(() => chosen(page), { timeout: 10_000 }).toContain('http.ts');
      for (let steps = 0; steps < 6 && !(await chosen(page)).includes('src/http.ts'); steps += 1)
        await press(page, 'ArrowDown');
      await press(page, 'Enter');
      await page.getByText('Redirects are not kept').first().waitFor();
      await tabTo(page, 'A Wrong page after signing in again');
      await press(page, 'Enter');
      await page
        .getByRole('complementary', { name: 'Session' })
        .getByText('Whoever signs out and in again')
        .waitFor();
      expect(await usedWith()).toEqual(['key']);
      expectQuiet();
      await page.context().close();
    });
  });

  describe('with a thumb alone', () => {
    /** A field is tapped, and what a keyboard on glass sends is put in. */
    const write = async (field: Locator, text: string) => {
      await field.tap();
      await field.page().keyboard.insertText(text);
    };
    const expectFits = async (page: Page) =>
      expect(
        await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
      ).toBeLessThanOrEqual(0);

    it('something that waits is read and denied with a word', async () => {
      const { page, ask, usedWith, expectQuiet } = await open(PHONE);
      const { approvals } = await ask('/api/tools/approvals');
      const { id } = approvals.find(({ toolName }: any) => toolName === 'Bash');
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Govern' }).tap();
      const box = request(page);
      const next = page.getByRole('button', { name: 'Next request' });
      if ((await next.count()) > 0 && (await box.getByText('npm').count()) === 0) await next.tap();
      await box.getByText('npm').first().waitFor();
      await write(
        box.getByRole('textbox', { name: 'A word to the agent, with a no' }),
        'Not before Tuesday.',
      );
      await box.getByRole('button', { name: 'Deny' }).tap();
      await page.getByRole('button', { name: 'Send now' }).tap();
      await expect.poll(() => statusOf(ask, id)).toBe('deny');
      expect((await ask(`/api/tools/approvals/${id}`)).note).toBe('Not before Tuesday.');
      expect(await usedWith()).toEqual(['touch']);
      expectQuiet();
      await page.context().close();
    });

    it('a change is read, talked about, and landed', async () => {
      const { page: first, ask: look } = await open();
      const task = await handIn(look);
      await first.context().close();
      const { page, ask, usedWith, expectQuiet } = await open(PHONE);
      await page
        .getByRole('listitem')
        .filter({ hasText: 'Say how the tide is read' })
        .getByRole('link', { name: 'Review', exact: true })
        .tap();
      const readme = page.getByRole('region', { name: 'README.md' });
      await readme.getByText('Twice a day, by hand.').waitFor();
      await readme.getByRole('button', { name: 'Comment on line 4', exact: true }).tap();
      await write(readme.getByRole('textbox', { name: 'Comment on this line' }), 'By whom?');
      await readme.getByRole('button', { name: 'Comment', exact: true }).tap();
      await readme.getByRole('region', { name: 'Comments on line 4' }).waitFor();
      await expectFits(page);
      await page.getByRole('button', { name: 'Approve' }).tap();
      const land = page.getByRole('button', { name: /^Land onto main: 1 commit/ });
      await land.waitFor();
      await expectAccessible(page);
      await keep(page, 'walk-land-phone');
      await land.tap();
      await page.getByRole('list', { name: 'Landing' }).getByText('landed').waitFor();
      expect((await ask(`/api/board/tasks/${task}`)).task.status).toBe('done');
      expect(await usedWith()).toEqual(['touch']);
      expectQuiet();
      await page.context().close();
    });

    it('a run is started', async () => {
      const { page, ask, usedWith, expectQuiet } = await open(PHONE);
      const before = (await ask('/v1/biam/tasks')).tasks.length;
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Work' }).tap();
      await page.getByRole('link', { name: 'Runs', exact: true }).tap();
      await page.getByRole('button', { name: 'Start a run' }).first().tap();
      await write(page.getByRole('textbox', { name: 'What is to be done?' }), 'Ring the bell');
      await page.getByRole('radio', { name: /^deckhand/ }).tap();
      await page.getByRole('button', { name: 'Start the run' }).tap();
      const drawer = page.getByRole('complementary', { name: /^Run of deckhand-/ });
      await drawer.getByText('Changed both; running the tests.').first().waitFor();
      await expectFits(page);
      expect((await ask('/v1/biam/tasks')).tasks).toHaveLength(before + 1);
      expect(await usedWith()).toEqual(['touch']);
      expectQuiet();
      await page.context().close();
    });

    it('a line is asked why it is as it is', async () => {
      const { page, usedWith, expectQuiet } = await open(PHONE);
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Know' }).tap();
      await page.getByRole('navigation', { name: 'Know' }).getByRole('link', { name: 'Why' }).tap();
      await write(page.getByRole('textbox', { name: 'File' }), 'src/http.ts');
      await write(page.getByRole('textbox', { name: 'Line' }), '2');
      await page.getByRole('button', { name: 'Ask why' }).tap();
      await page.getByText(/no-cache would still let it be kept/).waitFor();
      await page
        .getByRole('main')
        .getByRole('link', { name: 'Wrong page after signing in again' })
        .first()
        .tap();
      await page
        .getByRole('complementary', { name: 'Session' })
        .getByText('Whoever signs out and in again')
        .waitFor();
      await expectFits(page);
      expect(await usedWith()).toEqual(['touch']);
      expectQuiet();
      await page.context().close();
    });
  });

  /** One more change that waits for a review, in the repository of the demo. */
  async function handIn(ask: (path: string) => Promise<any>): Promise<string> {
    const { projects } = await ask('/api/projects');
    const { teamId, keys } = projects.find(({ keys: all = [] }: any) =>
      all.some(({ kind }: any) => kind === 'git'),
    );
    const common = keys.find(({ kind }: any) => kind === 'git').value as string;
    const aside = join(freshFolder(), 'tree');
    const who = ['-c', 'user.name=codex', '-c', 'user.email=codex@holdfast.invalid'];
    const git = (...args: readonly string[]) => execFileSync('git', ['--git-dir', common, ...who, ...args]);
    git('worktree', 'add', '-q', '-b', 'how-it-is-read', aside, 'main');
    mkdirSync(join(aside, 'docs'), { recursive: true });
    writeFileSync(
      join(aside, 'README.md'),
      '# tidepool\n\nReadings of the tide, as rows.\nTwice a day, by hand.\n',
    );
    execFileSync('git', ['-C', aside, ...who, 'commit', '-qam', 'How the tide is read']);
    git('worktree', 'remove', '--force', aside);
    const rest = restAt(suite.demo.address);
    const { id } = await rest('POST', '/api/board/tasks', { title: 'Say how the tide is read', teamId });
    const { claim } = await rest('POST', `/api/board/tasks/${id}/claim`, { assigneeAgentId: 'codex' });
    const held = { agentId: 'codex', fence: claim?.fence };
    await rest('PATCH', `/api/board/tasks/${id}`, { branchRef: 'how-it-is-read', ...held });
    await rest('PATCH', `/api/board/tasks/${id}`, { status: 'in_review', ...held });
    return id as string;
  }
});
