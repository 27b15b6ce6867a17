import type { Log } from '../../kernel/log.ts';
import { systemActor } from '../../kernel/principal.ts';
import type { Remembered, SessionMemory } from '../../mcp/sessions/memory.ts';
import type { Database } from '../../store/database.ts';
import { findSession, saveSession } from './rows.ts';

/** Sessions that were ended stay ended over a restart and on every hub; signs of life are kept here and written in batches. */
export interface StoredSessionMemory extends SessionMemory {
  flush(): Promise<void>;
  close(): Promise<void>;
}

type Known = Readonly<{ remembered: Remembered | undefined; readAt: number }>;

export type SessionMemoryParts = Readonly<{ db: Database; log: Log; flushMs?: number }>;

const MAX_KNOWN = 20_000;

export function createStoredSessionMemory({ db, log, flushMs = 5_000 }: SessionMemoryParts): StoredSessionMemory {
  // One hub owns a SQLite file, so what it knows is the truth; beside other hubs it holds for a moment only.
  const freshMs = db.engine === 'sqlite' ? Number.POSITIVE_INFINITY : 2_000;
  const known = new Map<string, Known>();
  const waiting = new Map<string, Remembered>();
  const timer = setInterval(() => void flush(), flushMs);
  timer.unref();

  function keep(seat: string, remembered: Remembered | undefined): void {
    known.delete(seat);
    if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value!);
    known.set(seat, { remembered, readAt: db.now() });
  }

  async function write(due: ReadonlyMap<string, Remembered>): Promise<void> {
    await db.write(systemActor, async (tx) => {
      for (const [seat, { seenAt, isEnded, until }] of due) await saveSession(tx, seat, { seen_at: seenAt, ended: isEnded ? 1 : 0, until });
    });
  }

  async function flush(): Promise<void> {
    if (waiting.size === 0) return;
    const due = new Map(waiting);
    waiting.clear();
    try {
      await write(due);
    } catch (error) {
      log.warn('signs of life of MCP sessions were not written; they are tried again', { error });
      for (const [seat, remembered] of due) if (!waiting.has(seat)) waiting.set(seat, remembered);
    }
  }

  return {
    async recall(seat) {
      const entry = known.get(seat);
      if (entry && db.now() - entry.readAt < freshMs) return entry.remembered;
      const row = await db.read((q) => findSession(q, seat));
      const stored = row && { seenAt: row.seen_at, isEnded: row.ended === 1, until: row.until };
      const remembered = stored?.isEnded ? stored : (waiting.get(seat) ?? stored);
      keep(seat, remembered);
      return remembered;
    },
    touch(seat, at, until) {
      if (known.get(seat)?.remembered?.isEnded) return;
      const remembered = { seenAt: at, isEnded: false, until };
      keep(seat, remembered);
      if (waiting.size < MAX_KNOWN) waiting.set(seat, remembered);
    },
    async end(seat, until) {
      waiting.delete(seat);
      const remembered = { seenAt: 0, isEnded: true, until };
      await write(new Map([[seat, remembered]]));
      keep(seat, remembered);
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
