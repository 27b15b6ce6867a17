import { randomBytes } from 'node:crypto';
import { resolveConfig } from './kernel/config.ts';
import { newId } from './kernel/ids.ts';
import { createLog } from './kernel/log.ts';
import { type Binding, localPrincipal } from './kernel/principal.ts';
import { createChangeBoard, followFeed } from './mcp/changes.ts';
import { createEngine } from './mcp/engine/engine.ts';
import type { MessageTransport } from './mcp/hosts/message-transport.ts';
import { serveTransport } from './mcp/hosts/transport.ts';
import { createRegistry } from './mcp/registry.ts';
import type { EmbeddingSettings } from './recall/recall.ts';
import { openBoard } from './rooms/board.ts';
import { openBroker } from './rooms/broker.ts';
import { openChat } from './rooms/chat.ts';
import { openMemory } from './rooms/memory.ts';
import type { Ground, Room } from './rooms/room.ts';
import type { Database } from './store/database.ts';

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
  return standalone(db, openBoard);
}

/** Without `embed` the embedding endpoint is looked for as the hub does: Ollama, then OpenAI, then none. */
export function createMemoryServer(
  db: Database,
  embed?: EmbeddingSettings,
  { boundScope = {} }: Readonly<{ boundScope?: BoundScope }> = {},
): StandaloneServer {
  return standalone(
    db,
    (ground) => openMemory(ground, embed),
    present({ team: boundScope.teamId, agent: boundScope.agentId, tenant: boundScope.tenantId }),
  );
}

/** `boundAgent` is who the broker's approvals and audit name. */
export function createToolsServer(db: Database, { boundAgent }: Readonly<{ boundAgent?: string }> = {}): StandaloneServer {
  return standalone(db, openBroker, present({ agent: boundAgent }));
}

export function createTeamChatServer(db: Database, { boundIdentity }: Readonly<{ boundIdentity?: BoundIdentity }> = {}): StandaloneServer {
  const bound = present({ team: boundIdentity?.teamId, agent: boundIdentity?.authorAgentId });
  const open = (ground: Ground): Room => {
    const board = openBoard(ground);
    return { ...openChat(ground, board), close: async () => board.close?.() };
  };
  return standalone(db, open, bound);
}

function standalone(db: Database, open: (ground: Ground) => Room, bound: Binding = {}): StandaloneServer {
  const stopping = new AbortController();
  let opened: ReturnType<typeof furnish> | undefined;

  async function furnish() {
    const config = await resolveConfig({ env: process.env });
    const log = createLog(config.logLevel);
    const room = open({ db, config, log });
    const registry = createRegistry(room.servers);
    const changes = createChangeBoard();
    const followed = followFeed({ feed: db.feed, registry, board: changes, log }, stopping.signal);
    return { room, server: registry.all()[0]!, engine: createEngine({ key: randomBytes(32), log, changes }), followed };
  }

  return {
    async connect(transport) {
      const { engine, server } = await (opened ??= furnish());
      await serveTransport(transport, { engine, server, who: localPrincipal(`library:${newId()}`, bound), profile: 'default' });
    },
    async close() {
      stopping.abort();
      const { room, engine, followed } = (await opened) ?? {};
      engine?.stop();
      await followed;
      await room?.close?.();
    },
  };
}

/** A binding that is given as undefined is none at all. */
function present(bound: Binding): Binding {
  return Object.fromEntries(Object.entries(bound).filter(([, value]) => value !== undefined));
}
