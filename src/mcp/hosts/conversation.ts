import type { Principal } from '../../kernel/principal.ts';
import { isLogLevel } from '../define.ts';
import type { Engine } from '../engine/engine.ts';
import { newSettings } from '../engine/exchange.ts';
import type { Exchange } from '../engine/exchange.ts';
import { NO_ABILITIES, readAbilities } from '../protocol/abilities.ts';
import { claimsModernEra, readEnvelope } from '../protocol/envelope.ts';
import { readInitialize } from '../protocol/initialize.ts';
import type { Handshake } from '../protocol/initialize.ts';
import { RPC, RpcError, errorText, idOf, notificationText, readMessage } from '../protocol/jsonrpc.ts';
import type { Id, Message, Params, RequestMessage } from '../protocol/jsonrpc.ts';
import { LEGACY_VERSIONS, MAX_BATCH, allowsBatch } from '../protocol/versions.ts';
import type { Server } from '../registry.ts';
import type { Profile } from '../server.ts';
import { createAsking } from './asking.ts';

/** One client on one connection, speaking either era, message by message. */
export interface Conversation {
  /** What to write back, if anything. Never rejects for what the client did. */
  take(value: unknown): Promise<string | undefined>;
  /** Nothing more will come: long requests end, the others still get their answers. */
  listenNoMore(): void;
  /** Nobody hears us any more: all work is cancelled. */
  abandon(): void;
}

export type ConversationParts = Readonly<{
  engine: Engine;
  server: Server;
  /** Its seat is this connection. */
  who: Principal;
  profile: Profile;
  write(text: string): void;
}>;

/** More unanswered requests than this from one client are refused, not queued: a queue could wait for itself. */
const MAX_PENDING = 1_024;

type Pending = Readonly<{ controller: AbortController; isLong: boolean }>;

export function createConversation({ engine, server, who, profile, write }: ConversationParts): Conversation {
  const settings = newSettings();
  const asking = createAsking();
  const pending = new Map<Id, Pending>();
  let agreed: Handshake = { version: LEGACY_VERSIONS[0], can: NO_ABILITIES, client: '' };
  let stopRelay: (() => void) | undefined;

  const notify = (method: string, params?: Params) => write(notificationText(method, params));
  const request: Exchange['peer']['request'] = (method, params, signal) => asking.request(write, method, params, signal);

  function exchangeFor({ method, params }: RequestMessage, signal: AbortSignal): Exchange {
    const base = { server, who, profile, signal };
    if (claimsModernEra(params)) {
      const { version, capabilities, logLevel } = readEnvelope(params);
      const level = isLogLevel(logLevel) ? logLevel : undefined;
      return { ...base, era: 'modern', version, can: readAbilities(capabilities), settings: newSettings(level), peer: { notify } };
    }
    if (method === 'initialize') {
      agreed = readInitialize(params);
      stopRelay ??= engine.relay({ server, who, settings }, notify);
    }
    return { ...base, era: 'legacy', version: agreed.version, can: agreed.can, settings, peer: { notify, request } };
  }

  /** A cancelled request is answered with nothing, at once, even if its work does not stop. */
  async function answer(message: RequestMessage): Promise<string | undefined> {
    const { id } = message;
    if (pending.has(id)) return errorText(id, RPC.invalidRequest, 'Invalid request: this id is still in use');
    if (pending.size >= MAX_PENDING)
      return errorText(id, RPC.internal, `Too many requests at once (${MAX_PENDING})`, { code: 'busy', retryable: true });
    const controller = new AbortController();
    const entry: Pending = { controller, isLong: message.method === 'subscriptions/listen' };
    pending.set(id, entry);
    try {
      const cancelled = new Promise<undefined>((resolve) =>
        controller.signal.addEventListener('abort', () => resolve(undefined), { once: true }),
      );
      const reply = await Promise.race([engine.handle(message, exchangeFor(message, controller.signal)), cancelled]);
      return controller.signal.aborted ? undefined : reply?.text;
    } catch (thrown) {
      if (thrown instanceof RpcError) return errorText(id, thrown.code, thrown.message, thrown.data);
      throw thrown;
    } finally {
      if (pending.get(id) === entry) pending.delete(id);
    }
  }

  function cancel(id: Id): void {
    pending.get(id)?.controller.abort();
    pending.delete(id);
  }

  async function takeMessage(message: Message): Promise<string | undefined> {
    if (message.kind === 'request') return answer(message);
    if (message.kind === 'response') asking.settle(message);
    else if (message.method === 'notifications/cancelled') cancel(message.params['requestId'] as Id);
    return undefined;
  }

  async function takeOne(value: unknown, isInBatch: boolean): Promise<string | undefined> {
    const message = readMessage(value);
    if (!message) return errorText(idOf(value), RPC.invalidRequest, 'Invalid request: not a JSON-RPC 2.0 message');
    if (isInBatch && message.kind === 'request' && message.method === 'initialize') {
      return errorText(message.id, RPC.invalidRequest, 'Invalid request: initialize cannot be part of a batch');
    }
    return takeMessage(message);
  }

  async function takeBatch(batch: readonly unknown[]): Promise<string | undefined> {
    if (!allowsBatch(agreed.version))
      return errorText(null, RPC.invalidRequest, `Invalid request: protocol ${agreed.version} has no batches`);
    if (batch.length === 0) return errorText(null, RPC.invalidRequest, 'Invalid request: an empty batch');
    if (batch.length > MAX_BATCH) return errorText(null, RPC.invalidRequest, `Invalid request: a batch has at most ${MAX_BATCH} messages`);
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
  };
}
