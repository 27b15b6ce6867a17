import { expect, it } from 'vitest';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';
import { freshDesk } from '../fixtures/memory-host.ts';
import { multiplyFact } from '../fixtures/many-copies.ts';
import { readAllNotes, readNotes } from '../fixtures/notes.ts';

const who = localPrincipal('seat');

const LOG = Array.from(
  { length: 300 },
  (_, i) => `2024-05-17T10:${String(i % 60).padStart(2, '0')}:00Z worker-${i} INFO polled 0 jobs in ${i} ms`,
).join('\n');
const TRACE = `TypeError: Cannot read properties of undefined (reading 'rotate')
    at RefreshToken.rotate (/srv/gatekeeper/src/session/rotation.ts:88:17)
    at processTicksAndRejections (node:internal/process/task_queues:95:5)`;

const QUESTIONS: readonly (readonly [string, string])[] = [
  ['20,000 letters', 'token rotation '.repeat(1_334)],
  ['one letter', 'x'],
  ['stop words', 'what is it and where are they'],
  ['emoji', '🦊🔥 🎉'],
  ['a log of 300 lines', LOG],
  ['a stack trace', TRACE],
  ['JSON', '{"error":{"code":"invalid_issuer","status":401,"path":["a",null,{}]}}'],
  [
    'code',
    'for (const [k, v] of Object.entries(map)) { if (v == null) continue; out[k] = await fetch(`${k}/${v}`); }',
  ],
  ['mixed scripts', 'where is the ключ 鍵 المفتاح schlüssel stored'],
  ['a path', 'gatekeeper/src/session/rotation.ts'],
  ['a hash', 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
  ['quotes and operators', '"unclosed AND (NEAR/3 OR * ^title: -foo'],
];

eachEngine('a question of any kind', (engine) => {
  it('is answered, in time and without noise in the way', async () => {
    const db = await freshDatabase(engine);
    const desk = freshDesk(db);
    for (const { title, content, tags } of readNotes().turns.slice(0, 120))
      await desk.save(who, { title, content, tags });
    for (const [kind, query] of QUESTIONS) {
      const started = performance.now();
      const answer = await desk.search(who, { query });
      expect(answer.results.length, kind).toBeLessThanOrEqual(10);
      expect(performance.now() - started, kind).toBeLessThan(2_000);
    }
    expect((await desk.search(who, { query: TRACE })).results[0]!.title).toBe('Refresh token rotation');
    expect((await desk.search(who, { query: 'gatekeeper/src/session/rotation.ts' })).results[0]!.title).toBe(
      'Refresh token rotation',
    );
    expect((await desk.search(who, { query: '🦊🔥 🎉' })).note).toContain('no word');
  });

  it('finds a short note beside one of 100,000 letters, and the long one by what only it has', async () => {
    const desk = freshDesk(await freshDatabase(engine));
    const talk = Array.from({ length: 7_000 }, (_, i) => `matter${i % 900} of ${i % 77}`).join(' ');
    await desk.save(who, {
      title: 'Minutes',
      content: `The meeting was about the port of Hamburg. ${talk.slice(0, 99_000)} The port again. Quokka.`,
    });
    await desk.save(who, { title: 'Quokka', content: 'is a marsupial' });
    await desk.save(who, { title: 'Port', content: '9090' });
    expect((await desk.search(who, { query: 'port' })).results[0]!.title).toBe('Port');
    expect((await desk.search(who, { query: 'meeting minutes Hamburg' })).results[0]!.title).toBe('Minutes');
  });

  it('finds one note among 50,000 copies of another, and the copies', { timeout: 120_000 }, async () => {
    const db = await freshDatabase(engine);
    const desk = freshDesk(db);
    const copy = await desk.save(who, {
      title: 'Backup failure',
      content: 'the nightly backup of the billing database failed',
    });
    await multiplyFact(db, copy.fact!.id, 50_000);
    await desk.save(who, {
      title: 'Backup bucket',
      content: 'the nightly backup goes to the bucket vault-7',
    });
    const started = performance.now();
    const { results } = await desk.search(who, { query: 'to which bucket goes the nightly backup' });
    expect(performance.now() - started).toBeLessThan(3_000);
    expect(results[0]!.title).toBe('Backup bucket');
    const copies = await desk.search(who, { query: 'billing database backup failed' });
    expect(copies.results).toHaveLength(10);
    expect(copies.results.every(({ title }) => title === 'Backup failure')).toBe(true);
  });

  it('ranks what one agent saved in one second as it ranks anything else', async () => {
    const clock = { now: () => 1_700_000_000_000, elapsed: () => 0 };
    const desk = freshDesk(await freshDatabase(engine, { clock }));
    const { notes, questions } = readAllNotes();
    for (const { title, content, tags } of notes) await desk.save(who, { title, content, tags });
    const asked = questions.filter(({ way, team }) => way === 'words' && team === 'parcels');
    let found = 0;
    for (const { text, evidence } of asked) {
      const wanted = new Set(notes.filter(({ ref }) => evidence.includes(ref)).map(({ title }) => title));
      const { results } = await desk.search(who, { query: text });
      if (results.some(({ title }) => wanted.has(title))) found += 1;
    }
    expect(asked.length).toBeGreaterThan(10);
    expect(found / asked.length).toBeGreaterThanOrEqual(0.95);
  });
});
