import { createDesk } from '../features/memory/desk.ts';
import { createMemory } from '../features/memory/memory.ts';
import { startMemoryReindexing } from '../features/memory/reindexing.ts';
import { factTexts } from '../features/memory/texts.ts';
import { memoryServer } from '../features/memory/tools.ts';
import { systemClock } from '../kernel/clock.ts';
import { awaitEmbedding, createMeaning, type EmbeddingSettings, embeddingSettings, startEmbedding } from '../recall/recall.ts';
import type { Ground, Room } from './room.ts';

export function openMemory({ db, log }: Ground, embedding: EmbeddingSettings = embeddingSettings(process.env)): Room {
  const meaning = createMeaning(db, embedding, systemClock);
  // Without a worker in this process nothing needs to wait: the next hub finds what has no vector yet.
  let isEmbedding = false;
  const memory = createMemory({
    onSaved: async (tx, fact) => {
      if (isEmbedding && meaning.isKnown()) await awaitEmbedding(tx, fact.number);
    },
  });
  const desk = (surface: string) => createDesk({ db, memory, meaning, surface });
  return {
    servers: [memoryServer(desk('mcp'))],
    routes: async () => (await import('../features/memory/routes.ts')).memoryRoutes(desk('rest')),
    start(hub) {
      isEmbedding = true;
      return [startEmbedding({ db, meaning, texts: factTexts, holder: hub, log }), startMemoryReindexing({ db, holder: hub, log })];
    },
  };
}
