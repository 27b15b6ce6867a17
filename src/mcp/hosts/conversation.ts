import { clientSlug } from '../../kernel/client-name.ts';
import { isObject } from '../../kernel/loose-json.ts';
import type { Principal } from '../../kernel/principal.ts';
import { whenAborted } from '../../kernel/when-aborted.ts';
import { isLogLevel } from '../define.ts';
import type { Engine } from '../engine/engine.ts';
import { type Exchange, newSettings } from '../engine/exchange.ts';
import { NO_ABILITIES, readAbilities } from '../protocol/abilities.ts';
import { META, claimsModernEra, metaOf, readEnvelope } from '../protocol/envelope.ts';
import { type Handshake, readInitialize } from '../protocol/initialize.ts';
import {
  RPC,
  RpcError,
  errorText,
  invalidText,
  idOf,
  notificationText,
  readMessage,
} from '../protocol/jsonrpc.ts';
import type { Id, RpcMessage, Params, RequestMessage } from '../protocol/jsonrpc.ts';
import { LEGACY_VERSIONS, MAX_BATCH, allowsBatch } from '../protocol/versions.ts';
import type { Server } from '../registry.ts';
import type { Profile } from '../server.ts';
import { createAsking } from './client-requests.ts';
import { BEAT, type Whereabouts } from './hello.ts';

/** One client on one connection, speaking either era, message by message. */
export interface Conversation {
  /** What to write back, if anything. Never rejects for what the client did. */
  take(value: unknown): Promise<string | undefined>;
  /** Nothing more will come: long requests end, the others still get their answers. */
  listenNoMore(): void;
  /** Nobody hears us any more: all work is cancelled. */
  abandon(): void;
  /** The client has left for good; it does not come back to another host of the same hub. */
  leave(): void;
}

export type ConversationParts = Readonly<{
  engine: Engine;
  server: Server;
  /** Its seat is this connection. */
  who: Principal;
  /** Where its process works, when it said so. */
  from?: Whereabouts | undefined;
  /** Its process. */
  pid?: number | undefined;
  profile: Profile;
  write(text: string): void;
}>;

/** More unanswered requests than this from one client are refused, not queued: a queue could wait for itself. */
const MAX_PENDING = 1_024;

type Pending = Readonly<{ controller: AbortController; isLong: boolean }>;

/** What a client asks before anybody acts. It should hear its name there, but not wait long for it. */
const INTRODUCTIONS: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'ping', 'tools/list']);
const INTRODUCTION_MS = 1_000;

export function createConversation({
  engine,
  server,
  who,
  from,
  pid,
  profile,
  write,
}: ConversationParts): Conversation {
  const settings = newSettings();
  const asking = createAsking();
  const pending = new Map<Id, Pending>();
  let agreed: Handshake = { version: LEGACY_VERSIONS[0], can: NO_ABILITIES, client: '' };
  let hasChannel = false;
  let stopRelay: (() => void) | undefined;
  let settling: Promise<Principal> | undefined;
  let caller: Principal | undefined;

  const notify = (method: string, params?: Params) => write(notificationText(method, params));
  const request: Exchange['peer']['request'] = asking.by(write);

  function exchangeFor({ params }: RequestMessage, known: Principal, signal: AbortSignal): Exchange {
    const base = { server, who: known, profile, signal };
    if (claimsModernEra(params)) {
      const { version, capabilities, logLevel } = readEnvelope(params);
      const level = isLogLevel(logLevel) ? logLevel : undefined;
      return {
        ...base,
        era: 'modern',
        version,
        can: readAbilities(capabilities),
        settings: newSettings(level),
        peer: { notify },
      };
    }
    return {
      ...base,
      era: 'legacy',
      version: agreed.version,
      can: agreed.can,
      settings,
      peer: { notify, request },
      hasChannel,
    };
  }

  async function handle(message: RequestMessage, signal: AbortSignal): ReturnType<Engine['handle']> {
    // What was agreed holds for whatever follows in the same packet, so it is read before anything is waited for.
    if (message.method === 'initialize' && !claimsModernEra(message.params)) {
      agreed = readInitialize(message.params);
      hasChannel = engine.offersChannel(server, agreed.client);
      stopRelay ??= engine.relay(
        { server, who, settings, hasChannel, caller: () => caller ?? introduced(message).who },
        notify,
      );
    }
    if (message.method === 'server/discover' && engine.hasLegacyEraOnly(server, clientOf(message)))
      throw new RpcError(RPC.methodNotFound, 'Method not found: server/discover');
    settling ??= engine.seating
      .settle({ ...introduced(message), server, from, pid })
      .then((known) => (caller = known));
    if (caller === undefined)
      await (INTRODUCTIONS.has(message.method) ? Promise.race([settling, soon()]) : settling);
    return engine.handle(message, exchangeFor(message, caller ?? who, signal));
  }

  function introduced(message: RequestMessage): Readonly<{ who: Principal; client: string }> {
    const client = clientOf(message);
    return { who: { ...who, client: clientSlug(client) }, client };
  }

  /** A cancelled request is answered with nothing, at once, even if its work does not stop. */
  async function answer(message: RequestMessage): Promise<string | undefined> {
    const { id } = message;
    if (pending.has(id)) return invalidText(id, 'this id is still in use');
    if (pending.size >= MAX_PENDING)
      return errorText(id, {
        code: RPC.internal,
        message: `Too many requests at once (${MAX_PENDING})`,
        data: { code: 'busy', retryable: true },
      });
    const controller = new AbortController();
    const entry: Pending = { controller, isLong: message.method === 'subscriptions/listen' };
    pending.set(id, entry);
    try {
      const cancelled = whenAborted(controller.signal);
      const reply = await Promise.race([handle(message, controller.signal), cancelled]);
      return controller.signal.aborted ? undefined : reply?.text;
    } catch (thrown) {
      if (thrown instanceof RpcError) return errorText(id, thrown);
      throw thrown;
    } finally {
      if (pending.get(id) === entry) pending.delete(id);
    }
  }

  function cancel(id: Id): void {
    pending.get(id)?.controller.abort();
    pending.delete(id);
  }

  async function takeMessage(message: RpcMessage): Promise<string | undefined> {
    if (message.kind === 'request') return answer(message);
    if (message.kind === 'response') asking.settle(message);
    else if (message.method === 'notifications/cancelled') cancel(message.params['requestId'] as Id);
    else if (message.method === BEAT) engine.seating.beat(caller ?? who);
    return undefined;
  }

  async function takeOne(value: unknown, isInBatch: boolean): Promise<string | undefined> {
    const message = readMessage(value);
    if (!message) return invalidText(idOf(value), 'not a JSON-RPC 2.0 message');
    if (isInBatch && message.kind === 'request' && message.method === 'initialize') {
      return invalidText(message.id, 'initialize cannot be part of a batch');
    }
    return takeMessage(message);
  }

  async function takeBatch(batch: readonly unknown[]): Promise<string | undefined> {
    if (!allowsBatch(agreed.version)) return invalidText(null, `protocol ${agreed.version} has no batches`);
    if (batch.length === 0) return invalidText(null, 'an empty batch');
    if (batch.length > MAX_BATCH) return invalidText(null, `a batch has at most ${MAX_BATCH} messages`);
    const answers = await Promise.all(batch.map((value) => takeOne(value, true)));
    const texts = answers.filter((text) => text !== undefined);
    return texts.length > 0 ? `[${texts.join(',')}]` : undefined;
  }

  return {
    take: (value) => (Array.isArray(value) ? takeBatch(value) : takeOne(value, false)),
    listenNoMore() {
      stopRelay?.();
      for (const [id, entry] of pending) if (entry.isLong) cancel(id);
    },
    abandon() {
      stopRelay?.();
      for (const id of pending.keys()) cancel(id);
    },
    leave: () => engine.seating.leave(caller ?? who),
  };
}

/** A legacy client gives its name once, a modern one with every request. */
function clientOf({ method, params }: RequestMessage): string {
  const info = method === 'initialize' ? params['clientInfo'] : metaOf(params)?.[META.clientInfo];
  return isObject(info) && typeof info['name'] === 'string' ? info['name'] : '';
}

function soon(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, INTRODUCTION_MS).unref());
}
