import { expect, it } from 'vitest';
import { directHost, freshBoard } from '../../../../test/fixtures/board-host.ts';
import { eachEngine, freshDatabase } from '../../../../test/fixtures/databases.ts';
import { systemActor } from '../../../kernel/principal.ts';
import type { Database } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { type ListPosition, listTasks, positionOf } from './lists.ts';

const fill = (db: Database, team: string | null, count: number) =>
  db.write(systemActor, async (tx) => {
    const rows = Array.from({ length: count }, (_, i) => ({ id: `${team}-${i}`, done: i % 2 === 1 }));
    const lines = rows.map(
      ({ id, done }, i) => sql`(${id}, ${id}, ${done ? 'done' : 'todo'}, ${i % 3}, ${team}, ${i}, ${i},
        ${done ? i : null}, ${i})`,
    );
    for (let at = 0; at < lines.length; at += 500)
      await tx.run(sql`
        insert into tasks (id, title, status, priority, team_id, created_at, updated_at, completed_at, claim_order)
        values ${sql.join(lines.slice(at, at + 500), ', ')}`);
  });

eachEngine('long lists', (engine) => {
  it('are counted so far and no further, and read to their end, a team’s with what is no team’s in one order', async () => {
    const db = await freshDatabase(engine);
    const client = await directHost(db, freshBoard(db)).connect({ profile: 'extended' });
    await fill(db, 'red', 2_004);
    await fill(db, null, 7);
    const ready = (await client.call('list_tasks', { ready: true, limit: 1 })).value;
    expect(ready).toMatchObject({ total: 1_000, totalIsLeast: true });
    const team = (await client.call('list_tasks', { teamId: 'red', limit: 1 })).value;
    expect(team).toMatchObject({ total: 2_004 });
    expect(team).not.toHaveProperty('totalIsLeast');
    const ids: string[] = [];
    const keys: number[][] = [];
    let after: ListPosition | undefined;
    do {
      const page = await db.read((q) => listTasks(q, { teamId: 'red', orNone: true }, { after, limit: 500 }));
      for (const { id, status, priority, createdAt } of page) {
        ids.push(id);
        keys.push(status === 'done' ? [1, -createdAt] : [0, -priority, createdAt]);
      }
      after = page.length > 0 ? positionOf(page.at(-1)!) : undefined;
    } while (after);
    expect(new Set(ids).size).toBe(2_011);
    expect(ids).toHaveLength(2_011);
    const inOrder = keys.toSorted((a, b) => a[0]! - b[0]! || a[1]! - b[1]! || (a[2] ?? 0) - (b[2] ?? 0));
    expect(keys).toEqual(inOrder);
  });
});
