import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemActor } from '../../src/kernel/principal.ts';
import { openDatabase } from '../../src/store/open.ts';
import { healthOf } from '../fixtures/health.ts';

const LIFTED = { ok: true, problems: [] };

it('/api/health says that a database on PostgreSQL takes no changes, and when it does again', async () => {
  const { health, save, query, place } = await openHub();
  expect(await health()).toMatchObject(LIFTED);
  await query(`alter database ${place.name} set default_transaction_read_only = on`);
  await place.cut();
  // Nobody had to try: it is told before the first change fails.
  await expect.poll(health).toMatchObject({
    ok: false,
    problems: ['Nothing more can be saved: the PostgreSQL database is read-only.'],
  });
  await expect(save()).rejects.toThrow('Nothing was saved: the database is read-only.');
  await query(`alter database ${place.name} reset default_transaction_read_only`);
  await place.cut();
  await expect.poll(health).toMatchObject(LIFTED);
  await save();
});

it('/api/health says of PostgreSQL that its disk is full for as long as nothing new fits', async () => {
  const { health, save, query } = await openHub();
  await query(`create function no_room() returns event_trigger language plpgsql
    as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
  await query(`create function no_page() returns trigger language plpgsql
    as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
  await query('create trigger full_disk before insert on holdfast.events execute function no_page()');
  await query('create event trigger full_disk on ddl_command_start execute function no_room()');
  await expect(save()).rejects.toThrow('Nothing was saved: the disk of the database is full.');
  for (const _ of [1, 2])
    expect(await health()).toMatchObject({
      ok: false,
      problems: ['Nothing was saved: the disk of the database is full.'],
    });
  await query('drop event trigger full_disk');
  await query('drop trigger full_disk on holdfast.events');
  expect(await health()).toMatchObject(LIFTED);
  await save();
});

it('/api/health says that the user of PostgreSQL may not write, and does not wait for writers to say it', async () => {
  const { health, save, query, place } = await openHub();
  await query(`create function no_leave() returns trigger language plpgsql
    as $$ begin raise exception 'permission denied for table counters' using errcode = '42501'; end $$`);
  await query('create trigger no_leave before update on holdfast.counters execute function no_leave()');
  await expect(save()).rejects.toThrow('Nothing was saved: the user of the database may not write there.');
  expect(await health()).toMatchObject({ ok: false });
  await query('drop trigger no_leave on holdfast.counters');
  const holder = new pg.Client({ connectionString: place.url });
  await holder.connect();
  await holder.query("begin; update holdfast.counters set value = value where name = 'events'");
  const asked = performance.now();
  expect(await health()).toMatchObject({ ok: false });
  expect(performance.now() - asked).toBeLessThan(3_000);
  await holder.query('rollback');
  await holder.end();
  await expect.poll(health, { timeout: 10_000 }).toMatchObject(LIFTED);
});

/** A hub's database of its own, whose settings are nobody else's, and how somebody looks at it. */
async function openHub() {
  const name = `trouble_${randomBytes(4).toString('hex')}`;
  const url = new URL(inject('postgresUrl'));
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(`create database ${name}`);
  url.pathname = name;
  const db = await openDatabase(url.href);
  onTestFinished(async () => {
    await db.close();
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });
  const app = healthOf(db, systemClock);
  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    await client.query('set default_transaction_read_only = off');
    await client.query(text);
    await client.end();
  };
  const cut = () =>
    admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  return {
    health: async () => (await app.inject('/api/health')).json<object>(),
    save: () =>
      db.write(systemActor, async (tx) => tx.emit({ kind: 'hub.started', subject: 'h1', realm: 'hub' })),
    query,
    place: { url: url.href, name, cut },
  };
}
