import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { connectSdk } from '../fixtures/mcp-sdk-clients.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';
import { readOn, sendNow } from './hands.ts';
import { keepPicture } from './images.ts';

const PHONE = { viewport: { width: 390, height: 844 } };
/** What is dangerous stands at the end, beyond the edge of one line. */
const LONG = `${Array.from({ length: 30 }, (_, at) => `echo "checking harbour ${at}"`).join(' && ')} && rm -rf build dist`;
const LINES = Array.from({ length: 90 }, (_, at) => `line ${at} of the file`).join('\n');

describe('what is allowed was on screen', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  async function open(options: BrowserContextOptions = {}) {
    const env = freshHome();
    const hub = await startHub(env, ['--port', '0', '--workspace', freshFolder()]);
    const token = tokenIn(env);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ agent: 'ada', team: 'red' });
    const made = await fetch(`${hub.address}/api/tokens`, { method: 'POST', headers, body });
    const { token: own } = (await made.json()) as { token: string };
    const client = await connectSdk('SDK v1', {
      url: `${hub.address}/mcp`,
      headers: { authorization: `Bearer ${own}` },
    });
    const waiting = async (): Promise<any[]> => {
      const answer = await fetch(`${hub.address}/api/tools/approvals`, { headers });
      return ((await answer.json()) as { approvals: any[] }).approvals;
    };
    const watched = await openPage(browser, options);
    return { address: hub.address, client, waiting, ...watched };
  }

  it.each([
    ['wide and light', { colorScheme: 'light' as const }],
    ['on a phone, dark', { ...PHONE, colorScheme: 'dark' as const }],
  ])('Now allows only what it shows whole; what is longer is read first (%s)', async (name, options) => {
    const { address, client, waiting, page, expectQuiet } = await open(options);
    const short = client.call('Bash', { command: 'echo "fair wind"' });
    const long = client.call('Bash', { command: LONG });
    const written = client.call('Write', { path: 'notes.md', content: LINES });
    await expect.poll(async () => (await waiting()).length).toBe(3);
    await page.goto(address);
    const row = (text: string) =>
      page.getByRole('listitem', { name: /^ada wants to use/ }).filter({ hasText: text });
    await row('echo "fair wind"').getByRole('button', { name: 'Allow once' }).waitFor();
    expect(await page.getByRole('button', { name: 'Allow once' }).count()).toBe(1);
    await row('notes.md').getByRole('link', { name: 'Read all of it' }).waitFor();
    await row('echo "checking harbour 0"').getByRole('link', { name: 'Read all of it' }).waitFor();
    await expectAccessible(page);
    await keepPicture(page, `now-asked-${name.includes('phone') ? 'phone-dark' : 'light'}`);
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(wide).toBeLessThanOrEqual(0);
    // The calls come in any order: the last of them may begin above the edge and end below it.
    await row('echo "fair wind"').evaluate((element) => element.scrollIntoView({ block: 'center' }));
    await row('echo "fair wind"').getByRole('button', { name: 'Allow once' }).click();
    await sendNow(page);
    expect((await short).isError ?? false).toBe(false);

    await row('notes.md').getByRole('link', { name: 'Read all of it' }).click();
    const request = page.getByRole('region', { name: 'The request' });
    await request.getByText('line 0 of the file').waitFor();
    // Neither a button nor a key allows what lies below the edge.
    expect(await request.getByRole('button', { name: /^Allow/ }).count()).toBe(0);
    await page.keyboard.press('a');
    await page.keyboard.press('Shift+A');
    expect(await page.getByText('goes out in a moment').count()).toBe(0);
    await keepPicture(page, `approval-read-on-${name.includes('phone') ? 'phone-dark' : 'light'}`);
    await readOn(request, request.getByRole('button', { name: /^Allow once/ }));
    await page.keyboard.press('a');
    await sendNow(page);
    expect((await written).isError ?? false).toBe(false);
    const [last] = await waiting();
    await page.goto(`${address}/approvals?at=${last.id}`);
    await page.getByRole('button', { name: /^Deny/ }).click();
    await sendNow(page);
    expect((await long).isError).toBe(true);
    expectQuiet();
  });

  it('several that are decided together are all shown, and all read before they are allowed', async () => {
    const { address, client, waiting, page, expectQuiet } = await open({
      viewport: { width: 1280, height: 620 },
    });
    const commands = ['echo first', `echo second ${'and again '.repeat(300)}`, 'rm -rf build dist'];
    const calls = commands.map((command) => client.call('Bash', { command }));
    await expect.poll(async () => (await waiting()).length).toBe(3);
    await page.goto(`${address}/approvals`);
    await page.getByText('3 calls wait').waitFor();
    for (const box of await page.getByRole('checkbox', { name: /^Pick the request/ }).all())
      await box.check();
    const request = page.getByRole('region', { name: 'The request' });
    await expect.poll(() => request.locator('pre[aria-label="The command"]').count()).toBe(3);
    expect(await request.getByRole('button', { name: /^Allow/ }).count()).toBe(0);
    await page.keyboard.press('a');
    expect(await waiting()).toHaveLength(3);
    // Who jumped to the end is led back to what was left out.
    const list = request.locator('> div[tabindex]');
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    expect(await request.getByRole('button', { name: /^Allow/ }).count()).toBe(0);
    await readOn(request, request.getByRole('button', { name: 'Allow 3 once' }));
    await expectAccessible(page);
    await request.getByRole('button', { name: /^Deny 3/ }).click();
    await sendNow(page, 'Send all now');
    for (const { isError } of await Promise.all(calls)) expect(isError).toBe(true);
    expectQuiet();
  });

  it('a card in a room that is longer than the screen is allowed once all of it was there', async () => {
    const { address, client, page, expectQuiet } = await open({ viewport: { width: 390, height: 420 } });
    const call = client.call('Bash', { command: `echo ${'wind '.repeat(160)}` });
    await page.goto(`${address}/rooms/team:red`);
    const card = page.getByRole('region', { name: 'Request of ada to use Bash' });
    const allow = card.getByRole('button', { name: 'Allow once' });
    await allow.waitFor();
    expect(await allow.isDisabled()).toBe(true);
    await card.evaluate((element) => element.scrollIntoView({ block: 'start' }));
    await expect.poll(() => allow.isDisabled()).toBe(true);
    const list = page.locator('section[aria-label^="Room"] > div[tabindex]');
    for (let step = 0; step < 30 && (await allow.isDisabled()); step += 1) {
      await list.evaluate((element) => element.scrollBy(0, 60));
      await page.waitForTimeout(30);
    }
    expect(await allow.isDisabled()).toBe(false);
    await allow.click();
    await sendNow(page);
    expect((await call).isError ?? false).toBe(false);
    expectQuiet();
  });

  it('"always" begins with the narrowest: these very arguments, for an hour', async () => {
    const { address, client, waiting, page, expectQuiet } = await open();
    const call = client.call('Bash', { command: 'git status' });
    await expect.poll(async () => (await waiting()).length).toBe(1);
    await page.goto(`${address}/approvals`);
    const choices = page.getByRole('group', { name: 'Always would mean' });
    await expect.poll(() => choices.getByRole('radio').count()).toBeGreaterThan(1);
    expect(await choices.getByRole('radio', { name: /exactly these arguments/ }).isChecked()).toBe(true);
    expect(await choices.getByRole('combobox', { name: 'For how long' }).inputValue()).toBe(String(1 / 24));
    await page.keyboard.press('Shift+A');
    await sendNow(page);
    expect((await call).isError ?? false).toBe(false);
    const { grants } = (await (await fetch(`${address}/api/tools/grants`)).json()) as any;
    expect(JSON.parse(grants[0].shape.exactly)).toMatchObject({ command: 'git status' });
    expect(grants[0].expiresAt - grants[0].createdAt).toBe(3_600_000);
    expectQuiet();
  });
});
