import { HubError, toHubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Actor, systemActor } from '../../../kernel/principal.ts';
import { whileKept } from '../../../store/lease.ts';
import { type Mind, mindOf, type Parts, requireBeing, takeTurn, tell } from '../parts.ts';
import type { Recalling } from '../being-recall.ts';
import { changeBeing } from '../rows/beings.ts';
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
import { held, type Seen } from '../rows/whose.ts';
import type { AskModel } from '../../../kernel/language-model.ts';
import { PATROL } from './steps.ts';
import type { Counted, Finish, PatrolCounts, Step, StepName, PatrolWork } from './work.ts';

/** Told before and after each step of a run: tests end the process there. */
type OnStep = (step: StepName, when: 'before' | 'after') => void | Promise<void>;

export type RunOptions = Readonly<{ leaseMs?: number; onStep?: OnStep }>;

export type PatrolRequest = Readonly<{
  being: string;
  ask: AskModel | undefined;
  /** Why there is none to ask, where it is not for want of a key. */
  whyNoModel?: string | undefined;
  actor?: Actor;
  markerGiven?: string | undefined;
  isDry?: boolean;
  signal: AbortSignal;
  /** Runs in the transaction that begins a new run: what it brings is there or the run is not. */
  onStart?(self: Mind): Promise<void>;
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

/** One Being in the database: each unit gets it in a snapshot or a transaction of its own. */
type PatrolReach = Readonly<{
  read<T>(unit: (self: Seen) => Promise<T>): Promise<T>;
  write<T>(actor: Actor, unit: (self: Mind) => Promise<T>): Promise<T>;
}>;

export function reachBeing(parts: Parts, being: string): PatrolReach {
  return {
    read: (unit) => parts.db.read((q) => unit({ q, being })),
    write: (actor, unit) => parts.db.write(actor, (tx) => unit(mindOf(parts, held(tx, being)))),
  };
}

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
  const { actor = systemActor, onStart } = request;
  const { leaseMs = LEASE_MS, onStep } = options;
  const { read, write } = reachBeing(parts, request.being);
  const holder = newId();
  const hold = { holder, ms: leaseMs };
  const prove = (self: Mind) => proveRun(self, hold);
  const begun = await write(actor, async (self) => {
    await requireBeing(self);
    const taken = await takeRun(self, hold);
    if (!taken) throw running();
    await onStart?.(self);
    return taken.run_id;
  });
  const { recalling } = parts;
  const renew = async () => {
    if (!(await write(systemActor, prove))) throw running();
  };
  try {
    return await whileKept(leaseMs, renew, async (lost) => {
      const signal = AbortSignal.any([request.signal, lost]);
      const run: Run = { ...request, actor, recalling, read, write, prove, holder, signal, onStep };
      if (begun !== null) await carryOut(run, begun);
      return { ...(await carryOut(run, await beginRun(run))), resumed: begun !== null };
    });
  } finally {
    await write(systemActor, (self) => freeRun(self, holder));
  }
}

/** A patrol that holds its Being: it proves so in each of its transactions. */
type Run = PatrolReach &
  Pick<PatrolRequest, 'being' | 'ask' | 'whyNoModel' | 'markerGiven' | 'signal'> &
  Readonly<{
    recalling: Recalling;
    actor: Actor;
    holder: string;
    prove(self: Mind): Promise<boolean>;
    onStep: OnStep | undefined;
  }>;

function beginRun({ write, holder, markerGiven, actor }: Run): Promise<string> {
  return write(actor, async (self) => {
    const id = newId();
    await insertRun(self, id, markerGiven ?? null);
    await setRun(self, holder, id);
    tell(self, 'patrol_started', { run: id });
    return id;
  });
}

async function carryOut(run: Run, runId: string): Promise<Omit<PatrolReport, 'resumed'>> {
  const { being, holder, prove, recalling, ask, signal, onStep } = run;
  const { whyNoModel = 'no language model' } = run;
  const row = await run.read((self) => runById(self, runId));
  if (!row) throw new HubError('internal', 'A patrol has no row.');
  const done = new Map((await run.read((self) => stepsOf(self, runId))).map((step) => [step.step, step]));
  let { stats } = row;
  const steps: StepReport[] = [];

  /** The lease first: a run that lost it must not even read what it would change. */
  async function write<T>(step: StepName | null, unit: (self: Mind) => Promise<Counted<T>>): Promise<T> {
    if (signal.aborted) throw signal.reason;
    const next = await run.write(systemActor, async (self) => {
      await takeTurn(self);
      if (!(await prove(self))) throw running();
      const { value, stats: counted = {} } = await unit(self);
      const sum = add(stats, counted);
      await saveRun(self, runId, { step, stats: sum });
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
      startedAt: row.startedAt,
      recalling,
      ask,
      whyNoModel,
      model: await recalling.model(),
      isDry: false,
      signal,
      read: run.read,
      write: (unit) => write(step.name, unit),
    };
    steps.push(await takeStep(step, work, signal));
    await onStep?.(step.name, 'after');
  }
  const marker = newId();
  await run.write(systemActor, async (self) => {
    if (!(await prove(self))) throw running();
    await changeBeing(self, { marker });
    await saveRun(self, runId, { step: null, stats, state: 'done' });
    await setRun(self, holder, null);
    tell(self, 'patrol_finished', { run: runId, nodes: stats['nodes_created'] ?? 0 });
  });
  return { runId, marker, stats, steps };
}

/** A model that fails is a line in the journal; anything else ends the run, which the next one goes on with. */
async function takeStep(step: Step, work: PatrolWork, signal: AbortSignal): Promise<StepReport> {
  const { name, needsModel } = step;
  let finish: Finish | undefined;
  let why: string | undefined;
  if (needsModel && !work.ask) why = work.whyNoModel;
  else {
    try {
      finish = await step.run(work);
    } catch (thrown) {
      if (!needsModel || signal.aborted) throw thrown;
      why = toHubError(thrown).message;
    }
  }
  const outcome = finish ? 'done' : needsModel && !work.ask ? 'skipped' : 'failed';
  await work.write(async (self) => {
    const counted = (await finish?.(self)) ?? {};
    await insertStep(self, {
      runId: work.runId,
      step: name,
      outcome,
      details: { ...counted, ...(why && { why }) },
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
async function rehearse(parts: Parts, { being, onStart }: PatrolRequest): Promise<PatrolReport> {
  const { recalling } = parts;
  const model = await recalling.model();
  try {
    return await reachBeing(parts, being).write(systemActor, async (self): Promise<PatrolReport> => {
      await takeTurn(self);
      const { marker } = await requireBeing(self);
      await onStart?.(self);
      const runId = newId();
      await insertRun(self, runId, null);
      let stats: PatrolCounts = {};
      const steps: StepReport[] = [];
      const never = new AbortController().signal;
      const work: PatrolWork = {
        being,
        runId,
        startedAt: self.tx.now,
        recalling,
        ask: undefined,
        whyNoModel: 'a dry run asks no language model',
        model,
        isDry: true,
        signal: never,
        read: (unit) => unit(self),
        async write(unit) {
          const { value, stats: counted = {} } = await unit(self);
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
