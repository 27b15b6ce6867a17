import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryDesk } from '../../src/features/memory/memory.ts';
import { createActing } from '../../src/store/calls.ts';
import { createFacts } from '../../src/features/memory/facts.ts';
import { factTexts } from '../../src/features/memory/texts.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal, systemActor } from '../../src/kernel/principal.ts';
import { numberOf, scopeOf } from '../../src/recall/place.ts';
import { awaitEmbedding, startEmbedding } from '../../src/recall/vectors/embedding-queue.ts';
import { createMeaning } from '../../src/recall/vectors/meaning.ts';
import {
  createCopying,
  createNeighbours,
  preparePgvector,
  putNeighbours,
} from '../../src/recall/vectors/pgvector/neighbours.ts';
import { nearTable } from '../../src/recall/vectors/pgvector/rows.ts';
import { tableName } from '../../src/recall/vectors/pgvector/table.ts';
import { embeddingSettings } from '../../src/recall/vectors/provider.ts';
import { countVectors, dropVectors, putVector } from '../../src/recall/vectors/rows.ts';
import type { StoredVector } from '../../src/recall/vectors/rows.ts';
import { createVectorIndex } from '../../src/recall/vectors/vector-index.ts';
import type { Nearest } from '../../src/recall/vectors/vector-index.ts';
import type { Database } from '../../src/store/database.ts';
import { sql } from '../../src/store/sql.ts';
import { freshDatabase } from '../fixtures/databases.ts';
import { startEmbeddingEndpoint } from '../fixtures/embedding-endpoint.ts';
import { type PgvectorServer, startPgvector } from '../fixtures/pgvector.ts';

const MODEL = 'a model: "quoted"';
const DIMS = 48;
const who = localPrincipal('seat');
/** So small a table is quicker to read than to search; we want to see the index at work. */
const WALK = 'set enable_seqscan = off; set enable_sort = off; set enable_bitmapscan = off';

let server: PgvectorServer;
beforeAll(async () => void (server = await startPgvector()), 120_000);
afterAll(() => server.stop());

/** The same numbers on every run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

function unit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
}

function draw(random: () => number): Float32Array {
  return unit(Array.from({ length: DIMS }, random));
}

function stored(scope: number, vectors: readonly Float32Array[]): StoredVector[] {
  return vectors.map((vector, i) => ({
    number: numberOf({ scope, stretch: Math.floor(i / 64), position: i % 64 }),
    vector,
  }));
}

async function put(db: Database, vectors: readonly StoredVector[], isBeside = true): Promise<void> {
  await db.write(systemActor, async (tx) => {
    for (const { number, vector } of vectors) {
      await tx.run(sql`
        insert into recall_items (no, id, terms, marks, length, flags, day, words)
        values (${number}, ${String(number)}, '', '', 0, 0, '', '')`);
      await putVector(tx, MODEL, { number, vector });
    }
    if (isBeside) await putNeighbours(tx, { model: MODEL, vectors }, silentLog);
  });
}

async function ask(
  db: Database,
  index: Nearest,
  vector: Float32Array,
  scopes?: ReadonlySet<number>,
  limit = 10,
): Promise<number[]> {
  return [...(await db.read((q) => index.near(q, { vector, scopes, limit }))).keys()];
}

async function copyAll(db: Database): Promise<void> {
  const copyPage = createCopying(db, silentLog);
  while (await copyPage(MODEL));
}

const opened = (db: Database) => createNeighbours(db, MODEL, DIMS).open();

describe('pgvector', () => {
  it('finds the same ten, in the same order, as without it', { timeout: 60_000 }, async () => {
    const db = await server.fresh();
    await preparePgvector(db, silentLog);
    const random = dice(1);
    for (const scope of [1, 2, 3]) {
      await put(
        db,
        stored(
          scope,
          Array.from({ length: 200 }, () => draw(random)),
        ),
      );
    }
    await server.admin(WALK);
    const codes = createVectorIndex(db, MODEL, DIMS);
    await codes.refresh();
    const near = (await opened(db))!;
    for (let i = 0; i < 12; i++) {
      const question = draw(random);
      for (const scopes of [undefined, new Set([2]), new Set([1, 3])]) {
        expect(await ask(db, near, question, scopes)).toEqual(await ask(db, codes, question, scopes));
      }
    }
    // A server tells of its scans with a delay.
    const scans = () =>
      db.read((q) =>
        q.get<{ scans: number }>(sql`
        select idx_scan as scans
        from pg_stat_user_indexes
        where relname = ${tableName(MODEL, DIMS)} and indexrelname like '%embedding%'`),
      );
    await expect.poll(async () => (await scans())!.scans).toBeGreaterThan(0);
  });

  // An old version gives up after the nearest few hundred, whoever may see them.
  it.each(['0.8.1', '0.7.4'])(
    'answers in full for a scope far away, and with nothing of another, in version %s',
    async (version) => {
      const db = await server.fresh();
      await preparePgvector(db, silentLog);
      const random = dice(2);
      const question = draw(random);
      const close = () => unit([...question].map((value) => value + random() / 50));
      await put(db, stored(9, Array.from({ length: 420 }, close)));
      await put(
        db,
        stored(
          1,
          Array.from({ length: 20 }, () => draw(random)),
        ),
      );
      await server.admin(WALK);
      await server.admin(`update pg_extension set extversion = '${version}' where extname = 'vector'`);
      const near = (await opened(db))!;
      expect((await ask(db, near, question)).every((number) => scopeOf(number) === 9)).toBe(true);
      const found = await ask(db, near, question, new Set([1]), 50);
      expect(found).toHaveLength(20);
      expect(found.every((number) => scopeOf(number) === 1)).toBe(true);
      expect(await ask(db, near, question, new Set())).toEqual([]);
    },
  );

  it('is not searched before it has what was embedded earlier, and then has all of it', async () => {
    const db = await server.fresh();
    const random = dice(3);
    const early = stored(
      1,
      Array.from({ length: 450 }, () => draw(random)),
    );
    await put(db, early);
    expect(await opened(db)).toBeUndefined();
    await preparePgvector(db, silentLog);
    await put(db, stored(2, [draw(random)]));
    expect(await opened(db)).toBeUndefined();
    await copyAll(db);
    const near = (await opened(db))!;
    const all = await ask(db, near, draw(random), undefined, 1_000);
    expect(all).toHaveLength(451);
    expect(await ask(db, near, early[7]!.vector, undefined, 1)).toEqual([early[7]!.number]);
  });

  it('notices vectors that came without it after it was complete', async () => {
    const db = await server.fresh();
    await preparePgvector(db, silentLog);
    const random = dice(4);
    await put(db, stored(1, [draw(random)]));
    const neighbours = createNeighbours(db, MODEL, DIMS);
    expect(await neighbours.open()).toBeDefined();
    await put(db, stored(2, [draw(random)]), false);
    expect(await neighbours.open()).toBeUndefined();
  });

  it('forgets what the float rows forget', async () => {
    const db = await server.fresh();
    await preparePgvector(db, silentLog);
    const random = dice(5);
    const [gone, kept] = stored(1, [draw(random), draw(random)]);
    await put(db, [gone!, kept!]);
    await db.write(systemActor, (tx) => dropVectors(tx, gone!.number));
    expect(await ask(db, (await opened(db))!, gone!.vector)).toEqual([kept!.number]);
    const rows = await db.read((q) => q.all(sql`select no from ${sql.raw(tableName(MODEL, DIMS))}`));
    expect(rows).toEqual([{ no: kept!.number }]);
  });

  it('outlives an extension that goes and comes back', async () => {
    const db = await server.fresh();
    await preparePgvector(db, silentLog);
    const random = dice(6);
    await put(db, stored(1, [draw(random)]));
    await server.admin('drop extension vector cascade');
    expect(await opened(db)).toBeUndefined();
    await put(db, stored(2, [draw(random)]));
    await preparePgvector(db, silentLog);
    await copyAll(db);
    expect(await ask(db, (await opened(db))!, draw(random))).toHaveLength(2);
  });

  it('takes models of more dimensions in half precision, and leaves still larger ones alone', async () => {
    const db = await server.fresh();
    await preparePgvector(db, silentLog);
    const columns = await db.read(async (q) => [
      (await nearTable(q, MODEL, 2_000))?.table.column,
      (await nearTable(q, MODEL, 3_072))?.table.column,
      (await nearTable(q, MODEL, 4_001))?.table.column,
    ]);
    expect(columns).toEqual(['vector', 'halfvec', undefined]);
    const random = dice(7);
    const large = stored(1, [unit(Array.from({ length: 3_072 }, random))]);
    await put(db, large);
    const near = (await createNeighbours(db, MODEL, 3_072).open())!;
    expect(await ask(db, near, large[0]!.vector)).toEqual([large[0]!.number]);
  });

  it('is installed, filled and completed by a hub that embeds', { timeout: 60_000 }, async () => {
    const db = await server.fresh();
    const { desk, embed } = await openMemory(db);
    const queue = embed();
    const { fact } = await desk.save(who, { title: 'Database', content: 'We moved to Postgres in March' });
    await desk.save(who, { title: 'Lunch', content: 'The canteen closes at two' });
    await expect
      .poll(async () => (await db.read(countVectors)).models, { timeout: 30_000 })
      .toEqual({ 'openai:test': 2 });
    const found = await desk.search(who, { query: 'postgres database', mode: 'vector' });
    expect(found).toMatchObject({ mode: 'vector', results: [{ title: 'Database' }, { title: 'Lunch' }] });
    await desk.forget(who, fact!.id);
    const left = await desk.search(who, { query: 'postgres database', mode: 'vector' });
    expect(left).toMatchObject({ mode: 'vector', results: [{ title: 'Lunch' }] });
    await queue.stop();
    const tables = await db.read((q) =>
      q.all<{ name: string }>(sql`
        select tablename as name
        from pg_tables
        where schemaname = current_schema() and tablename like 'recall_near_%' and tablename <> 'recall_near_duplicates'`),
    );
    expect(tables).toHaveLength(1);
    const table = sql.raw(tables[0]!.name);
    expect(await db.write(systemActor, (tx) => tx.run(sql`delete from ${table}`))).toBe(1);
    const again = embed();
    await expect
      .poll(() => db.read((q) => q.all(sql`select no from ${table}`)), { timeout: 30_000 })
      .toHaveLength(1);
    await again.stop();
  });

  it('is done without where the user may not install it', async () => {
    const db = await server.fresh();
    await server.admin(`
      create role guest;
      do $$ begin
        execute format('grant all on schema %I to guest', current_schema());
        execute format('grant all on all tables in schema %I to guest', current_schema());
      end $$;
      set role guest`);
    expect(await preparePgvector(db, silentLog)).toBe(false);
    const random = dice(8);
    const vectors = stored(1, [draw(random), draw(random)]);
    await put(db, vectors);
    await copyAll(db);
    expect(await opened(db)).toBeUndefined();
    const codes = createVectorIndex(db, MODEL, DIMS);
    await codes.refresh();
    expect(await ask(db, codes, vectors[1]!.vector, undefined, 1)).toEqual([vectors[1]!.number]);
  });

  it.each(['sqlite', 'postgres'] as const)('is done without on %s where there is none', async (engine) => {
    const db = await freshDatabase(engine);
    await preparePgvector(db, silentLog);
    await copyAll(db);
    expect(await db.read((q) => nearTable(q, MODEL, DIMS))).toBeUndefined();
    expect(await opened(db)).toBeUndefined();
  });
});

async function openMemory(db: Database) {
  const { url } = await startEmbeddingEndpoint();
  const meaning = createMeaning(
    db,
    embeddingSettings({ HOLDFAST_EMBEDDING_URL: url, HOLDFAST_EMBEDDING_MODEL: 'test' }),
    systemClock,
  );
  const memory = createFacts({ onSaved: (tx, fact) => awaitEmbedding(tx, fact.number) });
  const desk = createMemoryDesk({ db, facts: memory, meaning, via: 'tool', acting: createActing(db) });
  return {
    desk,
    embed: () => startEmbedding({ db, meaning, texts: factTexts, holder: 'hub', log: silentLog }),
  };
}
