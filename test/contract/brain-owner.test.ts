import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { localPrincipal, systemActor } from '../../src/kernel/principal.ts';
import { sql } from '../../src/store/sql.ts';
import { ALICE, type BrainFixture, freshBrain } from '../fixtures/brain-host.ts';
import { eachEngine, freshFolder, freshPlace } from '../fixtures/databases.ts';

/** Several hubs on one vault: one of them owns it, all of them serve it. */
const who = localPrincipal('test');
const PATIENCE = { timeout: 25_000, interval: 50 };

eachEngine('a vault that several hubs serve', (engine) => {
  const open = async (leaseMs = 30_000) => {
    const place = await freshPlace(engine);
    const folder = freshFolder();
    const db = await place.open();
    const hub = async (): Promise<BrainFixture> => {
      const fixture = freshBrain(await place.open(), { folder, isWatched: true, leaseMs });
      await fixture.brain.wake();
      return fixture;
    };
    const owner = async () =>
      (await db.read((q) => q.get<{ owner: string | null }>(sql`select owner from brain_vaults`)))?.owner ??
      undefined;
    return { hub, owner, db, folder, place };
  };
  const matches = async ({ brain }: BrainFixture, query: string) =>
    (await (await brain.open()).look({ query, type: null, limit: 5 })).total_matches;

  it('has one owner, which is the first of them and stays it', async () => {
    const { hub, owner } = await open();
    const first = await hub();
    const name = await owner();
    expect(name).toBeDefined();
    const second = await hub();
    await (await second.brain.open()).store(who, ALICE);
    expect(await owner()).toBe(name);
    expect(await matches(first, 'vision transformers')).toBe(1);
  });

  it('tells an edit made by hand to all of them', async () => {
    const { hub } = await open();
    const hubs = [await hub(), await hub()];
    hubs[0]!.file.write('entities/projects/kite.md', 'Flies high.');
    for (const each of hubs)
      await vi.waitFor(async () => expect(await matches(each, 'flies high')).toBe(1), PATIENCE);
    rmSync(join(hubs[0]!.folder, 'entities/projects/kite.md'));
    for (const each of hubs)
      await vi.waitFor(async () => expect(await matches(each, 'flies high')).toBe(0), PATIENCE);
  });

  it('passes to another when its owner leaves, with what was edited in between', async () => {
    const { hub, owner } = await open(1_500);
    const first = await hub();
    const before = await owner();
    const second = await hub();
    await first.brain.close();
    first.file.write('entities/projects/kite.md', 'Flies high.');
    await vi.waitFor(async () => expect(await matches(second, 'flies high')).toBe(1), PATIENCE);
    expect(await owner()).not.toBe(before);
    second.file.write('entities/projects/boat.md', 'Floats.');
    await vi.waitFor(async () => expect(await matches(second, 'floats')).toBe(1), PATIENCE);
  });

  it('follows an owner whose process has died without waiting for its lease', async () => {
    const { hub, owner, db } = await open();
    await (await hub()).brain.close();
    const dead = `${hostname()}:${2 ** 22 + 7}:x`;
    await db.write(systemActor, (tx) =>
      tx.run(sql`update brain_vaults set owner = ${dead}, owned_until = ${tx.now + 3_600_000}`),
    );
    await hub();
    expect(await owner()).not.toBe(dead);
  });

  it('is no longer written by a process that slept for longer than its lease, and loses nothing by that', async () => {
    const { place, folder, hub } = await open();
    let hasSlept = false;
    const sleep = (name: string) => {
      if (name !== 'intent' || hasSlept) return;
      hasSlept = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    };
    const sleeper = freshBrain(await place.open(), { folder, leaseMs: 200, checkpoint: sleep });
    await expect((await sleeper.brain.open()).store(who, ALICE)).rejects.toMatchObject({
      code: 'unavailable',
    });
    const other = await hub();
    expect((await (await other.brain.open()).show('entity-people-alice-chen')).content).toBe(ALICE.content);
  });

  it('belongs to nobody when all have left', async () => {
    const { hub, owner } = await open();
    const { brain } = await hub();
    await brain.close();
    expect(await owner()).toBeUndefined();
  });
});
