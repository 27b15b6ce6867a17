import { clientSlug } from '../../../kernel/client-name.ts';
import type { Principal } from '../../../kernel/principal.ts';
import { whenAborted } from '../../../kernel/when-aborted.ts';
import type { Engine } from '../../engine/engine.ts';
import { type ExchangeSettings, type McpPeer, newSettings } from '../../engine/exchange.ts';
import { readInitialize } from '../../protocol/initialize.ts';
import { idOf, invalidText, notificationText, readMessage } from '../../protocol/jsonrpc.ts';
import type { RpcMessage, Params, RequestMessage } from '../../protocol/jsonrpc.ts';
import { allowsBatch, isLegacyVersion, MAX_BATCH } from '../../protocol/versions.ts';
import type { Server } from '../../registry.ts';
import type { Session, Sessions } from '../../sessions/sessions.ts';
import { createAsking } from '../client-requests.ts';
import { takesStream } from './accept.ts';
import { headerOf, type HttpCall, type MountOptions, profileOf } from './call.ts';
import type { Outlet } from './outlet.ts';
import {
  batchTooLong,
  noBatch,
  noSession,
  notAcceptable,
  tooManyStreams,
  unsupportedHeader,
} from './refusals.ts';
import { newId } from '../../../kernel/ids.ts';
import { NO_ABILITIES } from '../../protocol/abilities.ts';

/** One request of a session. */
type Visit = Readonly<{ mount: MountOptions; call: HttpCall; outlet: Outlet; session: Session }>;

/** The era with sessions: POST asks, GET listens, DELETE ends. Refusals of the transport are thrown as RpcError. */
export interface LegacyHost {
  open(mount: MountOptions, call: HttpCall, request: RequestMessage): Session;
  find(mount: MountOptions, call: HttpCall): Promise<Session>;
  take(visit: Visit, message: RpcMessage): Promise<void>;
  takeBatch(visit: Visit, batch: readonly unknown[]): Promise<void>;
  listen(visit: Visit): Promise<void>;
  end(call: HttpCall, session: Session): Promise<void>;
  close(): void;
}

/** Sessions that set a level or watch something; the oldest are forgotten, everyone else costs nothing. */
const MAX_SETTINGS = 10_000;

/** A stream that comes later than this after its session is not the first one, and nobody heard what was said in between. */
const PROMPT_MS = 30_000;

export function createLegacyHost(engine: Engine, sessions: Sessions): LegacyHost {
  const asking = createAsking();
  const streams = createStreams();
  const settings = new Map<string, ExchangeSettings>();
  /** Requests being worked on, so that `notifications/cancelled` finds them. A dropped connection cancels nothing in this era. */
  const running = new Map<string, AbortController>();

  const runningKey = ({ seat }: Session, id: unknown) => `${seat} ${JSON.stringify(id)}`;

  function settingsOf(seat: string): ExchangeSettings {
    const known = settings.get(seat);
    if (known) return known;
    if (settings.size >= MAX_SETTINGS) settings.delete(settings.keys().next().value!);
    const fresh = newSettings();
    settings.set(seat, fresh);
    return fresh;
  }

  function tidySettings(seat: string): void {
    const used = settings.get(seat);
    if (used && used.level === undefined && used.watched.size === 0 && !streams.has(seat))
      settings.delete(seat);
  }

  /** Looked up once per session and hub; after that it costs nothing. */
  const settled = ({ server }: MountOptions, call: HttpCall, session: Session) =>
    engine.seating.settle({ who: principalIn(call, session), server, client: session.client });

  function peerOf(outlet: Outlet): McpPeer {
    return {
      notify: (method, params) => outlet.send(notificationText(method, params)),
      ...(outlet.canStream && {
        // Without the stream the question may never have arrived: waiting for its answer would be waiting for ever.
        request: (method, params, signal) =>
          asking.by(outlet.send)(method, params, AbortSignal.any([signal, outlet.gone])),
      }),
    };
  }

  async function answer(
    { mount, call, outlet, session }: Visit,
    request: RequestMessage,
  ): Promise<string | undefined> {
    const key = runningKey(session, request.id);
    if (running.has(key)) return invalidText(request.id, 'this id is still in use');
    const controller = new AbortController();
    running.set(key, controller);
    const ended = call.who.holds?.ended;
    const end = () => controller.abort();
    ended?.addEventListener('abort', end, { once: true });
    try {
      const cancelled = whenAborted(controller.signal);
      const exchange = {
        server: mount.server,
        era: 'legacy',
        version: session.version,
        who: await settled(mount, call, session),
        profile: session.profile,
        can: session.can,
        settings: settingsOf(session.seat),
        peer: peerOf(outlet),
        signal: controller.signal,
      } as const;
      return (await Promise.race([engine.handle(request, exchange), cancelled]))?.text;
    } finally {
      running.delete(key);
      ended?.removeEventListener('abort', end);
      tidySettings(session.seat);
    }
  }

  async function takeMessage(visit: Visit, message: RpcMessage): Promise<string | undefined> {
    if (message.kind === 'request') return answer(visit, message);
    if (message.kind === 'response') asking.settle(message);
    else if (message.method === 'notifications/cancelled')
      running.get(runningKey(visit.session, message.params['requestId']))?.abort();
    return undefined;
  }

  async function takeBatched(visit: Visit, value: unknown): Promise<string | undefined> {
    const message = readMessage(value);
    if (message && !(message.kind === 'request' && message.method === 'initialize'))
      return takeMessage(visit, message);
    return invalidText(idOf(value), 'not a message that can be part of a batch');
  }

  /** A cancelled request gets no answer, but its HTTP request has to end. */
  function finish(outlet: Outlet, text: string | undefined): void {
    if (text === undefined) outlet.nothing(202);
    else outlet.answer(200, text);
  }

  return {
    open({ server, sessions: kind }, { params, who }, request) {
      if (kind === 'none') {
        const { version } = readInitialize(request.params);
        return statelessSession({
          ...viewOf(server, { params, who }),
          version,
          owner: ownerOf(who),
          openedAt: engine.clock.now(),
        });
      }
      const bound = { ...server.binding?.(params), ...who.bound };
      return sessions.open({
        server: server.key,
        ...readInitialize(request.params),
        bound,
        profile: profileOf(params, server, who),
        owner: ownerOf(who),
      });
    },
    async find(mount, { req, who, params }) {
      if (mount.sessions === 'none') {
        const version = headerOf(req, 'mcp-protocol-version') ?? UNSAID_VERSION;
        if (!isLegacyVersion(version)) throw unsupportedHeader(version);
        return statelessSession({
          ...viewOf(mount.server, { params, who }),
          version,
          owner: ownerOf(who),
          openedAt: engine.clock.now(),
        });
      }
      const id = headerOf(req, 'mcp-session-id');
      const session = id === undefined ? undefined : await sessions.find(id, mount.server.key, ownerOf(who));
      if (!session) throw noSession(mount.sessions, req.method ?? '', id);
      const version = headerOf(req, 'mcp-protocol-version');
      if (version !== undefined && !isLegacyVersion(version)) throw unsupportedHeader(version);
      return session;
    },
    async take(visit, message) {
      finish(visit.outlet, await takeMessage(visit, message));
    },
    async takeBatch(visit, batch) {
      if (!allowsBatch(visit.session.version) || batch.length === 0) throw noBatch(visit.session.version);
      if (batch.length > MAX_BATCH) throw batchTooLong(batch.length);
      const texts = (await Promise.all(batch.map((value) => takeBatched(visit, value)))).filter(
        (text) => text !== undefined,
      );
      finish(visit.outlet, texts.length > 0 ? `[${texts.join(',')}]` : undefined);
    },
    async listen({ mount, call, outlet, session }) {
      if (!takesStream(headerOf(call.req, 'accept'))) throw notAcceptable();
      const who = await settled(mount, call, session);
      const leave = engine.listeners.enter(who);
      if ('limit' in leave) throw tooManyStreams(leave);
      const connection = { server: mount.server, who, settings: settingsOf(session.seat) };
      const notify = (method: string, params?: Params) => outlet.send(notificationText(method, params));
      const stop = engine.relay(connection, notify);
      if (engine.clock.now() - session.openedAt > PROMPT_MS) engine.remind(connection, notify);
      const release = engine.seating.hold(who);
      await streams.hold(session.seat, outlet);
      release();
      stop();
      leave();
      tidySettings(session.seat);
    },
    async end(call, session) {
      await sessions.end(session);
      engine.seating.leave(principalIn(call, session));
      settings.delete(session.seat);
      streams.end(session.seat);
    },
    close: () => streams.endAll(),
  };
}

function viewOf(
  server: Server,
  { params, who }: Pick<HttpCall, 'params' | 'who'>,
): Pick<Session, 'server' | 'profile'> {
  return { server: server.key, profile: profileOf(params, server, who) };
}

/** A session answers only to the caller who opened it, and ends with the credential it was opened under. */
function ownerOf(who: Principal): string {
  return `${who.kind}:${who.id}${who.credential === undefined ? '' : ` ${who.credential}`}`;
}

/** The binding is that of the initialize URL; a credential still beats it. */
function principalIn(call: HttpCall, session: Session): Principal {
  return {
    ...call.who,
    seat: session.id === '' ? '' : session.seat,
    client: clientSlug(session.client),
    bound: { ...session.bound, ...call.who.bound },
  };
}

/** What a request without a version is taken for: the revision in which the header was not yet required. */
const UNSAID_VERSION = '2025-03-26';

/**
 * A session for one request, on servers that have none: no id to show, and a seat of its own, so that two clients that
 * number their requests alike are never taken for one.
 */
function statelessSession(
  facts: Pick<Session, 'server' | 'version' | 'profile' | 'owner' | 'openedAt'>,
): Session {
  return { ...facts, id: '', seat: `stateless:${newId()}`, can: NO_ABILITIES, bound: {}, client: '' };
}

/** The GET streams that are open, one per session: a second one replaces the first, whose socket may be half dead. */
interface SessionStreams {
  has(seat: string): boolean;
  /** Resolves when the stream is over. */
  hold(seat: string, outlet: Outlet): Promise<void>;
  endAll(): void;
  end(seat: string): void;
}

function createStreams(): SessionStreams {
  const open = new Map<string, Outlet>();
  const end = (seat: string) => open.get(seat)?.end();
  return {
    has: (seat) => open.has(seat),
    async hold(seat, outlet) {
      end(seat);
      open.set(seat, outlet);
      outlet.open();
      await outlet.whenOver();
      if (open.get(seat) === outlet) open.delete(seat);
    },
    end,
    endAll: () => [...open.keys()].forEach(end),
  };
}
