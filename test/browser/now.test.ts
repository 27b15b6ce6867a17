import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { builtBin } from '../fixtures/built.ts';
import { AGENT } from '../fixtures/dispatch-hub.ts';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { connectSdk } from '../fixtures/mcp-sdk-clients.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';

describe('now', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  it('waits at an empty hub, greets the first agent as it comes, and has a first task for it', async () => {
    const env = freshHome();
    const { address } = await startHub(env);
    const { page, expectQuiet } = await openPage(browser);
    await page.goto(address);
    await page.getByRole('heading', { name: 'The water is still' }).waitFor();
    await page.getByText('holdfast connect claude-code').first().waitFor();
    await expectAccessible(page);
    await page.evaluate(() => ((globalThis as any).mark = true));
    const client = await connectSdk('SDK v1', {
      command: process.execPath,
      args: [builtBin('clawboo-mcp-tasks')],
      env: env as Record<string, string>,
    });
    const greeting = page.getByRole('region', { name: 'The first agent' });
    await greeting.getByText('is here').waitFor();
    await expectAccessible(page);
    await greeting.getByRole('button', { name: 'Put a sample task on the board' }).click();
    await greeting.getByText('Claim the next task on the board and do it.').waitFor();
    const { tasks } = (await (await fetch(`${address}/api/board/tasks`)).json()) as {
      tasks: { id: string }[];
    };
    await client.call('claim_task', { taskId: tasks[0]!.id, assigneeAgentId: 'ada' });
    await greeting.waitFor({ state: 'detached' });
    await page.getByText('took', { exact: false }).first().waitFor();
    await client.close();
    // Who leaves is told: the page does not ask again and again.
    await page
      .getByText(/ left$/)
      .first()
      .waitFor();
    expect(await page.evaluate(() => (globalThis as any).mark)).toBe(true);
    expectQuiet();
  });

  it('rings for the question of a run, and takes the answer', async () => {
    const env = freshHome();
    const agents = { sailor: { family: 'command', command: [process.execPath, AGENT, 'forever'] } };
    writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), stringify({ agents }));
    const { address } = await startHub(env);
    const token = tokenIn(env);
    const rest = restAt(address, token);
    const { page, expectQuiet } = await openPage(browser);
    await page.goto(`${address}${(await rest('POST', '/api/open')).path}`);
    const { task_id: run, agent } = await rest('POST', '/v1/send_message', {
      instance: 'sailor',
      prompt: 'sail',
      async: true,
    });
    const { token: own } = await rest('POST', '/api/tokens', { agent });
    await expect
      .poll(async () => (await rest('GET', `/v1/biam/tasks/${run}`)).task)
      .toMatchObject({ status: 'active', reason: 'running' });
    await restAt(address, own)('POST', `/v1/biam/tasks/${run}/reply`, {
      kind: 'clarification',
      body: 'Which port?',
    });
    await page.goto(address);
    await page.getByRole('heading', { name: 'Waits for you' }).waitFor();
    await page.getByText('asks', { exact: false }).first().waitFor();
    await page.getByRole('link', { name: /1 waits for you/ }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Answer' }).click();
    const drawer = page.getByRole('complementary', { name: /^Run of/ });
    await drawer.getByText('Which port?').waitFor();
    await drawer.getByRole('textbox', { name: 'Answer its question' }).fill('Whitby.');
    await drawer.getByRole('button', { name: 'Send' }).click();
    await expect.poll(() => page.getByRole('link', { name: /waits for you/ }).count()).toBe(0);
    expectQuiet();
  });

  it('rings for a task that was given to somebody who never came, and takes it back', async () => {
    const { address } = await startHub(freshHome());
    const { page, expectQuiet } = await openPage(browser);
    const rest = restAt(address);
    const { id } = await rest('POST', '/api/board/tasks', { title: 'Fetch the pilot' });
    await rest('POST', `/api/board/tasks/${id}/assign`, { assigneeAgentId: 'ada' });
    await page.clock.install();
    await page.goto(address);
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Waits for you' }).count()).toBe(0);
    await page.clock.fastForward(6 * 60_000);
    await page.getByText('who has not taken it up').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Unassign' }).click();
    await expect.poll(async () => (await rest('GET', `/api/board/tasks/${id}`)).task.status).toBe('todo');
    await page.getByText('who has not taken it up').waitFor({ state: 'detached' });
    expectQuiet();
  });

  it('shows what is overdue, and leads to it', async () => {
    const { address } = await startHub(freshHome());
    const { page, expectQuiet } = await openPage(browser);
    const rest = restAt(address);
    await rest('POST', '/api/board/tasks', { title: 'Paint the hull', due: '2020-01-02' });
    await rest('POST', '/api/board/tasks', { title: 'Dream of the sea', due: '2999-01-01' });
    await page.goto(address);
    await page.getByText(/was due\s+Jan 2, 2020/).waitFor();
    expect(await page.getByText(/was due/).count()).toBe(1);
    await page.getByRole('button', { name: 'Paint the hull' }).first().click();
    await page.getByRole('complementary', { name: /Paint the hull/ }).waitFor();
    expectQuiet();
  });
});
