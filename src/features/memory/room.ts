import { join } from 'node:path';
import { systemClock } from '../../kernel/clock.ts';
import { systemActor } from '../../kernel/principal.ts';
import {
  awaitEmbedding,
  createMeaning,
  type EmbeddingProvider,
  type EmbeddingSettings,
  embeddingSettings,
  startEmbedding,
} from '../../recall/recall.ts';
import type { RoomDeclaration } from '../room.ts';
import { memoryPulse } from './rows/pulse.ts';
import { routesOf } from '../../operation/faces.ts';
import { createSpaces, type ProjectsService } from '../projects/projects.ts';
import { memoryBrief } from './brief-lately.ts';
import { createCiting } from './cites/caller-cites.ts';
import { createFacts, type OnSaved } from './facts.ts';
import { createMemory, type Memory } from './memory.ts';
import { moveMemory } from './merge.ts';
import { memoryOperations } from './operations.ts';
import { createReaders, KEPT_MS, UNHEARD_MS } from './readers.ts';
import { startMemoryReindexing } from './read-again.ts';
import { teamsOfMemory } from './rows/sight.ts';
import { dropReadersBefore } from './rows/readers.ts';
import { factTexts } from './texts.ts';
import { behindMemory, memoryServer } from './server.ts';
import { refutedPostscript } from './tell-refuted.ts';
import { createUses } from './uses.ts';
import { sweepWithheld } from './withheld.ts';

/** `embedding` unless given is looked for as the hub does: Ollama, then OpenAI, then none. */
export function memoryRoomWith(
  embedding?: EmbeddingSettings | EmbeddingProvider,
): RoomDeclaration<{ projects: ProjectsService }, Memory> {
  return {
    key: 'memory',
    needs: ['projects'],
    open({ db, log, acting, config, knocks }, { projects }) {
      const settings = embedding ?? embeddingSettings({ ...process.env, ...config.embedding });
      const meaning = createMeaning(db, settings, systemClock);
      // Without a worker in this process nothing needs to wait: the next one that embeds finds what has no vector yet.
      let isEmbedding = false;
      const onSaved: OnSaved = async (tx, fact) => {
        if (isEmbedding && meaning.isKnown()) await awaitEmbedding(tx, fact.number);
      };
      const facts = createFacts({ onSaved });
      const uses = createUses({ db, log });
      const spaces = createSpaces({
        scratch: join(config.home, 'workspace'),
        closed: [config.home, config.tokenFile],
        checkouts: join(config.home, 'worktrees'),
      });
      const citing = createCiting({ projects, spaces, log });
      const readers = createReaders({ db, log });
      const memory = createMemory({ db, acting, facts, meaning, uses, citing, readers, knocks });
      return {
        service: memory,
        teams: teamsOfMemory,
        pulse: memoryPulse,
        ofProject: { move: async (tx, move) => ({ memories: await moveMemory(tx, move, onSaved) }) },
        servers: [memoryServer(acting, memory)],
        routes: async () => routesOf(behindMemory(acting, memory), memoryOperations),
        brief: memoryBrief(db, readers),
        postscript: refutedPostscript((who) => readers.tidings(who)),
        chores: [
          {
            name: 'memory-readers',
            everyMs: 60 * 60_000,
            run: () =>
              db.write(systemActor, (tx) =>
                dropReadersBefore(tx, { given: tx.now - KEPT_MS, unheard: tx.now - UNHEARD_MS }),
              ),
          },
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
        async close() {
          await memory.via('tool').settled();
          await memory.via('route').settled();
          await readers.close();
          await uses.close();
        },
        work(holder) {
          isEmbedding = true;
          return [startEmbedding({ db, meaning, texts: factTexts, holder, log })];
        },
      };
    },
  };
}

export const memoryRoom = memoryRoomWith();
