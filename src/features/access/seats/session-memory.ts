import type { Log } from '../../../kernel/log.ts';
import { systemActor } from '../../../kernel/principal.ts';
import type { Remembered, SessionMemory } from '../../../mcp/sessions/memory.ts';
import { createCoalesced } from '../../../store/coalesced.ts';
import type { Database, Tx } from '../../../store/database.ts';
import { findSession, saveSession } from '../rows.ts';

/** Sessions that were ended stay ended over a restart and on every hub; signs of life are kept here and written in batches. */
export interface StoredSessionMemory extends SessionMemory {
  flush(): Promise<void>;
  close(): Promise<void>;
}

type Known = Readonly<{ remembered: Remembered | undefined; readAt: number }>;

export type SessionMemoryParts = Readonly<{ db: Database; log: Log; flushMs?: number }>;

const MAX_KNOWN = 20_000;

export function createStoredSessionMemory({
  db,
  log,
  flushMs = 5_000,
}: SessionMemoryParts): StoredSessionMemory {
  // What the only hub of a database knows is the truth; beside other hubs it holds for a moment only.
  const freshMs = db.dialect.isShared ? 2_000 : Number.POSITIVE_INFINITY;
  const known = new Map<string, Known>();
  const signs = createCoalesced<Remembered>({
    db,
    log,
    what: 'Signs of life of MCP sessions',
    everyMs: flushMs,
    write,
  });

  function keep(seat: string, remembered: Remembered | undefined): void {
    known.delete(seat);
    if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value!);
    known.set(seat, { remembered, readAt: db.elapsed() });
  }

  return {
    async recall(seat) {
      const entry = known.get(seat);
      if (entry && db.elapsed() - entry.readAt < freshMs) return entry.remembered;
      const stored = await db.read((q) => findSession(q, seat));
      const remembered = stored?.isEnded ? stored : (signs.get(seat) ?? stored);
      keep(seat, remembered);
      return remembered;
    },
    touch(seat, at, until) {
      if (known.get(seat)?.remembered?.isEnded) return;
      const remembered = { seenAt: at, isEnded: false, until };
      keep(seat, remembered);
      if (signs.size < MAX_KNOWN) signs.set(seat, remembered);
    },
    async end(seat, until) {
      signs.drop(seat);
      const remembered = { seenAt: 0, isEnded: true, until };
      await db.write(systemActor, (tx) => write(tx, seat, remembered));
      keep(seat, remembered);
    },
    flush: signs.flush,
    close: signs.close,
  };
}

function write(tx: Tx, seat: string, remembered: Remembered): Promise<unknown> {
  return saveSession(tx, { ...remembered, seat });
}
