import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { violationsOn } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';
import { keep } from './images.ts';

describe('the brain in the page', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  it('draws how a memory earned its credit; says what tidying would do, does it, and takes it back', async () => {
    const { address } = await startHub(freshHome());
    const ask = restAt(address);
    const rest = (path: string, body: object) => ask('POST', `/api/brain${path}`, body);
    const ids = async () => {
      const { top } = await ask('GET', '/api/brain/report?top_n=50');
      return top.map(({ id: each }: { id: string }) => each).toSorted();
    };
    const episode = (name: string, content: string) =>
      rest('/memories', { type: 'episode', name, content, tags: ['tide', 'gauge'] });
    const { id } = await episode('morning-watch', 'The gauge at the pier reads low.');
    await episode('evening-watch', 'The gauge at the pier was mended.');
    for (const outcome of ['good', 'good', 'bad']) await rest('/feedback', { outcome, ids: [id] });
    const before = await ids();
    expect(before).toHaveLength(2);

    const { page, expectQuiet } = await openPage(browser);
    await page.goto(`${address}/brain`);
    await page.getByRole('button', { name: /morning-watch/ }).click();
    const drawer = page.getByRole('complementary', { name: 'A memory' });
    const plot = drawer.getByRole('img', { name: /^Credit over time, from 0\.\d\d to 0\.\d\d$/ });
    await plot.waitFor();
    const { events } = (await (await fetch(`${address}/api/brain/memories/${id}/credit`)).json()) as any;
    expect(await plot.locator('circle').count()).toBe(events.length);
    expect(await plot.locator('circle.stroke-amber').count()).toBe(1);
    expect(await violationsOn(page)).toEqual([]);
    await keep(page, 'brain-credit');
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'What would tidying do?' }).click();
    await page.getByText(/merged, .* pruned, if you say so\.$/).waitFor();
    expect(await ids()).toEqual(before);
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText(/merged, .* pruned\.$/).waitFor();
    expect(await ids()).toHaveLength(1);
    await page.getByRole('button', { name: 'Undo the last' }).click();
    await page.getByText(/^Took back \d+ steps\.$/).waitFor();
    expect(await ids()).toEqual(before);
    expectQuiet();
  });
});
