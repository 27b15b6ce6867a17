import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';

const TEXT = `# how long a claim lasts
lease: 20m # as agreed
`;

describe('settings and agents, changed on the page', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  async function openSignedIn() {
    const env = freshHome();
    const path = join(env['HOLDFAST_HOME']!, 'config.yaml');
    writeFileSync(path, TEXT);
    const { address } = await startHub(env);
    const rest = restAt(address, tokenIn(env));
    const shown = await openPage(browser);
    await shown.page.goto(`${address}${(await rest('POST', '/api/open')).path}`);
    return { ...shown, address, rest, read: () => readFileSync(path, 'utf8') };
  }

  it('shows what a setting would change in config.yaml before it does', { timeout: 90_000 }, async () => {
    const { page, address, read, expectQuiet } = await openSignedIn();
    await page.goto(`${address}/settings?view=hub`);
    const row = page.getByRole('listitem', { name: 'lease', exact: true });
    await row.getByRole('button', { name: 'Edit' }).click();
    await row.getByLabel('Value of lease').fill('45m');
    await row.getByRole('button', { name: 'Preview' }).click();
    const diff = row.getByLabel('What would change in config.yaml');
    await diff.getByText('lease: 45m # as agreed').waitFor();
    await expectAccessible(page);
    expect(read()).toBe(TEXT);
    await row.getByRole('button', { name: 'Apply' }).click();
    await row.getByText('45m from the next start of the hub').waitFor({ timeout: 20_000 });
    expect(read()).toBe(TEXT.replace('20m', '45m'));
    expectQuiet();
    await page.context().close();
  });

  it('begins to read sessions, as was shown, and only when asked', { timeout: 90_000 }, async () => {
    const { page, address, read, expectQuiet } = await openSignedIn();
    await page.goto(`${address}/sessions`);
    await page.getByRole('button', { name: 'Choose what is read' }).click();
    await page.getByRole('checkbox', { name: 'OpenCode' }).uncheck();
    await page.getByLabel('What would change in config.yaml').getByText('sessions:').waitFor();
    await expectAccessible(page);
    expect(read()).toBe(TEXT);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('holdfast restart').waitFor();
    expect(read()).toMatch(/sessions:\s+from:[^z]*claude-code[^z]*gemini/);
    expect(read()).not.toContain('opencode');
    expectQuiet();
    await page.context().close();
  });

  it(
    'adds an agent, whose variables are never shown again, and takes it away',
    { timeout: 90_000 },
    async () => {
      const { page, address, rest, read, expectQuiet } = await openSignedIn();
      await page.goto(`${address}/agents`);
      await page.getByRole('button', { name: 'New agent' }).click();
      const form = page.getByRole('form', { name: 'New agent' });
      await form.getByLabel('Name').fill('cheap');
      await form.getByLabel('Family').selectOption('command');
      await form.getByRole('textbox', { name: 'Command' }).fill(`${process.execPath} -e "0" {prompt}`);
      await form.getByLabel('Variable').fill('MY_WORD');
      await form.getByLabel('Its value').fill('swordfish-of-mine');
      await form.getByRole('button', { name: 'Preview' }).click();
      await page.getByLabel('What would change in config.yaml').getByText('MY_WORD: (hidden)').waitFor();
      await expectAccessible(page);
      expect(read()).toBe(TEXT);
      await page.getByRole('button', { name: 'Apply' }).click();
      const row = page.getByRole('listitem', { name: 'cheap', exact: true });
      await row.waitFor({ timeout: 20_000 });
      expect(read()).toContain('MY_WORD: swordfish-of-mine');
      await row.getByRole('button', { name: 'Edit' }).click();
      const change = row.getByRole('form', { name: 'Change cheap' });
      await change.getByText('Variables: MY_WORD.').waitFor({ timeout: 20_000 });
      expect(await page.content()).not.toContain('swordfish');
      await change.getByRole('button', { name: 'Remove' }).click();
      await row.getByRole('button', { name: 'Apply' }).click();
      await row.waitFor({ state: 'detached', timeout: 20_000 });
      expect((await rest('GET', '/api/config/agents')).agents).toEqual([]);
      expect(read()).toContain(TEXT);
      expectQuiet();
      await page.context().close();
    },
  );
});
