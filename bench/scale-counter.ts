// What the one counter of events allows by itself: nothing but its statement and the commit, over as many connections as there are writers.
import pg from 'pg';

export type CounterFigures = Readonly<{ counters: number; perSecond: number; heldMs: number; cpuMs: number }>;

const WRITERS = 16;
const SECONDS = 3;

export async function measureCounters(
  url: string,
  counters: number,
  cpu: () => number,
): Promise<CounterFigures> {
  const setup = new pg.Client(url);
  await setup.connect();
  await setup.query('create table if not exists bare_counters (name text primary key, value bigint)');
  await setup.query(
    'create table if not exists bare_events (tenant text, seq bigint, data text, primary key (tenant, seq))',
  );
  await setup.query('truncate bare_counters, bare_events');
  for (let i = 0; i < counters; i += 1)
    await setup.query('insert into bare_counters values ($1, 0)', [`tenant-${i}`]);
  const clients = await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      const client = new pg.Client(url);
      await client.connect();
      return client;
    }),
  );
  const before = cpu();
  const until = performance.now() + SECONDS * 1_000;
  let done = 0;
  await Promise.all(
    clients.map(async (client, writer) => {
      // One message of the simple protocol, as a hub sends its own: begin, number, write, commit.
      const name = `tenant-${writer % counters}`;
      const text = `with counter as (update bare_counters set value = value + 1 where name = '${name}' returning value)
        insert into bare_events select '${name}', value, '${'x'.repeat(300)}' from counter`;
      while (performance.now() < until) {
        await client.query(text);
        done += 1;
      }
    }),
  );
  const spent = (cpu() - before) / 1_000;
  await Promise.all([...clients, setup].map((client) => client.end()));
  const perSecond = done / SECONDS;
  return { counters, perSecond, heldMs: (1_000 * counters) / perSecond, cpuMs: spent / done };
}
