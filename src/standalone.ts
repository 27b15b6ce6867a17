import { randomBytes } from 'node:crypto';
import { openServedRooms, type ServedRooms } from './served-rooms.ts';
import { memoryRoomWith } from './features/memory/room.ts';
import { resolveConfig } from './kernel/config.ts';
import { newId } from './kernel/ids.ts';
import { createLog } from './kernel/log.ts';
import { type Binding, localPrincipal } from './kernel/principal.ts';
import type { MessageTransport } from './mcp/hosts/message-transport.ts';
import {
  type EmbedFunction,
  type EmbeddingProvider,
  type EmbeddingSettings,
  embeddingSettings,
  functionProvider,
} from './recall/recall.ts';
import { type AnyRoom, roomsBehind } from './rooms.ts';
import type { Database } from './store/database.ts';
import { type ConversationParts, createConversation } from './mcp/hosts/conversation.ts';

/** One documented server without a hub, for programs that bring their own transport. */
export interface StandaloneServer {
  /** Serves one client. Call it once per client; each is a seat of its own. */
  connect(transport: MessageTransport): Promise<void>;
  /** Puts the room away. The database stays open: it is the caller's. */
  close(): Promise<void>;
}

export type BoundScope = Readonly<{ teamId?: string; agentId?: string; tenantId?: string }>;
export type BoundIdentity = Readonly<{ teamId: string; authorAgentId: string }>;

export function createTasksServer(db: Database): StandaloneServer {
  return standalone(db, 'tasks');
}

/**
 * `embed` turns a text into a vector; null means that nothing does. Without it an endpoint is looked for as the
 * hub does: Ollama, then OpenAI, then none.
 */
export function createMemoryServer(
  db: Database,
  embed?: EmbedFunction | EmbeddingSettings | null,
  { boundScope = {} }: Readonly<{ boundScope?: BoundScope }> = {},
): StandaloneServer {
  const bound = present({ team: boundScope.teamId, agent: boundScope.agentId, tenant: boundScope.tenantId });
  return standalone(db, 'memory', { bound, instead: [memoryRoomWith(embeddingFrom(embed))] });
}

function embeddingFrom(embed: unknown): EmbeddingSettings | EmbeddingProvider | undefined {
  if (embed === undefined) return undefined;
  if (embed === null) return embeddingSettings({ HOLDFAST_EMBEDDING: 'none' });
  if (typeof embed === 'function') return functionProvider(embed as EmbedFunction);
  if (typeof embed === 'object' && 'use' in embed) return embed as EmbeddingSettings;
  throw new TypeError(
    'embed must be a function from a text to a vector, the settings of an endpoint, or null for none.',
  );
}

/** `boundAgent` is who the broker's approvals and audit name. */
export function createToolsServer(
  db: Database,
  { boundAgent }: Readonly<{ boundAgent?: string }> = {},
): StandaloneServer {
  return standalone(db, 'tools', { bound: present({ agent: boundAgent }) });
}

export function createTeamChatServer(
  db: Database,
  { boundIdentity }: Readonly<{ boundIdentity?: BoundIdentity }> = {},
): StandaloneServer {
  const bound = present({ team: boundIdentity?.teamId, agent: boundIdentity?.authorAgentId });
  return standalone(db, 'teamchat', { bound });
}

type Standing = Readonly<{ bound?: Binding; instead?: readonly AnyRoom[] }>;

function standalone(
  db: Database,
  key: string,
  { bound = {}, instead = [] }: Standing = {},
): StandaloneServer {
  let opened: Promise<ServedRooms> | undefined;

  async function open(): Promise<ServedRooms> {
    const config = await resolveConfig({ env: process.env });
    const log = createLog(config.logLevel);
    const served = await openServedRooms({
      db,
      config,
      log,
      key: randomBytes(32),
      only: roomsBehind(key),
      instead,
    });
    served.rooms.work(newId());
    return served;
  }

  return {
    async connect(transport) {
      const { engine, rooms } = await (opened ??= open());
      const server = rooms.registry.get(key)!;
      const who = localPrincipal(`library:${newId()}`, bound);
      await serveTransport(transport, { engine, server, who, profile: 'default' });
    },
    async close() {
      const served = await opened;
      served?.engine.stop();
      await served?.close();
    },
  };
}

/** A binding that is given as undefined is none at all. */
function present(bound: Binding): Binding {
  return Object.fromEntries(Object.entries(bound).filter(([, value]) => value !== undefined));
}

/** Serves one client behind such a transport. Resolves once it listens; `closed` when the client is gone. */
async function serveTransport(
  transport: MessageTransport,
  parts: Omit<ConversationParts, 'write'>,
): Promise<Readonly<{ closed: Promise<void> }>> {
  const { log } = parts.engine;
  const write = (text: string) => {
    transport
      .send(JSON.parse(text) as never)
      .catch((error: unknown) => log.debug('a message could not be sent', { error }));
  };
  const conversation = createConversation({ ...parts, write });
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  Object.assign(transport, {
    onclose() {
      conversation.abandon();
      conversation.leave();
      resolve();
    },
    onmessage(message: unknown) {
      conversation.take(message).then(
        (reply) => reply !== undefined && write(reply),
        (error: unknown) => log.error('a message could not be served', { error }),
      );
    },
  } satisfies Partial<MessageTransport>);
  await transport.start();
  return { closed };
}
