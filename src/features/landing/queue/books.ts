// What is written down of queues and landings, and what it means for their tasks: each step is one transaction.
import { systemActor, systemPrincipal } from '../../../kernel/principal.ts';
import { excerpt } from '../../../kernel/redact.ts';
import { callerOf, hubCaller } from '../../../store/calls.ts';
import type { Database, Tx } from '../../../store/database.ts';
import type { Board } from '../../board/board.ts';
import type { ToldConflict } from './conflicts.ts';
import { LAND_SUBJECT, type LandingState } from '../landing-shapes.ts';
import { CONFLICTS_IN_A_ROW, conflictsInARow } from './conflicts-in-a-row.ts';
import {
  bookLanding,
  changeLanding,
  changeQueue,
  type Intent,
  landingById,
  lockQueue,
  type Queue,
  type StoredEvidence,
  type StoredLanding,
  waitingIn,
} from '../rows.ts';

/** What was handed in by a run that is over has nobody to take it up but a person, or the hub in their place. */
const AS_PERSON = callerOf({ who: systemPrincipal, via: 'route' });

export type Books = ReturnType<typeof createBooks>;

type Failed = Readonly<{ evidence: readonly StoredEvidence[]; commit: string }>;

export function createBooks(db: Database, board: Board) {
  const write = <T>(unit: (tx: Tx) => Promise<T>) => db.write(systemActor, unit);

  /** Only from where it was: who withdrew it meanwhile has had their say. Answers whether it went. */
  async function to(
    tx: Tx,
    landing: StoredLanding,
    change: Partial<StoredLanding> & Readonly<{ state: LandingState }>,
  ) {
    const isAsBefore = landing.state === change.state && landing.why === (change.why ?? null);
    if (isAsBefore && change.head === undefined) return true;
    const isThere = await changeLanding(tx, landing, { why: null, batch: null, ...change });
    if (isThere) tell(tx, { ...landing, ...change });
    return isThere;
  }

  function tell(tx: Tx, { id, taskId, state, why, queue, commitId }: StoredLanding): void {
    const team = queue.split('\n')[0]!;
    tx.emit({
      kind: 'landing.changed',
      subject: LAND_SUBJECT,
      realm: 'hub',
      team,
      data: {
        landingId: id,
        taskId,
        state,
        ...(why !== null && { why }),
        ...(commitId !== null && { commit: commitId }),
      },
    });
  }

  const each = (ids: readonly string[], change: Partial<StoredLanding> & Readonly<{ state: LandingState }>) =>
    write(async (tx) => {
      for (const id of ids) {
        const landing = await landingById(tx, id);
        if (landing) await to(tx, landing, change);
      }
    });

  /** In its own words, where whoever works on the task reads them. */
  const say = (tx: Tx, taskId: string, body: string) => board.in(tx, hubCaller).comment({ taskId, body });

  /** Handed in is not done: whoever has it goes on. Who has left it leaves it to the next. */
  async function giveBack(tx: Tx, taskId: string): Promise<void> {
    const desk = board.in(tx, AS_PERSON);
    const { task } = await desk.get({ taskId, commentLimit: 1 });
    if (task.status === 'in_review') await desk.takeUpAgain(taskId);
  }

  return {
    take: (queue: Queue, limit: number) => db.read((q) => waitingIn(q, queue.key, limit)),

    testing: (
      waiting: readonly StoredLanding[],
      { ready, batch }: Readonly<{ ready: readonly string[]; batch: string }>,
    ) =>
      write(async (tx) => {
        for (const landing of waiting)
          await to(
            tx,
            landing,
            ready.includes(landing.id) ? { state: 'testing', batch } : { state: 'queued' },
          );
      }),

    again: (ids: readonly string[]) => each(ids, { state: 'queued' }),

    hold: (waiting: readonly StoredLanding[], why: string) =>
      each(
        waiting.map(({ id }) => id),
        { state: 'held', why },
      ),

    failed: (id: string, { evidence, commit }: Failed) =>
      write(async (tx) => {
        const landing = await landingById(tx, id);
        if (!landing) return;
        const bad = evidence.find(({ passed }) => !passed);
        const why = bad === undefined ? 'a check failed' : `${bad.checkName} failed (exit ${bad.exitCode})`;
        const given = {
          state: 'failed',
          why,
          commitId: commit,
          evidence: evidence.map((one) => one.id),
        } as const;
        if (!(await to(tx, landing, given))) return;
        await say(tx, landing.taskId, failureOf(landing, bad));
        await giveBack(tx, landing.taskId);
      }),

    /** `isForRun`: another run is to solve it, once; the second time in a row it is left to people. */
    conflict: (landing: StoredLanding, told: ToldConflict, isForRun: boolean) =>
      write(async (tx) => {
        const { files } = told;
        const why = excerpt(told.why ?? `it conflicts with the target in ${files.length} file(s)`, 1_000);
        const isTwice = (await conflictsInARow(tx, landing.taskId, landing.id)) + 1 >= CONFLICTS_IN_A_ROW;
        const isSolvable = isForRun && !isTwice && told.why === undefined && landing.runId !== null;
        const rerun = isSolvable ? ('wanted' as const) : null;
        if (!(await to(tx, landing, { state: 'conflict', why, conflicts: files, rerun }))) return;
        await say(tx, landing.taskId, conflictOf(landing, { ...told, isTwice }));
        await giveBack(tx, landing.taskId);
      }),

    /** It needs a person after all. */
    waitFor: (
      landing: StoredLanding,
      change: Pick<StoredLanding, 'why'> & Partial<Pick<StoredLanding, 'head' | 'protected'>>,
    ) => write((tx) => to(tx, landing, { ...change, state: 'waiting_person', approvedBy: null })),

    /** Its branch moved, and nobody has to look at that first. */
    follow: (landing: StoredLanding, head: string) =>
      write((tx) => to(tx, landing, { state: 'queued', head, why: 'its branch moved' })),

    withdraw: (landing: StoredLanding, why: string) =>
      write((tx) => to(tx, landing, { state: 'withdrawn', why })),

    /** Those whose task nobody wants done any more. */
    unwanted: (waiting: readonly StoredLanding[]) =>
      db.read(async (q) => {
        const desk = board.at(q, hubCaller);
        const found: StoredLanding[] = [];
        for (const landing of waiting) {
          const { task } = await desk.get({ taskId: landing.taskId, commentLimit: 1 });
          if (task.status === 'cancelled') found.push(landing);
        }
        return found;
      }),

    alreadyIn: (landing: StoredLanding) =>
      write(async (tx) => {
        if (
          !(await to(tx, landing, {
            state: 'landed',
            why: 'it was in the target already',
            commitId: landing.head,
          }))
        )
          return;
        await board.in(tx, hubCaller).finishLanded(landing.taskId);
      }),

    /** False when one of them was withdrawn meanwhile, or another hub has the queue: then nothing moves. */
    intend: (queue: Queue, intent: Intent, holder: string) =>
      write(async (tx) => {
        const current = await lockQueue(tx, queue.key);
        if (!current || current.intent !== null || current.holder !== holder || current.paused) return false;
        for (const { id, head } of intent.landings) {
          const landing = await landingById(tx, id);
          if (landing?.state !== 'testing' || landing.head !== head) return false;
        }
        await changeQueue(tx, queue.key, { intent });
        return true;
      }),

    /** The books follow the ref, and the intent is struck out with them: nothing is landed twice or half. */
    landed: (queue: Queue, intent: Intent) =>
      write(async (tx) => {
        if (!isSame((await lockQueue(tx, queue.key))?.intent, intent)) return;
        for (const { id, commit, tree, evidence } of intent.landings) {
          const landing = await landingById(tx, id);
          if (!landing) continue;
          await bookLanding(tx, id, { state: 'landed', why: null, commitId: commit, tree, evidence });
          tell(tx, { ...landing, state: 'landed', why: null, commitId: commit });
          await board.in(tx, hubCaller).finishLanded(landing.taskId);
        }
        await changeQueue(tx, queue.key, { intent: null });
      }),

    giveUp: (queue: Queue, intent: Intent, ...[why, state = 'queued']: [string, ('queued' | 'held')?]) =>
      write(async (tx) => {
        if (!isSame((await lockQueue(tx, queue.key))?.intent, intent)) return;
        for (const { id } of intent.landings) {
          const landing = await landingById(tx, id);
          if (landing?.state === 'testing') await to(tx, landing, { state, why });
        }
        await changeQueue(tx, queue.key, { intent: null });
      }),
  };
}

/** One of a hub that went on meanwhile is not ours to book. */
function isSame(written: Intent | null | undefined, { from, to }: Intent): boolean {
  return written?.from === from && written.to === to;
}

const MOST_TAIL = 1_500;
const MOST_FILES = 50;

type Conflicted = ToldConflict & Readonly<{ isTwice: boolean }>;

function conflictOf({ branch }: StoredLanding, { files, sides, first, why, isTwice }: Conflicted): string {
  if (why !== undefined) return `${branch} does not land: ${why}`;
  return [
    `${branch} does not land: it conflicts with the target in`,
    ...files.slice(0, MOST_FILES).map((file) => `- ${file}`),
    ...(first === undefined ? [] : [`Task ${first} landed first.`]),
    ...sides.map((side) => `\n${side}`),
    'Merge the target into it, solve that, and ask again.',
    ...(isTwice ? ['It is the second conflict in a row: a person looks at it before it lands.'] : []),
  ].join('\n');
}

function failureOf({ branch }: StoredLanding, bad: StoredEvidence | undefined): string {
  if (!bad) return `${branch} does not land: a check failed.`;
  const tests = bad.failing
    .slice(0, 10)
    .map(({ name, message }) => `- ${name}: ${excerpt(message.split('\n')[0]!, 200)}`);
  return [
    `${branch} does not land: ${bad.checkName} failed (exit ${bad.exitCode}) on ${bad.commitId.slice(0, 12)}, the result of merging it.`,
    ...tests,
    ...(tests.length === 0 ? [bad.tail.slice(-MOST_TAIL)] : []),
  ].join('\n');
}
