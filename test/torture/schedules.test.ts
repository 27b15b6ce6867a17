import { expect, it, onTestFinished } from 'vitest';
import { sql } from '../../src/store/sql.ts';
import { freshPlace } from '../fixtures/databases.ts';
import { schedulesOn } from '../fixtures/schedule-place.ts';
import { fastClock, tortureSchedules } from './schedules.ts';

it('three hubs, killed again and again, fire every time once', { timeout: 120_000 }, async () => {
  const place = await freshPlace('postgres');
  const base = Date.now();
  const clock = fastClock(base);
  const db = await place.open({ clock });
  const here = schedulesOn(db);
  onTestFinished(() => here.close());
  const { location, schema } = place;
  const { kill, end } = await tortureSchedules({ location, schema: schema!, base, hubs: 3 });
  onTestFinished(end);
  const ids: string[] = [];
  const firsts: number[] = [];
  for (const when of ['* * * * *', '*/2 * * * *', '*/5 * * * *']) {
    const { id, next } = await here.add({ when, missed: 'all' });
    ids.push(id);
    firsts.push(Date.parse(next!));
  }
  await kill(4);
  const until = clock.now();
  type Row = {
    schedule_id: string;
    at: number;
    state: string;
    task_id: string | null;
    run_id: string | null;
  };
  const fires = () =>
    db.read((q) =>
      q.all<Row>(
        sql`select schedule_id, at, state, task_id, run_id, error from schedule_fires where at <= ${until}`,
      ),
    );
  const wanted = [1, 2, 5].map((minutes, at) => {
    const [step, first] = [minutes * 60_000, firsts[at]!];
    return Array.from({ length: Math.floor((until - first) / step) + 1 }, (_, i) => first + i * step);
  });
  await expect
    .poll(async () => (await fires()).filter(({ state }) => state !== 'waiting').length, { timeout: 60_000 })
    .toBe(wanted.flat().length);
  end();
  const found = await fires();
  for (const [i, times] of wanted.entries()) {
    const own = found.filter(({ schedule_id: id }) => id === ids[i]);
    expect(own.map(({ at }) => at).toSorted((a, b) => a - b)).toEqual(times);
    expect(
      own.filter(({ state, task_id: task, run_id: run }) => state !== 'started' || run !== `run-of-${task}`),
    ).toEqual([]);
  }
  const tasks = await db.read((q) => q.get<{ count: number }>(sql`select count(*) as count from tasks`));
  const made = await db.read((q) =>
    q.get<{ count: number }>(
      sql`select count(distinct task_id) as count from schedule_fires where task_id is not null`,
    ),
  );
  expect(tasks!.count).toBe(made!.count);
});
