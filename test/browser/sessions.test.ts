import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claudeLine } from '../fixtures/claude-lines.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { newRepositoryWithCommit } from '../fixtures/repositories.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { homeWithRecordings } from '../fixtures/sessions-host.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';
import { keepPicture } from './images.ts';

const PHONE = { viewport: { width: 390, height: 844 } };

/** What real clients recorded, in a real browser: the timeline, what is found, a session as a document. */
describe('sessions in the page', { timeout: 120_000 }, () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  async function open() {
    const home = freshFolder();
    const folder = newRepositoryWithCommit(join(home, 'boat'));
    homeWithRecordings(home, folder);
    const evil = join(home, '.claude/projects/-evil');
    mkdirSync(evil, { recursive: true });
    const text = '<img src=x onerror=alert(1)> [mend](javascript:alert(2)) the \u202ebilge';
    writeFileSync(join(evil, 'evil.jsonl'), claudeLine({ session: 'evil', folder, text }));
    const env = freshHome({ HOME: home });
    const config = 'sessions:\n  from: [claude-code, codex, gemini, opencode]\n';
    writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), config);
    const { address } = await startHub(env);
    const rest = restAt(address, tokenIn(env));
    await rest('POST', '/api/sessions/sync', {});
    return { address, rest };
  }

  it('shows the timeline, finds a moment, and opens its session there; wide and on a phone, light and dark', async () => {
    const { address, rest } = await open();
    for (const [name, options] of [
      ['wide-light', { colorScheme: 'light' }],
      ['phone-dark', { ...PHONE, colorScheme: 'dark' }],
    ] as const) {
      const { page, expectQuiet } = await openPage(browser, options);
      const { path } = await rest('POST', '/api/open');
      await page.goto(`${address}${path}`);
      await page.goto(`${address}/sessions`);
      await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor();
      for (const client of ['claude-code', 'codex', 'gemini', 'opencode'])
        await page.getByText(client, { exact: true }).first().waitFor();
      await expectAccessible(page);
      await keepPicture(page, `sessions-${name}`);

      const line = page.getByRole('textbox', { name: 'Search sessions' });
      await line.fill('file:src/keel.js');
      await line.press('Enter');
      await page
        .getByText(/codex resume|claude --resume|opencode/)
        .first()
        .waitFor();
      await expectAccessible(page);
      await keepPicture(page, `sessions-found-${name}`);
      await page.getByRole('main').getByRole('listitem').getByRole('link').first().click();
      const drawer = page.getByRole('complementary', { name: 'Session' });
      await drawer.getByRole('listitem').first().waitFor();
      expect(await drawer.locator('details').count()).toBeGreaterThan(0);
      await expectAccessible(page);
      await keepPicture(page, `sessions-document-${name}`);
      // Nothing is wider than the screen.
      const wide = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      expect(wide).toBeLessThanOrEqual(0);

      await page.goto(`${address}/sessions?q=bilge`);
      await page.getByText('onerror=alert(1)').first().waitFor();
      expect(await page.locator('main img, main a[href^="javascript"]').count()).toBe(0);
      expectQuiet();
      await page.context().close();
    }
  });
});
