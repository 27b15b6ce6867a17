import { describe, expect, it } from 'vitest';
import { expectAccessible } from '../axe.ts';
import { openPage } from '../chromium.ts';
import type { SignedInDemo } from '../demo.ts';

/** What was found wrong when every view was looked at, and mended: by view. */
export function design({ suite, open }: SignedInDemo): void {
  describe('views as they were looked at', { timeout: 120_000 }, () => {
    it('what is due stands by how near it is, and is walked by key', async () => {
      const { page, expectQuiet } = await open();
      await page.goto(`${suite.demo.address}/due`);
      const late = page.getByRole('region', { name: 'Overdue' });
      await late.getByText('Alert when a gauge is silent for an hour').waitFor();
      await page.getByRole('region', { name: 'Today' }).getByText('Fix login redirect').waitFor();
      await page
        .getByRole('region', { name: 'Within a week' })
        .getByText('Import of old gauge files')
        .waitFor();
      await page.getByRole('region', { name: 'Later' }).getByText('Write the migration guide').waitFor();
      await expectAccessible(page);
      await page.keyboard.press('j');
      const task = page.getByRole('complementary', { name: /^Task: Alert when/ });
      await task.waitFor();
      await page.keyboard.press(']');
      await page.getByRole('complementary', { name: /^Task: Fix login/ }).waitFor();
      await expectAccessible(page);
      await page.goto(`${suite.demo.address}/due?project=lighthouse`);
      await page.getByText('Switch to battery before the voltage drops').waitFor();
      expect(await page.getByText('Fix login redirect').count()).toBe(0);
      expectQuiet();
      await page.context().close();
    });

    it('the project at the top means the same everywhere, and silences nobody', async () => {
      const { page, expectQuiet } = await open();
      await page.goto(`${suite.demo.address}/?project=lighthouse`);
      await page.getByText(/waits? for you elsewhere/).waitFor();
      const waits = page.locator('section', { hasText: 'Waits for you' }).first();
      await waits.getByText('firmware-old').first().waitFor();
      expect(await waits.getByText('npm publish').count()).toBe(0);
      await page.goto(`${suite.demo.address}/approvals?project=lighthouse`);
      await page.getByText('firmware-old').first().waitFor();
      expect(await page.getByText('npm publish').count()).toBe(0);
      // But what a link names is what is shown.
      const { approvals } = await (
        await page.request.get(`${suite.demo.address}/api/tools/approvals`)
      ).json();
      const { id } = approvals.find(({ teamId }: any) => teamId === 'tidepool');
      await page.goto(`${suite.demo.address}/approvals?project=lighthouse&at=${id}`);
      await page.getByRole('region', { name: 'The request' }).getByText('publish').first().waitFor();
      await page.goto(`${suite.demo.address}/grants?project=lighthouse`);
      await page.getByText('Nothing is allowed for always').waitFor();
      await page.goto(`${suite.demo.address}/?project=lighthouse`);
      await page.getByRole('button', { name: 'Show all projects' }).click();
      await page.getByText('npm publish').first().waitFor();
      expectQuiet();
      await page.context().close();
    });

    it('a person adds a fact, a file of the brain and a project where they stand', async () => {
      const { page, expectQuiet } = await open();
      await page.goto(`${suite.demo.address}/memory?project=tidepool`);
      await page.getByRole('button', { name: 'New fact' }).click();
      const fact = page.getByRole('form', { name: 'New fact' });
      await fact.getByRole('textbox', { name: 'What it is about' }).fill('Backups');
      await fact.getByRole('textbox', { name: 'The fact' }).fill('Backups run at four in the morning.');
      await expectAccessible(page);
      await page.keyboard.press('Control+Enter');
      await fact.waitFor({ state: 'detached' });
      await page
        .getByRole('complementary')
        .getByText('Backups run at four in the morning.')
        .first()
        .waitFor();
      await page.goto(`${suite.demo.address}/brain`);
      await page.getByRole('button', { name: 'New file' }).click();
      const file = page.getByRole('form', { name: 'New file' });
      await file.getByRole('textbox', { name: 'Name of the file' }).fill('harbour');
      await file.getByRole('textbox', { name: 'What stands in it' }).fill('# The harbour\n\nTwo piers.');
      await file.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('complementary', { name: 'A memory' }).getByText('Two piers.').waitFor();
      await page.goto(`${suite.demo.address}/projects`);
      await page.getByRole('button', { name: 'New project' }).click();
      const project = page.getByRole('form', { name: 'New project' });
      await project.getByRole('textbox', { name: 'Folder of the project' }).fill('/');
      await page.keyboard.press('Enter');
      await page.getByText('is no project: name a folder below it').waitFor();
      await expectAccessible(page);
      expectQuiet();
      await page.context().close();
    });

    it('of a call the audit says in one row how long it ran', async () => {
      const { page, expectQuiet } = await open();
      await page.goto(`${suite.demo.address}/audit`);
      const rows = page.getByRole('list', { name: 'Calls' }).getByRole('listitem');
      await rows.first().waitFor();
      expect(
        await rows
          .filter({ hasText: 'ls build' })
          .filter({ hasText: /ran \d/ })
          .count(),
      ).toBe(2);
      await rows.filter({ hasText: 'ls build' }).first().click();
      await rows
        .first()
        .getByText('firmware-old')
        .or(rows.getByText('firmware-old').first())
        .first()
        .waitFor();
      expectQuiet();
      await page.context().close();
    });

    it('who has not signed in sees the head of the view above why, one heading and no more', async () => {
      const { page, expectQuiet } = await openPage(suite.browser);
      for (const [to, name] of [
        ['/runs', 'Runs'],
        ['/landing', 'Landing'],
        ['/review', 'Review'],
        ['/runners', 'Runners'],
        ['/beings', 'Beings'],
      ] as const) {
        await page.goto(`${suite.demo.address}${to}`);
        await page.getByText(/need you to sign in/).waitFor();
        expect(await page.getByRole('heading', { level: 1 }).allInnerTexts()).toEqual([name]);
        await expectAccessible(page);
      }
      expectQuiet(/401|404/);
      await page.context().close();
    });

    it('nothing is called by its id, and every list has heads over its columns', async () => {
      const { page, expectQuiet } = await open();
      for (const to of [
        '/',
        '/rooms',
        '/mail',
        '/sessions',
        '/landing',
        '/grants',
        '/audit',
        '/settings?view=tokens',
      ]) {
        await page.goto(`${suite.demo.address}${to}`);
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
        expect(await page.getByRole('main').innerText(), to).not.toMatch(
          /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/,
        );
      }
      await page.goto(`${suite.demo.address}/rooms`);
      const room = page.getByRole('region', { name: /^Room tidepool/ });
      await room
        .getByRole('link', { name: /Fix login redirect/ })
        .first()
        .waitFor();
      for (const [to, heads] of [
        ['/grants', ['Grant', 'Given', 'Used', 'Ends', '']],
        ['/audit', ['Call', 'Who', 'When', 'Outcome', 'Ran', 'Waited']],
      ] as const) {
        await page.goto(`${suite.demo.address}${to}`);
        const head = page.locator('.cells-head').first();
        await head.waitFor();
        expect(await head.locator('span').allInnerTexts(), to).toEqual(heads);
      }
      // One argument stands as what it is, and not as the JSON it came in.
      await page
        .getByRole('list', { name: 'Calls' })
        .getByText('ls build', { exact: true })
        .first()
        .waitFor();
      expectQuiet();
      await page.context().close();
    });

    it('a card shows one whole line of facts, and a list beside an open task cuts none of its columns', async () => {
      const { page, expectQuiet } = await open();
      await page.goto(`${suite.demo.address}/board`);
      await page.locator('[data-card]').first().waitFor();
      const halved = await page.evaluate(() =>
        [...(globalThis as any).document.querySelectorAll('[data-card] .flex-wrap')].flatMap((line: any) => {
          const { bottom } = line.getBoundingClientRect();
          return [...line.children]
            .filter((fact: any) => {
              const box = fact.getBoundingClientRect();
              return box.top < bottom - 0.5 && box.bottom > bottom + 1;
            })
            .map((fact: any) => fact.outerHTML.slice(0, 120));
        }),
      );
      expect(halved).toEqual([]);
      await page.locator('[data-card]').first().click();
      const task = await page.getByRole('complementary').getAttribute('aria-label');
      const id = new URL(page.url()).pathname.split('/').at(-1)!;
      expect(task).toMatch(/^Task: /);
      for (const to of ['/agents', '/due', '/review', '/landing']) {
        await page.goto(`${suite.demo.address}${to}?task=${id}`);
        await page.getByRole('complementary', { name: /^Task: / }).waitFor();
        const cut = await page.evaluate(() => {
          const { document } = globalThis as any;
          const edge = document.querySelector('main').getBoundingClientRect().right;
          return [...document.querySelectorAll('main .cells > *')]
            .filter((cell: any) => cell.getBoundingClientRect().right > edge + 1)
            .map((cell: any) => cell.outerHTML.slice(0, 120));
        });
        expect(cut, to).toEqual([]);
      }
      expectQuiet();
      await page.context().close();
    });

    it('what a view begins with stays where it is when a row is opened, on the widest screen, too', async () => {
      const { page, expectQuiet } = await open({ viewport: { width: 2560, height: 1300 } });
      await page.goto(`${suite.demo.address}/memory`);
      const create = page.getByRole('button', { name: 'New fact' });
      const before = (await create.boundingBox())!;
      await page.getByRole('button', { name: /Release day/ }).click();
      await page.getByRole('complementary', { name: 'A fact' }).waitFor();
      expect((await create.boundingBox())!.x).toBe(before.x);
      await page.goto(`${suite.demo.address}/rooms`);
      const box = page
        .getByRole('region', { name: /^Room / })
        .locator('[tabindex="0"]')
        .first();
      await box.getByRole('listitem').last().waitFor();
      // It stays at its end, also when a card in it grows after it came.
      await expect
        .poll(() => box.evaluate((it: any) => it.scrollHeight - it.scrollTop - it.clientHeight))
        .toBeLessThan(2);
      expectQuiet();
      await page.context().close();
    });

    it('a page whose script was cut on its way comes by itself', async () => {
      const { page, expectQuiet } = await open();
      let cuts = 2;
      await page.route(/\/assets\/index-[^/]+\.js$/, (route) =>
        (cuts -= 1) < 0 ? route.continue() : route.abort('connectionreset'),
      );
      await page.goto(`${suite.demo.address}/due`);
      await page.getByRole('heading', { name: 'Due' }).first().waitFor();
      expect(cuts).toBeLessThan(0);
      expectQuiet(/ERR_CONNECTION_RESET|preload/);
      await page.context().close();
    });

    it('what was cut on its way is asked for again, by itself', async () => {
      const { page } = await open();
      let asked = 0;
      await page.route('**/api/landings', (route) => ((asked += 1) === 1 ? route.abort() : route.continue()));
      await page.goto(`${suite.demo.address}/landing`);
      await page
        .getByText(/Nothing waits to land|Branches that do not go together/)
        .first()
        .waitFor();
      expect(await page.getByText('The hub does not answer.').count()).toBe(0);
      await expect.poll(() => asked).toBeGreaterThan(1);
      await page.context().close();
    });

    it('a view that breaks says so in words, with the stack behind a fold, and the rest stands', async () => {
      const { page } = await open();
      await page.route('**/api/budget', (route) => route.fulfill({ json: { windows: 7 } }));
      await page.goto(`${suite.demo.address}/budget`);
      await page.getByRole('heading', { name: 'This view broke' }).waitFor();
      const stack = page.locator('details pre');
      expect(await stack.isVisible()).toBe(false);
      await expectAccessible(page);
      await page.getByText('What happened, for a report').click();
      expect(await stack.innerText()).toContain('TypeError');
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Work' }).click();
      await page.getByRole('heading', { name: 'Board', level: 1 }).waitFor();
      for (const [to, words] of [
        ['/beings/nowhere', 'There is no such Being'],
        ['/sources/nowhere', 'There is no such source'],
      ] as const) {
        await page.goto(`${suite.demo.address}${to}`);
        await page.getByText(words).waitFor();
        await expectAccessible(page);
      }
      await page.context().close();
    });
  });
}
