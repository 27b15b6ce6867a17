import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { connectSdk } from '../fixtures/mcp-sdk-clients.ts';
import { openBrowser, openPage } from './chromium.ts';

const CORPUS = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '[click](javascript:alert(1))',
  '![x](http://192.0.2.1/track.png)',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '"><svg/onload=alert(1)>',
  '<style>*{display:none}</style>',
  'right\u202eto\u202cleft and \u{e0041}tags',
];

/** Runs in the page: what has to be pushed sideways to be read, though it is a list to be read downwards. */
function sideways(): readonly string[] {
  const { document, getComputedStyle } = globalThis as any;
  return [document.documentElement, ...document.querySelectorAll('main, main *, aside, aside *')]
    .filter((box) => /auto|scroll/.test(getComputedStyle(box).overflowY) || box === document.documentElement)
    .filter((box) => box.scrollWidth > box.clientWidth + 1 && !/overflow-x-auto/.test(box.className))
    .map((box) => `${box.tagName} ${box.className}`);
}

/** What agents write is text, wherever a person looks at it. */
describe('what agents wrote stays text', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  it('in memory and its duplicates, in rooms, in the audit and in the search box', async () => {
    const { address } = await startHub(freshHome());
    const rest = restAt(address);
    const words = 'about the tide tables of the northern harbour';
    const text = `${CORPUS.join('\n\n')}\n\n${words}`;
    await rest('POST', '/api/memory', { title: `One ${CORPUS[0]}`, content: text });
    await rest('POST', '/api/memory', { title: `Two ${CORPUS[1]}`, content: `${text}, again` });
    for (const content of [text, `${text} and more`])
      await rest('POST', '/api/memory', { procedureName: `How ${CORPUS[0]}`, content });
    await rest('POST', '/api/chat/rooms/team:red/posts', { text });
    const client = await connectSdk('SDK v1', { url: `${address}/api/mcp/tools` });
    await client.call('echo', { message: text });

    const { page, expectQuiet } = await openPage(browser);
    const expectInert = async (where: string) => {
      const risky = page.locator('body').locator('img, script, iframe, style, svg[onload]');
      expect(await risky.count(), where).toBe(0);
      const links = await page
        .locator('main a[href]')
        .evaluateAll((all) => all.map((a) => a.getAttribute('href')));
      for (const href of links) expect(href, where).not.toMatch(/^\s*(javascript|data|vbscript):/i);
    };
    for (const [path, shown] of [
      ['/memory', 'One <img src=x onerror=alert(1)>'],
      ['/memory?q=tide%20tables', 'One <img src=x onerror=alert(1)>'],
      ['/memory?view=duplicates', '2 say nearly the same'],
      ['/memory?view=procedures', 'How <img src=x onerror=alert(1)>'],
      ['/rooms', '<script>alert(1)</script>'],
      ['/audit', 'echo'],
    ] as const) {
      await page.goto(`${address}${path}`);
      await page.getByText(shown).first().waitFor();
      for (const fold of await page.locator('main summary').all()) await fold.click();
      await page.getByText('U+202E').first().waitFor();
      await expectInert(path);
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Search tasks/ }).fill('northern harbour');
    for (const group of ['Memory', 'Rooms', 'Calls'])
      await page.getByText(group, { exact: true }).last().waitFor();
    await page.getByRole('option', { name: /One <img/ }).waitFor();
    await expectInert('the search box');

    // Nor does a name or a title of any length move what stands beside it.
    const [name, title] = ['n'.repeat(200), 'W'.repeat(200)];
    const { id } = await rest('POST', '/api/board/tasks', { title });
    const tasks = await connectSdk('SDK v1', { url: `${address}/api/mcp/tasks` });
    await tasks.call('claim_task', { taskId: id, assigneeAgentId: name });
    await rest('POST', `/api/board/tasks/${id}/comments`, { body: name });
    await page.setViewportSize({ width: 1024, height: 800 });
    for (const [path, last] of [
      ['/', 'What happened'],
      [`/agents?at=${name}`, 'Did lately'],
      ['/board?view=list', title],
      [`/board/${id}`, 'Conversation'],
    ] as const) {
      await page.goto(`${address}${path}`);
      await page.getByRole('main').getByText(title).first().waitFor();
      await page.getByText(last).first().waitFor();
      expect(await page.evaluate(sideways), path).toEqual([]);
    }
    expectQuiet();
  });

  it('two facts that say the same are merged in the page, and what they said stays readable', async () => {
    const { address } = await startHub(freshHome());
    const save = (content: string) =>
      fetch(`${address}/api/memory`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ title: 'Staging database', content }),
      });
    await save('The staging database listens on port 5433 of the harbour machine.');
    await save('The staging database is listening on port 5433 on the harbour machine.');
    const { page, expectQuiet } = await openPage(browser);
    await page.goto(`${address}/memory?view=duplicates`);
    await page.getByRole('textbox', { name: 'What holds from now on' }).fill('It is port 5433, since May.');
    await page.getByRole('button', { name: 'Merge 2 into one' }).click();
    await page.getByText('Nothing is said twice').waitFor();
    await page.getByRole('button', { name: 'Facts', exact: true }).click();
    await page.getByRole('button', { name: /It is port 5433, since May/ }).click();
    const drawer = page.getByRole('complementary', { name: 'A fact' });
    await drawer.getByText('listens on port 5433').waitFor();
    await drawer.getByText('is listening on port 5433').waitFor();
    expect(await drawer.getByText('merged by').count()).toBe(2);
    expectQuiet();
  });
});
