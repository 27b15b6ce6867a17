// Schedules: when agents are started without anybody asking at that moment. The only way in.
import { HubError } from '../../kernel/errors.ts';
import { newId, newSecret } from '../../kernel/ids.ts';
import {
  isPerson,
  type Principal,
  requireOperator,
  requirePerson,
  seesTeam,
} from '../../kernel/principal.ts';
import { excerpt, redact } from '../../kernel/redact.ts';
import type { Acting, Call, Caller } from '../../store/calls.ts';
import type { Query, Tx } from '../../store/database.ts';
import type { Agent, DispatchRoom } from '../dispatch/dispatch.ts';
import type { ProjectsService } from '../projects/projects.ts';
import { fireAt, tellSchedule } from './fires.ts';
import {
  changeSchedule,
  countSchedules,
  deleteSchedule,
  findSchedule,
  firesOf,
  freeLabels,
  insertSchedule,
  listSchedules,
} from './rows.ts';
import type { Missed } from './rules.ts';
import {
  type FireView,
  presentFire,
  presentSchedule,
  type Schedule,
  type ScheduleView,
} from './schedule-shapes.ts';
import { requireTimes, requireZone, timesOf } from './times.ts';
import { readWhen } from './when.ts';

export type ScheduleParts = Readonly<{
  acting: Acting;
  now(): number;
  dispatch: Pick<DispatchRoom, 'agents' | 'at'>;
  projects: Pick<ProjectsService, 'find' | 'locate' | 'workplaces'>;
}>;

export type NewSchedule = Readonly<{
  when: string;
  agent: string;
  prompt: string;
  tz?: string | undefined;
  missed?: Missed | undefined;
  /** Where its runs work. */
  folder?: string | undefined;
}>;

/** What is to be otherwise. */
type ScheduleChange = Readonly<{
  [K in keyof Omit<NewSchedule, 'folder'>]?: NewSchedule[K] | undefined;
}> &
  Readonly<{ folder?: string | null | undefined }>;

type Added = Readonly<{ schedule: ScheduleView; secret?: string }>;

/** Beyond this nobody could say what runs when. */
const MOST = 10_000;
const LISTED = 500;
const FIRES_SHOWN = 20;

export type Schedules = ReturnType<typeof createSchedules>;

export function createSchedules({ acting, now, dispatch, projects }: ScheduleParts) {
  /** What can be told before anything is written. */
  async function learn(who: Principal, request: NewSchedule) {
    const { tz = Intl.DateTimeFormat().resolvedOptions().timeZone } = request;
    const plan = readPlan({ when: request.when, tz }, now());
    const agent = requireAgent(dispatch.agents(), request.agent);
    const folder = request.folder ?? (await projects.workplaces.folderOf(who).catch(() => null)) ?? null;
    return { ...plan, agent, ...(await placeOf(who, folder)) };
  }

  async function placeOf(who: Principal, folder: string | null) {
    const known = folder === null ? undefined : await projects.find(folder);
    const project =
      known ??
      (folder !== null && isPerson(who) ? await projects.locate(folder).catch(() => undefined) : undefined);
    return { folder, team: who.bound.team ?? project?.teamId ?? null };
  }

  async function seen(q: Query, { who }: Caller, id: string): Promise<Schedule> {
    const schedule = await findSchedule(q, id);
    if (schedule && seesTeam(who, schedule.team)) return schedule;
    throw new HubError('not_found', `not found: schedule ${excerpt(id, 64)}`, {
      hint: '`holdfast schedule list` shows them.',
    });
  }

  /** Only a person changes what runs by itself. */
  function changed(
    call: Call,
    id: string,
    unit: (tx: Tx, schedule: Schedule, caller: Caller) => Promise<void>,
  ): Promise<ScheduleView> {
    return acting.change(call, async (tx, caller) => {
      requireKeeper(caller.who);
      const before = await seen(tx, caller, id);
      await unit(tx, before, caller);
      return presentSchedule((await findSchedule(tx, id)) ?? before);
    });
  }

  return {
    /** Refused where it could only fail. */
    check: async (who: Principal, request: NewSchedule): Promise<void> => void (await learn(who, request)),

    /** A person's word is enough; what an agent asks for has been approved before it comes here. */
    async add(call: Call, request: NewSchedule): Promise<Added> {
      const learnt = await learn(call.who, request);
      const secret = learnt.kind === 'webhook' ? newSecret() : null;
      const added = await acting.change(call, async (tx, caller) => {
        if ((await countSchedules(tx)) >= MOST)
          throw new HubError('limited', `There are ${MOST} schedules already.`, { retryable: false });
        const { who, agent, isPerson: isOfPerson } = caller;
        const byAgent = isOfPerson ? null : (agent ?? who.name ?? who.id);
        const schedule: Schedule = {
          ...learnt,
          id: newId(),
          wanted: redact(request.when.trim()),
          missed: request.missed ?? 'once',
          prompt: redact(request.prompt),
          paused: false,
          madeBy: byAgent ?? 'operator',
          byAgent,
          hops: byAgent === null ? 0 : await depthOf(tx, caller, byAgent),
          secret,
          nextAt: learnt.kind === 'time' ? timesOf(learnt.pattern, learnt.tz).after(tx.now) : null,
          lastAt: null,
          plannedAt: tx.now,
          createdAt: tx.now,
        };
        await insertSchedule(tx, schedule);
        tellSchedule(tx, schedule, 'schedule.added');
        return presentSchedule(schedule);
      });
      return { schedule: added, ...(secret !== null && { secret }) };
    },

    list: (
      call: Call,
      { after, limit = LISTED }: Readonly<{ after?: string | undefined; limit?: number | undefined }>,
    ) =>
      acting.look(call, async (q, { who }) => {
        const found = await listSchedules(q, { team: who.bound.team, after, limit: limit + 1 });
        const shown = found.slice(0, limit);
        return { schedules: shown.map(presentSchedule), more: found.length > limit };
      }),

    get: (call: Call, id: string): Promise<Readonly<{ schedule: ScheduleView; fires: FireView[] }>> =>
      acting.look(call, async (q, caller) => {
        const schedule = await seen(q, caller, id);
        const fires = await firesOf(q, id, FIRES_SHOWN);
        return { schedule: presentSchedule(schedule), fires: fires.map(presentFire) };
      }),

    /** From now on; what waits to start already starts as it is then. */
    async change(call: Call, id: string, said: ScheduleChange): Promise<ScheduleView> {
      requireKeeper(call.who);
      const place = said.folder === undefined ? {} : await placeOf(call.who, said.folder);
      return changed(call, id, async (tx, before) => {
        const agent = said.agent === undefined ? {} : { agent: requireAgent(dispatch.agents(), said.agent) };
        await changeSchedule(tx, id, {
          ...place,
          ...agent,
          prompt: said.prompt === undefined ? before.prompt : redact(said.prompt),
          missed: said.missed ?? before.missed,
          ...(await replanned(tx, before, said)),
        });
        tellSchedule(tx, before, 'schedule.changed');
      });
    },

    pause: (call: Call, id: string): Promise<ScheduleView> =>
      changed(call, id, async (tx, schedule) => {
        await changeSchedule(tx, id, { paused: true });
        tellSchedule(tx, schedule, 'schedule.changed');
      }),

    /** What was let pass on purpose is not missed. */
    resume: (call: Call, id: string): Promise<ScheduleView> =>
      changed(call, id, async (tx, schedule) => {
        const { kind, pattern, tz } = schedule;
        const nextAt = kind === 'time' ? timesOf(pattern, tz).after(tx.now) : null;
        await changeSchedule(tx, id, { paused: false, nextAt, plannedAt: tx.now });
        tellSchedule(tx, schedule, 'schedule.changed');
      }),

    /** Now, beside its times; a paused one, too. */
    run: (call: Call, id: string): Promise<ScheduleView> =>
      changed(call, id, async (tx, schedule) => {
        await fireAt(tx, schedule, { key: `h:${newId()}`, at: tx.now, cause: { by: 'hand' } });
      }),

    remove: (call: Call, id: string): Promise<ScheduleView> =>
      changed(call, id, async (tx, schedule) => {
        await deleteSchedule(tx, id);
        tellSchedule(tx, schedule, 'schedule.removed');
      }),
  };

  /** What an agent's schedule starts is as deep as what its run starts. */
  async function depthOf(tx: Tx, caller: Caller, agent: string): Promise<number> {
    const run = await dispatch.at(tx, caller).behind({ agent, taskId: '' });
    return run ? run.hops + 1 : 0;
  }
}

function requireKeeper(who: Principal): void {
  requirePerson(who, 'Changing a schedule');
  // Loopback does not tell a person from what an agent runs on this machine.
  requireOperator(who, 'Changing a schedule', 'Use `holdfast schedule`');
}

type Wanted = Readonly<{ when: string; tz: string }>;

/** What is meant, or a refusal where that never comes. */
function readPlan({ when, tz: zone }: Wanted, now: number): Pick<Schedule, 'kind' | 'pattern' | 'tz'> {
  const { kind, pattern } = readWhen(when);
  const tz = requireZone(zone);
  if (kind === 'time') requireTimes(pattern, tz, now);
  return { kind, pattern, tz };
}

/** The address of a webhook and its secret are known elsewhere: it stays one, and nothing else becomes one. */
async function replanned(tx: Tx, before: Schedule, said: ScheduleChange): Promise<Partial<Schedule>> {
  if (said.when === undefined && said.tz === undefined) return {};
  const wanted = said.when?.trim() ?? before.wanted;
  const plan = readPlan({ when: wanted, tz: said.tz ?? before.tz }, tx.now);
  if ((plan.kind === 'webhook') !== (before.kind === 'webhook'))
    throw new HubError('invalid', 'A webhook stays one, and no other schedule becomes one.', {
      hint: 'Make a new schedule, and remove this one.',
    });
  if (plan.pattern !== before.pattern) await freeLabels(tx, before.id);
  const nextAt = plan.kind === 'time' ? timesOf(plan.pattern, plan.tz).after(tx.now) : null;
  return { ...plan, wanted: redact(wanted), nextAt, plannedAt: tx.now };
}

function requireAgent(agents: readonly Agent[], wanted: string): string {
  if (agents.some(({ instance }) => instance === wanted)) return wanted;
  throw new HubError('not_found', `There is no agent ${JSON.stringify(excerpt(wanted, 64))}.`, {
    hint: `\`holdfast agents\` shows them: ${agents.map(({ instance }) => instance).join(', ') || 'there is none'}.`,
  });
}
