import { HubError, toHubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Actor, systemActor } from '../../../kernel/principal.ts';
import type { Query, Tx } from '../../../store/database.ts';
import { type Parts, requireBeing, takeTurn, tell } from '../parts.ts';
import { setMarker } from '../rows/beings.ts';
import {
  freeRun,
  insertRun,
  insertStep,
  proveRun,
  runById,
  saveRun,
  setRun,
  stepsOf,
  takeRun,
} from '../rows/runs.ts';
import type { AskModel } from './model.ts';
import { PATROL } from './steps.ts';
import type { Counted, Finish, PatrolCounts, Step, StepName, PatrolWork } from './work.ts';

/** Told before and after each step of a run: tests end the process there. */
type OnStep = (step: StepName, when: 'before' | 'after') => void | Promise<void>;

export type RunOptions = Readonly<{ leaseMs?: number; onStep?: OnStep }>;

export type PatrolRequest = Readonly<{
  being: string;
  ask: AskModel | undefined;
  actor?: Actor;
  markerGiven?: string | undefined;
  isDry?: boolean;
  signal: AbortSignal;
  /** Runs in the transaction that begins a new run: what it brings is there or the run is not. */
  onStart?(tx: Tx): Promise<void>;
}>;

type StepReport = Readonly<{ step: StepName; outcome: 'done' | 'skipped' | 'failed'; why?: string }>;

export type PatrolReport = Readonly<{
  runId: string;
  marker: string;
  stats: PatrolCounts;
  steps: readonly StepReport[];
  /** A run that was left unfinished before was finished first. */
  resumed: boolean;
}>;

const LEASE_MS = 60_000;

/**
 * One patrol per Being at a time. The lease on the Being decides; every transaction of a run proves it, so a run that lost
 * it changes nothing more. A run that was left unfinished is finished by the next one, from where its journal stops.
 */
export async function runPatrol(
  parts: Parts,
  request: PatrolRequest,
  options: RunOptions = {},
): Promise<PatrolReport> {
  if (request.isDry) return rehearse(parts, request);
  const { db } = parts;
  const { being, actor = systemActor, onStart } = request;
  const { leaseMs = LEASE_MS } = options;
  const holder = newId();
  const begun = await db.write(actor, async (tx) => {
    await requireBeing(tx, being);
    const taken = await takeRun(tx, being, holder, tx.now + leaseMs);
    if (!taken) throw running();
    await onStart?.(tx);
    return taken.run_id;
  });
  const lost = new AbortController();
  const renewal = setInterval(() => {
    db.write(systemActor, (tx) => proveRun(tx, being, holder, tx.now + leaseMs)).then(
      (isKept) => (isKept ? undefined : lost.abort(running())),
      (error: unknown) => lost.abort(error),
    );
  }, leaseMs / 3);
  const signal = AbortSignal.any([request.signal, lost.signal]);
  const held = { ...request, holder, leaseMs, signal, onStep: options.onStep };
  try {
    if (begun !== null) await carryOut(parts, held, begun);
    return { ...(await carryOut(parts, held, await beginRun(parts, held))), resumed: begun !== null };
  } finally {
    clearInterval(renewal);
    await db.write(systemActor, (tx) => freeRun(tx, being, holder));
  }
}

type Held = PatrolRequest & Readonly<{ holder: string; leaseMs: number; onStep: OnStep | undefined }>;

function beginRun({ db }: Parts, { being, holder, markerGiven, actor = systemActor }: Held): Promise<string> {
  return db.write(actor, async (tx) => {
    const id = newId();
    await insertRun(tx, being, id, markerGiven ?? null);
    await setRun(tx, being, holder, id);
    tell(tx, being, 'patrol_started', { run: id });
    return id;
  });
}

async function carryOut(parts: Parts, held: Held, runId: string): Promise<Omit<PatrolReport, 'resumed'>> {
  const { db, recalling } = parts;
  const { being, holder, leaseMs, ask, signal, onStep } = held;
  const run = await db.read((q) => runById(q, being, runId));
  if (!run) throw new HubError('internal', 'A patrol has no row.');
  const done = new Map((await db.read((q) => stepsOf(q, being, runId))).map((row) => [row.step, row]));
  let stats = JSON.parse(run.stats) as PatrolCounts;
  const steps: StepReport[] = [];

  /** The lease first: a run that lost it must not even read what it would change. */
  async function write<T>(step: StepName | null, unit: (tx: Tx) => Promise<Counted<T>>): Promise<T> {
    if (signal.aborted) throw signal.reason;
    const next = await db.write(systemActor, async (tx) => {
      await takeTurn(tx, being);
      if (!(await proveRun(tx, being, holder, tx.now + leaseMs))) throw running();
      const { value, stats: counted = {} } = await unit(tx);
      const sum = add(stats, counted);
      await saveRun(tx, being, runId, { step, stats: JSON.stringify(sum) });
      return { value, sum };
    });
    stats = next.sum;
    return next.value;
  }

  for (const step of PATROL) {
    const before = done.get(step.name);
    if (before) {
      steps.push({ step: step.name, outcome: before.outcome });
      continue;
    }
    await onStep?.(step.name, 'before');
    const work: PatrolWork = {
      being,
      runId,
      startedAt: run.started_at,
      recalling,
      ask,
      model: await recalling.model(),
      isDry: false,
      signal,
      read: (unit) => db.read(unit),
      write: (unit) => write(step.name, unit),
    };
    steps.push(await takeStep(step, work, signal));
    await onStep?.(step.name, 'after');
  }
  const marker = newId();
  await db.write(systemActor, async (tx) => {
    if (!(await proveRun(tx, being, holder, tx.now + leaseMs))) throw running();
    await setMarker(tx, being, marker);
    await saveRun(tx, being, runId, { step: null, stats: JSON.stringify(stats), state: 'done' });
    await setRun(tx, being, holder, null);
    tell(tx, being, 'patrol_finished', { run: runId, nodes: stats['nodes_created'] ?? 0 });
  });
  return { runId, marker, stats, steps };
}

/** A model that fails is a line in the journal; anything else ends the run, which the next one goes on with. */
async function takeStep(step: Step, work: PatrolWork, signal: AbortSignal): Promise<StepReport> {
  const { name, needsModel } = step;
  let finish: Finish | undefined;
  let why: string | undefined;
  if (needsModel && !work.ask) why = 'no language model';
  else {
    try {
      finish = await step.run(work);
    } catch (thrown) {
      if (!needsModel || signal.aborted) throw thrown;
      why = toHubError(thrown).message;
    }
  }
  const outcome = finish ? 'done' : needsModel && !work.ask ? 'skipped' : 'failed';
  await work.write(async (tx) => {
    const counted = (await finish?.(tx)) ?? {};
    await insertStep(tx, work.being, work.runId, {
      step: name,
      outcome,
      details: JSON.stringify({ ...counted, ...(why && { why }) }),
    });
    return { value: undefined, stats: counted };
  });
  return { step: name, outcome, ...(why !== undefined && { why }) };
}

class Rehearsed extends Error {
  readonly report: PatrolReport;

  constructor(report: PatrolReport) {
    super('a rehearsal ends here');
    this.report = report;
  }
}

/** The whole patrol in one transaction that is rolled back at its end. Nothing outside the database is asked. */
async function rehearse({ db, recalling }: Parts, { being, onStart }: PatrolRequest): Promise<PatrolReport> {
  const model = await recalling.model();
  try {
    return await db.write(systemActor, async (tx): Promise<PatrolReport> => {
      await takeTurn(tx, being);
      const { marker } = await requireBeing(tx, being);
      await onStart?.(tx);
      const runId = newId();
      await insertRun(tx, being, runId, null);
      let stats: PatrolCounts = {};
      const steps: StepReport[] = [];
      const never = new AbortController().signal;
      const work: PatrolWork = {
        being,
        runId,
        startedAt: tx.now,
        recalling,
        ask: undefined,
        model,
        isDry: true,
        signal: never,
        read: (unit: (q: Query) => Promise<never>) => unit(tx),
        async write(unit) {
          const { value, stats: counted = {} } = await unit(tx);
          stats = add(stats, counted);
          return value;
        },
      };
      for (const step of PATROL) steps.push(await takeStep(step, work, never));
      throw new Rehearsed({ runId, marker: marker ?? '', stats, steps, resumed: false });
    });
  } catch (thrown) {
    if (thrown instanceof Rehearsed) return thrown.report;
    throw thrown;
  }
}

function add(stats: PatrolCounts, counted: PatrolCounts): PatrolCounts {
  const sum: Record<string, number> = { ...stats };
  for (const [name, count] of Object.entries(counted)) if (count !== 0) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

function running(): HubError {
  return new HubError('busy', 'A patrol of this Being is running; try again in a moment.', {
    hint: 'Nothing was changed. Wait for it to end, then call again.',
  });
}
