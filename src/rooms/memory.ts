import { createDesk } from '../features/memory/desk.ts';
import { createMemory } from '../features/memory/memory.ts';
import { factTexts } from '../features/memory/texts.ts';
import { memoryServer } from '../features/memory/tools.ts';
import { systemClock } from '../kernel/clock.ts';
import { awaitEmbedding, startEmbedding } from '../recall/vectors/embedding.ts';
import { createMeaning } from '../recall/vectors/meaning.ts';
import { type EmbeddingProvider, type EmbeddingSettings, embeddingSettings } from '../recall/vectors/provider.ts';
import type { Ground, Room } from './room.ts';

export function openMemory({ db, log }: Ground, embedding: EmbeddingSettings | EmbeddingProvider = embeddingSettings(process.env)): Room {
  const meaning = createMeaning(db, embedding, systemClock);
  // Without a worker here nothing needs to wait: the next process that embeds finds what has no vector yet.
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
    work(holder) {
      isEmbedding = true;
      return [startEmbedding({ db, meaning, texts: factTexts, holder, log })];
    },
  };
}
