import { expect, it } from 'vitest';
import { CONVERSATIONS, judge, readConversations } from '../../test/fixtures/conversations.ts';
import { eachEngine, freshDatabase } from '../../test/fixtures/databases.ts';
import { systemActor } from '../kernel/principal.ts';
import type { Database } from '../store/database.ts';
import { addItem, removeItem, retireItem } from './index-store.ts';
import { createMemoryIndex } from './memory-index.ts';
import { positionOf, stretchOf } from './place.ts';
import { findItems } from './find.ts';
import { ensureScope } from './rows.ts';
import type { Sight } from './scopes.ts';
import { storedPostings } from './stored-postings.ts';

const all: Sight = { space: 'test', tenant: undefined, team: undefined, agent: undefined };

function add(
  db: Database,
  id: string,
  content: string,
  more: { team?: string; episode?: string; tags?: string[]; title?: string; seat?: string } = {},
) {
  return db.write(systemActor, async (tx) => {
    const scope = await ensureScope(tx, { space: 'test', tenant: '', team: more.team ?? '', agent: '' });
    const { title = '', tags = [], seat = 'seat', episode } = more;
    return addItem(tx, 'test', { id, scope, title, content, tags, seat, episode });
  });
}

function ask(db: Database, question: string, sight: Sight = all, isPastToo = false): Promise<string[]> {
  return db.read(async (q) =>
    (await findItems(question, storedPostings(q, sight, isPastToo))).ranked.map((hit) => hit.item.id),
  );
}

eachEngine('the stored index', (engine) => {
  it('ranks exactly as the index in memory does, so the engines agree on every top ten', async () => {
    const db = await freshDatabase(engine);
    const reference = createMemoryIndex();
    const conversations = readConversations(CONVERSATIONS);
    for (const { turns } of conversations) {
      for (const { ref, ...turn } of turns) {
        reference.add({ id: ref, ...turn });
        await add(db, ref, turn.content, { title: turn.title, tags: [...turn.tags] });
      }
    }
    const postings = reference.postings();
    for (const { questions } of conversations) {
      for (const { text } of questions) {
        const expected = (await findItems(text, postings)).ranked.slice(0, 10).map((hit) => hit.item.id);
        expect((await ask(db, text)).slice(0, 10)).toEqual(expected);
      }
    }
    const quality = await judge(
      conversations.flatMap((one) => one.questions),
      (text) => ask(db, text),
    );
    expect(quality.recall).toBeGreaterThanOrEqual(0.9);
  });

  it('finds by a word that more items have than are read, also in a small scope of a large store', async () => {
    const db = await freshDatabase(engine);
    const reference = createMemoryIndex();
    await db.write(systemActor, async (tx) => {
      const tags = { space: 'test', tenant: '', agent: '' };
      const [large, small] = [
        await ensureScope(tx, { ...tags, team: 'large' }),
        await ensureScope(tx, { ...tags, team: 'small' }),
      ];
      for (let i = 0; i < 2_300; i += 1) {
        const [id, isSmall] = [`n${i}`, i % 700 === 5];
        const half = i % 2 === 0 ? 'anchor' : 'keel';
        const content = `${half} deploy ${i % 90 === 0 ? 'porthole' : ''} n${i} x${i % 7}`;
        const episode = `e${i % 50}`;
        const item = { id, title: '', content, tags: [], seat: 'seat', episode };
        await addItem(tx, 'test', { ...item, scope: isSmall ? small : large });
        reference.add(item, isSmall ? small : large);
      }
    });
    for (const question of [
      'deploy',
      'anchor deploy',
      'porthole anchor deploy',
      'deploy n44',
      'deploy keel',
    ]) {
      const expected = (await findItems(question, reference.postings())).ranked.map((hit) => hit.item.id);
      expect((await ask(db, question)).slice(0, 10), question).toEqual(expected.slice(0, 10));
    }
    const sight = { ...all, team: 'small' };
    expect((await ask(db, 'deploy', sight)).toSorted()).toEqual(['n1405', 'n2105', 'n5', 'n705']);
    expect((await ask(db, 'anchor porthole deploy keel', sight)).toSorted()).toEqual([
      'n1405',
      'n2105',
      'n5',
      'n705',
    ]);
  });

  it('keeps two conversations apart that have the same labels and are written at once', async () => {
    const db = await freshDatabase(engine);
    const numbers = { mara: [] as number[], hana: [] as number[] };
    for (let i = 0; i < 3; i++) {
      for (const [name, day] of [
        ['mara', '4 March 2024'],
        ['hana', '9 May 2023'],
      ] as const) {
        const { number } = await add(db, `${name}${i}`, `turn ${i}`, {
          title: `Mara, ${day}`,
          tags: ['session_1'],
        });
        numbers[name].push(number);
      }
    }
    for (const turns of Object.values(numbers))
      expect(turns).toEqual([turns[0], turns[0]! + 1, turns[0]! + 2]);
    expect(stretchOf(numbers.mara[0]!)).not.toBe(stretchOf(numbers.hana[0]!));
  });

  it('gives neighbours of one episode neighbouring numbers and starts a new stretch when one is full', async () => {
    const db = await freshDatabase(engine);
    const numbers: number[] = [];
    for (let i = 0; i < 66; i++)
      numbers.push((await add(db, `id${i}`, `word${i}`, { episode: 'one' })).number);
    expect(numbers[1]! - numbers[0]!).toBe(1);
    expect(stretchOf(numbers[63]!)).toBe(stretchOf(numbers[0]!));
    expect(stretchOf(numbers[64]!)).not.toBe(stretchOf(numbers[0]!));
    expect(positionOf(numbers[65]!)).toBe(1);
  });

  it('never gives one position to two writers of one episode', async () => {
    const db = await freshDatabase(engine);
    const placed = await Promise.all(
      Array.from({ length: 40 }, (_, i) => add(db, `id${i}`, `word${i}`, { episode: 'race' })),
    );
    expect(new Set(placed.map((item) => item.number)).size).toBe(40);
    expect(Math.max(...placed.map((item) => positionOf(item.number)))).toBe(39);
  });

  it('shows a team its own and the global items, whatever another team has stored', async () => {
    const db = await freshDatabase(engine);
    for (let i = 0; i < 300; i++) await add(db, `a${i}`, 'the deployment window is Tuesday', { team: 'a' });
    await add(db, 'b', 'our deployment happens at night', { team: 'b' });
    await add(db, 'g', 'deployment needs a ticket');
    expect((await ask(db, 'deployment', { ...all, tenant: '', team: 'b', agent: '' })).sort()).toEqual([
      'b',
      'g',
    ]);
    expect(await ask(db, 'deployment', { ...all, tenant: '', team: '', agent: '' })).toEqual(['g']);
    expect(await ask(db, 'deployment', { ...all, space: 'elsewhere' })).toEqual([]);
  });

  it('finds a retired item only when the past is asked for, and a removed one never', async () => {
    const db = await freshDatabase(engine);
    const { number: old } = await add(db, 'old', 'the port is 8080');
    const { number: current } = await add(db, 'new', 'the port is 9090');
    await db.write(systemActor, (tx) => retireItem(tx, 'test', old));
    expect(await ask(db, 'port')).toEqual(['new']);
    expect((await ask(db, 'port', all, true)).sort()).toEqual(['new', 'old']);
    await db.write(systemActor, (tx) => removeItem(tx, 'test', old));
    expect(await ask(db, 'port', all, true)).toEqual(['new']);
    await db.write(systemActor, (tx) => removeItem(tx, 'test', current));
    expect(await ask(db, 'port', all, true)).toEqual([]);
    expect(await db.read((q) => storedPostings(q, all).size())).toMatchObject({
      items: 0,
      terms: 0,
    });
  });

  it('finds what somebody said in the past where nobody says anything now', async () => {
    const db = await freshDatabase(engine);
    const said = await add(db, 'said', 'the relay is on the roof', { title: 'Odile, 8 May 2024' });
    for (let i = 0; i < 150; i++) await add(db, `n${i}`, `pump ${i} runs`);
    await db.write(systemActor, (tx) => retireItem(tx, 'test', said.number));
    expect(await ask(db, 'Odile')).toEqual([]);
    expect(await ask(db, 'Odile', all, true)).toEqual(['said']);
    // From the first thing that is said now she is found in both.
    await add(db, 'again', 'the relay is in the cellar', { title: 'Odile, 9 May 2025' });
    for (let i = 0; i < 150; i++) await add(db, `m${i}`, `valve ${i} holds`);
    expect(await ask(db, 'Odile')).toEqual(['again']);
  });

  it('finds a word whatever stands inside or around it in the question', async () => {
    const db = await freshDatabase(engine);
    for (let i = 0; i < 40; i++)
      await add(db, `i${i}`, `note ${i} on src/app.ts by o'neil`, { title: "O'Neil/Ada, 3 May 2024" });
    const marks = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));
    for (const mark of [...marks, '’', '\u200b']) {
      expect((await ask(db, `src${mark}app`)).length, JSON.stringify(mark)).toBeGreaterThanOrEqual(
        /^[a-z0-9]$/i.test(mark) ? 0 : 1,
      );
      expect(await ask(db, `App${mark}Src ${mark}`), JSON.stringify(mark)).toBeInstanceOf(Array);
    }
    expect(await ask(db, "What did O'Neil/Ada note?")).not.toEqual([]);
  });

  it('flags a near-duplicate', async () => {
    const db = await freshDatabase(engine);
    await add(db, 'one', 'The staging server restarts every night at three because of the backup job');
    const twin = await add(
      db,
      'two',
      'The staging server restarts every night at three because of the backup job again',
    );
    const other = await add(db, 'three', 'The staging server has a red sticker on its case');
    expect(twin.similar).toEqual(['one']);
    const elsewhere = await add(
      db,
      'four',
      'The staging server restarts every night at three because of the backup job',
      { team: 'a' },
    );
    expect(elsewhere.similar).toEqual([]);
    expect(other.similar).toEqual([]);
    await add(db, 'short', 'The staging port is 9090');
    expect((await add(db, 'dotted', 'Staging port is 9090.')).similar).toEqual(['short']);
    expect((await add(db, 'moved', 'The staging port is 9191')).similar).toEqual([]);
  });
});
