// Whether what is remembered still holds, as a person sees it: beside each hit, and where it is confirmed or refuted.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, runHoldfast, startHub } from '../fixtures/hub-process.ts';
import { git, newRepository } from '../fixtures/repositories.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { violationsOn } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';
import { keep } from './images.ts';

describe('how memory stands, in the page', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  it('says what stands, has changed or is gone, who confirmed the rest, and takes a reason', async () => {
    const env = freshHome({ HOLDFAST_EMBEDDING: 'none' });
    const { address } = await startHub(env);
    const root = newRepository(join(freshFolder(), 'repo'));
    const file = (name: string, text: string) => writeFileSync(join(root, name), text);
    const port = (number: number) =>
      file('port.ts', `import x from "x";\nexport const PORT = ${number};\nexport const NAME = "anchor";\n`);
    port(8080);
    file('host.ts', 'export const HOST = "harbour";\n');
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'first');
    // The page has no folder: it is shown the main checkout of a project that the hub knows.
    expect(runHoldfast(env, ['board', 'add', 'Mend the anchor'], undefined, root).code).toBe(0);
    const run = (...args: string[]) => runHoldfast(env, ['memory', ...args], undefined, root);
    expect(run('save', 'Port', 'The anchor listens on 8080', '--cite', 'port.ts:2').code).toBe(0);
    expect(run('save', 'Host', 'The anchor is called harbour', '--cite', 'host.ts:1').code).toBe(0);
    expect(run('save', 'Crew', 'The anchor is looked after by ann').code).toBe(0);
    port(9090);

    const { page, expectQuiet } = await openPage(browser);
    const hit = (name: string) => page.getByRole('button', { name: new RegExp(name) });
    // No answer waits for a look at files: the first may not know, and the next does.
    const look = async (): Promise<string> => {
      await page.goto(`${address}/memory`);
      await page.getByRole('searchbox', { name: 'Search memory' }).fill('anchor');
      await hit('Port').getByText('port.ts:2').first().waitFor();
      return `${await hit('Port').innerText()} ${await hit('Host').innerText()}`;
    };
    await expect
      .poll(look, { timeout: 30_000 })
      .toMatch(/port\.ts:2\s+has changed[^]*host\.ts:1\s+still stands/);
    expect(await hit('Crew').innerText()).toMatch(/holds, says/);
    expect(await violationsOn(page)).toEqual([]);
    await keep(page, 'memory-standing');

    await hit('Port').click();
    await page.getByRole('button', { name: 'It is wrong…' }).click();
    const refute = page.getByRole('button', { name: 'Refute it' });
    expect(await refute.isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Why it is wrong' }).fill('it is 9090 since Monday');
    await refute.click();
    await page.getByText(/hears? of it\./).waitFor();
    await page.getByText('it is 9090 since Monday').first().waitFor();
    const { results } = await restAt(address)('GET', '/api/memory/search?query=anchor');
    expect(results.map(({ title }: { title: string }) => title).toSorted()).toEqual(['Crew', 'Host']);
    expectQuiet();
    await page.context().close();
  });
});
