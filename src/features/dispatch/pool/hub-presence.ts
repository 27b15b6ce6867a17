// What a hub has, told to the others on its database: what waits here may be for them, and whoever asks here is told so.
import { platform } from 'node:os';
import type { Log } from '../../../kernel/log.ts';
import { systemActor } from '../../../kernel/principal.ts';
import { thisMachine } from '../../../kernel/process/table.ts';
import { VERSION } from '../../../kernel/version.ts';
import type { Database } from '../../../store/database.ts';
import type { Agent } from '../agents/agents.ts';
import { dropHubOffer, saveHubOffer } from './rows.ts';

export type HubPresence = Readonly<{ begin(): Promise<void>; close(): Promise<void> }>;

type PresenceParts = Readonly<{
  db: Database;
  log: Log;
  hub: string;
  /** What it would begin itself; undefined where it only coordinates. */
  agents(): readonly Agent[] | undefined;
}>;

/** Sooner than it is taken for gone. */
const TELL_MS = 20_000;

export function createHubPresence({ db, log, hub, agents }: PresenceParts): HubPresence {
  let telling: NodeJS.Timeout | undefined;
  const warn = (error: unknown) => log.warn('other hubs were not told what this one has', { error });

  async function tell(): Promise<void> {
    const own = agents();
    const offer = {
      machine: thisMachine(),
      system: platform(),
      version: VERSION,
      slots: own === undefined ? 0 : 1,
      agents: (own ?? []).map(({ instance, family, lane }) => ({ instance, family, lane })),
    };
    await db.write(systemActor, (tx) => saveHubOffer(tx, hub, offer));
  }

  return {
    async begin() {
      // A hub that is alone on its database has nobody to tell.
      if (!db.dialect.isShared) return;
      await tell().catch(warn);
      telling = setInterval(() => void tell().catch(warn), TELL_MS).unref();
    },
    async close() {
      clearInterval(telling);
      if (telling) await db.write(systemActor, (tx) => dropHubOffer(tx, hub)).catch(warn);
    },
  };
}
