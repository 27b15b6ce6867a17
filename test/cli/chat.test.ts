import { expect, it } from 'vitest';
import { openTerminal } from '../fixtures/terminal.ts';

async function until(check: () => boolean): Promise<void> {
  await expect.poll(check, { timeout: 25_000 }).toBe(true);
}

it('posts as the person at the hub and shows the room', async () => {
  const terminal = openTerminal();
  expect((await terminal.run('chat', 'post', 'red', 'good', 'morning')).out).toBe('Posted to team:red as 1.');
  const posted = await terminal.json<{ post: { authorAgentId: string; kind: string; seq: number } }>(
    'chat',
    'post',
    'team:red',
    'again',
  );
  expect(posted.post).toMatchObject({ seq: 2, authorAgentId: 'user', kind: 'user' });
  const { code, out } = await terminal.run('chat', 'tail', 'red', '--no-follow', '--lines', '1');
  expect([code, out]).toEqual([0, expect.stringMatching(/^ {4}2 {2}\d\d:\d\d:\d\d {2}you: again$/)]);
});

it('follows a room from its first word until it is interrupted', { timeout: 90_000 }, async () => {
  const terminal = openTerminal();
  const hub = terminal.start('up', '--port', '0', '--log', 'silent');
  await until(() => hub.lines.length > 0);
  const tail = terminal.start('chat', 'tail', 'red', '--json');
  await new Promise((resolve) => setTimeout(resolve, 500));
  await terminal.run('chat', 'post', 'blue', 'elsewhere');
  await terminal.run('chat', 'post', 'red', 'one\u001b[2J', '--new');
  await terminal.run('chat', 'post', 'red', 'two');
  await until(() => tail.lines.length >= 2);
  expect((await tail.interrupt()).code).toBe(0);
  expect(tail.lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([1, 2]);
  const shown = await terminal.run('chat', 'tail', 'red', '--no-follow');
  expect(shown.out).not.toContain('\u001b');
  await hub.interrupt();
});

it('says what is wrong with its arguments', async () => {
  const terminal = openTerminal();
  expect((await terminal.run('chat', 'tail', 'nowhere', '--no-follow')).code).toBe(3);
  expect((await terminal.run('chat', 'tail', 'red', '--no-follow', '--lines', 'many')).code).toBe(2);
  expect((await terminal.run('chat', 'post', 'red', ' ')).err).toContain('a post requires non-empty text');
  expect((await terminal.run('chat', 'post', 'red')).code).toBe(2);
});
