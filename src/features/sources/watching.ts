import type { Source } from './sources.ts';

/** Resources of sources that somebody here watches: each is watched once at its source, for as long as that is connected. */
export interface Watching {
  /** Answers whether its source says when it changes. */
  watch(source: Source, uri: string): Promise<boolean>;
}

const MOST_WATCHED = 1_000;

export function createWatching(): Watching {
  const watched = new Set<string>();
  return {
    async watch({ entry, supervisor }, uri) {
      const since = supervisor.status().since;
      const key = `${entry.name} ${since} ${uri}`;
      if (watched.has(key)) return true;
      if (watched.size >= MOST_WATCHED) return false;
      const nobody = {
        caller: '',
        ask: () => Promise.reject(new Error('nobody is there to be asked')),
        say: () => undefined,
      };
      try {
        const isWatched = await supervisor.call(nobody, { idempotentHint: true }, async (upstream) => {
          if (!upstream.offers.watching) return false;
          await upstream.watch(uri);
          return true;
        });
        if (isWatched) watched.add(key);
        return isWatched;
      } catch {
        return false;
      }
    },
  };
}
