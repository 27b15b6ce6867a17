import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../kernel/digest.ts';
import { newSecret } from '../../kernel/ids.ts';
import type { AgentToken } from './token.ts';

/** What a credential is and when it holds. A secret is compared by its digest, in constant time, and never stored. */
const TOKEN_PREFIX = 'hft_';

export type MintedToken = Readonly<{ id: string; text: string; hash: string }>;

/** The id is public and finds the row; the rest is the secret. */
export function mintToken(): MintedToken {
  const id = newSecret(8);
  const text = `${TOKEN_PREFIX}${id}_${newSecret()}`;
  return { id, text, hash: digestOf(text) };
}

export function tokenIdOf(text: string): string | undefined {
  return /^hft_([0-9a-f]{16})_[0-9a-f]{64}$/.exec(text)?.[1];
}

/** Agent tokens, and the access and refresh tokens of an authorization server. */
const OWN_PREFIXES: readonly string[] = [TOKEN_PREFIX, 'bto_', 'brt_', 'btr_'];

/** Something that a hub, this one or another, gave out: wrong, expired or revoked, but no stranger's. */
export function hasOwnPrefix(text: string): boolean {
  return OWN_PREFIXES.some((prefix) => text.toLowerCase().startsWith(prefix));
}

export function digestOf(secret: string): string {
  return sha256(secret);
}

/** Both sides are digests of one length, so nothing about the secret shows in the time it takes. */
export function isSameDigest(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** Undefined for anything that is not one bearer token. */
export function readBearer(header: string): string | undefined {
  return /^Bearer +([\w.~+/=-]{1,1024})$/i.exec(header)?.[1];
}

export function stateOf(
  token: Pick<AgentToken, 'expiresAt' | 'revokedAt'>,
  now: number,
): AgentToken['state'] {
  if (token.revokedAt !== null) return 'revoked';
  return token.expiresAt !== null && token.expiresAt <= now ? 'expired' : 'active';
}

/** The paths that ask for a credential on loopback, too. */
export function isGuardedPath(path: string): boolean {
  return /^\/(mcp|v1|peers|a2a|git)(\/|$)/.test(path);
}

/** Where scope parameters bind their caller; elsewhere they are ordinary filters. */
export function isBindingPath(path: string): boolean {
  return /^\/(api\/)?mcp(\/|$)/.test(path) && path !== '/api/mcp/config';
}
