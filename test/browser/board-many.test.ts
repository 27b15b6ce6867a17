import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';

type Card = Readonly<{ id: string; title: string; status: string; priority: number; labels: string[] }>;

/** A board with much on it: lanes, filters, many at once, and what was put out of sight. */
describe('a full board', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  async function open(path: string) {
    const { address } = await startHub(freshHome());
    const rest = restAt(address);
    const add = async (title: string, more: object = {}, labels: string[] = []): Promise<string> => {
      const { id } = await rest('POST', '/api/board/tasks', { title, ...more });
      if (labels.length > 0) await rest('PATCH', `/api/board/tasks/${id}/labels`, { add: labels });
      return id;
    };
    const cards = async (query = ''): Promise<Card[]> =>
      (await rest('GET', `/api/board/cards${query}`)).cards;
    const watched = await openPage(browser);
    return { address, rest, add, cards, show: () => watched.page.goto(`${address}${path}`), ...watched };
  }

  const lane = (page: Page, name: string) => page.locator(`[data-lane="${name}"]`);
  const column = (page: Page, status: string) => page.locator(`[data-column=${status}]`);

  it('stands in lanes by project, agent or label, and a card is carried inside its lane', async () => {
    const { page, add, cards, show, expectQuiet } = await open('/board?lanes=label');
    await add('Mend the roof', {}, ['roof']);
    await add('Paint the wall', { teamId: 'yard' }, ['wall', 'paint']);
    await add('Sweep', { status: 'backlog' });
    await show();
    await lane(page, 'roof').getByText('Mend the roof').waitFor();
    await lane(page, 'paint').getByText('Paint the wall').waitFor();
    await lane(page, 'No label').getByText('Sweep').waitFor();
    await expectAccessible(page);
    const from = (await lane(page, 'roof').getByText('Mend the roof').boundingBox())!;
    const to = (await lane(page, 'roof').locator('[data-column=backlog]').boundingBox())!;
    await page.mouse.move(from.x + 20, from.y + 8);
    await page.mouse.down();
    await page.mouse.move(from.x - 10, from.y + 12, { steps: 4 });
    await page.mouse.move(to.x + 20, to.y + 12, { steps: 8 });
    await page.mouse.up();
    await lane(page, 'roof').locator('[data-column=backlog]').getByText('Mend the roof').waitFor();
    await expect
      .poll(async () => (await cards()).find(({ title }) => title === 'Mend the roof')!.status)
      .toBe('backlog');
    await page.getByRole('combobox', { name: 'Lanes' }).selectOption('project');
    await expect.poll(() => page.url()).toContain('lanes=project');
    await lane(page, 'yard').getByText('Paint the wall').waitFor();
    await page.getByRole('button', { name: 'yard', exact: true }).click();
    await expect.poll(() => page.url()).toContain('q=project');
    await expect.poll(() => page.locator('[data-card]').count()).toBe(1);
    expectQuiet();
  });

  it('is narrowed by label, team and text, with completion', async () => {
    const { page, add, show, expectQuiet } = await open('/board');
    await add('Mend the roof', { teamId: 'yard' }, ['roof', 'big-job']);
    await add('Mend the door', { teamId: 'house' });
    await show();
    await column(page, 'todo').getByText('Mend the door').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('label:b');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('[data-card]').allInnerTexts()).toHaveLength(1);
    await column(page, 'todo').getByText('Mend the roof').waitFor();
    for (const [text, title] of [
      ['team:house mend', 'Mend the door'],
      ['label:none', 'Mend the door'],
      ['team:ya* label:roof', 'Mend the roof'],
    ] as const) {
      await page.getByRole('combobox', { name: 'Filter' }).fill(text);
      await expect.poll(() => page.locator('[data-card]').count()).toBe(1);
      await column(page, 'todo').getByText(title).waitFor();
    }
    expectQuiet();
  });

  it('changes many at once, offers what is legal for all of them, and tells what was refused', async () => {
    const { page, add, rest, cards, show, expectQuiet } = await open('/board');
    for (const title of ['One', 'Two', 'Three']) await add(title);
    await show();
    await column(page, 'todo').getByText('One').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByRole('group', { name: '2 picked' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('group', { name: /picked/ }).count()).toBe(0);
    await page.keyboard.press('X');
    const bar = page.getByRole('group', { name: '3 picked' });
    await bar.getByRole('button', { name: 'Label' }).click();
    await page.getByRole('textbox', { name: /^A label/ }).fill('soon');
    await page.keyboard.press('Enter');
    await page.getByText('3 labelled.').waitFor();
    await bar.getByRole('button', { name: 'Priority' }).click();
    await page.getByRole('textbox', { name: /^A number/ }).fill('7');
    await page.keyboard.press('Enter');
    await page.getByText('3 changed.').waitFor();
    // What was done to all of them is one command, and taken back as one.
    const undos = async (): Promise<number[]> =>
      (await rest('GET', '/api/board/undos')).commands.map(
        (each: { changes: unknown[] }) => each.changes.length,
      );
    expect((await undos()).slice(0, 2)).toEqual([3, 3]);
    expect(await cards()).toMatchObject([1, 2, 3].map(() => ({ labels: ['soon'], priority: 7 })));
    await expectAccessible(page);
    await bar.getByRole('button', { name: 'Move to' }).click();
    // In progress needs a holder, done and in review need work: none of them is offered.
    await page.getByRole('menuitem', { name: 'Cancelled' }).waitFor();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Backlog', 'Blocked', 'Cancelled']);
    await page.getByRole('menuitem', { name: 'Cancelled' }).click();
    await expect
      .poll(async () => (await cards()).map(({ status }) => status))
      .toEqual(Array(3).fill('cancelled'));
    expect((await undos())[0]).toBe(3);
    await rest('POST', '/api/board/tasks', { title: 'Four' });
    await page.keyboard.press('X');
    await page.getByRole('group', { name: '3 picked' }).getByRole('button', { name: 'Archive' }).click();
    await expect.poll(() => cards()).toHaveLength(1);
    await page.getByRole('button', { name: 'Archived' }).click();
    await expect.poll(() => page.url()).toContain('view=archived');
    const shelf = page.getByRole('list', { name: 'Archived' });
    await shelf
      .getByRole('listitem')
      .filter({ hasText: 'Two' })
      .getByRole('button', { name: 'Restore' })
      .click();
    await expect.poll(() => shelf.getByRole('listitem').count()).toBe(2);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Board', exact: true }).click();
    await column(page, 'cancelled').getByText('Two').waitFor();
    expectQuiet();
  });

  it('is asked in the one query language, in its line and in the box for everything', async () => {
    const { page, add, rest, cards, show, expectQuiet } = await open('/board');
    const roof = await add('Mend the roof', { priority: 4 }, ['tiles']);
    await rest('POST', `/api/board/tasks/${roof}/comments`, { body: 'the scaffold is rented' });
    const first = await add('Rent a crane', { status: 'backlog' });
    const wall = await add('Paint the wall');
    await rest('POST', `/api/board/tasks/${wall}/dependencies`, { dependsOnTaskId: first });
    await rest('POST', '/api/memory', { title: 'Scaffold', content: 'is rented from the yard' });
    await show();
    await column(page, 'todo').getByText('Paint the wall').waitFor();
    const line = page.getByRole('combobox', { name: 'Filter' });
    const shown = () => page.locator('[data-card]').evaluateAll((all) => all.length);
    for (const [query, title, count] of [
      ['status:todo -paint', 'Mend the roof', 1],
      ['label:tiles priority>=3', 'Mend the roof', 1],
      ['scaffold has:comment', 'Mend the roof', 1],
      ['-"mend the"', 'Paint the wall', 2],
      ['waiting', 'Paint the wall', 1],
      [roof.slice(-8), 'Mend the roof', 1],
    ] as const) {
      await line.fill(query);
      await expect.poll(shown, { message: query }).toBe(count);
      await column(page, 'todo').getByText(title).waitFor();
    }
    await line.fill('stauts:todo');
    await page.getByText('There is no field "stauts". Did you mean status:todo?').waitFor();
    await line.fill('');
    // What was called off holds nothing up, and a person may say of anything that it is done.
    await rest('PATCH', `/api/board/tasks/${first}`, { status: 'cancelled' });
    await line.fill('ready paint');
    await column(page, 'todo').getByText('Paint the wall').click();
    await page.getByRole('complementary').getByRole('button', { name: 'To do' }).click();
    await page.getByRole('menuitem', { name: /^Done/ }).click();
    await expect.poll(async () => (await cards()).find(({ id }) => id === wall)!.status).toBe('done');
    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox', { name: /Search tasks/ });
    await box.fill('scaffold -yard');
    await page.getByRole('option', { name: /the scaffold is rented/ }).waitFor();
    expect(await page.getByRole('option', { name: /from the yard/ }).count()).toBe(0);
    await box.fill('scaffold label:tiles');
    await page.getByRole('option', { name: /the scaffold is rented/ }).waitFor();
    expect(await page.getByRole('dialog').getByRole('option').count()).toBe(1);
    await box.fill('scaffold lable:tiles');
    await page.getByText('There is no field "lable". Did you mean label:tiles?').waitFor();
    await expectAccessible(page);
    expectQuiet();
  });

  it('says that a filter shows nothing, and shows everything again', async () => {
    const { page, add, show, expectQuiet } = await open('/board?q=agent:nobody-at-all');
    await add('Mend the roof');
    await show();
    await page.getByText('Nothing on the board matches this filter.').waitFor();
    await page.getByRole('button', { name: 'Show everything' }).click();
    await column(page, 'todo').getByText('Mend the roof').waitFor();
    await expect.poll(() => page.url()).not.toContain('q=');
    expectQuiet();
  });

  it('draws what waits for what, and no line runs behind a task', async () => {
    const { page, add, show, expectQuiet } = await open('/board?view=graph');
    const first = await add('Lay the keel');
    const second = await add('Plank the hull', { dependsOn: [first] });
    await add('Launch', { dependsOn: [first, second] });
    await show();
    await page.getByRole('button', { name: 'Launch' }).waitFor();
    expect(await page.locator('main svg path').count()).toBeGreaterThanOrEqual(3);
    const crossed = await page.evaluate(() => {
      const { document } = globalThis as any;
      const boxes = [...document.querySelectorAll('[aria-label="Graph of dependencies"] button')].map(
        (each: any) => each.getBoundingClientRect(),
      );
      const frame = document
        .querySelector('[aria-label="Graph of dependencies"] > div > svg')
        .getBoundingClientRect();
      const lines = document.querySelectorAll('[aria-label="Graph of dependencies"] > div > svg > path');
      return [...lines].some((line: any) => {
        const whole = line.getTotalLength();
        return Array.from({ length: 200 }, (_, at) => line.getPointAtLength((whole * at) / 200)).some(
          ({ x, y }: any) =>
            boxes.some(
              (box: any) =>
                x + frame.left > box.left + 2 &&
                x + frame.left < box.right - 2 &&
                y + frame.top > box.top &&
                y + frame.top < box.bottom,
            ),
        );
      });
    });
    expect(crossed).toBe(false);
    expectQuiet();
  });

  it('the graph has arrows, is dragged, grown and seen as a whole, with what is linked to nothing beside it', async () => {
    const { page, add, show, expectQuiet } = await open('/board?view=graph');
    await page.setViewportSize({ width: 1100, height: 560 });
    let before = await add('Step 0');
    for (let step = 1; step < 6; step += 1) before = await add(`Step ${step}`, { dependsOn: [before] });
    await add('On its own');
    await show();
    const sheet = page.getByRole('region', { name: 'Graph of dependencies' });
    await sheet.getByRole('button', { name: 'Step 0' }).waitFor();
    const lines = sheet.locator('> div > svg > path');
    expect(await lines.evaluateAll((all) => all.map((line) => line.getAttribute('marker-end')))).toEqual(
      Array.from({ length: 5 }, () => 'url(#arrow-amber)'),
    );
    await page.getByRole('region', { name: 'Linked to nothing' }).getByText('On its own').waitFor();
    const scrolled = () => sheet.evaluate((box: any) => box.scrollLeft);
    const box = (await sheet.boundingBox())!;
    await page.mouse.move(box.x + 400, box.y + 300);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + 300, { steps: 4 });
    await page.mouse.up();
    expect(await scrolled()).toBe(200);
    const map = page.locator('[data-minimap]');
    const small = (await map.boundingBox())!;
    await map.click({ position: { x: 4, y: small.height / 2 } });
    expect(await scrolled()).toBe(0);
    await page.getByRole('button', { name: 'Larger' }).click();
    await page.getByRole('button', { name: '120%' }).waitFor();
    await sheet.hover();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, 240);
    await page.keyboard.up('Control');
    await page.getByRole('button', { name: '60%' }).waitFor();
    await expectAccessible(page);
    expectQuiet();
  });

  it('offers by key only where a card may go', async () => {
    const { page, add, cards, show, expectQuiet } = await open('/board');
    await add('Walk me', { status: 'backlog' });
    await show();
    await column(page, 'backlog').getByText('Walk me').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('m');
    const offer = page.getByRole('group', { name: 'Where to?' });
    await offer.waitFor();
    expect(
      (await offer.getByRole('button').allInnerTexts()).map((text) => text.replace(/\d/, '').trim()),
    ).toEqual(['To do', 'Blocked', 'Cancelled', 'Cancel']);
    await expectAccessible(page);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await column(page, 'blocked').getByText('Walk me').waitFor();
    await expect.poll(async () => (await cards())[0]!.status).toBe('blocked');
    expectQuiet();
  });

  it('shows in the drawer how a task is labelled, reopens what is over and tells its history', async () => {
    const { page, add, rest, show, expectQuiet } = await open('/board');
    const id = await add('Old news', {}, ['roof']);
    await rest('PATCH', `/api/board/tasks/${id}`, { status: 'cancelled' });
    await rest('POST', '/api/reservations', { paths: ['src/**'], taskId: id, agentId: 'ada' });
    await show();
    await column(page, 'cancelled').getByText('Old news').click();
    const drawer = page.getByRole('complementary');
    await drawer.getByRole('textbox', { name: 'A label' }).fill('slate');
    await page.keyboard.press('Enter');
    await drawer.getByRole('button', { name: 'Take the label slate away' }).waitFor();
    const roof = drawer.getByRole('button', { name: 'Take the label roof away' });
    await roof.click();
    await roof.waitFor({ state: 'detached' });
    await drawer.getByRole('button', { name: 'Cancelled' }).click();
    await page.getByRole('menuitem', { name: /^Reopen/ }).click();
    await column(page, 'todo').getByText('Old news').waitFor();
    const [first, second] = [await add('Order slate'), await add('Raise the scaffold')];
    await rest('POST', `/api/board/tasks/${second}/dependencies`, { dependsOnTaskId: first });
    await drawer.getByRole('button', { name: 'Blocked by…' }).click();
    await drawer.getByRole('textbox', { name: 'A task that must come first' }).fill('scaf');
    await drawer.getByRole('button', { name: /Raise the scaffold/ }).click();
    await drawer.getByRole('heading', { name: 'Blocked by' }).waitFor();
    await drawer.locator('summary', { hasText: 'Graph of 3 tasks' }).click();
    await drawer.getByRole('button', { name: /Order slate/ }).waitFor();
    await expectAccessible(page);
    await drawer.locator('summary', { hasText: 'History' }).click();
    await drawer.getByText('you reopened it').waitFor();
    await drawer.getByText('you labelled it').first().waitFor();
    await expectAccessible(page);
    expectQuiet();
  });
});
