import { expect, it, onTestFinished } from 'vitest';
import type { HubError } from '../../src/kernel/errors.ts';
import { systemActor } from '../../src/kernel/principal.ts';
import { openDatabase } from '../../src/store/open.ts';
import { sql } from '../../src/store/sql.ts';
import { startPostgres } from '../fixtures/postgres-server.ts';

it(
  'loses no acknowledged write and no event when PostgreSQL is restarted under load',
  { timeout: 150_000 },
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const db = await openDatabase(server.url, { schema: 'restart', poolSize: 6, patienceMs: 8_000 });
    onTestFinished(() => db.close());
    const acknowledged = new Set<string>();
    const errors: HubError[] = [];
    let running = true;

    const seen: number[] = [];
    const stop = new AbortController();
    const watching = (async () => {
      for await (const event of db.feed.tail(0, () => true, stop.signal))
        seen.push('gapBefore' in event ? -1 : event.seq);
    })();

    const writers = Array.from({ length: 8 }, async (_, w) => {
      for (let i = 0; running; i += 1) {
        const key = `${w}:${i}`;
        try {
          await db.write(systemActor, async (tx) => {
            await tx.run(sql`insert into once (key, hash, answer, at) values (${key}, '', '', 1)`);
            tx.emit({ kind: 'a', subject: key, realm: 'hub' });
          });
          acknowledged.add(key);
        } catch (error) {
          errors.push(error as HubError);
        }
      }
    });
    const moreWork = async () => {
      const before = acknowledged.size;
      await expect.poll(() => acknowledged.size - before, { timeout: 25_000 }).toBeGreaterThan(100);
    };
    for (const mode of ['fast', 'immediate'] as const) {
      await moreWork();
      await server.restart(mode);
    }
    await moreWork();
    running = false;
    await Promise.all(writers);

    for (const error of errors) expect(['unavailable', 'busy']).toContain(error.code);
    const rows = await db.read((q) => q.all<{ key: string }>(sql`select key from once where at = 1`));
    const kept = new Set(rows.map((row) => row.key));
    expect([...acknowledged].filter((key) => !kept.has(key))).toEqual([]);
    const head = await db.feed.head();
    expect(head).toBe(kept.size);
    await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(head);
    stop.abort();
    await watching;
    expect(seen).toEqual(Array.from({ length: head }, (_, i) => i + 1));
  },
);
