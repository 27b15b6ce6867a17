import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { connectSdk } from '../fixtures/mcp-sdk-clients.ts';
import { expectAccessible } from './axe.ts';
import { openBrowser, openPage } from './chromium.ts';
import { sendNow } from './hands.ts';

describe('approvals in a room', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await openBrowser()));
  afterAll(() => browser?.close());

  async function open(settings: Readonly<Record<string, string>> = {}) {
    const env = { ...freshHome(), ...settings };
    const hub = await startHub(env, ['--port', '0', '--workspace', freshFolder()]);
    const token = tokenIn(env);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const post = (path: string, body: unknown) =>
      fetch(`${hub.address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    await post('/api/chat/rooms/team:red/posts', { text: 'Good morning.' });
    const made = await post('/api/tokens', { agent: 'ada', team: 'red' });
    const { token: own } = (await made.json()) as { token: string };
    const agent = { headers: { authorization: `Bearer ${own}` } };
    const client = await connectSdk('SDK v1', { url: `${hub.address}/mcp`, ...agent });
    const look = async (options = {}) => {
      const watched = await openPage(browser, options);
      await watched.page.goto(`${hub.address}/rooms/team:red`);
      await watched.page.getByText('Good morning.').waitFor();
      return watched;
    };
    return { hub, client, post, look };
  }

  it('a call waits, its card comes into the room, is allowed there, and every viewer sees by whom', async () => {
    const { client, look } = await open();
    const [one, other] = [await look(), await look({ colorScheme: 'dark' })];
    const call = client.call('Bash', { command: 'echo "fair wind"' });
    const card = one.page.getByRole('region', { name: 'Request of ada to use Bash' });
    await card.waitFor();
    expect(await card.locator('pre[aria-label="The command"]').textContent()).toBe('echo "fair wind"');
    await card.getByText('Some risk:').waitFor();
    await other.page.getByRole('region', { name: 'Request of ada to use Bash' }).waitFor();
    await expectAccessible(one.page);
    await expectAccessible(other.page);
    await card.getByRole('button', { name: 'Allow once' }).click();
    await sendNow(one.page);
    const { isError, content } = await call;
    expect(isError ?? false).toBe(false);
    expect(JSON.stringify(content)).toContain('fair wind');
    for (const { page, expectQuiet } of [one, other]) {
      const settled = page.getByRole('status', { name: 'Request of ada' });
      await settled.getByText('Allowed once').waitFor();
      await settled.getByText('by you').waitFor();
      expect(await settled.textContent()).toContain('Bash echo "fair wind"');
      expect(await page.getByRole('region', { name: /Request of ada/ }).count()).toBe(0);
      expectQuiet();
    }
  });

  it('a no with a word reaches the agent, and a post that names a request shows it as it is', async () => {
    const { client, post, look } = await open();
    const { page, expectQuiet } = await look({ viewport: { width: 390, height: 800 } });
    const call = client.call('Bash', { command: 'npm publish' });
    const card = page.getByRole('region', { name: 'Request of ada to use Bash' });
    await card.getByRole('link', { name: 'Open in Approvals' }).waitFor();
    const href = await card.getByRole('link', { name: 'Open in Approvals' }).getAttribute('href');
    const id = new URL(href!, 'http://hub').searchParams.get('at')!;
    expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBeLessThanOrEqual(390);
    await card.getByRole('textbox', { name: /A word to ada/ }).fill('Not on a Friday.');
    await card.getByRole('button', { name: 'Deny' }).click();
    await sendNow(page);
    const refusal = await call;
    expect(refusal.isError).toBe(true);
    expect(JSON.stringify(refusal.content)).toContain('Not on a Friday.');
    const settled = page.getByRole('status', { name: 'Request of ada' });
    await settled.getByText('Denied').waitFor();
    await settled.getByText('“Not on a Friday.”').waitFor();
    await post('/api/chat/rooms/team:red/posts', {
      text: `Why was approval ${id.slice(-8)} refused, and approval 00000000 not?`,
    });
    await page.getByText('Why was approval').waitFor();
    await expect.poll(() => settled.count()).toBe(2);
    expectQuiet(/404/);
  });

  it('a request that nobody decides is seen to run out, without a timer or a reload', async () => {
    const { client, look } = await open({ HOLDFAST_APPROVAL_LIFE: '4s' });
    const { page, expectQuiet } = await look();
    const call = client.call('Bash', { command: 'echo late' });
    await page.getByRole('region', { name: 'Request of ada to use Bash' }).waitFor();
    await page.getByRole('status', { name: 'Request of ada' }).getByText('Nobody decided in time').waitFor();
    await page.getByRole('link', { name: /waits for you/ }).waitFor({ state: 'detached' });
    expect((await call).isError).toBe(true);
    expectQuiet();
  });

  it('what an agent posts under a binding is seen as it happens', async () => {
    const { hub, look } = await open();
    const { page, expectQuiet } = await look();
    const url = `${hub.address}/api/mcp/teamchat?roomTeamId=red&postAuthorAgentId=bob`;
    const bound = await connectSdk('SDK v1', { url });
    await bound.call('team_chat_post', { text: 'The tide turns.' });
    await page.getByText('The tide turns.').waitFor();
    // Who spoke can be reached: some of the name and Tab are enough, and whose inbox got it is said.
    await page.keyboard.press('r');
    await page.keyboard.type('Thanks @b');
    await page.getByRole('button', { name: '@bob' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('for the word.');
    await page.keyboard.press('Enter');
    await page.getByText('Thanks @bob for the word.').waitFor();
    await page.getByText('In the inbox of bob.').waitFor();
    await expectAccessible(page);
    expectQuiet();
  });
});
