import { HubError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { type Principal, requireOperator } from '../../kernel/principal.ts';
import { excerpt, redact } from '../../kernel/redact.ts';
import type { Caller } from '../../store/calls.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import { createNoteUse } from './note-use.ts';
import { createOAuth, type OAuth } from './oauth/oauth.ts';
import {
  findToken,
  insertRevokedUrl,
  insertToken,
  listTokens,
  markUsed,
  revokeToken,
  type StoredToken,
} from './rows.ts';
import { digestOf, isSameDigest, mintToken, stateOf, tokenIdOf } from './rules.ts';
import type { AgentToken, NewToken } from './token.ts';

export type { LivingSeat } from './seats/living-seat.ts';
export type { KnownScope } from './scopes.ts';

/** Agent tokens: making them, taking them back, and telling who holds one. */
export interface Access {
  /** As the operator sees them in a snapshot; nobody else does. */
  at(q: Query, caller: Caller): AccessView;
  /** As the operator, and the hub for its runs, changes them in a transaction. */
  in(tx: Tx, caller: Caller): AccessDesk;
  /** Undefined for a text that is no token of this hub; throws `unauthorized` for one that no longer holds. */
  identify(text: string): Promise<Principal | undefined>;
  /** How one is let in to a Being. */
  readonly oauth: OAuth;
}

export interface AccessView {
  tokens(): Promise<AgentToken[]>;
}

export interface AccessDesk {
  /** `text` is the credential itself: shown to whoever made it and kept nowhere. */
  createToken(request: NewToken): Promise<Readonly<{ text: string; token: AgentToken }>>;
  revokeToken(id: string): Promise<AgentToken>;
  /** A text that signs one browser in, once. */
  createLink(): Promise<string>;
  /** Takes back a signed attach URL, known by its id. */
  revokeUrl(url: Readonly<{ id: string; until: number }>): Promise<void>;
}

export function createAccess({ db, log }: Readonly<{ db: Database; log: Log }>): Access {
  const noteUse = createNoteUse({ db, log }, markUsed);
  const oauth = createOAuth({ db, log });

  return {
    oauth,
    at: (q, { who }) => ({
      async tokens() {
        requireOperator(who, 'Listing tokens');
        return (await listTokens(q)).map((token) => present(token, db.now()));
      },
    }),
    in: (tx, caller) => deskOf(tx, caller, oauth),

    async identify(text) {
      const id = tokenIdOf(text);
      const row = id === undefined ? undefined : await db.read((q) => findToken(q, id));
      if (!row || !isSameDigest(row.hash, digestOf(text))) return undefined;
      const token = present(row, db.now());
      if (token.state !== 'active') {
        const what = token.state === 'expired' ? 'has expired' : 'was revoked';
        throw new HubError('unauthorized', `This token ${what}.`, {
          challenge: 'invalid_token',
          hint: 'Ask the operator for a new one.',
        });
      }
      noteUse(row.id);
      return principalOf(token);
    },
  };
}

const deskOf = (tx: Tx, { who }: Caller, oauth: OAuth): AccessDesk => ({
  async createToken({ agent, team, scopes = ['*'], expiresAt, label, profile }) {
    requireOperator(who, 'Making a token');
    if (expiresAt !== undefined && expiresAt <= tx.now) {
      throw new HubError('invalid', 'expiresAt must lie in the future.', { expiresAt });
    }
    const { id, text, hash } = mintToken();
    const token = {
      id,
      hash,
      agent,
      team: team ?? null,
      scopes: [...new Set(scopes)].sort(),
      label: label === undefined ? null : redact(label),
      profile: profile ?? null,
      createdAt: tx.now,
      expiresAt: expiresAt ?? null,
      revokedAt: null,
      usedAt: null,
    };
    await insertToken(tx, token);
    tx.emit({ kind: 'token.created', subject: id, realm: 'hub', ...(team !== undefined && { team }) });
    return { text, token: present(token, tx.now) };
  },

  async revokeToken(id) {
    requireOperator(who, 'Revoking a token');
    const changed = await revokeToken(tx, id);
    const token = await findToken(tx, id);
    if (!token)
      throw new HubError('not_found', `There is no token ${excerpt(id, 40)}.`, {
        hint: '`holdfast token list` shows the ids.',
      });
    const { team } = token;
    if (changed > 0)
      tx.emit({ kind: 'token.revoked', subject: id, realm: 'hub', ...(team !== null && { team }) });
    return present(token, tx.now);
  },

  async createLink() {
    requireOperator(who, 'Signing in');
    return oauth.persons.createLink(tx);
  },

  async revokeUrl({ id, until }) {
    requireOperator(who, 'Revoking an attach URL');
    await insertRevokedUrl(tx, id, until);
    tx.emit({ kind: 'attach.revoked', subject: id, realm: 'hub' });
  },
});

function principalOf({ id, agent, team, scopes, expiresAt, profile }: AgentToken): Principal {
  return {
    kind: 'agent',
    id: agent,
    credential: id,
    scopes: new Set(scopes),
    seat: '',
    bound: { agent, ...(team !== null && { team }) },
    ...(profile !== null && { profile }),
    ...(expiresAt !== null && { holds: { until: expiresAt } }),
  };
}

function present(stored: StoredToken, now: number): AgentToken {
  const { hash: _, ...token } = stored;
  return { ...token, state: stateOf(token, now) };
}
