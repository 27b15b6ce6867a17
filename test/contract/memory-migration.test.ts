import { expect, it } from 'vitest';
import { startMemoryReindexing } from '../../src/features/memory/read-again.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal, systemActor } from '../../src/kernel/principal.ts';
import { sql } from '../../src/store/sql.ts';
import type { Place } from '../fixtures/databases.ts';
import { eachEngine, freshPlace } from '../fixtures/databases.ts';
import { freshDesk } from '../fixtures/memory-host.ts';
import { readNotes } from '../fixtures/notes.ts';

const who = localPrincipal('seat');

/** As a version that read texts otherwise left it: nothing is read as it would be today, and no procedure is among the items. */
async function age(place: Place): Promise<void> {
  const db = await place.open();
  await db.write(systemActor, async (tx) => {
    await tx.run(sql`update recall_items set analysis = 1`);
    await tx.run(sql`update memory_procedures set no = null`);
  });
  await db.close();
}

eachEngine('a store of the version before', (engine) => {
  it(
    'is searchable at once, read again in the background, and shows how much is left',
    { timeout: 60_000 },
    async () => {
      const place = await freshPlace(engine);
      const old = await place.open();
      const desk = freshDesk(old);
      const notes = readNotes().turns.slice(0, 150);
      for (const { title, content, tags } of notes) await desk.save(who, { title, content, tags });
      const { procedure } = await desk.save(who, {
        procedureName: 'restore a backup',
        content: 'Use wal-g fetch and then promote',
      });
      // As the version before had it: other words for the same text, and no procedure among the items.
      await old.write(systemActor, async (tx) => {
        const { memoryRecall } = await import('../../src/features/memory/file-procedures.ts');
        const { filedNumbers } = await import('../../src/features/memory/rows/procedures.ts');
        const scope = await memoryRecall.scope(tx, { tenant: '', team: '', agent: '' });
        for (const number of await filedNumbers(tx, scope, 'restore a backup'))
          await memoryRecall.forget(tx, number);
      });
      await old.close();
      await age(place);

      const db = await place.open();
      const later = freshDesk(db);
      expect((await later.stats(who)).toReadAgain).toBe(150);
      expect((await later.search(who, { query: 'access token lifetime' })).results[0]!.title).toBe(
        notes[0]!.title,
      );
      expect((await later.search(who, { query: 'restore a backup', kind: 'procedure' })).results).toEqual([]);

      const reindexing = startMemoryReindexing({ db, holder: 'test', log: silentLog });
      await expect
        .poll(async () => (await later.stats(who)).toReadAgain, { timeout: 30_000 })
        .toBeUndefined();
      await expect
        .poll(
          async () =>
            (await later.search(who, { query: 'restore a backup', kind: 'procedure' })).results[0]?.id,
          { timeout: 30_000 },
        )
        .toBe(procedure!.id);
      await reindexing.stop();
      expect((await later.search(who, { query: 'access token lifetime' })).results[0]!.title).toBe(
        notes[0]!.title,
      );
      await later.forget(who, (await later.search(who, { query: 'access token lifetime' })).results[0]!.id);
      expect((await later.search(who, { query: 'access token lifetime' })).results[0]?.title).not.toBe(
        notes[0]!.title,
      );
    },
  );
});
