import { expect, it } from 'vitest';
import { createChat } from '../../src/features/chat/chat.ts';
import { lookUntil } from '../../src/features/chat/look-until.ts';
import type { Database } from '../../src/store/database.ts';
import { eachEngine, freshPlace } from '../fixtures/databases.ts';

const chat = createChat({ postsPerMinute: 0 });
const ROOM = 'team:red';

function post(db: Database, author: string, text: string): Promise<number> {
  const draft = {
    roomId: ROOM,
    teamId: 'red',
    author,
    kind: 'peer' as const,
    text,
    isBound: true,
    asserted: false,
  };
  return db.write({ id: author, asserted: false }, async (tx) => (await chat.post(tx, draft)).post.seq);
}

eachEngine('a room under concurrent writers', (engine) => {
  it(
    'sixteen writers leave no gap and eight readers lose and double nothing',
    { timeout: 300_000 },
    async () => {
      // A post costs PostgreSQL tens of times what it costs SQLite; the races are the same from the first on.
      const [writers, each, readers] = [16, engine === 'sqlite' ? 400 : 150, 8];
      const place = await freshPlace(engine);
      const [one, two] = [await place.open(), await place.open()];
      const total = writers * each;
      const signal = AbortSignal.timeout(290_000);

      const reading = Array.from({ length: readers }, async (_, r) => {
        const db = r % 2 === 0 ? one : two;
        const seen: number[] = [];
        let sinceSeq = 0;
        while (sinceSeq < total) {
          const limit = 1 + ((r * 37 + seen.length) % 500);
          const news = await lookUntil(db.feed, { roomId: ROOM, waitSeconds: 20, signal }, async () => {
            const answer = await db.read((q) =>
              chat.news(q, { roomId: ROOM, reader: `reader-${r}`, sinceSeq, limit }),
            );
            return { answer, isEnough: answer.posts.length > 0 };
          });
          seen.push(...news.posts.map(({ seq }) => seq));
          sinceSeq = news.nextSeq;
          // Two readers look at every single post; the others find pages of all lengths.
          if (r > 1) await new Promise((resolve) => setTimeout(resolve, r * 10));
        }
        return seen;
      });

      const written = await Promise.all(
        Array.from({ length: writers }, async (_, w) => {
          const mine: number[] = [];
          for (let i = 0; i < each; i += 1)
            mine.push(await post(w % 2 === 0 ? one : two, `writer-${w}`, `${w}:${i}`));
          return mine;
        }),
      );

      const expected = Array.from({ length: total }, (_, i) => i + 1);
      expect(written.flat().sort((a, b) => a - b)).toEqual(expected);
      for (const seen of await Promise.all(reading)) expect(seen).toEqual(expected);
    },
  );

  it('takes its number back when the unit fails', async () => {
    const db = await (await freshPlace(engine)).open();
    await post(db, 'ada', 'one');
    const failing = db.write({ id: 'ada', asserted: false }, async (tx) => {
      await chat.post(tx, {
        roomId: ROOM,
        teamId: 'red',
        author: 'ada',
        kind: 'peer',
        text: 'lost',
        isBound: true,
        asserted: false,
      });
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await post(db, 'ada', 'two')).toBe(2);
  });
});
