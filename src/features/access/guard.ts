// Who is it? A credential that was shown decides, and a wrong one never falls back to the trust of
// loopback.
import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '../../kernel/config.ts';
import { HubError } from '../../kernel/errors.ts';
import type { Presented } from '../../kernel/presented.ts';
import { hubTokenHint, localPrincipal, operatorPrincipal, type Principal } from '../../kernel/principal.ts';
import { excerpt } from '../../kernel/redact.ts';
import type { Access } from './access.ts';
import { bindingOf, type Bindings } from './bindings.ts';
import { SESSION_ID, type Credentials } from './credentials.ts';
import { sessionId } from './oauth/person.ts';
import { isDirect } from './local/proxied.ts';
import { digestOf, hasOwnPrefix, isBindingPath, isGuardedPath, isSameDigest, readBearer } from './rules.ts';
import type { SameUser } from './local/same-user.ts';

export type GuardParts = Readonly<{
  access: Access;
  bindings: Bindings;
  /** The hub token. */
  token: string;
  /** Where that lies, for hints to the user who runs the hub. */
  tokenAt?: string;
  /** False once the hub listens beyond loopback: then everyone needs a credential. */
  isOnLoopback: boolean;
  /** `--no-auth`: on loopback no path asks for a credential. */
  isOpen: boolean;
  /** `--no-auth --i-know`: nobody is asked, wherever the request comes from. */
  isOpenToAll?: boolean;
  /** `local`: a program of the user who runs the hub needs no credential at /mcp. */
  mcpAuth?: Config['mcpAuth'];
  /** Tells the user who runs the hub from the others of the machine. */
  sameUser?: Pick<SameUser, 'isOwn' | 'isOwnProgram'>;
  credentials?: Pick<Credentials, 'watch' | 'isRevoked'>;
}>;

/**
 * Who is it? A credential that was shown decides, and one that is wrong is refused wherever it was shown: it
 * never falls back to the trust that loopback gives to callers without any. Only where nobody is asked for
 * one does a text that is none of ours count as none: clients send the token of whatever they were pointed at
 * before.
 */
export function createGuard({
  access,
  bindings,
  token,
  tokenAt,
  isOnLoopback,
  isOpen,
  isOpenToAll = false,
  mcpAuth = 'token',
  sameUser,
  credentials,
}: GuardParts): (presented: Presented) => Promise<Principal> {
  const hubDigest = digestOf(token);
  const owner: Principal = { ...localPrincipal(''), ...(tokenAt !== undefined && { tokenAt }) };

  async function holderOf(
    authorization: string,
    presented: Presented,
    { isLocal, isAsked }: Readonly<{ isLocal: boolean; isAsked: boolean }>,
  ): Promise<Principal> {
    const { url, route } = presented;
    const hint = hintFor(presented, isLocal);
    const text = readBearer(authorization);
    if (!isAsked && !mayBeOurs(text, hubDigest)) return owner;
    if (text === undefined)
      throw refused('The Authorization header must be `Bearer <token>`.', {
        hint,
        challenge: 'invalid_request',
      });
    if (isSameDigest(digestOf(text), hubDigest)) return operatorPrincipal;
    const isBeings = /^b(to|rt)_/.test(text);
    const holder = await (isBeings ? access.oauth.identify({ text, url, route }) : access.identify(text));
    if (!holder) throw refused('invalid token', { hint, challenge: 'invalid_token' });
    return credentials?.watch(holder) ?? holder;
  }

  return async (presented) => {
    try {
      const who = await identify(presented);
      if (who.kind !== 'being' && asksForBeing(presented)) throw refuseStranger();
      return who;
    } catch (thrown) {
      throw withResource(thrown, presented);
    }
  };

  async function identify(presented: Presented): Promise<Principal> {
    const { headers, url, route, request } = presented;
    const { authorization } = headers;
    const person = authorization === undefined ? await signedIn(presented) : undefined;
    if (person) return person;
    const at = url.indexOf('?');
    const isHere = isOpenToAll || (isOnLoopback && isDirect(headers));
    const isLocal = isHere && (isOpenToAll || !sameUser || (await sameUser.isOwn(request?.socket)));
    const isAsked = !isLocal || !isOpen;
    if (authorization === undefined && (!isLocal || (isGuardedPath(route) && isAsked)))
      await requireOwnProgram(presented, isLocal);
    const who =
      authorization === undefined ? owner : await holderOf(authorization, presented, { isLocal, isAsked });
    const caller =
      at < 0 || !isBindingPath(route)
        ? who
        : withBinding(who, new URLSearchParams(url.slice(at + 1)), isLocal);
    return isLocal && !isOpenToAll && caller.kind === 'agent' ? { ...caller, isHere: true } : caller;
  }

  /** Without a token /mcp answers programs of the owner, as `holdfast serve` would; what is not known is none. */
  async function requireOwnProgram(presented: Presented, isLocal: boolean): Promise<void> {
    const { headers, route, request } = presented;
    const hint = hintFor(presented, isLocal);
    const missing = (why = '') =>
      refused(`${excerpt(route, 100)} needs a token.`, { hint: `${why}${why && ' '}${hint}` });
    if (asksForBeing(presented)) throw refuseStranger();
    if (!isLocal || route !== '/mcp' || mcpAuth !== 'local') throw missing();
    // No client of MCP speaks it, and a proxy that adds no header does.
    if (request?.httpVersion === '1.0') throw missing('A proxy shows one.');
    if (isFromPage(headers)) throw missing('A web page shows one, wherever it comes from.');
    if (!(await sameUser?.isOwnProgram(request?.socket)))
      throw missing('Only programs that you started yourself, outside of the hub, need none.');
  }

  /** The owner is told of a credential that would do here, and where it lies; others whom to ask for one. */
  function hintFor(presented: Presented, isLocal: boolean): string {
    if (asksForBeing(presented)) return refuseStranger().hint;
    if (isLocal) return hubTokenHint(owner);
    return presented.route.startsWith('/v1/beings')
      ? 'Ask the user who runs the hub for a token of the Being (`holdfast being token`).'
      : 'Ask the user who runs the hub for a token (`holdfast token create`).';
  }

  /**
   * A browser that a link of `holdfast open` has signed in speaks for the person: on the page and REST, never over
   * MCP. That no other site makes it speak is for SameSite and the guards of Origin to see to.
   */
  async function signedIn({ headers, route, request }: Presented): Promise<Principal | undefined> {
    if (headers.cookie === undefined || isBindingPath(route)) return undefined;
    const session = await access.oauth.persons.sessionOf({ headers, socket: request?.socket });
    if (session === undefined) return undefined;
    // The person is the same in every browser; only what is open in this one ends with its session.
    const holds = credentials?.watch({
      ...operatorPrincipal,
      credential: `${SESSION_ID}${sessionId(session)}`,
    }).holds;
    return { ...operatorPrincipal, ...(holds && { holds }) };
  }

  /** The host binds by URL below what the credential fixes; here the URL is only allowed to. */
  function withBinding(who: Principal, params: URLSearchParams, isLocal: boolean): Principal {
    const proof = bindings.prove(params);
    if (proof === 'unsigned' && !isLocal) throw unsigned();
    if (proof !== 'signed' || who.kind !== 'local') return who;
    const bound = bindingOf(params);
    const { id: credential, until } = bindings.credentialOf(params);
    if (credentials?.isRevoked(credential)) throw revokedUrl();
    const agent = {
      ...who,
      kind: 'agent',
      id: bound.agent ?? `team:${bound.team ?? ''}`,
      bound,
      credential,
      holds: { until },
    } as const;
    return credentials?.watch(agent) ?? agent;
  }
}

/**
 * The hub token, or what looks like a credential that a hub gave out: if it is wrong, its sender must hear of
 * it.
 */
function mayBeOurs(text: string | undefined, hubDigest: string): boolean {
  return text !== undefined && (hasOwnPrefix(text) || isSameDigest(digestOf(text), hubDigest));
}

/** What only browsers send, whoever's page it is. `Sec-Fetch-Mode` is not among it: Node sends that, too. */
function isFromPage(headers: IncomingHttpHeaders): boolean {
  return ['origin', 'referer', 'cookie', 'sec-fetch-site', 'sec-fetch-dest', 'sec-ch-ua'].some(
    (name) => headers[name] !== undefined,
  );
}

function revokedUrl(): HubError {
  return new HubError('forbidden', 'This attach URL was revoked.', {
    signature: 'wrong',
    hint: 'Take a new attach URL from the hub.',
  });
}

function refused(message: string, details: Readonly<{ hint: string; challenge?: string }>): HubError {
  return new HubError('unauthorized', message, details);
}

function unsigned(): HubError {
  return new HubError('forbidden', 'Beyond loopback an attach URL must be signed to bind its caller.', {
    hint: 'Take it from /api/mcp/config with the hub token, or use an agent token that carries the binding.',
  });
}

type Asked = Readonly<{ headers: IncomingHttpHeaders; url: string; route: string }>;

/** A 401 of an MCP path says where a client learns how to get a token (RFC 9728). */
function withResource(thrown: unknown, { headers, url, route }: Asked): unknown {
  if (!(thrown instanceof HubError) || thrown.code !== 'unauthorized' || !/^\/mcp(\/:beingId)?$/.test(route))
    return thrown;
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  const [, id] = /^\/mcp\/([0-9a-f-]{36})\/?(?:\?|$)/i.exec(url) ?? [];
  const place = `/.well-known/oauth-protected-resource/mcp${id === undefined ? '' : `/${id}`}`;
  return new HubError(thrown.code, thrown.message, {
    ...thrown.details,
    resourceMetadata: `${scheme}://${headers.host ?? ''}${place}`,
  }).because(thrown.cause);
}

/** Does the address ask for a Being: by its path, or by `?being_id=`, which may leave the choice to the consent? */
function asksForBeing({ url, route }: Pick<Asked, 'url' | 'route'>): boolean {
  if (route === '/mcp/:beingId') return true;
  const at = url.indexOf('?');
  return route === '/mcp' && at >= 0 && new URLSearchParams(url.slice(at + 1)).has('being_id');
}

/** Only a token of the Being opens its own path: whoever shows another, or none, is not let in as somebody else. */
function refuseStranger(): HubError {
  return new HubError('unauthorized', 'This path needs a token of the Being.', {
    hint: 'Send `Authorization: Bearer brt_…`; `holdfast being token <id>` makes one.',
  });
}
