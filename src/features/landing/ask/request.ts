// Somebody asks that a branch lands: who may, what git tells of it, and whether a person has to look first.
import type { Config } from '../../../kernel/config.ts';
import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { landSettingsOf } from '../../../kernel/land-settings.ts';
import { isOperator, isPerson, systemPrincipal } from '../../../kernel/principal.ts';
import type { Acting, Call, Caller } from '../../../store/calls.ts';
import type { Tx } from '../../../store/database.ts';
import type { Board } from '../../board/board.ts';
import { CONFLICTS_IN_A_ROW, conflictsInARow } from '../queue/conflicts-in-a-row.ts';
import { definitionAt } from '../checks/definition-at.ts';
import type { LandingView } from '../landing-shapes.ts';
import { present } from '../present.ts';
import { branchAt, changedSince, inRepository } from '../repository.ts';
import { whyGuarded } from '../queue/round.ts';
import {
  changeLanding,
  landings,
  lockQueue,
  openLandingOf,
  type Queue,
  queues,
  type StoredLanding,
} from '../rows.ts';
import { guardedAmong } from '../rules.ts';
import type { RunsHere } from '../queue/runs-here.ts';
import { requireHolder } from './holder.ts';
import { wake } from './wake.ts';
import { branchOfTask, type BranchRequest } from './branch-of-task.ts';
import type { LandPlaces } from './land-places.ts';

export type LandRequest = Omit<BranchRequest, 'repository'> &
  Readonly<{
    /** The commit that was looked at: a branch that is elsewhere is not asked for. */
    head?: string | undefined;
  }>;

/** The hub asks again for what a run of its own solved. */
export type AskAgain = (landing: StoredLanding, repository: string) => Promise<void>;

type RequestParts = Readonly<{
  acting: Acting;
  board: Board;
  config: Config;
  where: LandPlaces;
  runs(): RunsHere;
}>;

export function createRequest({ acting, board, config, where, runs }: RequestParts) {
  /** What git tells before anything is written. */
  async function learn(call: Call, request: LandRequest & BranchRequest) {
    const of = await branchOfTask({ acting, board, where }, call, request);
    const { task, branch, repository, project, target, tip } = of;
    const definition = await definitionAt(repository, tip);
    const settings = landSettingsOf(config.land, project);
    const { head, paths } = await inRepository(repository, async (git) => {
      const found = await branchAt(git, branch);
      if (found === undefined)
        throw new HubError('not_found', `There is no branch ${branch} with a commit in ${repository}.`, {
          branch,
        });
      if (request.head !== undefined && request.head !== found)
        throw new HubError('conflict', `${branch} is not where it was when you looked at it.`, {
          branch,
          hint: 'Look at what is new, and decide then.',
        });
      return { head: found, paths: await changedSince(git, tip, found) };
    });
    const guarded = guardedAmong(paths, { definition, settings });
    // Loopback does not tell a person from what an agent, or a check, runs on this machine.
    const isOfPerson = isOperator(call.who) && isPerson(call.who) && call.via === 'route';
    const isSeen = isOfPerson && request.head !== undefined;
    return { task, branch, head, repository, project, target, isOfPerson, isSeen, guarded, settings };
  }

  type Learnt = Awaited<ReturnType<typeof learn>>;
  /** `by`: in whose name the hub asks. */
  type Asked = Learnt & Readonly<{ by?: string }>;

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

  async function ask(tx: Tx, caller: Caller, learnt: Asked): Promise<LandingView> {
    const { by } = learnt;
    const { task, branch, head, guarded, isOfPerson, isSeen, settings } = learnt;
    if (!isOfPerson && by === undefined)
      await requireHolder(board.in(tx, caller), task, 'Asking that it lands');
    if (task.status === 'done' || task.status === 'cancelled')
      throw new HubError('conflict', `${task.title} is ${task.status}.`, { taskId: task.id });
    const queue = await queueFor(tx, learnt);
    const open = await openLandingOf(tx, task.id);
    // One that nobody approved may follow its branch: who names a commit asks anew, for that one alone.
    const isBound = !isSeen || open?.approvedBy !== null || open.state === 'waiting_person';
    if (open && isBound && open.head === head && open.branch === branch) return present(open, queue);
    if (open) await changeLanding(tx, open, { state: 'withdrawn', why: 'asked for again' });
    const isTwice = (await conflictsInARow(tx, task.id)) >= CONFLICTS_IN_A_ROW;
    const needs = [
      ...(guarded.length > 0 ? [whyGuarded(guarded)] : []),
      ...(isTwice && !isOfPerson ? ['it conflicted twice in a row'] : []),
      ...(!isOfPerson && settings.approve === 'person' ? ['a person lets things land here'] : []),
    ];
    const asking = by ?? caller.agent ?? (isOfPerson ? 'operator' : caller.who.id);
    // Where checks decide, only who named a commit has approved one; else the branch lands as it is when its turn comes.
    const isApproval = isSeen || (isOfPerson && settings.approve === 'person');
    const landing: StoredLanding = {
      id: newId(),
      queue: queue.key,
      taskId: task.id,
      runId: (await runs().runOn(tx, { taskId: task.id, branch })) ?? null,
      branch,
      head,
      title: task.title,
      state: needs.length > 0 ? 'waiting_person' : 'queued',
      approvedBy: needs.length === 0 && isApproval ? asking : null,
      protected: guarded,
      batch: null,
      commitId: null,
      tree: null,
      why: needs[0] ?? null,
      conflicts: [],
      evidence: [],
      requestedBy: asking,
      requestedSeat: caller.seat,
      rerun: null,
      createdAt: tx.now,
      updatedAt: tx.now,
    };
    await landings.insert(tx, landing);
    wake(tx, landing, queue);
    return present(landing, queue);
  }

  return {
    async request(call: Call, request: LandRequest): Promise<LandingView> {
      const learnt = await learn(call, request);
      return acting.change(call, (tx, caller) => ask(tx, caller, learnt));
    },

    /** Nobody's approval: by the rules for agents. */
    async again({ taskId, branch, requestedBy }: StoredLanding, repository: string): Promise<void> {
      const call: Call = { who: systemPrincipal, via: 'tool', name: 'request_landing' };
      const learnt = await learn(call, { taskId, branch, repository });
      await acting.change(call, (tx, caller) => ask(tx, caller, { ...learnt, by: requestedBy }));
    },
  };
}
