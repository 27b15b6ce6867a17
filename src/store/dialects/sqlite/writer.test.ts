import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { freshFolder } from '../../../../test/fixtures/databases.ts';
import { systemClock } from '../../../kernel/clock.ts';
import type { Event } from '../../../kernel/event.ts';
import { systemActor } from '../../../kernel/principal.ts';
import type { Tx } from '../../database.ts';
import { openDatabase } from '../../open.ts';
import { sql } from '../../sql.ts';
import { Connection } from './connection.ts';
import { createWriter, type WriterOptions } from './writer.ts';

const put =
  (name: string, size = 1) =>
  (tx: Tx) =>
    tx.run(sql`insert into once (key, hash, answer, at) values (${name}, ${'x'.repeat(size)}, '', 1)`);

async function fixture(options: Partial<WriterOptions> = {}) {
  const path = join(freshFolder(), 'holdfast.db');
  await (await openDatabase(path)).close();
  const connection = new Connection(path, { timeout: 0 });
  connection.pragma('journal_mode = wal');
  const committed: Event[][] = [];
  const writer = createWriter(connection, {
    clock: systemClock,
    hub: 'h',
    maxBatch: 256,
    maxQueue: 1_000,
    patienceMs: 5_000,
    onCommit: (events) => committed.push([...events]),
    ...options,
  });
  const exec = connection.exec.bind(connection);
  const onExec = (hear: (text: string) => void) =>
    (connection.exec = (text) => {
      hear(text);
      exec(text);
    });
  const keys = () =>
    connection.all<{ key: string }>(sql`select key from once order by key`).map((row) => row.key);
  return { path, connection, writer, committed, keys, onExec };
}

describe('group commit', () => {
  it('answers units that arrive in one turn with one commit', async () => {
    const { writer, committed, onExec } = await fixture();
    let commits = 0;
    onExec((text) => (commits += text === 'commit' ? 1 : 0));
    await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        writer.write(systemActor, async (tx) => {
          await put(`k${i}`)(tx);
          tx.emit({ kind: 'a', subject: `k${i}`, realm: 'hub' });
        }),
      ),
    );
    expect(commits).toBe(1);
    expect(committed.flat().map((event) => event.seq)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  });

  it('waits a little for callers that came together to come together again', async () => {
    const { writer, committed, onExec } = await fixture();
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => void vi.restoreAllMocks());
    onExec((text) => (now += text === 'commit' ? 1 : 0));
    const write = (i: number) =>
      writer.write(systemActor, async (tx) => tx.emit({ kind: 'a', subject: `${i}`, realm: 'hub' }));
    const comeBack = async (i: number) => {
      await write(i);
      for (let turn = 0; turn < i; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      await write(i);
    };
    await Promise.all([0, 1, 2, 3].map(comeBack));
    expect(committed.map((batch) => batch.length)).toEqual([4, 4]);
  });

  it('fails the whole batch when the disk is full, tells nobody otherwise, and works again when there is room', async () => {
    const { writer, connection, committed, keys } = await fixture();
    const pages = connection.pragma('page_count') as number;
    connection.pragma(`max_page_count = ${pages + 4}`);
    const outcomes = await Promise.allSettled([
      writer.write(systemActor, async (tx) => {
        await put('small')(tx);
        tx.emit({ kind: 'a', subject: 's', realm: 'hub' });
      }),
      writer.write(systemActor, put('huge', 400_000)),
      writer.write(systemActor, put('after')),
    ]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: 'unavailable', message: 'Nothing was saved: the disk is full.' },
      });
    }
    expect(keys()).toEqual([]);
    expect(committed.flat()).toEqual([]);
    connection.pragma('max_page_count = 1000000');
    await writer.write(systemActor, put('later'));
    expect(keys()).toEqual(['later']);
  });

  it('fails the whole batch when a unit hides that the disk is full', async () => {
    const { writer, connection, keys } = await fixture();
    connection.pragma(`max_page_count = ${(connection.pragma('page_count') as number) + 4}`);
    const outcomes = await Promise.allSettled([
      writer.write(systemActor, put('small')),
      writer.write(systemActor, async (tx) => {
        await put('huge', 400_000)(tx).catch(() => undefined);
        return 'all well';
      }),
    ]);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
    expect(keys()).toEqual([]);
  });

  it('says that nothing was saved when the database turns read-only', async () => {
    const { writer, connection, keys } = await fixture();
    connection.pragma('query_only = 1');
    const refused = writer.write(systemActor, put('mine'));
    await expect(refused).rejects.toMatchObject({
      code: 'unavailable',
      message: 'Nothing was saved: the database cannot be written to.',
    });
    connection.pragma('query_only = 0');
    await writer.write(systemActor, put('later'));
    expect(keys()).toEqual(['later']);
  });

  it('waits for a writer of another process without freezing the event loop', async () => {
    const { path, writer, keys } = await fixture();
    const other = new BetterSqlite3(path);
    other.exec('begin immediate');
    const writing = writer.write(systemActor, put('mine'));
    // A frozen event loop would never get here; the other one lets go only afterwards.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 5));
    other.exec('commit');
    await writing;
    other.close();
    expect(keys()).toEqual(['mine']);
  });

  it('says busy when another process does not let go', async () => {
    const { path, writer, keys } = await fixture({ patienceMs: 100 });
    const other = new BetterSqlite3(path);
    other.exec('begin immediate');
    await expect(writer.write(systemActor, put('mine'))).rejects.toMatchObject({
      code: 'busy',
      isRetryable: true,
    });
    other.exec('commit');
    other.close();
    await writer.write(systemActor, put('again'));
    expect(keys()).toEqual(['again']);
  });

  it('writes what nobody waits for with the next unit, in the order of arrival', async () => {
    const { writer, committed, onExec } = await fixture();
    let commits = 0;
    onExec((text) => (commits += text === 'commit' ? 1 : 0));
    const emit = (subject: string) => async (tx: Tx) => tx.emit({ kind: 'a', subject, realm: 'hub' });
    const soon = [writer.writeSoon(systemActor, emit('1')), writer.writeSoon(systemActor, emit('2'))];
    await writer.write(systemActor, emit('3'));
    await Promise.all(soon);
    expect(commits).toBe(1);
    expect(committed.flat().map(({ subject }) => subject)).toEqual(['1', '2', '3']);
  });

  it('writes it by itself after a moment, at a flush and at the end', async () => {
    const { writer, keys } = await fixture();
    await writer.writeSoon(systemActor, put('alone'));
    expect(keys()).toEqual(['alone']);
    void writer.writeSoon(systemActor, put('flushed'));
    await writer.flush();
    expect(keys()).toEqual(['alone', 'flushed']);
    void writer.writeSoon(systemActor, put('last'));
    await writer.close();
    expect(keys()).toEqual(['alone', 'flushed', 'last']);
    await expect(writer.writeSoon(systemActor, put('late'))).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('undoes a unit that was alone in its transaction, and goes on', async () => {
    const { writer, keys } = await fixture();
    const failing = writer.write(systemActor, async (tx) => {
      await put('half')(tx);
      throw new TypeError('no');
    });
    await expect(failing).rejects.toThrow('no');
    await writer.write(systemActor, put('next'));
    expect(keys()).toEqual(['next']);
  });

  it('bounds a batch', async () => {
    const { writer, committed } = await fixture({ maxBatch: 10 });
    await Promise.all(
      Array.from({ length: 35 }, (_, i) =>
        writer.write(systemActor, async (tx) => tx.emit({ kind: 'a', subject: `${i}`, realm: 'hub' })),
      ),
    );
    expect(committed.map((batch) => batch.length)).toEqual([10, 10, 10, 5]);
  });
});

describe('answered means on disk', () => {
  it('has every acknowledged write after the process was killed', async () => {
    const path = join(freshFolder(), 'holdfast.db');
    const script = `
      import { openDatabase } from ${JSON.stringify(new URL('../../open.ts', import.meta.url).href)};
      import { sql } from ${JSON.stringify(new URL('../../sql.ts', import.meta.url).href)};
      const db = await openDatabase(process.argv[1]);
      for (let i = 0; ; i += 1) {
        await Promise.all([0, 1, 2].map((n) => db.write({ id: 'w', asserted: false }, async (tx) => {
          await tx.run(sql\`insert into once (key, hash, answer, at) values (\${i + ':' + n}, '', '', 1)\`);
          tx.emit({ kind: 'a', subject: i + ':' + n, realm: 'hub' });
        })));
        process.stdout.write(i + '\\n');
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '--no-warnings', '-e', script, path], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await expect.poll(() => said.split('\n').length).toBeGreaterThan(20);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    const acknowledged = said.split('\n').filter(Boolean).length;
    const db = await openDatabase(path);
    const rows = await db.read((q) => q.all<{ key: string }>(sql`select key from once`));
    const head = await db.feed.head();
    const kept = new Set(rows.map((row) => row.key));
    for (let i = 0; i < acknowledged - 1; i += 1)
      for (let n = 0; n < 3; n += 1) expect(kept.has(`${i}:${n}`)).toBe(true);
    expect(head).toBe(kept.size);
    await db.close();
  });
});
