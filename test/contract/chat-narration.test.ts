import { expect, it, onTestFinished } from 'vitest';
import { createChat, type Chat } from '../../src/features/chat/chat.ts';
import { createNarrator } from '../../src/features/chat/narration.ts';
import { tasksServer } from '../../src/features/board/tools.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { systemPrincipal } from '../../src/kernel/principal.ts';
import { startConsumer } from '../../src/store/consumers.ts';
import type { Database } from '../../src/store/database.ts';
import { sql } from '../../src/store/sql.ts';
import { freshBoard } from '../fixtures/board-host.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';
import { directHostOf } from '../fixtures/direct-host.ts';
import { callerOf, createActing } from '../../src/store/acting.ts';

const caller = callerOf({ who: systemPrincipal, via: 'tool' });

async function linesOf(db: Database, chat: Chat, count: number): Promise<string[]> {
  return db.feed.until(
    'team:red',
    async () => {
      const { posts } = await db
        .read((q) => chat.history(q, systemPrincipal, { roomId: 'team:red', after: 0, limit: 100 }))
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
      async (q, id) => (await board.get(q, caller, { taskId: id, comments: 1 })).task.title,
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
});
