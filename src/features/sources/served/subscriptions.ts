import type { Source } from '../sources.ts';

/** Resources of sources that somebody here watches: each is watched once at its source, and again when that comes back. */
export interface SourceSubscriptions {
  /** Answers whether its source says when it changes. */
  watch(source: Source, uri: string): Promise<boolean>;
  /** The source is connected anew, and has forgotten what was watched. */
  again(source: Source): Promise<void>;
}

const MOST_WATCHED = 1_000;
/** After a stream broke. A source without a session is not connected anew, so nobody else says that it is back. */
const FIRST_TRY_MS = 500;
const LAST_TRY_MS = 30_000;

const nobody = {
  caller: '',
  ask: () => Promise.reject(new Error('nobody is there to be asked')),
  say: () => undefined,
};

export function createSubscriptions(): SourceSubscriptions {
  /** By source, and by the connection they are watched on. */
  const watched = new Map<string, { since: number; uris: Set<string> }>();

  async function begin(source: Source, uri: string): Promise<boolean> {
    try {
      return await source.supervisor.call(nobody, { idempotentHint: true }, async (upstream) => {
        if (!upstream.offers.watching) return false;
        await upstream.watch(uri, () => tryLater(source, uri, FIRST_TRY_MS));
        return true;
      });
    } catch {
      return false;
    }
  }

  function tryLater(source: Source, uri: string, ms: number): void {
    const { state, since } = source.supervisor.status();
    const known = watched.get(source.entry.name);
    if (state === 'stopped' || known?.since !== since) return;
    const timer = setTimeout(() => {
      // Where it was connected anew meanwhile, everything is watched there.
      if (watched.get(source.entry.name)?.since !== since) return;
      void begin(source, uri).then((isWatched) =>
        isWatched ? undefined : tryLater(source, uri, Math.min(ms * 2, LAST_TRY_MS)),
      );
    }, ms);
    timer.unref();
  }

  async function again(source: Source): Promise<void> {
    const known = watched.get(source.entry.name);
    const { state, since } = source.supervisor.status();
    if (!known || state !== 'ready' || known.since === since) return;
    known.since = since;
    for (const uri of known.uris) if (!(await begin(source, uri))) known.uris.delete(uri);
  }

  return {
    again,
    async watch(source, uri) {
      await again(source);
      const known = watched.get(source.entry.name);
      if (known?.uris.has(uri)) return true;
      if ((known?.uris.size ?? 0) >= MOST_WATCHED || !(await begin(source, uri))) return false;
      const { since } = source.supervisor.status();
      const now = watched.get(source.entry.name) ?? { since, uris: new Set<string>() };
      now.uris.add(uri);
      watched.set(source.entry.name, now);
      return true;
    },
  };
}
