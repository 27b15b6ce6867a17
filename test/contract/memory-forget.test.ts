import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { createMemoryDesk } from '../../src/features/memory/memory.ts';
import { createActing } from '../../src/store/calls.ts';
import { createFacts } from '../../src/features/memory/facts.ts';
import { factTexts } from '../../src/features/memory/texts.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { awaitEmbedding, startEmbedding } from '../../src/recall/vectors/embedding-queue.ts';
import { createMeaning } from '../../src/recall/vectors/meaning.ts';
import { embeddingSettings } from '../../src/recall/vectors/provider.ts';
import { countVectors } from '../../src/recall/vectors/rows.ts';
import { freshPlace } from '../fixtures/databases.ts';
import { startEmbeddingEndpoint } from '../fixtures/embedding-endpoint.ts';

const who = localPrincipal('seat');

/** Words, stems and vectors as bytes: whatever could give the fact away. */
const TRACES = ['xylophonist', 'zanzibar', 'quokka', 'wombat-secret', 'session-77'];

it('forget leaves no trace of a fact in any file of the database', async () => {
  const place = await freshPlace('sqlite');
  const db = await place.open();
  const endpoint = await startEmbeddingEndpoint();
  const meaning = createMeaning(db, embeddingSettings({ HOLDFAST_EMBEDDING_URL: endpoint.url }), systemClock);
  const memory = createFacts({ onSaved: (tx, fact) => awaitEmbedding(tx, fact.number) });
  const desk = createMemoryDesk({ db, facts: memory, meaning, via: 'tool', acting: createActing(db) });
  const queue = startEmbedding({ db, meaning, texts: factTexts, holder: 'hub', log: silentLog });
  const files = () =>
    readdirSync(dirname(place.location)).map((name) => readFileSync(join(dirname(place.location), name)));
  const found = () => TRACES.filter((trace) => files().some((bytes) => bytes.includes(trace)));

  for (let i = 0; i < 50; i++)
    await desk.save(who, { title: `Noise ${i}`, content: `ordinary words number ${i}` });
  const { fact } = await desk.save(who, {
    title: 'xylophonist',
    content: 'The xylophonist went to Zanzibar with a quokka',
    tags: ['wombat-secret', 'session-77'],
    idempotencyKey: 'once',
  });
  const { fact: newer } = await desk.supersede(who, {
    id: fact!.id,
    content: 'The xylophonist returned from Zanzibar without a quokka',
  });
  for (let i = 50; i < 100; i++)
    await desk.save(who, { title: `Noise ${i}`, content: `ordinary words number ${i}` });
  await expect.poll(async () => (await db.read(countVectors)).pending, { timeout: 20_000 }).toBe(0);
  await queue.stop();
  expect(found()).toContain('zanzibar');

  await desk.forget(who, newer.id);
  await db.close();
  expect(found()).toEqual([]);

  const again = await place.open();
  const after = createMemoryDesk({
    db: again,
    facts: memory,
    meaning: createMeaning(again, embeddingSettings({ HOLDFAST_EMBEDDING: 'none' }), systemClock),
    via: 'tool',
    acting: createActing(db),
  });
  expect((await after.search(who, { query: 'ordinary words', limit: 100 })).results).toHaveLength(100);
  expect((await after.search(who, { query: 'quokka' })).results).toEqual([]);
});

it('what was forgotten is told by a thin event', async () => {
  const db = await (await freshPlace('sqlite')).open();
  const desk = createMemoryDesk({
    db,
    facts: createFacts(),
    meaning: createMeaning(db, embeddingSettings({ HOLDFAST_EMBEDDING: 'none' }), systemClock),
    via: 'tool',
    acting: createActing(db),
  });
  const { fact } = await desk.save(who, { title: 'Gone', content: 'soon gone', scopeTeamId: 'red' });
  await desk.forget(who, fact!.id);
  const stop = new AbortController();
  const told: unknown[] = [];
  for await (const event of db.feed.tail(0, () => true, stop.signal)) {
    told.push(event);
    if ('kind' in event && event.kind === 'memory.forgotten') stop.abort();
  }
  expect(told.at(-1)).toMatchObject({ kind: 'memory.forgotten', subject: fact!.id, team: 'red' });
  expect(JSON.stringify(told)).not.toContain('Gone');
});
