import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';

/** How people lay out their board: order, lists, views with a name, and every property where it stands. */
describe('a board as one wants it', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  async function open(titles: readonly string[]) {
    const { address } = await startHub(freshHome());
    const rest = restAt(address);
    const ids: string[] = [];
    for (const title of titles) ids.push((await rest('POST', '/api/board/tasks', { title })).id);
    return { address, rest, ids, ...(await openPage(browser)) };
  }

  const column = (page: Page, status: string) => page.locator(`[data-column=${status}]`);
  /** From top to bottom, as they are drawn. */
  const shown = (page: Page, status = 'todo') =>
    column(page, status)
      .locator('[data-card]')
      .evaluateAll((cards) =>
        cards
          .map((card: any) => [card.getBoundingClientRect().top, card.querySelector('[title]').title])
          .sort((a: any, b: any) => a[0] - b[0])
          .map(([, title]: any) => title),
      );

  /** Where a card is once nothing moves it any more. */
  async function restingPlace(page: Page, title: string) {
    const card = column(page, 'todo').getByText(title);
    let last = await card.boundingBox();
    await expect
      .poll(async () => {
        const before = last?.y;
        last = await card.boundingBox();
        return last?.y === before;
      })
      .toBe(true);
    return last!;
  }

  it('keeps the order one gives a column, by pointer and by key, after a reload, too', async () => {
    const { page, address, expectQuiet } = await open(['One', 'Two', 'Three']);
    await page.goto(`${address}/board`);
    await expect.poll(() => shown(page)).toEqual(['One', 'Two', 'Three']);
    const from = await restingPlace(page, 'Three');
    await page.mouse.move(from.x + 20, from.y + 8);
    await page.mouse.down();
    await page.mouse.move(from.x + 24, from.y - 10, { steps: 4 });
    // A hand that holds a card is never quite still, and goes where the other one is now.
    await expect
      .poll(async () => {
        const to = (await column(page, 'todo').getByText('One').first().boundingBox())!;
        await page.mouse.move(to.x + 20 + Math.random() * 8, to.y + 2, { steps: 4 });
        return page.locator('[data-edge=above]').count();
      })
      .toBe(1);
    await page.mouse.up();
    await expect.poll(() => shown(page)).toEqual(['Three', 'One', 'Two']);
    await page.keyboard.press('Escape');
    await column(page, 'todo').getByText('Two').click();
    const drawer = page.getByRole('complementary', { name: /^Task/ });
    await drawer.waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    // Whoever closes a task is back at its card.
    await expect
      .poll(() => page.evaluate(() => (globalThis as any).document.activeElement?.innerText ?? ''))
      .toContain('Two');
    await page.keyboard.press('K');
    await expect.poll(() => shown(page)).toEqual(['Three', 'Two', 'One']);
    await page.reload();
    await expect.poll(() => shown(page)).toEqual(['Three', 'Two', 'One']);
    // An empty column is a column, as wide as the others.
    const widths = await page
      .locator('[data-column]')
      .evaluateAll((all) => all.map((each: any) => each.getBoundingClientRect().width));
    expect(new Set(widths)).toEqual(new Set([280]));
    await page.getByRole('button', { name: 'Display' }).click();
    await expectAccessible(page);
    await page.getByRole('menuitemcheckbox', { name: 'Empty columns' }).click();
    await expect.poll(() => page.locator('[data-column]').count()).toBe(1);
    expectQuiet();
  });

  it('is a list, ordered by what is due, under a name that the hub keeps', async () => {
    const { page, address, rest, ids, expectQuiet } = await open(['Later', 'Sooner', 'Some time']);
    await rest('PATCH', `/api/board/tasks/${ids[0]}`, { due: '2999-12-31' });
    await rest('PATCH', `/api/board/tasks/${ids[1]}`, { due: '2020-01-01', priority: 8 });
    await page.goto(`${address}/board`);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Due', exact: true }).click();
    const lines = page.getByRole('list', { name: 'Tasks' }).locator('[data-card]');
    await expect.poll(() => lines.count()).toBe(2);
    await expect.poll(async () => (await lines.first().innerText()).includes('Sooner')).toBe(true);
    await expectAccessible(page);
    await page.getByRole('combobox', { name: 'Filter' }).fill('sooner');
    await expect.poll(() => lines.count()).toBe(1);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save this view…' }).click();
    await page.getByRole('textbox', { name: 'Name of the view' }).fill('Burning');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => (await rest('GET', '/api/board/views')).views.map(({ name }: any) => name))
      .toEqual(['Burning']);
    await page.goto(`${address}/board`);
    await expect.poll(() => page.locator('[data-card]').count()).toBe(3);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Burning' }).click();
    await expect.poll(() => lines.count()).toBe(1);
    expectQuiet();
  });

  it('takes labels, an assignee, a day and checks with a new task, and each property where it stands', async () => {
    const { page, address, rest, expectQuiet } = await open([]);
    await page.goto(`${address}/board`);
    await page.getByRole('button', { name: 'Create the first task' }).click();
    const form = page.getByRole('form', { name: 'New task' });
    await form.getByRole('textbox', { name: 'Title' }).fill('Mend the roof');
    await form.getByRole('combobox', { name: 'Priority' }).selectOption('High');
    await form.getByRole('combobox', { name: 'Assignee' }).fill('ada');
    await form.getByLabel('Due').fill('2999-01-02');
    await form.getByRole('textbox', { name: 'Labels' }).fill('roof, big');
    await form.getByRole('textbox', { name: 'Checks' }).fill('it is dry\nnobody fell');
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await column(page, 'in_progress').getByText('Mend the roof').waitFor();
    const [card] = (await rest('GET', '/api/board/cards')).cards;
    expect(card).toMatchObject({
      priority: 5,
      due: '2999-01-02',
      assigneeAgentId: 'ada',
      labels: ['big', 'roof'],
      checks: { total: 2 },
    });
    await column(page, 'in_progress').getByText('Mend the roof').click();
    const task = page.getByRole('complementary');
    await task.getByRole('combobox', { name: 'Priority' }).selectOption('Urgent');
    await task.getByLabel('Due').fill('2999-02-03');
    await task.getByRole('button', { name: 'None', exact: true }).click();
    await task.getByRole('textbox', { name: 'Branch' }).fill('mend-roof');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => (await rest('GET', '/api/board/cards')).cards[0])
      .toMatchObject({ priority: 8, due: '2999-02-03', branchRef: 'mend-roof' });
    await expectAccessible(page);
    expectQuiet();
  });
});
