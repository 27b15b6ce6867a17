import { describe, expect, it } from 'vitest';
import type { ToolClient, ToolHost } from '../fixtures/server-hosts.ts';

/** The documented tools of `clawboo-teamchat`, as any client sees them, over every host and both engines. */
export function chatToolsContract(name: string, open: () => Promise<ToolHost>): void {
  const bound = (agent: string, team = 'red') => ({ roomTeamId: team, postAuthorAgentId: agent });
  const named = (agent: string, team = 'red') => ({ authorAgentId: agent, teamId: team });
  const post = async (client: ToolClient, text: string, more = {}) =>
    (await client.call('team_chat_post', { text, ...more })).value;
  const read = async (client: ToolClient, args = {}) =>
    (await client.call('team_chat_subscribe', args)).value;

  describe(`${name}: the tools`, () => {
    it('lists exactly the two documented tools', async () => {
      const client = await (await open()).connect();
      expect(await client.toolNames()).toEqual(['team_chat_post', 'team_chat_subscribe']);
    });

    it('answers a post with its seq, room and author', async () => {
      const ada = await (await open()).connect(bound('ada'));
      expect(await post(ada, 'hello')).toEqual({
        posted: { seq: 1, roomId: 'team:red', authorAgentId: 'ada' },
      });
      expect((await post(ada, 'again')).posted.seq).toBe(2);
    });

    it('wraps a post of a teammate as evidence that is not the user', async () => {
      const host = await open();
      await post(await host.connect(bound('ada')), 'the build is green\nship it');
      expect(await read(await host.connect(bound('bob')))).toEqual({
        posts: [
          {
            seq: 1,
            authorAgentId: 'ada',
            kind: 'peer',
            wrapped:
              '[Inter-session message · from=ada · kind=peer · seq=1 · isUser=false]\n| the build is green\n| ship it',
            untrusted: true,
          },
        ],
        nextSeq: 1,
      });
    });

    it('posts once under one idempotency key, and refuses the key for another text', async () => {
      const ada = await (await open()).connect(bound('ada'));
      const first = await post(ada, 'once', { idempotencyKey: 'k1' });
      expect(await post(ada, 'once', { idempotencyKey: 'k1' })).toEqual(first);
      expect(await ada.call('team_chat_post', { text: 'other', idempotencyKey: 'k1' })).toMatchObject({
        isError: true,
        value: { code: 'conflict' },
      });
      expect((await post(ada, 'next')).posted.seq).toBe(2);
    });

    it('never returns own posts, and moves past them', async () => {
      const ada = await (await open()).connect(bound('ada'));
      await post(ada, 'one');
      await post(ada, 'two');
      expect(await read(ada)).toEqual({ posts: [], nextSeq: 2 });
    });

    it('ignores the author, team and room that a bound caller passes', async () => {
      const host = await open();
      const ada = await host.connect(bound('ada'));
      const forged = { authorAgentId: 'boss', teamId: 'blue', roomId: 'team:blue' };
      expect((await post(ada, 'mine', forged)).posted).toEqual({
        seq: 1,
        roomId: 'team:red',
        authorAgentId: 'ada',
      });
      const eve = await host.connect(bound('eve', 'blue'));
      expect((await read(eve, { authorAgentId: 'x', teamId: 'red', roomId: 'team:red' })).posts).toEqual([]);
    });

    it.each<Record<string, string>>([{ roomTeamId: 'red' }, { postAuthorAgentId: 'ada' }])(
      'treats half a binding %j as none',
      async (half) => {
        const client = await (await open()).connect(half);
        const refused = await client.call('team_chat_post', { text: 'hi' });
        expect(refused.isError).toBe(true);
        expect(refused.lines[0]).toBe('no bound identity: pass authorAgentId + teamId (unbound mode)');
        expect((await post(client, 'hi', named('zoe', 'blue'))).posted).toEqual({
          seq: 1,
          roomId: 'team:blue',
          authorAgentId: 'zoe',
        });
      },
    );

    it('lets an unbound caller name itself, its team and any room', async () => {
      const client = await (await open()).connect();
      expect((await post(client, 'hi', { ...named('ada'), roomId: 'standup' })).posted.roomId).toBe(
        'standup',
      );
      expect((await read(client, { ...named('bob'), roomId: 'standup' })).posts).toHaveLength(1);
      expect(await read(client, named('bob'))).toEqual({ posts: [], nextSeq: 0 });
    });

    it('refuses names that are none from an unbound caller, and ignores them from a bound one', async () => {
      const host = await open();
      const [unbound, ada] = [await host.connect(), await host.connect(bound('ada'))];
      for (const args of [
        { authorAgentId: 'a\nb' },
        { teamId: 'x\u2028y' },
        { roomId: '\u0007' },
        { roomId: 'team:' },
        { authorAgentId: 'x'.repeat(201) },
      ]) {
        const refused = await unbound.call('team_chat_post', { text: 'hi', ...named('ada'), ...args });
        expect(refused).toMatchObject({ isError: true, value: { code: 'invalid' } });
        expect((await post(ada, 'hi', args)).posted.authorAgentId).toBe('ada');
      }
    });

    it('takes empty names for none', async () => {
      const refused = await (
        await (await open()).connect()
      ).call('team_chat_post', { text: 'hi', authorAgentId: '', teamId: '' });
      expect(refused.lines[0]).toBe('no bound identity: pass authorAgentId + teamId (unbound mode)');
    });

    it('refuses blank text', async () => {
      const ada = await (await open()).connect(bound('ada'));
      for (const text of ['', '   ', '\n\t\u00a0']) {
        const answer = await ada.call('team_chat_post', { text });
        expect(answer.isError).toBe(true);
        expect(answer.lines[0]).toBe('a post requires non-empty text');
      }
    });

    it('takes 16 KB of text and refuses a byte more, naming the limit', async () => {
      const ada = await (await open()).connect(bound('ada'));
      expect((await post(ada, 'é'.repeat(8192))).posted.seq).toBe(1);
      const refused = await ada.call('team_chat_post', { text: `${'é'.repeat(8192)}a` });
      expect(refused).toMatchObject({
        isError: true,
        value: { code: 'too_large', max: 16_384, bytes: 16_385 },
      });
    });

    it('refuses arguments that are none and says what is allowed', async () => {
      const ada = await (await open()).connect(bound('ada'));
      for (const args of [
        { sinceSeq: -1 },
        { sinceSeq: 1.5 },
        { limit: 0 },
        { limit: 501 },
        { waitSeconds: 51 },
        { authorAgentId: 7 },
        { unknown: 1 },
      ]) {
        const answer = await ada.call('team_chat_subscribe', args);
        expect(answer.isError).toBe(true);
        expect(answer.lines[0]).toMatch(/^invalid arguments for team_chat_subscribe: /);
      }
    });

    it('refuses text with NUL on both engines alike', async () => {
      const answer = await (
        await (await open()).connect(bound('ada'))
      ).call('team_chat_post', { text: 'a\0b' });
      expect(answer.isError).toBe(true);
      expect(answer.lines[0]).toMatch(/NUL/);
    });

    it('a limit cuts the page and loses nothing: nextSeq is the last seq returned', async () => {
      const host = await open();
      const ada = await host.connect(bound('ada'));
      for (const text of ['1', '2', '3', '4', '5']) await post(ada, text);
      const bob = await host.connect(bound('bob'));
      const first = await read(bob, { limit: 2 });
      expect([first.posts.map((p: { seq: number }) => p.seq), first.nextSeq]).toEqual([[1, 2], 2]);
      const second = await read(bob, { limit: 2, sinceSeq: first.nextSeq });
      expect([second.posts.map((p: { seq: number }) => p.seq), second.nextSeq]).toEqual([[3, 4], 4]);
      const third = await read(bob, { limit: 2, sinceSeq: second.nextSeq });
      expect([third.posts.map((p: { seq: number }) => p.seq), third.nextSeq]).toEqual([[5], 5]);
      expect(await read(bob, { sinceSeq: third.nextSeq })).toEqual({ posts: [], nextSeq: 5 });
    });

    it('gives 100 posts unless told otherwise', async () => {
      const host = await open();
      const ada = await host.connect(bound('ada'));
      await Promise.all(Array.from({ length: 101 }, (_, i) => post(ada, `post ${i}`)));
      const news = await read(await host.connect(bound('bob')));
      expect([news.posts.length, news.nextSeq]).toEqual([100, 100]);
    });

    it('keeps secrets out of the room', async () => {
      const host = await open();
      await post(await host.connect(bound('ada')), `use ghp_${'a1B2'.repeat(9)} for the release`);
      const { posts } = await read(await host.connect(bound('bob')));
      expect(posts[0].wrapped).toContain('use [REDACTED] for the release');
    });

    it('waits for a post and answers as soon as it is there', async () => {
      const host = await open();
      const [ada, bob] = [await host.connect(bound('ada')), await host.connect(bound('bob'))];
      const waiting = read(bob, { waitSeconds: 20 });
      await new Promise((resolve) => setTimeout(resolve, 150));
      await post(ada, 'now');
      expect((await waiting).posts.map((p: { seq: number }) => p.seq)).toEqual([1]);
    });

    it('answers an empty page when the wait is over', async () => {
      const bob = await (await open()).connect(bound('bob'));
      expect(await read(bob, { waitSeconds: 1, sinceSeq: 0 })).toEqual({ posts: [], nextSeq: 0 });
    });
  });
}
