import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { connectSdk } from '../fixtures/mcp-sdk-clients.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { openBrowser, openPage } from './chromium.ts';

/** The board in a real browser, on a real hub, with a real client beside it. */
describe('the board', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  async function open(path = '/board') {
    const hub = await startHub(freshHome());
    const watched = await openPage(browser);
    const rest = restAt(hub.address);
    const add = (title: string, more: object = {}) => rest('POST', '/api/board/tasks', { title, ...more });
    const show = () => watched.page.goto(`${hub.address}${path}`);
    return { hub, rest, add, show, ...watched };
  }

  const column = (page: Page, status: string) => page.locator(`[data-column=${status}]`);

  it('shows a task that was written in the page, and moves its card when an agent claims it, without a reload', async () => {
    const { hub, page, show, rest, expectQuiet } = await open();
    await show();
    await page.getByText('The board is empty').waitFor();
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'Title' }).fill('Mend the roof');
    await page.keyboard.press('Control+Enter');
    await column(page, 'todo').getByText('Mend the roof').waitFor();
    await page.evaluate(() => ((globalThis as any).mark = true));

    const client = await connectSdk('SDK v1', { url: `${hub.address}/api/mcp/tasks` });
    const { tasks } = await rest('GET', '/api/board/tasks');
    await client.call('claim_task', { taskId: tasks[0]!.id, assigneeAgentId: 'ada' });
    await column(page, 'in_progress').getByText('Mend the roof').waitFor();
    await column(page, 'in_progress').getByText('ada').waitFor();
    await client.call('add_comment', {
      taskId: tasks[0]!.id,
      body: 'Half of it is dry.',
      authorAgentId: 'ada',
    });
    await column(page, 'in_progress').getByText('Mend the roof').click();
    await page.getByText('Half of it is dry.').waitFor();
    await client.call('update_task_status', { taskId: tasks[0]!.id, status: 'in_review', agentId: 'ada' });
    await page.getByRole('link', { name: /1 waits for you/ }).waitFor();
    await page.getByRole('button', { name: 'Accept' }).click();
    await column(page, 'done').getByText('Mend the roof').waitFor();
    expect(await page.evaluate(() => (globalThis as any).mark)).toBe(true);
    expectQuiet();
  });

  it('lets a card be dragged to a legal column only', async () => {
    const { page, add, show, rest, expectQuiet } = await open();
    await page.setViewportSize({ width: 2400, height: 900 });
    const { id } = await add('Carry me');
    await add('Keeps the column open', { status: 'backlog' });
    await show();
    const card = column(page, 'todo').getByText('Carry me');
    await carry(page, card, column(page, 'backlog'));
    await column(page, 'backlog').getByText('Carry me').waitFor();
    await expect.poll(async () => (await rest('GET', `/api/board/tasks/${id}`)).task.status).toBe('backlog');
    // From the backlog nothing is done at once: the column stays dim, and the card where it was.
    await carry(page, column(page, 'backlog').getByText('Carry me'), column(page, 'done'));
    await column(page, 'backlog').getByText('Carry me').waitFor();
    expect((await rest('GET', `/api/board/tasks/${id}`)).task.status).toBe('backlog');
    expectQuiet();
  });

  async function carry(
    page: Page,
    what: ReturnType<Page['locator']>,
    where: ReturnType<Page['locator']>,
  ): Promise<void> {
    const [from, to] = [(await what.boundingBox())!, (await where.boundingBox())!];
    await page.mouse.move(from.x + 20, from.y + 8);
    await page.mouse.down();
    await page.mouse.move(from.x + 40, from.y + 20, { steps: 4 });
    await page.mouse.move(to.x + Math.min(30, to.width / 2), to.y + 80, { steps: 8 });
    await page.mouse.up();
  }

  it('can be worked with keys alone', async () => {
    const { page, add, show, rest, expectQuiet } = await open('/');
    const { id } = await add('First');
    await add('Second');
    await show();
    await page.getByText('What happened').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('b');
    await column(page, 'todo').getByText('First').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('o');
    await page.getByRole('complementary', { name: 'Task: First' }).waitFor();
    await expect.poll(() => page.url()).toContain(`/board/${id}`);
    await page.keyboard.press(']');
    await page.getByRole('complementary', { name: 'Task: Second' }).waitFor();
    await page.keyboard.press('[');
    await page.getByRole('complementary', { name: 'Task: First' }).waitFor();
    await page.keyboard.press('c');
    await page.keyboard.type('Said with keys.');
    await page.keyboard.press('Control+Enter');
    // It may be told before the field that it was typed in is empty.
    await page.getByRole('complementary').getByRole('paragraph').getByText('Said with keys.').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('5');
    await column(page, 'blocked').getByText('First').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
    await page.keyboard.press('/');
    await page.keyboard.type('status:blo');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => column(page, 'todo').getByText('Second').count()).toBe(0);
    await expect.poll(() => page.url()).toContain('q=status');
    expect((await rest('GET', `/api/board/tasks/${id}`)).task.status).toBe('blocked');
    expectQuiet();
  });

  it('gives a task to an agent that is named, and says what the hub refused, in its words', async () => {
    const { page, add, show, rest } = await open();
    const { id } = await add('For ada');
    await rest('POST', `/api/board/tasks/${id}/checks`, { title: 'tests pass' });
    await show();
    await column(page, 'todo').getByText('For ada').click();
    await page.getByRole('heading', { name: 'For ada' }).waitFor();
    // Escape leaves the question, and not the task that it is about.
    const name = page.getByRole('textbox', { name: 'Name of an agent' });
    await page.keyboard.press('3');
    await name.press('Escape');
    await name.waitFor({ state: 'detached' });
    expect(await page.getByRole('heading', { name: 'For ada' }).count()).toBe(1);
    await page.keyboard.press('3');
    await name.fill('ada');
    await page.keyboard.press('Enter');
    await column(page, 'in_progress').getByText('ada', { exact: true }).waitFor();
    await rest('POST', `/api/board/tasks/${id}/heartbeat`, { agentId: 'ada' });
    await page.locator('aside').getByRole('button', { name: 'In progress' }).waitFor();
    await page.locator('aside').getByRole('heading', { name: 'For ada' }).click();
    await page.keyboard.press('6');
    // The check has no evidence: the hub refuses, the card goes back, and a person may still decide against it.
    await page.getByRole('alert').first().waitFor();
    await column(page, 'in_progress').getByText('For ada').waitFor();
    await page.getByRole('textbox', { name: 'Why it is done all the same' }).fill('I looked myself.');
    await page.getByRole('button', { name: 'Accept against the checks' }).click();
    await column(page, 'done').getByText('For ada').waitFor();
  });

  it('turns nothing that an agent wrote into markup', async () => {
    const { page, add, show, rest, expectQuiet } = await open();
    const CORPUS = [
      '<img src=x onerror=alert(1)>',
      '<script>alert(1)</script>',
      '[click](javascript:alert(1))',
      '[click](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)',
      '![x](http://192.0.2.1/track.png)',
      '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
      '<a href="java\tscript:alert(1)">x</a>',
      '"><svg/onload=alert(1)>',
      '```html\n<script>alert(1)</script>\n```',
      '<style>*{display:none}</style>',
      '[ref]: javascript:alert(1)\n[go][ref]',
      'right\u202eto\u202cleft and \u{e0041}tags and zero\u200bwidth',
    ];
    const { id } = await add(`Corpus ${CORPUS[0]}`, { description: CORPUS.join('\n\n') });
    for (const body of CORPUS)
      await rest('POST', `/api/board/tasks/${id}/comments`, { body, authorAgentId: '<b>mallory</b>' });
    await rest('POST', '/api/memory', { title: CORPUS[1], content: CORPUS.join('\n') });
    await show();
    await column(page, 'todo').getByText('Corpus').click();
    await page.getByRole('heading', { name: /^Corpus/ }).waitFor();
    await page.getByText('U+202E').first().waitFor();
    const drawer = page.locator('aside');
    expect(await drawer.locator('img, script, iframe, style, svg[onload]').count()).toBe(0);
    const links = await drawer
      .locator('a')
      .evaluateAll((all) => all.map((a) => [a.getAttribute('href'), a.getAttribute('rel')]));
    for (const [href, rel] of links) {
      expect(href).toMatch(/^(https?:|mailto:)/);
      expect(rel).toContain('noopener');
    }
    await page.goto(page.url().replace(/\/board.*/, '/memory'));
    await page.getByText('<script>alert(1)</script>').first().waitFor();
    expectQuiet();
  });

  it('says that the hub is away, comes back by itself and shows what happened meanwhile', async () => {
    const env = freshHome();
    const hub = await startHub(env);
    const port = new URL(hub.address).port;
    const { page } = await openPage(browser);
    await page.goto(`${hub.address}/board`);
    await page.getByText('The board is empty').waitFor();
    await hub.stop();
    await page.getByText('The hub does not answer.').waitFor();
    const again = await startHub(env, ['--port', port]);
    const body = JSON.stringify({ title: 'Written meanwhile' });
    await fetch(`${again.address}/api/board/tasks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await column(page, 'todo').getByText('Written meanwhile').waitFor();
    await page.getByText('The hub is back.').waitFor();
  });
});
