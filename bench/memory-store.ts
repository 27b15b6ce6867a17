import { createFacts, saveFact } from '../src/features/memory/facts.ts';
import { createMemoryDesk } from '../src/features/memory/memory.ts';
import { createUses } from '../src/features/memory/uses.ts';
import { systemClock } from '../src/kernel/clock.ts';
import { silentLog } from '../src/kernel/log.ts';
import { localPrincipal } from '../src/kernel/principal.ts';
import { createMeaning, embeddingSettings } from '../src/recall/recall.ts';
import { createActing } from '../src/store/calls.ts';
import type { Database } from '../src/store/database.ts';
import { sql } from '../src/store/sql.ts';
import { createCorpus } from './memory-corpus.ts';

export const asker = localPrincipal('bench');

/** The memory of one store as a tool reaches it, without a model. */
export function deskOf(db: Database): ReturnType<typeof createMemoryDesk> {
  const meaning = createMeaning(db, embeddingSettings({ HOLDFAST_EMBEDDING: 'none' }), systemClock);
  const uses = createUses({ db, log: silentLog });
  return createMemoryDesk({ db, facts: createFacts(), meaning, uses, via: 'tool', acting: createActing(db) });
}

/** Fills up to so many facts, a thousand at a time; what is there already stays. */
export async function fillFacts(db: Database, size: number): Promise<void> {
  const facts = createFacts();
  const corpus = createCorpus();
  const there = await db.read((q) =>
    q.get<{ count: number }>(sql`select count(*) as count from memory_facts`),
  );
  for (let i = 0; i < there!.count; i += 1) corpus.fact(i);
  for (let start = there!.count; start < size; start += 1_000) {
    await db.write({ id: 'bench', asserted: false }, async (tx) => {
      for (let i = start; i < Math.min(size, start + 1_000); i++)
        await saveFact(facts.in(tx, asker), { ...corpus.fact(i), source: 'bench' });
    });
  }
}
