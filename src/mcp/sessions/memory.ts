/** What is remembered about sessions beside their own text. Keys are seats, digests of ids, so a leaked store opens no session. */
export interface SessionMemory {
  recall(key: string): Promise<Remembered | undefined>;
  /** Called at most once per session and minute. */
  touch(key: string, at: number, until: number): void;
  end(key: string, until: number): Promise<void>;
}

/** `isEnded` forbids the session; `seenAt` keeps it young. Both may be forgotten after `until`. */
export type Remembered = Readonly<{ seenAt: number; isEnded: boolean; until: number }>;

/** Enough for one process: forgets what has run out, oldest first when full. A session that was never used again is not in it. */
export function createSessionMemory(maxEntries = 20_000): SessionMemory {
  const entries = new Map<string, Remembered>();
  const put = (key: string, entry: Remembered) => {
    entries.delete(key);
    if (entries.size >= maxEntries) entries.delete(entries.keys().next().value!);
    entries.set(key, entry);
  };
  return {
    async recall(key) {
      return entries.get(key);
    },
    touch(key, at, until) {
      if (entries.get(key)?.isEnded) return;
      put(key, { seenAt: at, isEnded: false, until });
      for (const [old, entry] of entries) {
        if (entry.until > at) break;
        entries.delete(old);
      }
    },
    async end(key, until) {
      put(key, { seenAt: 0, isEnded: true, until });
    },
  };
}
