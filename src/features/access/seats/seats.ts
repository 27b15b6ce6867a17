import { hostname } from 'node:os';
import { beatMs } from '../../../kernel/beat.ts';
import { clientSlug } from '../../../kernel/client-name.ts';
import type { Log } from '../../../kernel/log.ts';
import { isOperator, isRunner, type Principal, systemActor } from '../../../kernel/principal.ts';
import { ancestorsOf, type Kin } from '../../../kernel/process/ancestors.ts';
import { seatOf } from '../../../kernel/seat.ts';
import type { Introduced, Seating } from '../../../mcp/seats.ts';
import { createCoalesced } from '../../../store/coalesced.ts';
import type { Caller } from '../../../store/calls.ts';
import type { Database, Query, Tx } from '../../../store/database.ts';
import { isProcessThere, type LivingSeat, rowOf, type SeatSigns, toLiving } from './living-seat.ts';
import { findOwnSeat } from './own-seat.ts';
import { firstFree } from './names.ts';
import {
  findSeat,
  type LastHeard,
  lastHeardOf,
  listNamesakes,
  listSeatsSince,
  listTokenNames,
  pullBackSeats,
  putSeat,
  type StoredSeat,
} from './rows.ts';
import { createSeatBook } from './book.ts';

/**
 * Who is here. A seat is a connection or a credential; it lives while it calls, while its process beats or while its
 * stream is open, and for a moment after. What must stay true: of the living seats of one project no two have the same
 * name, however many processes give names at the same instant (names are given under a lock; test/contract/seats.test.ts).
 */
export interface Seats extends Seating {
  isLiving(q: Query, seat: string): Promise<boolean>;
  /** Those of one team, or all. */
  living(q: Query, teamId?: string): Promise<LivingSeat[]>;
  /** When one of these names was last here before, on a connection other than this one. */
  lastHere(q: Query, asked: LastHeard): Promise<number | undefined>;
  /**
   * Hears of every sign of life, and from how long ago it counts. A call counts now; a beat counts no further than
   * `longestMs` after the last call, less one lease, so that silence is silence in the end.
   */
  onSign(hear: (seat: string, agoMs: number) => void): void;
  /** As a caller sees who is here: one that is bound to a team sees that team alone. */
  at(q: Query, caller: Caller): SeatsView;
  /** Something with these ancestors is at work: as good as a call of the connection that the same client has, if it has one. */
  heardBeside(line: readonly Kin[]): Promise<LivingSeat | undefined>;
  /** Tidies only: what is silent, or whose process is gone, is told to have left. */
  endSilent(): Promise<number>;
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface SeatsView {
  living(teamId?: string): Promise<LivingSeat[]>;
}

export type SeatParts = Readonly<{
  db: Database;
  log: Log;
  leaseMs: number;
  longestMs: number;
  /** The project of a working folder, where projects are known at all. */
  locate?:
    | ((folder: string) => Promise<Readonly<{ teamId: string; name: string }> | undefined> | undefined)
    | undefined;
  flushMs?: number;
}>;

/** A seat that gave no sign for this long is not living. */
export const LIVING_MS = 90_000;
const FLUSH_MS = 10_000;
/** Further ahead than this no other hub's clock is: such a sign was given before ours was set back. */
const AHEAD_MS = 10_000;
/** Settled seats that this process remembers; an older one is looked up again. */
const MAX_KNOWN = 2_000;

/** The signs of a seat as they are written, and when they were given by what has passed. */
type Heard = Readonly<{ at: SeatSigns; called: number; seen: number }>;

type Settled = Readonly<{ name: string; team: string | undefined; teamName: string | undefined }>;

export function createSeats({ db, log, leaseMs, longestMs, locate, flushMs = FLUSH_MS }: SeatParts): Seats {
  const host = hostname();
  const book = createSeatBook(db);
  let leaving: Promise<unknown> = Promise.resolve();
  const known = new Map<string, Promise<Settled>>();
  const signs = new Map<string, Heard>();
  const held = new Map<string, { who: Principal; count: number }>();
  const hearers: ((seat: string, agoMs: number) => void)[] = [];
  const written = createCoalesced<SeatSigns & { who: Principal }>({
    db,
    log,
    what: 'Signs of life of connections',
    everyMs: flushMs,
    write: async (tx, seat, { who, ...at }) => {
      if (await book.sign(tx, seat, at)) return;
      const row = rowOf(seat, who, at);
      await putSeat(tx, row);
      book.tell(tx, 'seat.taken', row);
    },
  });
  const beside = createCoalesced<SeatSigns>({
    db,
    log,
    what: 'Signs of life of clients',
    everyMs: flushMs,
    write: (tx, seat, at) => book.sign(tx, seat, at),
  });
  const beating = setInterval(() => {
    for (const { who } of held.values()) beat(who);
  }, beatMs(leaseMs));
  beating.unref();

  function sign(who: Principal, isCall: boolean): void {
    const seat = seatOf(who);
    if (seat === null || isOperator(who) || isRunner(who)) return;
    const { at, called } = hearAgain(seat, isCall);
    written.set(seat, { ...at, who });
    const agoMs = Math.max(0, db.elapsed() - called - (longestMs - leaseMs));
    for (const hear of hearers) hear(seat, agoMs);
  }

  function hearAgain(seat: string, isCall: boolean): Heard {
    const [now, passed] = [db.now(), db.elapsed()];
    const before = isCall ? undefined : signs.get(seat);
    const heard = {
      at: { called: before?.at.called ?? now, seen: now },
      called: before?.called ?? passed,
      seen: passed,
    };
    keep(signs, seat, heard);
    return heard;
  }

  const beat = (who: Principal) => sign(who, false);

  /** Of those that this process hears itself, what has passed tells; of the others only what is written. */
  const isHeard = (seat: string) => db.elapsed() - (signs.get(seat)?.seen ?? -Infinity) < LIVING_MS;
  const isSilent = (row: StoredSeat, now: number) => !isHeard(row.seat) && now - row.seenAt >= LIVING_MS;

  /** Unbound, the name it has had so far, else the first free one; both only while nobody else living has it. */
  async function nameFor(tx: Tx, { seat, client, team, before }: NameRequest): Promise<string> {
    const slug = clientSlug(client);
    const namesakes = await listNamesakes(tx, slug, { since: tx.now - LIVING_MS, teamId: team });
    const others = namesakes.filter((row) => row.seat !== seat && isProcessThere(row, host));
    const taken = [...others.map(({ name }) => name), ...(await listTokenNames(tx, slug))];
    if (before && !before.isBound && before.teamId === team && !taken.includes(before.name))
      return before.name;
    return firstFree(slug, taken);
  }

  async function settleDown(seat: string, introduced: Introduced): Promise<Settled> {
    const { who, server, client, from, pid = from?.pid } = introduced;
    const project =
      who.bound.team === undefined
        ? await projectOf(introduced)
        : { teamId: who.bound.team, name: undefined };
    const team = project?.teamId ?? '';
    const name = await db.write(systemActor, async (tx) => {
      // Two that arrive at the same instant take turns, so the second finds the first one's name taken.
      await tx.lock(`seats:${team}`);
      const before = await findSeat(tx, seat);
      const known = Math.max(before?.calledAt ?? 0, signs.get(seat)?.at.called ?? 0) || tx.now;
      const called = Math.min(known, tx.now);
      const passed = db.elapsed();
      keep(signs, seat, {
        at: { called, seen: tx.now },
        called: passed - (tx.now - called),
        seen: passed,
      });
      const shown = who.bound.agent ?? (await nameFor(tx, { seat, client, team, before }));
      const row = {
        seat,
        name: shown,
        isBound: who.bound.agent !== undefined,
        teamId: team,
        client: clientSlug(client),
        server: server.key,
        pid: pid ?? null,
        parent: from?.parent ?? null,
        host: pid === undefined ? null : host,
        openedAt: before?.openedAt ?? tx.now,
        calledAt: called,
        seenAt: tx.now,
        endedAt: null,
      };
      await putSeat(tx, row);
      if (!before || before.endedAt !== null || before.name !== shown) book.tell(tx, 'seat.taken', row);
      return shown;
    });
    return { name, team: project?.teamId, teamName: project?.name };
  }

  /** The project is a default and no wall, so failing to find it is worth a warning and stops nobody. */
  async function projectOf({
    who,
    from,
  }: Introduced): Promise<{ teamId: string; name: string | undefined } | undefined> {
    // `--team`, or `defaultTeamId` in the URL.
    const given = from?.team ?? who.default?.team;
    if (given !== undefined) return { teamId: given, name: undefined };
    if (!from || from.cwd === '' || !locate) return undefined;
    try {
      return await locate(from.cwd);
    } catch (error) {
      log.warn('the project of a working folder was not found', { folder: from.cwd, error });
      return undefined;
    }
  }

  async function living(q: Query, teamId?: string): Promise<LivingSeat[]> {
    const rows = await listSeatsSince(q, db.now() - LIVING_MS, teamId);
    return rows.filter((row) => isProcessThere(row, host)).map(toLiving);
  }

  return {
    async settle(introduced) {
      const { who, server } = introduced;
      const seat = seatOf(who);
      if (seat === null || who.kind === 'operator') return who;
      let settled = known.get(seat);
      if (!settled) {
        settled = settleDown(seat, introduced);
        keep(known, seat, settled);
      }
      try {
        const { name, team, teamName } = await settled;
        const taken = {
          ...(team !== undefined && who.bound.team === undefined && { team }),
          ...(server.takesDefaults && who.bound.agent === undefined && { agent: name }),
        };
        return {
          ...who,
          name,
          ...(teamName !== undefined && { project: teamName }),
          ...(Object.keys(taken).length > 0 && { default: taken }),
        };
      } catch (error) {
        known.delete(seat);
        log.warn('a connection was given no name', { error });
        return who;
      }
    },
    heard: (who) => sign(who, true),
    beat,
    hold(who) {
      const seat = seatOf(who);
      if (seat === null) return () => {};
      const entry = held.get(seat) ?? { who, count: 0 };
      entry.count += 1;
      held.set(seat, entry);
      beat(who);
      return () => {
        entry.count -= 1;
        if (entry.count === 0) held.delete(seat);
      };
    },
    leave(who) {
      const seat = seatOf(who);
      // A credential may sit elsewhere, too; it is gone when it is silent.
      if (seat === null || who.kind === 'agent') return;
      known.delete(seat);
      signs.delete(seat);
      // A last sign that is not written yet would bring it back.
      written.drop(seat);
      beside.drop(seat);
      const ended = db
        .write(systemActor, (tx) => book.end(tx, seat))
        .catch((error: unknown) => log.debug('the end of a connection was not written', { error }));
      leaving = Promise.all([leaving, ended]);
    },
    async endSilent() {
      await db.write(systemActor, (tx) => pullBackSeats(tx, tx.now + AHEAD_MS));
      const now = db.now();
      const rows = await db.read((q) => listSeatsSince(q, 0));
      const gone = rows.filter((row) => isSilent(row, now) || !isProcessThere(row, host));
      for (const { seat } of gone) await db.write(systemActor, (tx) => book.end(tx, seat));
      return gone.length;
    },
    async isLiving(q, seat) {
      const now = db.now();
      if (isHeard(seat)) return true;
      const row = await findSeat(q, seat);
      return row !== undefined && row.endedAt === null && !isSilent(row, now) && isProcessThere(row, host);
    },
    living,
    lastHere: (q, asked) => lastHeardOf(q, { ...asked, livingSince: db.now() - LIVING_MS }),
    at: (q, { who }) => ({ living: (teamId) => living(q, who.bound.team ?? teamId) }),
    onSign: (hear) => void hearers.push(hear),
    async heardBeside(line) {
      const own = findOwnSeat(await db.read((q) => living(q)), line, ancestorsOf);
      if (!own) return undefined;
      beside.set(own.seat, hearAgain(own.seat, true).at);
      for (const hear of hearers) hear(own.seat, 0);
      return own;
    },
    async flush() {
      // A sign after an end is written after it.
      await leaving;
      await written.flush();
      await beside.flush();
    },
    async close() {
      clearInterval(beating);
      await leaving;
      await written.close();
      await beside.close();
    },
  };
}

type NameRequest = Readonly<{
  seat: string;
  client: Introduced['client'];
  team: string;
  before: StoredSeat | undefined;
}>;

function keep<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  if (map.size >= MAX_KNOWN) map.delete(map.keys().next().value!);
  map.set(key, value);
}
