import type { CountRoom } from './features/hub/figures.ts';
import { createBriefings } from './features/briefing/briefing.ts';
import type { Access } from './features/access/access.ts';
import type { Beings } from './features/being/being.ts';
import type { BoardRoom } from './features/board/board.ts';
import type { Brain } from './features/brain/brain.ts';
import type { Broker } from './features/broker/broker.ts';
import type { Chat } from './features/chat/chat.ts';
import type { DispatchRoom } from './features/dispatch/dispatch.ts';
import type { Landings } from './features/landing/landing.ts';
import type { Memory } from './features/memory/memory.ts';
import type { Peers } from './features/peers/peers.ts';
import type { ProjectsService } from './features/projects/projects.ts';
import type { Reservations } from './features/reservations/reservations.ts';
import type { Reviews } from './features/review/reviews.ts';
import type { Ground, Room, RoomDeclaration } from './features/room.ts';
import type { Schedules } from './features/schedules/schedules.ts';
import type { ClientSessions } from './features/sessions/sessions.ts';
import type { Sources } from './features/sources/sources.ts';
import type { Page, Pipe, Route } from './http/route.ts';
import { ownSecrets } from './kernel/home.ts';
import { hideAlways } from './kernel/redact.ts';
import type { Overhear } from './mcp/overhear.ts';
import type { AskPostscript, AskPostscripts, Postscript } from './mcp/postscript.ts';
import { createRegistry, type Registry, type Server } from './mcp/registry.ts';
import type { ServerDefinition } from './mcp/server.ts';
import type { Running } from './store/consumers.ts';
import { startSchedule } from './store/worker.ts';

/**
 * The list of rooms, and how any of them are opened on one database, without any way in. A hub gives them HTTP and a
 * socket; a stdio bin that found no hub serves one server of them itself, so each is loaded only when it is needed.
 */
export type AnyRoom = RoomDeclaration<Services, Services[keyof Services] | undefined>;

/** What the rooms are to each other and to the hub, by their keys. */
type Services = {
  access: Access;
  being: Beings;
  board: BoardRoom;
  brain: Brain;
  broker: Broker;
  chat: Chat;
  dispatch: DispatchRoom;
  landing: Landings;
  memory: Memory;
  peers: Peers;
  projects: ProjectsService;
  reservations: Reservations;
  review: Reviews;
  schedules: Schedules;
  sessions: ClientSessions;
  sources: Sources;
};

const ROOMS: Readonly<Record<string, () => Promise<AnyRoom>>> = {
  access: async () => (await import('./features/access/room.ts')).accessRoom,
  projects: async () => (await import('./features/projects/room.ts')).projectsRoom,
  board: async () => (await import('./features/board/room.ts')).boardRoom,
  memory: async () => (await import('./features/memory/room.ts')).memoryRoom,
  brain: async () => (await import('./features/brain/room.ts')).brainRoom,
  broker: async () => (await import('./features/broker/room.ts')).brokerRoom,
  coretools: async () => (await import('./features/coretools/room.ts')).coretoolsRoom,
  peers: async () => (await import('./features/peers/room.ts')).peersRoom,
  hooks: async () => (await import('./features/attach/hooks/room.ts')).hooksRoom,
  reservations: async () => (await import('./features/reservations/room.ts')).reservationsRoom,
  chat: async () => (await import('./features/chat/room.ts')).chatRoom,
  being: async () => (await import('./features/being/room.ts')).beingRoom,
  sources: async () => (await import('./features/sources/room.ts')).sourcesRoom,
  notices: async () => (await import('./features/notices/room.ts')).noticesRoom,
  dispatch: async () => (await import('./features/dispatch/room.ts')).dispatchRoom,
  sessions: async () => (await import('./features/sessions/room.ts')).sessionsRoom,
  landing: async () => (await import('./features/landing/room.ts')).landingRoom,
  review: async () => (await import('./features/review/room.ts')).reviewRoom,
  schedules: async () => (await import('./features/schedules/room.ts')).schedulesRoom,
  pulse: async () => (await import('./features/pulse/room.ts')).pulseRoom,
  hub: async () => (await import('./features/hub/room.ts')).hubRoom,
};

export const EVERY_ROOM: readonly string[] = Object.keys(ROOMS);

/** The rooms behind one server: whoever serves it, and the guests on it. The hub's own server shows all of them. */
const BEHIND: Readonly<Record<string, readonly string[]>> = {
  tasks: ['board', 'reservations'],
  memory: ['memory', 'board'],
  tools: ['coretools'],
  teamchat: ['chat'],
  brain: ['brain'],
};

export function roomsBehind(server: string): readonly string[] {
  return (Object.hasOwn(BEHIND, server) ? BEHIND[server] : undefined) ?? EVERY_ROOM;
}

export interface Rooms {
  readonly registry: Registry;
  /** What goes along with answers that nobody asked for. */
  readonly postscript: AskPostscripts | undefined;
  /** What a room makes of calls of any tool. */
  readonly overhear: Overhear | undefined;
  /** Of the rooms that are open and are something to the others. */
  readonly services: Readonly<Partial<Services>>;
  /** A server of others under its own names. */
  passThrough(name: string): Server | undefined;
  readonly figures: readonly CountRoom[];
  routes(): Promise<readonly Route[]>;
  pages(): Promise<readonly Page[]>;
  pipes(): Promise<readonly Pipe[]>;
  /** What one hub does for everybody: chores, consumers and workers. */
  start(hub: string): void;
  /** The part of it that a lone process does as well. */
  work(holder: string): void;
  /** Lets waiting calls answer, before the ways in are closed. */
  settle(): void;
  close(): Promise<void>;
}

/** Opens the named rooms and all they need. `instead` takes the place of a listed one, for programs that bring their own. */
export async function openRooms(
  ground: Ground,
  wanted: readonly string[] = EVERY_ROOM,
  instead: readonly AnyRoom[] = [],
): Promise<Rooms> {
  const { db, log, config } = ground;
  for (const secret of ownSecrets(config, process.env)) hideAlways(secret);
  const opened = new Set<string>();
  const services: Partial<Services> = {};
  const rooms: Room[] = [];
  const briefings = createBriefings({
    db,
    tokens: config.briefingTokens,
    rooms: () => rooms.flatMap(({ brief }) => brief ?? []),
    seats: ground.seats,
  });

  async function open(key: string): Promise<void> {
    if (opened.has(key)) return;
    opened.add(key);
    const declared = instead.find((one) => one.key === key) ?? (await ROOMS[key]?.());
    if (!declared) throw new Error(`there is no room ${key}`);
    for (const need of declared.needs) await open(need);
    // Those it needs are open, and it can name no others.
    const room = declared.open({ ...ground, briefings }, services as Services);
    if (room.service !== undefined) Object.assign(services, { [key]: room.service });
    rooms.push(room);
  }

  for (const key of wanted) await open(key);
  const registry = await registryOf(rooms);
  const running: Running[] = [];

  return {
    registry,
    postscript: allOf(rooms.flatMap(({ postscript }) => postscript ?? [])),
    overhear: rooms.find(({ overhear }) => overhear)?.overhear,
    services,
    passThrough: (name) =>
      rooms.map((room) => room.passThrough?.(name)).find((server) => server !== undefined),
    figures: rooms.flatMap(({ figures }) => figures ?? []),
    async routes() {
      const routes = await Promise.all(rooms.map(async (room) => (await room.routes?.(rooms)) ?? []));
      return routes.flat();
    },
    async pages() {
      return (await Promise.all(rooms.map(async (room) => (await room.pages?.()) ?? []))).flat();
    },
    async pipes() {
      return (await Promise.all(rooms.map(async (room) => (await room.pipes?.()) ?? []))).flat();
    },
    start(hub) {
      for (const room of rooms) {
        for (const { name, everyMs, run } of room.chores ?? []) {
          running.push(
            startSchedule({ db, name, holder: hub, everyMs, log, run: async () => void (await run()) }),
          );
        }
        running.push(...(room.start?.(hub) ?? []), ...(room.work?.(hub) ?? []));
      }
    },
    work(holder) {
      running.push(...rooms.flatMap((room) => room.work?.(holder) ?? []));
    },
    settle() {
      for (const room of rooms) room.settle?.();
    },
    async close() {
      await Promise.all(running.map((each) => each.stop()));
      for (const room of rooms.toReversed()) await room.close?.();
    },
  };
}

/** What each room has to say goes along with one answer; the briefing looks last, at what the others left. */
function allOf(all: readonly AskPostscript[]): AskPostscripts | undefined {
  if (all.length === 0) return undefined;
  return async (who, tool, server) => {
    const said: Postscript[] = [];
    for (const ask of all.toReversed()) {
      const one = await ask(who, tool, server);
      if (one) said.push(one);
    }
    return said;
  };
}

async function registryOf(rooms: readonly Room[]): Promise<Registry> {
  const servers = rooms.flatMap((room) => room.servers ?? []);
  const registry = createRegistry(servers.map((server) => withGuests(server, rooms)));
  for (const { catalogue } of rooms) if (catalogue) registry.add(await catalogue(registry, rooms));
  return registry;
}

/** A room may add tools to the server of another, such as file reservations to the board's. */
function withGuests(server: ServerDefinition, rooms: readonly Room[]): ServerDefinition {
  const guests = rooms.flatMap(({ guestTools }) => guestTools?.[server.key] ?? []);
  if (guests.length === 0) return server;
  const { tools } = server;
  if ('list' in tools)
    return { ...server, tools: { ...tools, list: async (who) => [...(await tools.list(who)), ...guests] } };
  return { ...server, tools: [...tools, ...guests] };
}
