import type { Page, Pipe, Route } from '../http/route.ts';
import type { Config } from '../kernel/config.ts';
import type { Knocks } from '../kernel/knock.ts';
import type { Log } from '../kernel/log.ts';
import type { ChangeBoard } from '../mcp/changes.ts';
import type { Tool } from '../mcp/define.ts';
import type { Overhear } from '../mcp/overhear.ts';
import type { AskPostscript } from '../mcp/postscript.ts';
import type { Registry, Server } from '../mcp/registry.ts';
import type { ServerDefinition, ToolSource } from '../mcp/server.ts';
import type { TaskSource } from '../mcp/task-source.ts';
import type { Acting } from '../store/calls.ts';
import type { Running } from '../store/consumers.ts';
import type { Database } from '../store/database.ts';
import type { Sql } from '../store/sql.ts';
import type { Seats } from './access/seats/seats.ts';
import type { AskBrief, Briefings } from './briefing/briefing.ts';
import type { CountRoom } from './hub/figures.ts';
import type { Offer } from './hub/offer.ts';
import type { AskPulse } from './pulse/pulse.ts';
import type { ProjectPart } from './projects/project.ts';

/** What every room stands on. */
export type Ground = Readonly<{
  db: Database;
  config: Config;
  log: Log;
  acting: Acting;
  seats: Seats;
  /** Who listens hears at once that a list is another one. */
  changes?: ChangeBoard;
  /** How an agent that sits idle hears of something at once. */
  knocks?: Knocks;
  /** What an agent is told that begins; absent where rooms stand alone. */
  briefings?: Briefings;
}>;

/**
 * A room says in its own folder what it is called, whose services it needs and how it opens. `src/rooms.ts` opens any
 * set of them that is closed under `needs`.
 */
export type RoomDeclaration<Needs extends object, Service> = Readonly<{
  key: string;
  needs: readonly (keyof Needs & string)[];
  open(ground: Ground, services: Needs): Room & Readonly<{ service: Service }>;
}>;

/** Tidying that one hub does for everybody. Nothing may depend on it having run. */
export type Chore = Readonly<{ name: string; everyMs: number; run(): Promise<unknown> }>;

/** A room as it is served: what it serves and what has to run for it. */
export type Room = Readonly<{
  servers?: readonly ServerDefinition[];
  /** Tools it adds to the servers of other rooms, by the key of the server. */
  guestTools?: Readonly<Record<string, readonly Tool[]>>;
  /** Tools of the hub endpoint itself, under their own names; asked only where it is served. */
  hubTools?(): Promise<readonly Tool[]>;
  /** The same, where what is shown depends on what is switched on and configured. */
  hubSource?: ToolSource;
  /** Where it keeps work that tools of the hub endpoint began and that goes on after their call. */
  tasks?: TaskSource;
  /** What it adds to the hub endpoint beside its tools. */
  offer?: Offer;
  /** A server that it passes through under its own names, by the last word of its path. */
  passThrough?(name: string): Server | undefined;
  /** A server made of all the others; added last. */
  catalogue?(registry: Registry, rooms: readonly Room[]): Promise<ServerDefinition>;
  /** What goes along with answers that nobody asked for. */
  postscript?: AskPostscript | undefined;
  /** What it tells an agent that begins. */
  brief?: AskBrief;
  /** What it makes of calls of any tool, its own and others'. */
  overhear?: Overhear;
  /** Asked only by a hub: a stdio server never pays for the REST side. */
  routes?(rooms: readonly Room[]): Promise<readonly Route[]>;
  /** Forms and pages for browsers and OAuth clients; asked only by a hub. */
  pages?(): Promise<readonly Page[]>;
  /** Requests whose body is no text of ours; asked only by a hub. */
  pipes?(): Promise<readonly Pipe[]>;
  /** What it counts of itself, for whoever watches the hub. */
  figures?: CountRoom;
  /** What it tells of its days, for whoever looks back. */
  pulse?: AskPulse;
  /** The teams that something of it belongs to, as a statement that answers `team`. */
  teams?: Sql;
  /** What it has of a project, for whoever takes the project away or puts it into another. */
  ofProject?: ProjectPart;
  chores?: readonly Chore[];
  /** Durable consumers and workers; started by a hub, under its id. */
  start?(hub: string): readonly Running[];
  /**
   * Background work wherever the room is open: in a hub, a lone stdio server, a program. The holder's name is
   * its own.
   */
  work?(holder: string): readonly Running[];
  /** The hub is about to close: answer whoever waits, so that it need not wait for them. */
  settle?(): void;
  close?(): Promise<void>;
}>;
