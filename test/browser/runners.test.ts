import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { AGENT } from '../fixtures/dispatch-hub.ts';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';

const CLI = join(import.meta.dirname, '../../dist/bin/holdfast.js');

describe('runners', () => {
  let browser: Browser;
  const children: ChildProcess[] = [];
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await browser?.close();
  });

  it('get a token on the page, come, are drained, and lose it again', { timeout: 120_000 }, async () => {
    const { address, rest } = await openHub();
    const { page, expectQuiet } = await openPage(browser);
    await page.goto(`${address}/runners`);
    await page.getByRole('heading', { name: 'Runners need you to sign in' }).waitFor();
    await page.goto(`${address}${(await rest('POST', '/api/open')).path}`);
    await page.goto(`${address}/runners`);
    await page.getByText('No other machine takes runs').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'New runner' }).click();
    const form = page.getByRole('form', { name: 'New runner' });
    await form.getByLabel('Name of the runner').fill('desktop');
    await form.getByRole('button', { name: 'Create token' }).click();
    const made = page.getByRole('region', { name: 'Token of the runner' });
    await made.waitFor();
    const [token, command] = await made.locator('pre').allTextContents();
    expect(command).toBe(`holdfast runner --hub ${address} --token-file desktop.token --name desktop`);
    await expectAccessible(page);
    await made.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: /desktop.*expected/ }).waitFor();
    expect(await page.locator('body').textContent()).not.toContain(token);

    // A run that waits for such a machine says so.
    const said = { instance: 'sailor', prompt: 'say hello', async: true, opts: { needs: ['gpu'] } };
    const { task_id: waiting } = await rest('POST', '/v1/send_message', said);
    await page.goto(`${address}/runs/${waiting}`);
    await page.getByRole('region', { name: 'Why it has not begun' }).getByText(/gpu/).waitFor();
    await rest('POST', `/v1/biam/tasks/${waiting}/cancel`);
    await page.goto(`${address}/runners`);

    startRunner(address, token!);
    const row = page.getByRole('button', { name: /desktop.*ready.*0 of 3 busy.*sailor.*gpu/ });
    await row.waitFor({ timeout: 60_000 });
    await row.click();
    const drawer = page.getByRole('complementary', { name: 'Runner desktop' });
    await drawer.getByText('It takes runs.').waitFor();
    await expectAccessible(page);
    await drawer.getByRole('button', { name: 'Drain' }).click();
    await drawer.getByRole('button', { name: 'Drain desktop' }).click();
    await drawer.getByText('It finishes what it has and takes nothing more.').waitFor();
    await page.getByRole('button', { name: /desktop.*draining/ }).waitFor();
    await drawer.getByRole('button', { name: 'Take runs again' }).click();
    await drawer.getByText('It takes runs.').waitFor();
    await page.getByRole('button', { name: /desktop.*ready/ }).waitFor();
    await drawer.getByRole('button', { name: 'Revoke' }).click();
    await drawer.getByText('revoked').waitFor();
    const { tokens } = await rest('GET', '/api/tokens');
    expect(tokens).toMatchObject([{ agent: 'desktop', scopes: ['runs:work'], state: 'revoked' }]);
    expectQuiet();
    await page.goto(`${address}/pulse`);
    const picture = page.getByRole('region', { name: 'Is there room on the machines?' });
    await picture.getByText('0 of 3 slots are busy on 1 of 1 runners.').waitFor();
    await picture.getByRole('button', { name: 'Table' }).click();
    await picture.getByRole('cell', { name: 'desktop' }).waitFor();
    await page.context().close();
  });

  const agents = { sailor: { family: 'command', command: [process.execPath, AGENT, '{prompt}'] } };

  async function openHub() {
    const env = freshHome();
    writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), stringify({ agents }));
    const { address } = await startHub(env);
    return { address, rest: restAt(address, tokenIn(env)) };
  }

  function startRunner(address: string, token: string): void {
    const env = freshHome();
    const home = env['HOLDFAST_HOME']!;
    writeFileSync(join(home, 'config.yaml'), stringify({ agents }));
    writeFileSync(join(home, 'desktop.token'), token, { mode: 0o600 });
    const args = [CLI, 'runner', '--hub', address, '--token-file', join(home, 'desktop.token')];
    const wish = ['--name', 'desktop', '--slots', '3', '--label', 'gpu'];
    children.push(spawn(process.execPath, [...args, ...wish], { env, stdio: 'ignore' }));
  }
});
