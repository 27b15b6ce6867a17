import { sha256 } from '../../../kernel/digest.ts';
import { createHmac, randomBytes } from 'node:crypto';
import { digestOf, isSameDigest } from '../rules.ts';
import type { Scope } from './rows.ts';

/** The pure part of OAuth: what tokens look like, which addresses may be redirected to, what a proof proves. */
export const LIVES = {
  code: 60_000,
  access: 60 * 60_000,
  refresh: 30 * 24 * 60 * 60_000,
  link: 2 * 60_000,
  session: 30 * 24 * 60 * 60_000,
} as const;

/** The second name of the issuer, for metadata that is found under the path of the endpoint. */
export const NARROW = 'mcp';
export type Narrow = typeof NARROW;

/** Who answers, as RFC 8414 and RFC 9207 want it named: by the place where its metadata was found. */
export function issuerOf(origin: string, narrow: Narrow | undefined): string {
  return narrow === undefined ? origin : `${origin}/${narrow}`;
}

export const SCOPES: readonly Scope[] = ['full', 'read-only'];

export type Minted = Readonly<{ text: string; hash: string }>;

export function mint(prefix: string): Minted {
  const text = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { text, hash: digestOf(text) };
}

/** RFC 7636: the verifier that hashes to the challenge. Plain challenges are not taken. */
export function isProof(verifier: string, challenge: string): boolean {
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false;
  const computed = sha256(verifier, 'base64url');
  return isSameDigest(digestOf(computed), digestOf(challenge));
}

export function isChallenge(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** Asking for both is asking for the greater; undefined for a scope that is none. */
export function readScope(text: string | null): Scope | undefined {
  const asked = (text ?? '').split(' ').filter((each) => each !== '');
  if (asked.length === 0) return 'full';
  if (!asked.every((each) => (SCOPES as readonly string[]).includes(each))) return undefined;
  return asked.includes('full') ? 'full' : 'read-only';
}

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);
/** Schemes that run or read something instead of opening an application. */
const DANGEROUS = new Set([
  'javascript:',
  'data:',
  'file:',
  'blob:',
  'vbscript:',
  'about:',
  'ws:',
  'wss:',
  'ftp:',
  'view-source:',
]);

/** https, loopback http, or a private scheme of an application (RFC 8252). No fragment, no user, nothing to be confused by. */
export function isRedirectUri(text: string): boolean {
  if (
    text.length > 2_000 ||
    /[\s\\<>"'`\x00-\x1f\x7f]/.test(text) ||
    text.includes('#') ||
    !URL.canParse(text)
  )
    return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '' || DANGEROUS.has(protocol)) return false;
  if (protocol === 'https:') return hostname !== '';
  if (protocol === 'http:') return LOOPBACK.has(hostname);
  return /^[a-z][a-z0-9+.-]*:\/\/?[^/]/i.test(text);
}

/** Exactly what was registered; only the port of a loopback address is the client's to choose when it starts (RFC 8252, 7.3). */
export function isRegistered(asked: string, registered: readonly string[]): boolean {
  return isRedirectUri(asked) && registered.some((known) => known === asked || isSameLoopback(known, asked));
}

function isSameLoopback(known: string, asked: string): boolean {
  const [one, other] = [new URL(known), new URL(asked)];
  if (one.protocol !== 'http:' || !LOOPBACK.has(one.hostname)) return false;
  one.port = other.port;
  return one.href === other.href;
}

type OAuthResource = Readonly<{ origin: string; being: string | undefined; text: string }>;

/**
 * RFC 8707: an MCP endpoint, with or without a Being, as it is written and not as a URL parser would clear it up: what
 * climbs with `..` or hides in escapes is none. Only what RFC 3986 calls the same is the same: the case of scheme, host
 * and id, and one slash at the end.
 */
export function readResource(text: string): OAuthResource | undefined {
  const [, origin, path, being] = RESOURCE.exec(text) ?? [];
  if (origin === undefined || path !== '/mcp') return undefined;
  const place = `${origin}${path}${being === undefined ? '' : `/${being}`}`;
  return { origin: origin.toLowerCase(), being: being?.toLowerCase(), text: place.toLowerCase() };
}

const RESOURCE =
  /^(https?:\/\/[^/?#@%\\\s]+)(\/mcp)(?:\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?\/?$/i;

/** Ties a form to the person it was shown to and to everything that was asked. Made from a secret only their cookie has. */
export function formToken(session: string, asked: readonly (readonly [string, string])[]): string {
  return createHmac('sha256', session)
    .update(JSON.stringify(['consent', ...asked]))
    .digest('hex');
}
