import { expect, it } from 'vitest';
import { createMemoryDesk } from '../../src/features/memory/memory.ts';
import { createActing } from '../../src/store/calls.ts';
import { createFacts } from '../../src/features/memory/facts.ts';
import { factTexts } from '../../src/features/memory/texts.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { awaitEmbedding, startEmbedding } from '../../src/recall/vectors/embedding-queue.ts';
import { createMeaning } from '../../src/recall/vectors/meaning.ts';
import { embeddingSettings } from '../../src/recall/vectors/provider.ts';
import { countVectors } from '../../src/recall/vectors/rows.ts';
import type { Database } from '../../src/store/database.ts';
import { handClock } from '../fixtures/board-host.ts';
import { CONVERSATIONS, judge, readConversations } from '../fixtures/conversations.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';
import { learnMeaning } from '../fixtures/latent-meaning.ts';
import { readNotes } from '../fixtures/notes.ts';
import { startEmbeddingEndpoint } from '../fixtures/embedding-endpoint.ts';
import type { Behaviour } from '../fixtures/embedding-endpoint.ts';

const who = localPrincipal('seat');

function openMemory(db: Database, url: string, model = 'test') {
  const clock = handClock();
  const meaning = createMeaning(
    db,
    embeddingSettings({ HOLDFAST_EMBEDDING_URL: url, HOLDFAST_EMBEDDING_MODEL: model }),
    clock,
  );
  const memory = createFacts({ onSaved: (tx, fact) => awaitEmbedding(tx, fact.number) });
  const desk = createMemoryDesk({ db, facts: memory, meaning, via: 'tool', acting: createActing(db) });
  return {
    desk,
    clock,
    meaning,
    embed: () => startEmbedding({ db, meaning, texts: factTexts, holder: 'hub', log: silentLog }),
  };
}

async function embedded(db: Database, expected: number): Promise<void> {
  await expect.poll(async () => (await db.read(countVectors)).pending, { timeout: 20_000 }).toBe(0);
  const { models } = await db.read(countVectors);
  expect(Math.max(0, ...Object.values(models))).toBe(expected);
}

eachEngine('vectors', (engine) => {
  it('embeds saves in the background and searches by meaning', async () => {
    const db = await freshDatabase(engine);
    const endpoint = await startEmbeddingEndpoint();
    const { desk, embed } = openMemory(db, endpoint.url);
    const queue = embed();
    await desk.save(who, { title: 'Database', content: 'We moved to Postgres in March' });
    await desk.save(who, { title: 'Lunch', content: 'The canteen closes at two' });
    await embedded(db, 2);
    const vector = await desk.search(who, { query: 'postgres database', mode: 'vector' });
    expect(vector).toMatchObject({
      mode: 'vector',
      results: [{ title: 'Database', matchedVia: 'vector' }, { title: 'Lunch' }],
    });
    expect(vector.degraded).toBeUndefined();
    const hybrid = await desk.search(who, { query: 'postgres', mode: 'hybrid', explain: true });
    expect(hybrid).toMatchObject({
      mode: 'hybrid',
      results: [{ title: 'Database', matchedVia: 'hybrid' }, {}],
    });
    expect(hybrid.results[0]!.why).toMatchObject({ vector: expect.any(Number) });
    expect((await desk.search(who, { query: 'postgres' })).mode).toBe('fts');
    await queue.stop();
  });

  it('embeds what takes the place of another, and finds the past by its words', async () => {
    const db = await freshDatabase(engine);
    const endpoint = await startEmbeddingEndpoint();
    const { desk, embed } = openMemory(db, endpoint.url);
    const queue = embed();
    const saved = await desk.save(who, {
      title: 'Cat',
      content: 'The cat sleeps on the sofa',
      validFrom: 1_000,
    });
    await embedded(db, 1);
    await desk.supersede(who, {
      id: saved.fact!.id,
      content: 'The cat sleeps in the kitchen',
      validFrom: 2_000,
    });
    await embedded(db, 1);
    expect(await desk.search(who, { query: 'kitchen cat', mode: 'vector', explain: true })).toMatchObject({
      mode: 'vector',
      results: [{ content: 'The cat sleeps in the kitchen' }],
    });
    const then = await desk.search(who, { query: 'cat sofa', mode: 'vector', asOf: 1_500 });
    expect(then).toMatchObject({
      mode: 'fts',
      degraded: expect.stringContaining('past'),
      results: [{ content: 'The cat sleeps on the sofa' }],
    });
    await queue.stop();
  });

  it('hybrid is never worse than words alone on our own conversations', { timeout: 120_000 }, async () => {
    const db = await freshDatabase(engine);
    const endpoint = await startEmbeddingEndpoint();
    const { desk, embed } = openMemory(db, endpoint.url);
    const queue = embed();
    const refs = new Map<string, string>();
    const conversations = readConversations(CONVERSATIONS);
    for (const { turns } of conversations) {
      for (const { ref, title, content, tags } of turns)
        refs.set((await desk.save(who, { title, content, tags })).fact!.id, ref);
    }
    await embedded(db, refs.size);
    const questions = conversations.flatMap((one) => one.questions);
    const ask = (mode: 'fts' | 'hybrid') => async (query: string) =>
      (await desk.search(who, { query, mode, limit: 20 })).results.map((hit) => refs.get(hit.id)!);
    const words = await judge(questions, ask('fts'));
    const both = await judge(questions, ask('hybrid'));
    expect(both.recall).toBeGreaterThanOrEqual(words.recall);
    expect(both.mrr).toBeGreaterThanOrEqual(words.mrr);
    await queue.stop();
  });

  it(
    'hybrid is never worse than words alone on notes, with vectors of meaning',
    { timeout: 120_000 },
    async () => {
      const { turns, questions } = readNotes('parcels');
      const meaning = learnMeaning(
        turns.map(({ title, content }) => `${title}\n${content}`),
        24,
      );
      const db = await freshDatabase(engine);
      const endpoint = await startEmbeddingEndpoint((text) => [...meaning(text)]);
      const { desk, embed } = openMemory(db, endpoint.url);
      const queue = embed();
      const refs = new Map<string, string>();
      for (const { ref, title, content, tags } of turns)
        refs.set((await desk.save(who, { title, content, tags })).fact!.id, ref);
      await embedded(db, refs.size);
      const ask = (mode: 'fts' | 'hybrid') => async (query: string) =>
        (await desk.search(who, { query, mode, limit: 20 })).results.map((hit) => refs.get(hit.id)!);
      const [words, both] = [await judge(questions, ask('fts')), await judge(questions, ask('hybrid'))];
      expect(both.recall).toBeGreaterThanOrEqual(words.recall);
      expect(both.mrr).toBeGreaterThanOrEqual(words.mrr);
      await queue.stop();
    },
  );

  it.each<Behaviour>(['error', 'garbage', 'no direction', 'short', 'never'])(
    'saves and searches as if nothing were wrong while the endpoint behaves: %s',
    async (behaviour) => {
      const db = await freshDatabase(engine);
      const endpoint = await startEmbeddingEndpoint();
      endpoint.behave(behaviour);
      const { desk, embed } = openMemory(db, endpoint.url);
      const queue = embed();
      await desk.save(who, { title: 'Database', content: 'We use Postgres' });
      const answer = await desk.search(who, { query: 'postgres', mode: 'hybrid' });
      expect(answer).toMatchObject({
        mode: 'fts',
        results: [{ title: 'Database' }],
        degraded: expect.any(String),
      });
      expect((await db.read(countVectors)).pending).toBe(1);
      endpoint.behave('well');
      await queue.stop();
    },
  );

  it('falls back to words when the endpoint changes its dimension', async () => {
    const db = await freshDatabase(engine);
    const endpoint = await startEmbeddingEndpoint();
    const { desk, embed } = openMemory(db, endpoint.url);
    const queue = embed();
    await desk.save(who, { title: 'Database', content: 'We use Postgres' });
    await embedded(db, 1);
    endpoint.behave('other dimension');
    expect(await desk.search(who, { query: 'postgres', mode: 'vector' })).toMatchObject({
      mode: 'fts',
      results: [{ title: 'Database' }],
    });
    await queue.stop();
  });

  it('embeds everything again when the model keeps its name and changes its dimension', async () => {
    const db = await freshDatabase(engine);
    const endpoint = await startEmbeddingEndpoint();
    const { desk, embed } = openMemory(db, endpoint.url);
    const queue = embed();
    await desk.save(who, { title: 'Database', content: 'We use Postgres' });
    await desk.save(who, { title: 'Lunch', content: 'The canteen closes at two' });
    await embedded(db, 2);
    endpoint.behave('other dimension');
    await desk.save(who, { title: 'Port', content: 'The port is 9090' });
    await expect
      .poll(() => desk.search(who, { query: 'postgres', mode: 'vector' }), { timeout: 20_000 })
      .toMatchObject({ mode: 'vector', results: [{ title: 'Database' }, {}, {}] });
    await queue.stop();
  });

  it('leaves an endpoint alone that keeps failing, and asks again after a while', async () => {
    const db = await freshDatabase(engine);
    const endpoint = await startEmbeddingEndpoint();
    endpoint.behave('error');
    const { desk, clock } = openMemory(db, endpoint.url);
    for (let i = 0; i < 8; i++) await desk.search(who, { query: 'x', mode: 'vector' });
    expect(endpoint.asked).toBe(3);
    expect(await desk.provider()).toMatchObject({ available: false });
    clock.advance(6_000);
    await desk.search(who, { query: 'x', mode: 'vector' });
    expect(endpoint.asked).toBe(4);
  });

  it('embeds everything again when the model changes, without asking anybody to save again', async () => {
    const db = await freshDatabase(engine);
    const endpoint = await startEmbeddingEndpoint();
    const first = openMemory(db, endpoint.url, 'old');
    const queue = first.embed();
    for (let i = 0; i < 40; i++) await first.desk.save(who, { title: `Fact ${i}`, content: `number ${i}` });
    await embedded(db, 40);
    await queue.stop();
    const second = openMemory(db, endpoint.url, 'new');
    const again = second.embed();
    await expect
      .poll(async () => (await db.read(countVectors)).models, { timeout: 20_000 })
      .toEqual({ 'openai:old': 40, 'openai:new': 40 });
    expect((await second.desk.search(who, { query: 'fact', mode: 'vector' })).mode).toBe('vector');
    await again.stop();
  });

  it('does not let one text the model refuses hold up the others', async () => {
    const db = await freshDatabase(engine);
    const endpoint = await startEmbeddingEndpoint();
    endpoint.refuseLongerThan(100);
    const { desk, embed } = openMemory(db, endpoint.url);
    await desk.save(who, { title: 'Long', content: 'very long '.repeat(50) });
    for (let i = 0; i < 5; i++) await desk.save(who, { title: `Fact ${i}`, content: `number ${i}` });
    const queue = embed();
    await expect
      .poll(async () => (await db.read(countVectors)).models['openai:test'], { timeout: 20_000 })
      .toBe(5);
    await queue.stop();
  });

  it('lets neither what was forgotten nor what was replaced take the place of what holds', async () => {
    const db = await freshDatabase(engine);
    const endpoint = await startEmbeddingEndpoint();
    const { desk, embed } = openMemory(db, endpoint.url);
    const queue = embed();
    const saved = [];
    for (let i = 0; i < 30; i++)
      saved.push(await desk.save(who, { title: `Zebra ${i}`, content: 'a zebra by the river' }));
    await embedded(db, 30);
    await desk.search(who, { query: 'zebra', mode: 'vector' });
    for (const { fact } of saved.slice(0, 14)) await desk.forget(who, fact!.id);
    for (const { fact } of saved.slice(14, 28))
      await desk.supersede(who, { id: fact!.id, content: 'a lion in the grass' });
    const { results } = await desk.search(who, { query: 'zebra river', mode: 'vector', limit: 2 });
    expect(results.map((hit) => hit.title)).toEqual(['Zebra 29', 'Zebra 28']);
    await queue.stop();
  });

  it('forgets vectors with their facts, also those still waiting', async () => {
    const db = await freshDatabase(engine);
    const endpoint = await startEmbeddingEndpoint();
    const { desk, embed } = openMemory(db, endpoint.url);
    const queue = embed();
    const { fact } = await desk.save(who, { title: 'Gone', content: 'soon gone' });
    const { fact: kept } = await desk.save(who, { title: 'Kept', content: 'kept for good' });
    await embedded(db, 2);
    await desk.forget(who, fact!.id);
    expect((await db.read(countVectors)).models).toEqual({ 'openai:test': 1 });
    expect((await desk.search(who, { query: 'gone', mode: 'vector' })).results.map((hit) => hit.id)).toEqual([
      kept!.id,
    ]);
    await queue.stop();
  });
});
