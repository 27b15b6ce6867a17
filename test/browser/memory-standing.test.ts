// Whether what is remembered still holds, as a person sees it: beside each hit, and where it is confirmed or refuted.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, runHoldfast, startHub } from '../fixtures/hub-process.ts';
import { git, newRepository } from '../fixtures/repositories.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { modernClient } from '../fixtures/server-hosts.ts';
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
    const rest = restAt(address);
    const copy = { title: 'Port', content: 'The anchor listens on 8080', scopeTeamId: '' };
    await rest('POST', '/api/memory', copy);
    await page.getByRole('button', { name: 'It is wrong…' }).click();
    const refute = page.getByRole('button', { name: 'Refute it' });
    expect(await refute.isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Why it is wrong' }).fill('it is 9090 since Monday');
    await refute.click();
    await page.getByText(/hears? of it\./).waitFor();
    await page.getByText('it is 9090 since Monday').first().waitFor();
    // What says the same elsewhere is offered, and ended when that is wanted.
    const found = async (): Promise<readonly { title: string; id: string; scopeTeamId: string }[]> =>
      (await rest('GET', '/api/memory/search?query=anchor&quiet=true')).results;
    const titles = async () => (await found()).map(({ title }) => title).toSorted();
    expect(await titles()).toEqual(['Crew', 'Host', 'Port']);
    await page.getByText('The same stands for everybody.').waitFor();
    await page.getByRole('button', { name: 'Refute it there, too' }).click();
    await expect.poll(titles).toEqual(['Crew', 'Host']);

    // What somebody else refutes is said at once, and stays until it is put away, whatever is typed.
    const crew = (await found()).find(({ title }) => title === 'Crew')!;
    const bound = `scopeTeamId=${crew.scopeTeamId}&scopeAgentId=bob&profile=extended`;
    await modernClient(`${address}/api/mcp/memory?${bound}`).call('memory_refute', {
      id: crew.id,
      reason: 'eve does',
    });
    const told = page
      .getByRole('list', { name: 'Refuted' })
      .getByText(/about Crew was refuted by bob: eve does/);
    await told.waitFor();
    for (const words of ['harb', 'harbour', '']) {
      await page.getByRole('searchbox', { name: 'Search memory' }).fill(words);
      await page.waitForURL((url) => (url.searchParams.get('q') ?? '') === words);
      expect(await told.isVisible()).toBe(true);
    }
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Put away' }).click();
    await told.waitFor({ state: 'detached' });

    // What a person adds and what holds already: which of them holds is asked, and nothing is ended before.
    const gate = { title: 'Sluice', content: 'The sluice listens on port 8080.', scopeTeamId: '' };
    const { fact: old } = await rest('POST', '/api/memory', gate);
    await page.getByRole('button', { name: 'New fact' }).first().click();
    await page.getByRole('textbox', { name: 'What it is about' }).fill('Sluice, mended');
    await page.getByRole('textbox', { name: 'The fact' }).fill('The sluice listens on port 9090.');
    await page.getByRole('button', { name: 'Create' }).click();
    const against = page.getByRole('region', { name: 'It contradicts what holds' });
    await against.getByText(/says “.*8080.*”, this says “.*9090.*”/).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await against.getByRole('button', { name: 'Replace that one' }).click();
    await against.getByText('replaced').waitFor();
    const { versions } = await rest('GET', `/api/memory/facts/${old.id}/history`);
    expect(versions.map(({ title }: { title: string }) => title)).toEqual(['Sluice', 'Sluice, mended']);
    await against.getByRole('button', { name: 'Done' }).click();
    await page.getByText('The sluice listens on port 9090.').first().waitFor();
    expectQuiet();
    await page.context().close();
  });
});
