// Landing: what agents did is proven by the hub and reaches its target. The only way in.
import { join } from 'node:path';
import { existsSync } from 'node:fs';
import type { Config } from '../../kernel/config.ts';
import { HubError } from '../../kernel/errors.ts';
import { findCommit } from '../../kernel/git/merge.ts';
import { folderOf, gitPlaceOf } from '../../kernel/git/place.ts';
import { newId } from '../../kernel/ids.ts';
import { landSettingsOf } from '../../kernel/land-settings.ts';
import {
  isOperator,
  isPerson,
  type Principal,
  requireOperator,
  requirePerson,
  systemPrincipal,
} from '../../kernel/principal.ts';
import type { Acting, Call, Caller } from '../../store/acting.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import type { Board } from '../board/board.ts';
import type { Broker } from '../broker/broker.ts';
import type { ProjectsService } from '../projects/projects.ts';
import { DEFINITION_FILE } from './definition.ts';
import { definitionAt, findTarget } from './definition-at.ts';
import { type CheckEvidence, LAND_SUBJECT, type LandingView } from './landing-shapes.ts';
import { digestOf, type Prover } from './prove.ts';
import { branchAt, changedBetween, inRepository } from './repository.ts';
import { whyGuarded } from './round.ts';
import {
  allEvidence,
  allQueues,
  changeLanding,
  changeQueues,
  evidenceOf,
  landingById,
  landings,
  lastOfTask,
  lockQueue,
  newestLandings,
  openLandingOf,
  type Queue,
  queueAt,
  queues,
  type StoredEvidence,
  type StoredLanding,
} from './rows.ts';
import { guardedAmong, isEnded } from './rules.ts';

type LandingParts = Readonly<{
  db: Database;
  acting: Acting;
  board: Board;
  broker: Broker;
  projects: ProjectsService;
  config: Config;
  prover: Prover;
}>;

export type LandRequest = Readonly<{
  taskId: string;
  branch?: string | undefined;
  folder?: string | undefined;
}>;
type CheckRequest = Readonly<{
  check: string;
  commit: string;
  folder?: string | undefined;
  signal: AbortSignal;
}>;

const CONFLICTS_IN_A_ROW = 2;

export type Landings = ReturnType<typeof createLandings>;

export function createLandings({ db, acting, board, broker, projects, config, prover }: LandingParts) {
  /** The repository that a call means: the folder it names or works in, when that is of this project; else one that is known. */
  async function repositoryOf(
    who: Principal,
    project: string | null,
    folder: string | undefined,
  ): Promise<string> {
    const here = folder ?? (await projects.workplaces.folderOf(who).catch(() => null)) ?? undefined;
    if (folder !== undefined) requirePerson(who, 'Naming a folder');
    const place = here === undefined ? undefined : await gitPlaceOf(here);
    if (place && (project === null || (await projects.find(here!))?.teamId === project))
      return folderOf(place.common);
    const { projects: known } = await projects.byFolder.list(systemPrincipal, undefined);
    for (const { kind, value } of known.find(({ teamId }) => teamId === project)?.keys ?? [])
      if (kind === 'git' && existsSync(join(value, 'HEAD'))) return folderOf(value);
    throw new HubError('not_found', 'No repository of this project is known on this machine.', {
      project,
      hint: 'Ask from inside of a checkout of it.',
    });
  }

  async function projectAt(repository: string): Promise<string> {
    const project = await projects.find(repository);
    if (project) return project.teamId;
    throw new HubError('not_found', `${repository} is no project that this hub knows.`, {
      hint: 'Create a task from inside of it first.',
    });
  }

  /** What git tells before anything is written. */
  async function learn(call: Call, request: LandRequest) {
    const { task } = await acting.look(call, (q, caller) =>
      board.at(q, caller).get({ taskId: request.taskId, commentLimit: 1 }),
    );
    const branch = request.branch ?? task.branchRef;
    if (branch === null)
      throw new HubError('invalid', `${task.title} has no branch to land.`, {
        hint: 'Name one: `holdfast land <task> --branch <name>`, or set branchRef of the task.',
      });
    const repository = await repositoryOf(call.who, task.teamId, request.folder);
    const project = task.teamId ?? (await projectAt(repository));
    const { target, tip } = await targetOf(repository);
    const definition = await definitionAt(repository, tip);
    const settings = landSettingsOf(config.land, project);
    const { head, paths } = await inRepository(repository, async (git) => {
      const found = await branchAt(git, branch);
      if (found === undefined)
        throw new HubError('not_found', `There is no branch ${branch} with a commit in ${repository}.`, {
          branch,
        });
      const { code, stdout } = await git.ask('merge-base', tip, found);
      return { head: found, paths: await changedBetween(git, code === 0 ? stdout.trim() : tip, found) };
    });
    const guarded = guardedAmong(paths, { definition, settings });
    // Loopback does not tell a person from what an agent, or a check, runs on this machine.
    const isOfPerson = isOperator(call.who) && isPerson(call.who) && call.via === 'route';
    return { task, branch, head, repository, project, target, isOfPerson, guarded, settings };
  }

  async function targetOf(repository: string) {
    const found = await findTarget(repository);
    if (found) return found;
    throw new HubError('invalid', `No target of ${repository} has ${DEFINITION_FILE}.`, {
      hint: 'Commit one on the branch that things land on; docs/guides/landing.md shows it.',
    });
  }

  type Learnt = Awaited<ReturnType<typeof learn>>;

  async function queueFor(tx: Tx, { project, target, repository }: Learnt): Promise<Queue> {
    const key = [project, target, repository].join('\n');
    const known = await lockQueue(tx, key);
    if (known) return known;
    const queue: Queue = {
      key,
      project,
      repository,
      target,
      paused: false,
      resumedAt: 0,
      intent: null,
      holder: null,
      heldUntil: 0,
      createdAt: tx.now,
    };
    await queues.insert(tx, queue);
    return queue;
  }

  async function conflictsBefore(q: Query, taskId: string): Promise<number> {
    const recent = await lastOfTask(q, taskId, CONFLICTS_IN_A_ROW);
    return recent.every(({ state }) => state === 'conflict') ? recent.length : 0;
  }

  async function ask(tx: Tx, caller: Caller, learnt: Learnt): Promise<LandingView> {
    const { task, branch, head, guarded, isOfPerson, settings } = learnt;
    // Only its holder asks, or a person.
    if (!isOfPerson) await board.in(tx, caller).keepAlive(task.id);
    if (task.status === 'done' || task.status === 'cancelled')
      throw new HubError('conflict', `${task.title} is ${task.status}.`, { taskId: task.id });
    const queue = await queueFor(tx, learnt);
    const open = await openLandingOf(tx, task.id);
    if (open && open.head === head && open.branch === branch) return present(open, queue);
    if (open) await changeLanding(tx, open, { state: 'withdrawn', why: 'asked for again' });
    const isTwice = (await conflictsBefore(tx, task.id)) >= CONFLICTS_IN_A_ROW;
    const needs = [
      ...(guarded.length > 0 ? [whyGuarded(guarded)] : []),
      ...(isTwice && !isOfPerson ? ['it conflicted twice in a row'] : []),
      ...(!isOfPerson && settings.approve === 'person' ? ['a person lets things land here'] : []),
    ];
    const by = caller.agent ?? (isOfPerson ? 'operator' : caller.who.id);
    const landing: StoredLanding = {
      id: newId(),
      queue: queue.key,
      taskId: task.id,
      runId: null,
      branch,
      head,
      title: task.title,
      state: needs.length > 0 ? 'waiting_person' : 'queued',
      approvedBy: needs.length === 0 && isOfPerson ? by : null,
      protected: guarded,
      batch: null,
      commitId: null,
      tree: null,
      why: needs[0] ?? null,
      conflicts: [],
      evidence: [],
      requestedBy: by,
      requestedSeat: caller.seat,
      createdAt: tx.now,
      updatedAt: tx.now,
    };
    await landings.insert(tx, landing);
    wake(tx, landing, queue);
    return present(landing, queue);
  }

  function wake(tx: Tx, { id, taskId, state }: StoredLanding, { project }: Queue): void {
    const data = { landingId: id, taskId, state };
    tx.emit({ kind: 'landing.changed', subject: LAND_SUBJECT, realm: 'hub', team: project, data });
  }

  async function requireLanding(
    q: Query,
    caller: Caller,
    id: string,
  ): Promise<Readonly<{ landing: StoredLanding; queue: Queue }>> {
    const landing = await landingById(q, id);
    const queue = landing && (await queueAt(q, landing.queue));
    const { team } = caller.who.bound;
    if (landing && queue && (team === undefined || team === queue.project)) return { landing, queue };
    throw new HubError('not_found', `not found: landing ${id}`, { hint: '`holdfast land list` shows them.' });
  }

  return {
    async request(call: Call, request: LandRequest): Promise<LandingView> {
      const learnt = await learn(call, request);
      return acting.change(call, (tx, caller) => ask(tx, caller, learnt));
    },

    list: (
      call: Call,
      { project, isOpen }: Readonly<{ project?: string | undefined; isOpen: boolean }>,
    ): Promise<LandingView[]> =>
      acting.look(call, async (q, { who }) => {
        const team = who.bound.team ?? project;
        const found = await newestLandings(q);
        const known = new Map((await allQueues(q)).map((queue) => [queue.key, queue]));
        return found
          .filter(({ state }) => !isOpen || !isEnded(state))
          .map((landing) => present(landing, known.get(landing.queue)!))
          .filter((landing) => team === undefined || landing.project === team);
      }),

    get: (call: Call, id: string): Promise<LandingView> =>
      acting.look(call, async (q, caller) => {
        const { landing, queue } = await requireLanding(q, caller, id);
        return present(landing, queue);
      }),

    approve: (call: Call, id: string): Promise<LandingView> =>
      acting.change(call, async (tx, caller) => {
        requireOperator(caller.who, 'Letting something land', 'Use `holdfast land approve`');
        const { landing, queue } = await requireLanding(tx, caller, id);
        if (landing.state !== 'waiting_person')
          throw new HubError('conflict', `${id} waits for nobody: it is ${landing.state}.`, {
            state: landing.state,
          });
        const change = { state: 'queued', approvedBy: 'operator', why: null } as const;
        await changeLanding(tx, landing, change);
        const now = { ...landing, ...change };
        wake(tx, now, queue);
        return present(now, queue);
      }),

    withdraw: (call: Call, id: string): Promise<LandingView> =>
      acting.change(call, async (tx, caller) => {
        const { landing: seen } = await requireLanding(tx, caller, id);
        const queue = (await lockQueue(tx, seen.queue))!;
        const landing = (await landingById(tx, id))!;
        const isIntended = queue.intent?.landings.some((each) => each.id === id) ?? false;
        if (isEnded(landing.state) || isIntended)
          throw new HubError('conflict', `${id} is ${isIntended ? 'landing now' : landing.state}.`, {
            state: landing.state,
          });
        if (!isPerson(caller.who)) await board.in(tx, caller).keepAlive(landing.taskId);
        const change = { state: 'withdrawn', why: 'withdrawn' } as const;
        await changeLanding(tx, landing, change);
        const now = { ...landing, ...change };
        wake(tx, now, queue);
        return present(now, queue);
      }),

    pause: (
      call: Call,
      { project, isPaused }: Readonly<{ project?: string | undefined; isPaused: boolean }>,
    ) =>
      acting.change(call, async (tx, caller) => {
        requirePerson(caller.who, 'Pausing what lands');
        const change = { paused: isPaused, ...(!isPaused && { resumedAt: tx.now }) };
        const count = await changeQueues(tx, project, change);
        tx.emit({ kind: 'landing.paused', subject: LAND_SUBJECT, realm: 'hub', data: { isPaused } });
        return { queues: count, paused: isPaused };
      }),

    /** Until all of them are over or wait for a person; answers what they are then. */
    async wait(call: Call, ids: readonly string[], signal: AbortSignal): Promise<LandingView[]> {
      const look = async () => {
        const found = await Promise.all(ids.map((id) => this.get(call, id)));
        return found.every(({ state }) => isEnded(state) || state === 'held' || state === 'waiting_person')
          ? found
          : undefined;
      };
      return (await db.feed.until(LAND_SUBJECT, look, signal)) ?? [];
    },

    async checks(call: Call, folder: string | undefined) {
      const repository = await repositoryOf(call.who, null, folder);
      const { target, tip } = await targetOf(repository);
      const { checks } = await definitionAt(repository, tip);
      return { repository, project: await projectAt(repository), target, tip, checks };
    },

    async runCheck(
      call: Call,
      { check: name, commit: given, folder, signal }: CheckRequest,
    ): Promise<CheckEvidence> {
      const { repository, project, tip, checks } = await this.checks(call, folder);
      const check = checks.find((each) => each.name === name);
      if (!check)
        throw new HubError('not_found', `There is no check ${name}.`, {
          hint: `There are: ${checks.map((each) => each.name).join(', ') || 'none'}.`,
        });
      const commit = await inRepository(repository, (git) => findCommit(git, given));
      if (commit === undefined)
        throw new HubError('not_found', `There is no commit ${given}.`, { commit: given });
      const isUnconfinedAllowed = landSettingsOf(config.land, project).unconfined;
      const proof = {
        project,
        repository,
        commit,
        target: tip,
        check,
        isUnconfinedAllowed,
        signal,
      };
      return presentEvidence(await prover.prove(proof));
    },

    /** One piece by its id, or all that a landing stands on by the id of that: commits name it. */
    evidence: (call: Call, id: string): Promise<CheckEvidence[]> =>
      acting.look(call, async (q, { who }) => {
        const ids = (await landingById(q, id))?.evidence ?? [id];
        const found = await evidenceOf(q, [...ids, id]);
        const { team } = who.bound;
        const seen = found.filter(({ project }) => team === undefined || team === project);
        if (seen.length > 0) return seen.map(presentEvidence);
        throw new HubError('not_found', `not found: evidence ${id}`);
      }),

    /** Where a target says what has to hold, work is done when it landed. */
    isAwaited: async (repository: string): Promise<boolean> => (await findTarget(repository)) !== undefined,

    /** Every row against its own digest, that against the audit, and the chain of the audit itself. */
    async verify(call: Call) {
      const { wrong, checked } = await acting.look(call, async (q) => {
        const { digests, since } = await broker.at(q, { who: call.who }).attested('check:');
        const rows = await allEvidence(q);
        const isWrong = ({ digest, ...row }: StoredEvidence) => {
          const said = digests.get(row.id);
          // Retention takes the oldest words of the audit; of what is younger none may be missing.
          return digestOf(row) !== digest || (said === undefined ? row.createdAt > since : said !== digest);
        };
        const there = new Set(rows.map(({ id }) => id));
        const gone = [...digests.keys()].filter((id) => !there.has(id));
        const bad = rows.filter(isWrong).map(({ id }) => id);
        return { wrong: [...bad, ...gone], checked: rows.length };
      });
      const { ok } = await broker.audit.verify(undefined);
      return { ok: ok && wrong.length === 0, checked, wrong, audit: ok };
    },
  };
}

function present(landing: StoredLanding, { project, target }: Queue): LandingView {
  const { queue: _q, taskId, runId: _r, commitId, requestedSeat: _s, ...rest } = landing;
  return {
    ...rest,
    task: taskId,
    project,
    target,
    commit: commitId,
    protected: [...rest.protected],
    conflicts: [...rest.conflicts],
    evidence: [...rest.evidence],
  };
}

function presentEvidence({
  checkName,
  commitId,
  exitCode,
  reused,
  project: _p,
  digest: _d,
  ...rest
}: StoredEvidence): CheckEvidence {
  return {
    ...rest,
    check: checkName,
    by: 'hub',
    commit: commitId,
    exit: exitCode,
    reused: reused !== null,
    failing: [...rest.failing],
  };
}
