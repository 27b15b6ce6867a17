import { sha256 } from '../../kernel/digest.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { HubError } from '../../kernel/errors.ts';
import { newSecret } from '../../kernel/ids.ts';
import { type KeySource, keyOf } from '../../kernel/signing-key.ts';
import type { Binding } from '../../kernel/principal.ts';
import { type Abilities, packAbilities, unpackAbilities } from '../protocol/abilities.ts';
import { createSeal } from '../seal.ts';
import type { Profile } from '../server.ts';
import { createSessionMemory, type SessionMemory } from './memory.ts';

/** What `initialize` settled. It is the session id: nothing is stored, so it survives a restart and costs nothing while idle. */
export type Session = Readonly<{
  id: string;
  /** Names the session in records without opening it: the id itself is a credential. */
  seat: string;
  server: string;
  version: string;
  can: Abilities;
  bound: Binding;
  profile: Profile;
  /** Who opened it; nobody else may use it. */
  owner: string;
  client: string;
  openedAt: number;
}>;

export interface Sessions {
  open(facts: Omit<Session, 'id' | 'seat' | 'openedAt'>): Session;
  /** Undefined for an id that is not ours, has expired, was ended, or belongs to another server or caller. */
  find(id: string, server: string, owner: string): Promise<Session | undefined>;
  end(session: Session): Promise<void>;
}

export type SessionParts = Readonly<{
  key: KeySource;
  memory?: SessionMemory;
  clock?: Clock;
  /** A session unused for this long is over. */
  idleMs?: number;
}>;

const WEEK = 7 * 24 * 60 * 60_000;
const TOUCH_EVERY = 60_000;
/** Ids are kilobytes at most; anything longer is not one of ours. */
const MAX_ID = 4_096;
/** Sessions in use, so that a call does not pay for the signature again. */
const MAX_RECENT = 1_024;

type Recent = { readonly session: Session; touchedAt: number };

export function createSessions(parts: SessionParts): Sessions {
  const { memory = createSessionMemory(), clock = systemClock, idleMs = WEEK } = parts;
  const seal = createSeal(parts.key, 'session');
  const recent = new Map<string, Recent>();

  function keep(entry: Recent): Recent {
    if (recent.size >= MAX_RECENT) recent.delete(recent.keys().next().value!);
    recent.set(entry.session.id, entry);
    return entry;
  }

  let known = keyOf(parts.key);

  function read(id: string): Recent | undefined {
    // Under another key nothing that was sealed before counts, however recently it was used.
    if (keyOf(parts.key) !== known) {
      recent.clear();
      known = keyOf(parts.key);
    }
    const used = recent.get(id);
    if (used) return used;
    if (id.length > MAX_ID) return undefined;
    const facts = seal.open(id);
    return facts === undefined ? undefined : keep({ session: unpack(id, facts as Packed), touchedAt: 0 });
  }

  return {
    open(facts) {
      const openedAt = clock.now();
      const id = seal.close(pack({ ...facts, openedAt }));
      if (id.length > MAX_ID)
        throw new HubError('too_large', 'what the URL binds is too long for a session', {
          hint: 'Use shorter team and agent names.',
        });
      return { ...facts, id, seat: seatOfSession(id), openedAt };
    },
    async find(id, server, owner) {
      const entry = read(id);
      if (!entry || entry.session.server !== server || entry.session.owner !== owner) return undefined;
      const now = clock.now();
      const remembered = await memory.recall(entry.session.seat);
      if (remembered?.isEnded) return undefined;
      if (now - Math.max(entry.session.openedAt, remembered?.seenAt ?? 0, entry.touchedAt) > idleMs)
        return undefined;
      if (now - entry.touchedAt >= TOUCH_EVERY) {
        entry.touchedAt = now;
        memory.touch(entry.session.seat, now, now + idleMs);
      }
      return entry.session;
    },
    async end(session) {
      recent.delete(session.id);
      // Its id could never be used longer than this, however young it looks.
      await memory.end(session.seat, clock.now() + idleMs + TOUCH_EVERY);
    },
  };
}

/** Positional and short: it travels in a header with every request. */
type Packed = readonly [
  nonce: string,
  server: string,
  version: string,
  can: string,
  bound: Binding,
  profile: Profile,
  owner: string,
  client: string,
  openedAt: number,
];

function pack(facts: Omit<Session, 'id' | 'seat'>): Packed {
  const { server, version, can, bound, profile, owner, client, openedAt } = facts;
  return [newSecret(12), server, version, packAbilities(can), bound, profile, owner, client, openedAt];
}

function unpack(id: string, packed: Packed): Session {
  const [, server, version, can, bound, profile, owner, client, openedAt] = packed;
  return {
    id,
    seat: seatOfSession(id),
    server,
    version,
    can: unpackAbilities(can),
    bound,
    profile,
    owner,
    client,
    openedAt,
  };
}

function seatOfSession(id: string): string {
  return `session:${sha256(id, 'base64url')}`;
}
