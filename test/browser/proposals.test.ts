import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claudeLine } from '../fixtures/claude-lines.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { violationsOn } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';
import { keep } from './images.ts';

describe('proposals in the page', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  it('are remembered as they are or in other words, or rejected, and gone then', async () => {
    const home = freshFolder();
    const at = join(home, '.claude/projects/-boat');
    mkdirSync(at, { recursive: true });
    const texts = [
      'from now on write commit messages in the imperative, with the ticket in front',
      'never put keys in .env here, they come from vault',
      'we decided on uuid v7 for all ids, numbers leak how many customers there are',
    ];
    texts.forEach((text, i) =>
      writeFileSync(join(at, `${i}.jsonl`), claudeLine({ session: `s${i}`, folder: '/home/ada/boat', text })),
    );
    const env = freshHome({ HOME: home });
    writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), 'sessions: { from: [claude-code] }\n');
    const { address } = await startHub(env);
    const ask = restAt(address);
    await ask('POST', '/api/sessions/sync', {});

    const { page, expectQuiet } = await openPage(browser);
    await page.goto(`${address}/memory?view=proposals`);
    const offered = page.getByRole('form', { name: /^Proposal: / });
    await expect.poll(() => offered.count()).toBe(3);
    expect(await violationsOn(page)).toEqual([]);
    await keep(page, 'memory-proposals');

    await page
      .getByRole('form', { name: /never put keys/ })
      .getByRole('button', { name: 'Reject' })
      .click();
    await expect.poll(() => offered.count()).toBe(2);
    await page
      .getByRole('form', { name: /from now on/ })
      .getByRole('button', { name: 'Remember' })
      .click();
    await expect.poll(() => offered.count()).toBe(1);
    const last = page.getByRole('form', { name: /we decided/ });
    await last.getByRole('button', { name: 'Edit' }).click();
    await last.getByRole('textbox', { name: 'Text' }).fill('Ids are uuid v7.');
    await last.getByRole('button', { name: 'Remember' }).click();
    await page.getByText('Nothing is offered').waitFor();
    const { facts } = await ask('GET', '/api/memory');
    expect(facts.map(({ content }: { content: string }) => content).toSorted()).toEqual([
      'Ids are uuid v7.',
      texts[0],
    ]);
    expectQuiet();
  });
});
