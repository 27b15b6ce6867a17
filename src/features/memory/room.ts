import { systemClock } from '../../kernel/clock.ts';
import { systemActor } from '../../kernel/principal.ts';
import {
  awaitEmbedding,
  createMeaning,
  type EmbeddingProvider,
  type EmbeddingSettings,
  embeddingSettings,
  startEmbedding,
  moveScopes,
  teamsOfScopes,
} from '../../recall/recall.ts';
import type { RoomDeclaration } from '../room.ts';
import { routesOf } from '../../operation/faces.ts';
import { createFacts } from './facts.ts';
import { createMemory, type Memory } from './memory.ts';
import { memoryOperations } from './operations.ts';
import { startMemoryReindexing } from './read-again.ts';
import { factTexts } from './texts.ts';
import { behindMemory, memoryServer } from './server.ts';
import { createUses } from './uses.ts';
import { sweepWithheld } from './withheld.ts';

/** `embedding` unless given is looked for as the hub does: Ollama, then OpenAI, then none. */
export function memoryRoomWith(
  embedding?: EmbeddingSettings | EmbeddingProvider,
): RoomDeclaration<object, Memory> {
  return {
    key: 'memory',
    needs: [],
    open({ db, config, log, acting }) {
      const settings = embedding ?? embeddingSettings({ ...process.env, ...config.embedding });
      const meaning = createMeaning(db, settings, systemClock);
      // Without a worker in this process nothing needs to wait: the next one that embeds finds what has no vector yet.
      let isEmbedding = false;
      const facts = createFacts({
        onSaved: async (tx, fact) => {
          if (isEmbedding && meaning.isKnown()) await awaitEmbedding(tx, fact.number);
        },
      });
      const uses = createUses({ db, log });
      const memory = createMemory({ db, acting, facts, meaning, uses });
      return {
        service: memory,
        teams: teamsOfScopes,
        ofProject: {
          async move(tx, move) {
            const { left } = await moveScopes(tx, move);
            return { factsLeft: left };
          },
        },
        servers: [memoryServer(acting, memory)],
        routes: async () => routesOf(behindMemory(acting, memory), memoryOperations),
        chores: [
          {
            name: 'memory-withheld',
            everyMs: 10 * 60_000,
            async run() {
              while ((await db.write(systemActor, sweepWithheld)) > 0);
            },
          },
        ],
        start: (hub) => [startMemoryReindexing({ db, holder: hub, log })],
        overhear(who, tool, args) {
          if (!tool.annotations.readOnlyHint) uses.cited(who, args);
        },
        close: () => uses.close(),
        work(holder) {
          isEmbedding = true;
          return [startEmbedding({ db, meaning, texts: factTexts, holder, log })];
        },
      };
    },
  };
}

export const memoryRoom = memoryRoomWith();
