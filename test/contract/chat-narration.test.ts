import { expect, it, onTestFinished } from 'vitest';
import { createChat, type Chat } from '../../src/features/chat/chat.ts';
import { createNarrator } from '../../src/features/chat/narration.ts';
import { tasksServer } from '../../src/features/board/server.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { startConsumer } from '../../src/store/consumers.ts';
import type { Database } from '../../src/store/database.ts';
import { sql } from '../../src/store/sql.ts';
import { freshBoard } from '../fixtures/board-host.ts';
import { brokerHost } from '../fixtures/broker-host.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';
import { directHostOf } from '../fixtures/direct-host.ts';
import { createActing, hubCaller } from '../../src/store/calls.ts';

async function linesOf(db: Database, chat: Chat, count: number): Promise<string[]> {
  return db.feed.until(
    'team:red',
    async () => {
      const { posts } = await db
        .read((q) => chat.at(q, hubCaller).history({ roomId: 'team:red', after: 0, limit: 100 }))
        .catch(() => ({ posts: [] }));
      return posts.length >= count
        ? posts.map(({ authorAgentId, kind, body }) => `${authorAgentId}/${kind}: ${body}`)
        : undefined;
    },
    AbortSignal.timeout(15_000),
  );
}

eachEngine('narration of the board', (engine) => {
  it('tells the room what happened on the board once, also after the narrator was away', async () => {
    const db = await freshDatabase(engine);
    const [board, chat] = [freshBoard(db), createChat()];
    const narrator = createNarrator(
      chat,
      async (q, id) => (await board.at(q, hubCaller).get({ taskId: id, commentLimit: 1 })).task.title,
    );
    const start = (holder: string) =>
      startConsumer({ db, log: silentLog, name: 'chat-narration', holder, ...narrator });

    const first = start('one');
    const client = await directHostOf(tasksServer(createActing(db), board)).connect();
    // A new consumer tells what happens from its first start on.
    await expect
      .poll(() => db.read((q) => q.get(sql`select 1 as there from consumers`)), { timeout: 15_000 })
      .toBeDefined();
    const { id } = (await client.call('create_task', { title: 'Fix\nlogin', teamId: 'red', agentId: 'ada' }))
      .value;
    await client.call('create_task', { title: 'nobody hears', agentId: 'ada' });
    await linesOf(db, chat, 1);
    await first.stop();
    await client.call('claim_task', { taskId: id, assigneeAgentId: 'bob' });
    await client.call('update_task_status', { taskId: id, status: 'done' });
    const second = start('two');
    onTestFinished(() => second.stop());
    expect(await linesOf(db, chat, 3)).toEqual([
      `holdfast/system: ada put “Fix login” (task ${id}) on the board.`,
      `holdfast/system: bob claimed “Fix login” (task ${id}).`,
      `holdfast/system: bob moved “Fix login” (task ${id}) from in_progress to done.`,
    ]);
  });

  it('tells once that an agent waits for approval, of which tool, and nothing of the arguments', async () => {
    const db = await freshDatabase(engine);
    const chat = createChat();
    const narrator = createNarrator(chat, async () => undefined);
    const consumer = startConsumer({
      db,
      log: silentLog,
      name: 'chat-narration',
      holder: 'one',
      ...narrator,
    });
    onTestFinished(() => consumer.stop());
    await expect
      .poll(() => db.read((q) => q.get(sql`select 1 as there from consumers`)), { timeout: 15_000 })
      .toBeDefined();
    const host = brokerHost(db);
    const args = { path: '/tmp/hidden-harbour.txt' };
    const bound = host.connect({ agent: 'ada', team: 'red' });
    // The same call twice waits on one request: the room hears of it once.
    const calls = [bound.call('delete_path', args), bound.call('delete_path', args)];
    const { id } = await host.pending();
    const byDefault = {
      ...localPrincipal('a seat'),
      name: 'bob',
      default: { team: 'red', agent: 'bob' },
    };
    calls.push(host.connect({ who: byDefault }).call('delete_path', { path: '/tmp/x' }));
    const [first, second, ...more] = await linesOf(db, chat, 2);
    expect(first).toBe(`holdfast/system: ada waits for approval of delete_path (approval ${id}).`);
    expect(second).toMatch(
      /^holdfast\/system: bob waits for approval of delete_path \(approval [0-9a-f-]{36}\)\.$/,
    );
    expect(more).toEqual([]);
    const { body } = await host.rest('GET', '/api/tools/approvals');
    const ids = body.approvals.map((each: { id: string }) => each.id);
    await host.rest('POST', '/api/tools/approvals/resolve', { ids, decision: 'deny' });
    await Promise.all(calls);
  });
});
