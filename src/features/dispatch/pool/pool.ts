// Runners and the runs they make attempts at: giving, hearing, listing, draining, and why a run is where it is.
import { HubError } from '../../../kernel/errors.ts';
import { isPerson, type Principal, requirePerson, systemActor } from '../../../kernel/principal.ts';
import { excerpt } from '../../../kernel/redact.ts';
import { thisMachine } from '../../../kernel/process/table.ts';
import type { Database, Query } from '../../../store/database.ts';
import { ATTEMPT_LEASE_MS, attemptsOf, holderOf } from '../rows/attempts.ts';
import { findRun } from '../rows/runs.ts';
import { canSeeRun, isOver, noSuchRun } from '../rules.ts';
import type { Run } from '../run.ts';
import { type RunOffer, tellDrained, whyNot } from '../start/queue.ts';
import type { ShownRunner } from './wire.ts';
import type { Placement } from './place-runs.ts';
import { countOpen, listHubs, listRunners, type Runner, setDrained } from './rows.ts';
import type { Reports } from './reports.ts';

export interface Pool {
  readonly placing: Placement;
  readonly telling: Reports;
  list(who: Principal): Promise<ShownRunner[]>;
  /** `undo`: it takes runs again. */
  drain(who: Principal, wish: Readonly<{ name: string; undo: boolean }>): Promise<ShownRunner>;
  why(who: Principal, runId: string): Promise<string[]>;
}

type PoolParts = Readonly<{
  db: Database;
  hub: string;
  placing: Placement;
  telling: Reports;
  /** This hub as one who takes runs; undefined where it only coordinates. */
  own(): RunOffer | undefined;
}>;

export function createPool({ db, hub, placing, telling, own }: PoolParts): Pool {
  async function shown(q: Query): Promise<ShownRunner[]> {
    const busy = await countOpen(q);
    return (await listRunners(q)).map((each) =>
      present(each, { busy: busy.get(holderOf(each.name)) ?? 0, now: db.now() }),
    );
  }

  async function placementOf(q: Query, run: Run): Promise<string[]> {
    const self = own();
    const hubs = await listHubs(q);
    const machines = new Map(hubs.map(({ hub: id, machine }) => [id, machine]));
    const busy = await countOpen(q);
    const reasons = (await listRunners(q)).map((runner) => {
      const { state, busy: has } = present(runner, {
        busy: busy.get(holderOf(runner.name)) ?? 0,
        now: db.now(),
      });
      const agents = runner.agents.map(({ instance }) => instance);
      const offer = { ...runner, agents, machine: machines.get(runner.hub) ?? thisMachine(), isThere: false };
      const lacks =
        state !== 'ready'
          ? `it is ${state}`
          : (whyNot(run, offer) ?? (has >= runner.slots ? 'it has no free slot' : undefined));
      return `${runner.name}: ${lacks ?? 'it can have the run, and has not asked yet'}.`;
    });
    const here = `this hub: ${self ? lackOf(run, self) : COORDINATES}.`;
    const others = hubs
      .filter((each) => each.hub !== hub && !isSilent(each, db.now()))
      .map(
        (each) =>
          `the hub on ${hostOf(each)}: ${each.slots === 0 ? COORDINATES : lackOf(run, offerOf(each))}.`,
      );
    const none = reasons.length === 0 ? ['There is no runner: `holdfast runner` makes a machine one.'] : [];
    return ['It waits for somebody to take it.', here, ...others, ...reasons, ...none];
  }

  return {
    placing,
    telling,
    async list(who) {
      requirePerson(who, 'Listing runners');
      return db.read(shown);
    },
    async drain(who, { name, undo }) {
      requirePerson(who, 'Draining a runner');
      const changed = await db.write(systemActor, async (tx) => {
        const found = await setDrained(tx, name, !undo);
        if (found > 0) tellDrained(tx, { name, drained: !undo });
        return found;
      });
      if (changed === 0)
        throw new HubError('not_found', `There is no runner ${JSON.stringify(excerpt(name, 64))}.`, {
          hint: '`holdfast runner list` shows them.',
        });
      return (await db.read(shown)).find((each) => each.name === name)!;
    },
    why: (who, runId) =>
      db.read(async (q) => {
        const run = await findRun(q, runId);
        if (!run || !canSeeRun(who, run)) throw noSuchRun(runId);
        if (isOver(run.state)) return [`It is ${run.state}.`];
        const lost = (await attemptsOf(q, run.id)).filter(
          ({ end }) => end === 'lost' || end === 'handed_over',
        );
        const before = lost.map(({ n, runner, end }) => `Attempt ${n} on ${runner} ended ${end}.`);
        if (run.waitUntil !== null) return [...before, restSentence(run, run.waitUntil)];
        if (run.state === 'active')
          return [...before, `${run.runner ?? 'Somebody'} has it, attempt ${run.attempt}.`];
        if (run.queuedAt === null)
          return [
            ...before,
            run.reason === 'waiting_approval'
              ? 'It waits until a person allows its cost.'
              : 'It waits for a place in its project or its hub.',
          ];
        return isPerson(who)
          ? [...before, ...(await placementOf(q, run))]
          : [...before, 'It waits for somebody to take it.'];
      }),
  };
}

const COORDINATES = 'it only coordinates (--no-runner)';

/** Whoever lacks nothing would have taken it. */
const lackOf = (run: Run, hub: RunOffer): string => whyNot(run, hub) ?? 'it has no free slot';

const hostOf = ({ machine }: Runner): string => machine.split(' ')[0]!;

const isSilent = ({ seenAt }: Runner, now: number): boolean => now - seenAt > ATTEMPT_LEASE_MS;

function offerOf(hub: Runner): RunOffer {
  const { machine, labels } = hub;
  const agents = hub.agents.map(({ instance }) => instance);
  return { name: hostOf(hub), machine, isThere: true, labels, agents };
}

/** Nobody has a run that waits for its model. */
function restSentence({ instance, quota }: Run, until: number): string {
  const said = quota?.waits ? ` ${instance}: ${excerpt(quota.waits.text, 300)}` : '';
  return `It waits for its model until ${new Date(until).toISOString()}.${said}`;
}

function present(runner: Runner, { busy, now }: Readonly<{ busy: number; now: number }>): ShownRunner {
  const { name, slots, agents, labels, projects, system, drained, seenAt, version } = runner;
  return {
    name,
    state: isSilent(runner, now) ? 'lost' : drained ? 'draining' : 'ready',
    slots,
    busy,
    agents: agents.map(({ instance }) => instance),
    labels: [...labels],
    projects: [...projects],
    system,
    seenAt: new Date(seenAt).toISOString(),
    version,
  };
}
