import { isAbsolute } from 'node:path';
import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { type Principal, seesTeam } from '../../kernel/principal.ts';
import { redact } from '../../kernel/redact.ts';
import type { Caller } from '../../store/calls.ts';
import type { Query, Tx } from '../../store/database.ts';
import type { HeldTask } from '../board/board.ts';
import type { Workplaces } from '../projects/projects.ts';
import type { ChangedOnBranch, Conflict, Reservation } from './reservation.ts';
import { listReservations, putReservation, removeReservations, type StoredReservation } from './rows.ts';
import { canOverlap, EFFORT, isUnder, readPattern } from './rules.ts';

/** Which files are being worked on, and by whom. A reservation has no life of its own: it ends with its task's claim. */
export interface Reservations {
  /** Which working copy a caller means that names none: the one it works in; '' where nobody knows. */
  rootOf(who: Principal): Promise<string>;
  /** As a caller sees them in a snapshot. */
  at(q: Query, caller: Caller): ReservationView;
  /** As a caller changes them in a transaction. */
  in(tx: Tx, caller: Caller): ReservationDesk;
  /** Who has these files of a working copy for themselves: for whoever is about to change them. */
  meeting(q: Query, files: FilesAt): Promise<Meeting[]>;
  /** Forgets what ended with its claim. */
  tidy(tx: Tx): Promise<number>;
  /** Who knows which branches somebody works on says what they change. */
  followBranches(list: ListChanged): void;
}

/** What living branches of a project change, but for those of a task. */
type ListChanged = (
  q: Query,
  but: Readonly<{ project: string; taskId: string }>,
) => Promise<readonly Omit<ChangedOnBranch, 'pattern'>[]>;

type FilesAt = Readonly<{ root: string; teamId: string | null; paths: readonly string[] }>;
export type Meeting = Readonly<{ path: string; with: Reservation }>;

export interface ReservationView {
  list(filter: ListFilter): Promise<Reservation[]>;
}

export interface ReservationDesk {
  /** Notes what the holder of a task works on, and tells who else works there. */
  reserve(request: ReserveRequest): Promise<Reserved>;
  /** Takes back some patterns, or all of the task's. Answers what was taken back. */
  release(request: ReleaseRequest): Promise<Reservation[]>;
}

type ReleaseRequest = Readonly<{ taskId: string; patterns?: readonly string[] | undefined }>;

type ReserveRequest = Readonly<{
  taskId: string;
  patterns: readonly string[];
  /** The working copy it names: then only that one counts. */
  root?: string | undefined;
  /** The one it works in, where it names none. */
  here?: string | undefined;
  /** true unless given. */
  exclusive?: boolean | undefined;
  reason?: string | undefined;
  /** Reserve nothing at all when somebody else works there. */
  strict?: boolean | undefined;
}>;

type Reserved = Readonly<{
  reserved: Reservation[];
  conflicts: Conflict[];
  changed?: ChangedOnBranch[];
}>;
type ListFilter = Readonly<{
  taskId?: string | undefined;
  root?: string | undefined;
  path?: string | undefined;
  /** Every project's, not only the caller's. */
  all?: boolean | undefined;
}>;

/** What reservations need of the board. */
export interface ClaimKeeper {
  /** Refuses whoever does not hold the task; a sign of life from who does. */
  requireHolder(tx: Tx, caller: Caller, taskId: string): Promise<Holder>;
  /** The living claims among these tasks. */
  holders(q: Query, taskIds: readonly string[]): Promise<readonly Holder[]>;
}

type Holder = Omit<HeldTask, 'claimedAt'>;

const MAX_PER_TASK = 200;
/** Told for one pattern: more names help nobody to decide. */
const MAX_CONFLICTS = 100;

export function createReservations(
  claims: ClaimKeeper,
  workplaces?: Pick<Workplaces, 'folderOf'>,
): Reservations {
  /** Those whose claim is the one they were made under. */
  async function living(q: Query, stored: readonly StoredReservation[]): Promise<Reservation[]> {
    const holders = new Map(
      (
        await claims.holders(
          q,
          stored.map(({ taskId }) => taskId),
        )
      ).map((holder) => [holder.taskId, holder]),
    );
    return stored.flatMap((each) => {
      const holder = holders.get(each.taskId);
      return holder?.fence === each.fence ? [present(each, holder)] : [];
    });
  }

  let listChanged: ListChanged | undefined;

  /** What others did there already: their branches and this one will have to go together. */
  async function changedOn(
    q: Query,
    { teamId, taskId }: Holder,
    patterns: readonly string[],
  ): Promise<ChangedOnBranch[]> {
    const all = teamId === null ? [] : ((await listChanged?.(q, { project: teamId, taskId })) ?? []);
    const effort = { left: EFFORT };
    return patterns
      .flatMap((pattern) =>
        all.filter(({ path }) => isUnder(pattern, path, effort)).map((each) => ({ pattern, ...each })),
      )
      .slice(0, MAX_CONFLICTS);
  }

  const deskOf = (tx: Tx, caller: Caller): ReservationDesk => ({
    async reserve({
      taskId: task,
      patterns,
      root: named,
      here = '',
      exclusive = true,
      reason,
      strict = false,
    }) {
      const [root, isNamed] = [named ?? here, named !== undefined];
      const holder = await claims.requireHolder(tx, caller, task);
      // Two who reserve the same files at the same moment must see each other.
      await tx.lock('reservations');
      const wanted = [...new Set(patterns.map((pattern) => readPattern(refuseSecret(pattern))))];
      const copy = { root: redact(root), isNamed, teamId: holder.teamId };
      const all = (await living(tx, await listReservations(tx, {}))).filter((each) => areOneCopy(copy, each));
      const own = all.filter(({ taskId, root: at }) => taskId === holder.taskId && at === copy.root);
      const effort = { left: EFFORT };
      const others = all.filter((other) => other.taskId !== holder.taskId && (exclusive || other.exclusive));
      const conflicts = wanted.flatMap((pattern) =>
        others
          .filter((other) => canOverlap(pattern, other.pattern, effort))
          .slice(0, MAX_CONFLICTS)
          .map((other) => ({ pattern, with: asSeenBy(caller.who, other) })),
      );
      if (strict && conflicts.length > 0) throw taken(conflicts);
      const had = new Set(own.map(({ pattern }) => pattern));
      const fresh = wanted.filter((pattern) => !had.has(pattern));
      if (own.length + fresh.length > MAX_PER_TASK) throw tooMany();
      const note = reason === undefined ? null : redact(reason);
      const reserved: Reservation[] = [];
      for (const pattern of wanted) {
        const { taskId, fence } = holder;
        const given = {
          id: newId(),
          taskId,
          fence,
          root: copy.root,
          pattern,
          exclusive,
          reason: note,
          createdAt: tx.now,
        };
        reserved.push(present(await putReservation(tx, given), holder));
      }
      tell(tx, holder, {
        kind: 'files.reserved',
        data: { patterns: reserved.length, conflicts: conflicts.length },
      });
      const changed = await changedOn(tx, holder, wanted);
      return { reserved, conflicts, ...(changed.length > 0 && { changed }) };
    },

    async release({ taskId, patterns }) {
      const holder = await claims.requireHolder(tx, caller, taskId);
      const wanted = patterns && new Set(patterns.map((pattern) => readPattern(refuseSecret(pattern))));
      const own = await living(tx, await listReservations(tx, { taskId: holder.taskId }));
      const released = own.filter(({ pattern }) => wanted?.has(pattern) ?? true);
      await removeReservations(
        tx,
        released.map(({ id }) => id),
      );
      if (released.length > 0)
        tell(tx, holder, { kind: 'files.released', data: { patterns: released.length } });
      return released;
    },
  });

  const viewOf = (q: Query, { who }: Caller): ReservationView => ({
    async list({ taskId, root, path, all: isAll = false }) {
      const wanted = path === undefined ? undefined : readPattern(path);
      const effort = { left: EFFORT };
      const all = await living(q, await listReservations(q, { taskId, root }));
      return all.filter(
        (each) =>
          isOfTeam(who, each, isAll || taskId !== undefined) &&
          (wanted === undefined || canOverlap(wanted, each.pattern, effort)),
      );
    },
  });

  return {
    // A note on files is worth taking, also from who works nowhere any more.
    rootOf: async (who) => (await workplaces?.folderOf(who).catch(() => null)) ?? '',
    at: viewOf,
    in: deskOf,
    followBranches(list) {
      listChanged = list;
    },
    async meeting(q, { root, teamId, paths }) {
      const copy = { root, isNamed: false, teamId };
      const all = await living(q, await listReservations(q, {}));
      const taken = all.filter((each) => each.exclusive && areOneCopy(copy, each));
      const effort = { left: EFFORT };
      return paths.flatMap((path) =>
        taken
          .filter(({ pattern }) => canOverlap(path, pattern, effort))
          .map((each) => ({ path, with: each })),
      );
    },
    async tidy(tx) {
      const stored = await listReservations(tx, {});
      const alive = new Set((await living(tx, stored)).map(({ id }) => id));
      const dead = stored.filter(({ id }) => !alive.has(id)).map(({ id }) => id);
      await removeReservations(tx, dead);
      return dead.length;
    },
  };
}

type Here = Pick<Reservation, 'root' | 'teamId'> & Readonly<{ isNamed: boolean }>;

/** Where nobody said which working copy is meant, one that is not known may be any of the same team. */
function areOneCopy(here: Here, { root, teamId }: Reservation): boolean {
  if (here.root === root) return true;
  return !here.isNamed && here.teamId === teamId && (root === '' || (here.root === '' && isAbsolute(root)));
}

/** A bound team is a wall; a project is a default, and what belongs to none is everybody's. */
function isOfTeam({ bound, default: taken }: Principal, { teamId }: Reservation, isAll: boolean): boolean {
  if (bound.team !== undefined) return teamId === bound.team;
  return isAll || taken?.team === undefined || teamId === null || teamId === taken.team;
}

function present(stored: StoredReservation, { agentId, teamId, leaseUntil }: Holder): Reservation {
  const { fence: _, ...rest } = stored;
  return { ...rest, agentId, teamId, leaseUntil };
}

/** Whoever works on the same files must be known across teams; what they wrote about it stays in theirs. */
function asSeenBy(who: Principal, reservation: Reservation): Reservation {
  return seesTeam(who, reservation.teamId) ? reservation : { ...reservation, reason: null };
}

type FileNews = Readonly<{ kind: `files.${string}`; data: Readonly<Record<string, number>> }>;

function tell(tx: Tx, { taskId, teamId, agentId }: Holder, { kind, data }: FileNews): void {
  tx.emit({
    kind,
    subject: taskId,
    realm: 'hub',
    ...(teamId !== null && { team: teamId }),
    data: { agentId, ...data },
  });
}

function taken(conflicts: readonly Conflict[]): HubError {
  const names = [...new Set(conflicts.map((conflict) => conflict.with.agentId))].join(', ');
  return new HubError('conflict', `reserve failed: ${names} works on these files`, {
    conflicts,
    hint: 'Pick other work, or talk to the holder: send a message, or post in the team room.',
  });
}

/** A path with a key in it is shown to everybody who works nearby; the mark that would hide it is no pattern. */
function refuseSecret(pattern: string): string {
  if (redact(pattern) === pattern) return pattern;
  throw new HubError('invalid', 'A pattern must not hold a secret.', {
    hint: 'Reserve the folder instead: src/auth/**.',
  });
}

function tooMany(): HubError {
  return new HubError('limited', `limit reached: reservations per task is ${MAX_PER_TASK}`, {
    limit: 'reservations per task',
    max: MAX_PER_TASK,
    hint: 'Use wider patterns, such as src/auth/**.',
  });
}
