import { expect, it } from 'vitest';
import { directHost, freshBoard, handClock } from '../../../../test/fixtures/board-host.ts';
import { eachEngine, freshDatabase } from '../../../../test/fixtures/databases.ts';
import { systemActor } from '../../../kernel/principal.ts';
import { sql } from '../../../store/sql.ts';
import { shelveOld } from './shelf.ts';

const DAY = 86_400_000;

eachEngine('finished tasks', (engine) => {
  it('go out of sight after their time, with an event each, and nothing else does', async () => {
    const clock = handClock();
    const db = await freshDatabase(engine, { clock });
    const client = await directHost(db, freshBoard(db)).connect({ profile: 'extended' });
    const make = async (title: string): Promise<string> =>
      (await client.call('create_task', { title })).value.id;
    const [old, open, young] = [await make('old'), await make('open'), await make('young')];
    await client.call('update_task_status', { taskId: old, status: 'cancelled' });
    clock.advance(31 * DAY);
    await client.call('update_task_status', { taskId: young, status: 'cancelled' });
    const before = await db.feed.head();
    expect(await db.write(systemActor, (tx) => shelveOld(tx, 30 * DAY))).toBe(1);
    expect(await db.write(systemActor, (tx) => shelveOld(tx, 30 * DAY))).toBe(0);
    const shelved = await db.read((q) =>
      q.all<{ id: string }>(sql`select id from tasks where shelved_at is not null`),
    );
    expect(shelved).toEqual([{ id: old }]);
    const events = await db.read((q) =>
      q.all<{ kind: string; subject: string }>(sql`select kind, subject from events where seq > ${before}`),
    );
    expect(events).toEqual([{ kind: 'task.archived', subject: old }]);
    expect((await client.call('get_task', { taskId: open })).isError).toBe(false);
  });
});
