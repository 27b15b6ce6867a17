import { HubError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { type Principal, systemActor } from '../../kernel/principal.ts';
import { redact } from '../../kernel/redact.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import { createOAuth, type OAuth } from './oauth/oauth.ts';
import {
  findToken,
  insertRevokedUrl,
  insertToken,
  listTokens,
  markUsed,
  revokeToken,
  type TokenRow,
} from './rows.ts';
import { digestOf, isSameDigest, mintToken, stateOf, tokenIdOf } from './rules.ts';
import type { AgentToken, NewToken } from './token.ts';
export type { KnownScope } from './scopes.ts';

/** Agent tokens: making them, taking them back, and telling who holds one. */
export interface Access {
  /** `text` is the credential itself: shown to whoever made it and kept nowhere. */
  createToken(tx: Tx, request: NewToken): Promise<Readonly<{ text: string; token: AgentToken }>>;
  listTokens(q: Query): Promise<AgentToken[]>;
  revokeToken(tx: Tx, id: string): Promise<AgentToken>;
  /** Takes back a signed attach URL, known by its id. */
  revokeUrl(tx: Tx, id: string, until: number): Promise<void>;
  /** Undefined for a text that is no token of this hub; throws `unauthorized` for one that no longer holds. */
  identify(text: string): Promise<Principal | undefined>;
  /** How one is let in to a Being. */
  readonly oauth: OAuth;
}

/** How exact `usedAt` is. */
const NOTE_USE_EVERY = 5 * 60_000;

export function createAccess({ db, log }: Readonly<{ db: Database; log: Log }>): Access {
  const notedAt = new Map<string, number>();

  /** Not part of the answer: a use that could not be noted is no reason to refuse it. */
  function noteUse(id: string): void {
    const now = db.elapsed();
    if (now - (notedAt.get(id) ?? -Infinity) < NOTE_USE_EVERY) return;
    notedAt.set(id, now);
    db.write(systemActor, (tx) => markUsed(tx, id)).catch((error: unknown) =>
      log.debug('the use of a token was not noted', { id, error }),
    );
  }

  return {
    oauth: createOAuth({ db, log }),

    async createToken(tx, { agent, team, scopes = ['*'], expiresAt, label, profile }) {
      if (expiresAt !== undefined && expiresAt <= tx.now) {
        throw new HubError('invalid', 'expiresAt must lie in the future.', { expiresAt });
      }
      const { id, text, hash } = mintToken();
      const row = {
        id,
        hash,
        agent,
        team: team ?? null,
        scopes: JSON.stringify([...new Set(scopes)].sort()),
        label: label === undefined ? null : redact(label),
        profile: profile ?? null,
        created_at: tx.now,
        expires_at: expiresAt ?? null,
      };
      await insertToken(tx, row);
      tx.emit({ kind: 'token.created', subject: id, realm: 'hub', ...(team !== undefined && { team }) });
      return { text, token: present({ ...row, revoked_at: null, used_at: null }, tx.now) };
    },

    listTokens: async (q) => (await listTokens(q)).map((row) => present(row, db.now())),

    async revokeToken(tx, id) {
      const changed = await revokeToken(tx, id);
      const row = await findToken(tx, id);
      if (!row)
        throw new HubError('not_found', `There is no token ${id.slice(0, 40)}.`, {
          hint: '`holdfast token list` shows the ids.',
        });
      if (changed > 0)
        tx.emit({
          kind: 'token.revoked',
          subject: id,
          realm: 'hub',
          ...(row.team !== null && { team: row.team }),
        });
      return present(row, tx.now);
    },

    async revokeUrl(tx, id, until) {
      await insertRevokedUrl(tx, id, until);
      tx.emit({ kind: 'attach.revoked', subject: id, realm: 'hub' });
    },

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

function present(row: TokenRow, now: number): AgentToken {
  const times = { expiresAt: row.expires_at, revokedAt: row.revoked_at };
  return {
    id: row.id,
    agent: row.agent,
    team: row.team,
    scopes: JSON.parse(row.scopes) as string[],
    label: row.label,
    profile: row.profile,
    createdAt: row.created_at,
    ...times,
    usedAt: row.used_at,
    state: stateOf(times, now),
  };
}
