import { setMaxListeners } from 'node:events';
import type { Event, Gap } from '../../kernel/event.ts';
import { keepFollowing } from '../../kernel/keep-following.ts';
import type { Log } from '../../kernel/log.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Database } from '../../store/database.ts';
import { listRevokedUrls } from './rows.ts';

/**
 * What is under way under a credential ends with it: streams, sessions and calls that wait. Every hub follows the feed,
 * so a revocation reaches all of them; expiry is a matter of the clock.
 */
export interface Credentials {
  /** The same caller, with the signal that tells when its credential has ended. */
  watch(who: Principal): Principal;
  /** Was this signed URL taken back? */
  isRevoked(id: string): boolean;
  /** Ends every credential whose id begins like this. */
  endAll(prefix: string): void;
  close(): Promise<void>;
}

export const URL_ID = 'url:';
export const SESSION_ID = 'session:';

const LOOK_MS = 250;

type Watched = { readonly controller: AbortController; until: number | undefined };

export function createCredentials({ db, log }: Readonly<{ db: Database; log: Log }>): Credentials {
  const watched = new Map<string, Watched>();
  const revoked = new Set<string>();
  const stopping = new AbortController();
  const timer = setInterval(() => endExpired(), LOOK_MS);
  timer.unref();
  const following = follow();

  function end(id: string): void {
    watched.get(id)?.controller.abort();
    watched.delete(id);
  }

  function endExpired(): void {
    const now = db.now();
    for (const [id, { until }] of watched) if (until !== undefined && until <= now) end(id);
  }

  async function load(): Promise<void> {
    for (const id of await db.read((q) => listRevokedUrls(q, db.now()))) revoked.add(id);
  }

  async function follow(): Promise<void> {
    const each = (event: Event | Gap) => {
      if ('gapBefore' in event) return;
      if (event.kind === 'token.revoked') end(event.subject);
      if (event.kind === 'person.signed_out') end(`${SESSION_ID}${String(event.data?.['session'])}`);
      endBeings(event, endAll);
      if (event.kind !== 'attach.revoked') return;
      revoked.add(event.subject);
      end(event.subject);
    };
    await keepFollowing({ feed: db.feed, log, what: 'revocations', begin: load, each }, stopping.signal);
  }

  function endAll(prefix: string): void {
    for (const id of watched.keys()) if (id.startsWith(prefix)) end(id);
  }

  return {
    watch(who) {
      const { credential, holds } = who;
      if (credential === undefined) return who;
      let entry = watched.get(credential);
      if (!entry) {
        entry = { controller: new AbortController(), until: holds?.until };
        setMaxListeners(0, entry.controller.signal);
        watched.set(credential, entry);
      }
      return { ...who, holds: { ...holds, ended: entry.controller.signal } };
    },
    isRevoked: (id) => revoked.has(id),
    endAll,
    async close() {
      clearInterval(timer);
      stopping.abort();
      await following;
    },
  };
}

/** Tokens of Beings: one, a family, or all of a Being that is gone. Their ids begin as `oauth/holders.ts` makes them. */
function endBeings({ kind, subject, data }: Event, endAll: (prefix: string) => void): void {
  if (kind === 'being.token_revoked') endAll(`being:${subject}:brt:${String(data?.['id'])}`);
  if (kind === 'oauth.family_ended') endAll(`being:${subject}:bto:${String(data?.['family'])}:`);
  if (kind === 'being.deleted') endAll(`being:${subject}:`);
}
