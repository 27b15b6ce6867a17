import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { freshRepository } from '../fixtures/repository.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';

const SHIPWRIGHT = fileURLToPath(new URL('../fixtures/dispatch/shipwright.mjs', import.meta.url));

/** What somebody types stays until it was sent or thrown away. */
describe('text that was typed and not sent', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  async function open(agents: object = {}) {
    const env = freshHome();
    writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), stringify({ agents }));
    const hub = await startHub(env);
    const token = tokenIn(env);
    const rest = restAt(hub.address, token);
    const watched = await openPage(browser);
    const signIn = async () => {
      await watched.page.goto(`${hub.address}${(await rest('POST', '/api/open')).path}`);
    };
    return { env, hub, address: hub.address, rest, signIn, ...watched };
  }

  const holds = async (page: Page, name: string, text: string) => {
    const field = page.getByRole('textbox', { name, exact: true });
    await expect.poll(() => field.inputValue()).toBe(text);
  };

  it('a new task outlives Esc, another view, a reload and a restart of the hub, until it is discarded', async () => {
    const { env, hub, address, page, expectQuiet } = await open();
    await page.goto(`${address}/board`);
    await page.getByText('The board is empty').waitFor();
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'Title' }).fill('Mend the northern roof');
    await page.getByRole('textbox', { name: 'Description' }).fill('Before the rain comes.\nTiles are dear.');
    await page.keyboard.press('Escape');
    await page.getByRole('form', { name: 'New task' }).waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await holds(page, 'Title', 'Mend the northern roof');
    await page.goto(`${address}/rooms`);
    await page.goto(`${address}/board?view=new`);
    await holds(page, 'Description', 'Before the rain comes.\nTiles are dear.');
    await hub.stop();
    await startHub(env, ['--port', new URL(address).port]);
    await page.goto(`${address}/board?view=new`);
    await holds(page, 'Title', 'Mend the northern roof');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('form', { name: 'New task' }).waitFor({ state: 'detached' });
    await page.keyboard.press('n');
    await holds(page, 'Title', '');
    await page.getByRole('textbox', { name: 'Title' }).fill('Paint the door');
    await page.keyboard.press('Control+Enter');
    await page.locator('[data-column=todo]').getByText('Paint the door').waitFor();
    await page.keyboard.press('n');
    await holds(page, 'Title', '');
    expectQuiet(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE|Failed to load/);
  });

  it('half a comment and half an edit belong to their task, in every tab, and are gone once they were sent', async () => {
    const { address, page, rest, expectQuiet } = await open();
    const { id } = await rest('POST', '/api/board/tasks', { title: 'Mend the roof', description: 'Soon.' });
    const { id: other } = await rest('POST', '/api/board/tasks', { title: 'Sweep the yard' });
    await page.goto(`${address}/board/${id}`);
    await page.getByRole('textbox', { name: 'Comment' }).fill('Ask the neighbours for a ladder');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('textbox', { name: 'Description' }).fill('Soon, before the rain.');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('complementary', { name: /^Task/ }).waitFor({ state: 'detached' });
    await page.goto(`${address}/board/${other}`);
    await holds(page, 'Comment', '');
    const second = await page.context().newPage();
    await second.goto(`${address}/board/${id}`);
    await holds(second, 'Comment', 'Ask the neighbours for a ladder');
    await page.goto(`${address}/board/${id}`);
    await holds(page, 'Comment', 'Ask the neighbours for a ladder');
    await second.getByRole('textbox', { name: 'Comment' }).press('End');
    await second.keyboard.type('.');
    await holds(page, 'Comment', 'Ask the neighbours for a ladder.');

    // What somebody else wrote meanwhile is not lost either: it is said.
    await rest('PATCH', `/api/board/tasks/${id}`, { description: 'Now.' });
    await page.getByRole('button', { name: 'Continue editing' }).click();
    await holds(page, 'Description', 'Soon, before the rain.');
    await page.getByText('The description was changed elsewhere since you began.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('form', { name: 'Edit the task' }).waitFor({ state: 'detached' });
    expect((await rest('GET', `/api/board/tasks/${id}`)).task.description).toBe('Soon, before the rain.');
    await page.getByRole('textbox', { name: 'Comment' }).press('Control+Enter');
    // For a moment it stands in the field as well.
    await page.getByText('Ask the neighbours for a ladder.').first().waitFor();
    await holds(second, 'Comment', '');
    await page.reload();
    await holds(page, 'Comment', '');
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
    expectQuiet();
  });

  it('what is typed while a comment is on its way stays, and a hand that rests on a key does a thing once', async () => {
    const { address, page, rest, expectQuiet } = await open();
    const { id } = await rest('POST', '/api/board/tasks', { title: 'Mend the roof' });
    let letGo = () => {};
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await page.route('**/comments', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${address}/board/${id}`);
    const field = page.getByRole('textbox', { name: 'Comment' });
    await field.fill('First.');
    await field.press('Control+Enter');
    await field.press('End');
    await page.keyboard.type(' And second.');
    letGo();
    await expect
      .poll(async () => (await rest('GET', `/api/board/tasks/${id}`)).comments.length, { timeout: 15_000 })
      .toBe(1);
    await holds(page, 'Comment', ' And second.');
    await field.fill('');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Mend the roof' }).click();
    // As a keyboard says it when a key is held down.
    const theme = () => page.evaluate<string>('document.documentElement.dataset.theme');
    const before = await theme();
    await page.keyboard.down('D');
    await page.keyboard.down('D');
    await expect.poll(theme).not.toBe(before);
    expectQuiet();
  });

  it('a policy, a post and a letter outlive another view; all of them are listed, and each is discarded by name', async () => {
    const { address, page, rest, signIn, expectQuiet } = await open();
    await rest('POST', '/api/chat/rooms/team:red/posts', { text: 'Good morning.' });
    await signIn();
    await page.goto(`${address}/policy`);
    const policy = 'version: 1\nrules: []\n# not yet\n';
    await page.getByRole('textbox', { name: 'policy.yaml' }).fill(policy);
    await page.getByRole('link', { name: 'Talk' }).click();
    await page.getByRole('textbox', { name: 'Say something in red' }).fill('Who has the ladder today?');
    await page.goto(`${address}/policy`);
    await holds(page, 'policy.yaml', policy);
    await page.goto(`${address}/rooms/team:red`);
    await holds(page, 'Say something in red', 'Who has the ladder today?');
    await page.goto(`${address}/settings?view=drafts`);
    const list = page.getByRole('list', { name: 'Typed and not sent' });
    await list.getByText('Who has the ladder today?').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Discard policy file' }).click();
    await page.goto(`${address}/policy`);
    await page.getByRole('textbox', { name: 'policy.yaml' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'policy.yaml' }).inputValue()).not.toBe(policy);
    expectQuiet();
  });

  it('comments on the lines of a diff stay per run through tabs and reloads, half written ones too', async () => {
    const agents = { shipwright: { family: 'acp', command: [process.execPath, SHIPWRIGHT, freshFolder()] } };
    const { address, page, rest, signIn, expectQuiet } = await open(agents);
    await signIn();
    const { id } = await rest('POST', '/api/board/tasks', { title: 'Greet the harbour' });
    const body = { task_id: id, instance: 'shipwright', project: freshRepository().path };
    const { task: run } = await rest('POST', '/v1/runs', body);
    await page.goto(`${address}/runs/${run.task_id}`);
    const drawer = page.getByRole('complementary', { name: /^Run of shipwright-/ });
    await drawer.getByRole('button', { name: 'Allow once' }).click();
    await page.getByRole('button', { name: 'Send now' }).click();
    await drawer.getByText('The tests pass.').waitFor();
    await drawer.getByRole('button', { name: 'Diff' }).click();
    await drawer.getByRole('button', { name: 'Comment on line 2' }).click();
    await drawer.getByRole('textbox', { name: 'Comment on this line' }).fill('Greet the lighthouse, too.');
    await drawer.getByRole('button', { name: 'Output' }).click();
    await drawer.getByRole('textbox', { name: /^Go on where/ }).fill('And then the pier.');
    await drawer.getByRole('button', { name: 'Diff' }).click();
    await drawer.getByText('Greet the lighthouse, too.').waitFor();
    await page.reload();
    await drawer.getByText('Greet the lighthouse, too.').waitFor();
    await expectAccessible(page);
    await drawer.getByRole('button', { name: 'Comment', exact: true }).click();
    await drawer.getByRole('region', { name: 'Comments on line 2' }).waitFor();
    await drawer.getByRole('button', { name: 'Request changes' }).click();
    await drawer.getByRole('button', { name: 'Request changes: 1 comment' }).click();
    await drawer.getByText(/goes on with it/).waitFor();
    const heard = await rest('GET', `/v1/biam/tasks?board_task=${id}`);
    const { result } = await rest('GET', `/v1/biam/tasks/${heard.tasks[0].task_id}/wait`);
    expect(result).toContain('README.md:2\n> harbour\nGreet the lighthouse, too.');
    await page.goto(`${address}/runs/${run.task_id}?view=diff`);
    await drawer.getByText('harbour', { exact: true }).waitFor();
    // It is said now, and no draft any more.
    expect(await drawer.getByRole('textbox', { name: 'Comment on this line' }).count()).toBe(0);
    await drawer.getByRole('button', { name: 'Output' }).click();
    await expect
      .poll(() => drawer.getByRole('textbox', { name: /^Go on where/ }).inputValue())
      .toBe('And then the pier.');
    expectQuiet();
  });

  it('is of who typed it: it comes along when they sign in, is not shown after they signed out, and holds no key', async () => {
    const { address, page, rest, signIn, expectQuiet } = await open();
    const { id } = await rest('POST', '/api/board/tasks', { title: 'Mend the roof' });
    await page.goto(`${address}/board/${id}`);
    await page.getByRole('textbox', { name: 'Comment' }).fill('The key is under the mat');
    await signIn();
    await page.goto(`${address}/board/${id}`);
    await holds(page, 'Comment', 'The key is under the mat');
    await page.getByRole('textbox', { name: 'Comment' }).fill('The key is under the mat, the second one');
    await page.goto(`${address}/settings?view=browser`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'detached' });
    await page.goto(`${address}/board/${id}`);
    await page.getByRole('textbox', { name: 'Comment' }).waitFor();
    await holds(page, 'Comment', '');
    const secret = `sk-proj-${'a1B2c3D4'.repeat(5)}`;
    await page.getByRole('textbox', { name: 'Comment' }).fill(`Use ${secret} for now`);
    await page.getByText('it seems to hold a key, so only this tab keeps it').waitFor();
    expect(await page.evaluate<string>('JSON.stringify(localStorage)')).not.toContain(secret);
    await signIn();
    await page.goto(`${address}/board/${id}`);
    await holds(page, 'Comment', 'The key is under the mat, the second one');
    expectQuiet();
  });
});
