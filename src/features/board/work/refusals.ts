import { HubError, type ErrorCode, type ErrorDetails } from '../../../kernel/errors.ts';
import type { Caller } from '../../../store/calls.ts';
import { isClaimed, isLapsed, nextStatuses, type MoveRefusal } from '../rules.ts';
import type { Check, Relative } from '../detail.ts';
import type { StoredTask } from '../task.ts';

/** Every way the board says no. The message is the documented line; the details tell who, since when and what to do. */

/** What a caller tried, as the documented lines name it. */
export type Verb =
  | 'status change'
  | 'block'
  | 'unblock'
  | 'release'
  | 'claim'
  | 'heartbeat'
  | 'update'
  | 'evidence';

/** What was tried with which task, and when. */
export type Tried = Readonly<{ verb: Verb; task: StoredTask; now: number }>;

export function notFound(id: string): HubError {
  return new HubError('not_found', `not found: ${id}`, {
    taskId: id,
    hint: 'Check the id with list_tasks; tasks of other teams are not shown.',
  });
}

type Refused = Readonly<{ verb: Verb; reason: string }>;

function refuse(code: ErrorCode, { verb, reason }: Refused, details: ErrorDetails): HubError {
  return new HubError(code, `${verb} failed: ${reason}`, { reason, ...details });
}

/** The facts about a task that explain a refusal. */
function stateOf({ task, now }: Tried): ErrorDetails {
  return {
    taskId: task.id,
    status: task.status,
    ...(isClaimed(task) && {
      holder: {
        agentId: task.assigneeAgentId,
        runtime: task.assigneeRuntime,
        since: task.claimedAt,
        leaseUntil: task.leaseUntil,
        lapsed: isLapsed(task, now),
      },
    }),
  };
}

/** Distinct from a lost race: the caller believes it holds this task and must stop working on it. */
export function staleFence(tried: Tried): HubError {
  const { verb, task } = tried;
  return refuse(
    'stale_fence',
    { verb, reason: 'stale_fence' },
    {
      ...stateOf(tried),
      hint: isClaimed(task)
        ? `${task.assigneeAgentId} holds this task: stop working on it and hand over your notes with add_comment.`
        : `Your claim is over and the task is ${task.status}: stop, hand over your notes with add_comment, and claim it again before going on.`,
    },
  );
}

/** The caller never had this task: the work is somebody else's. */
export function notHolder(tried: Tried): HubError {
  const { verb, task } = tried;
  const who = task.assigneeAgentId;
  const hint = task.awaited
    ? `It was assigned to ${who}, who has not begun yet. Pick other work, or ask whoever assigned it.`
    : `${who} holds this task${sinceOf(task)}. Pick other work, tell ${who} what you know with add_comment, or, if you are ${who}, send the fence of your claim.`;
  return refuse('not_holder', { verb, reason: 'not_holder' }, { ...stateOf(tried), hint });
}

function sinceOf({ claimedAt }: StoredTask): string {
  return claimedAt === null ? '' : ` since ${new Date(claimedAt).toISOString().slice(0, 16)}Z`;
}

export function claimConflict(task: StoredTask, now: number, isOwn: boolean): HubError {
  const held = isClaimed(task);
  const hint = isOwn
    ? `You hold this task already (fence ${task.fence}): go on working.`
    : held
      ? `${task.assigneeAgentId} holds it: do not retry, pick other work.`
      : `Only todo tasks can be claimed and this one is ${task.status}: do not retry, pick other work.`;
  const tried: Tried = { verb: 'claim', task, now };
  return refuse('conflict', { verb: 'claim', reason: 'conflict' }, { ...stateOf(tried), hint });
}

export function notReady(tried: Tried, waitsFor: readonly Relative[]): HubError {
  return unready(tried, {
    waitsFor: waitsFor.map(({ id, status }) => ({ id, status })),
    hint: 'It waits for the tasks named here: do not retry, pick other work (list_tasks with ready=true).',
  });
}

/** What it waits for may not have arrived yet. */
export function notWhole(tried: Tried): HubError {
  return unready(tried, {
    waitsFor: [],
    hint: 'It came with an import that is not finished: pick other work. If the import broke off, run it again.',
  });
}

function unready(tried: Tried, details: ErrorDetails): HubError {
  const { verb } = tried;
  const reason = verb === 'claim' ? 'conflict (not ready)' : 'not_ready';
  return refuse('conflict', { verb, reason }, { ...stateOf(tried), ...details });
}

/** There is no such task yet: nothing but what it would wait for can be told. */
export function startsUnready(to: string, awaited: Pick<StoredTask, 'id' | 'status'>): HubError {
  return refuse(
    'conflict',
    { verb: 'status change', reason: 'not_ready' },
    {
      to,
      waitsFor: [{ id: awaited.id, status: awaited.status }],
      hint: 'Work that waits for something cannot begin: create it as todo, or leave dependsOn out.',
    },
  );
}

export function illegalMove(tried: Tried, to: string): HubError {
  const { verb, task } = tried;
  const next = nextStatuses(task.status);
  return refuse(
    'conflict',
    { verb, reason: 'illegal_transition' },
    {
      ...stateOf(tried),
      to,
      allowed: next,
      hint:
        next.length === 0
          ? `The task is ${task.status}, which is final: create a new task for further work.`
          : `From ${task.status} it can go to ${next.join(', ')}.`,
    },
  );
}

export function claimRequired(verb: Verb, details: ErrorDetails): HubError {
  return refuse(
    'conflict',
    { verb, reason: 'claim_required' },
    {
      ...details,
      hint: 'Work starts with a claim: call claim_task first, or name yourself with agentId.',
    },
  );
}

export function moveRefusal(tried: Tried, reason: MoveRefusal, to: string): HubError {
  if (reason === 'stale_fence') return staleFence(tried);
  if (reason === 'not_holder') return notHolder(tried);
  if (reason === 'claim_required') return claimRequired(tried.verb, stateOf(tried));
  return illegalMove(tried, to);
}

export function notClaimed(tried: Tried): HubError {
  return refuse(
    'conflict',
    { verb: tried.verb, reason: 'not_claimed' },
    { ...stateOf(tried), hint: 'Nobody holds this task; there is nothing to release or keep alive.' },
  );
}

export function verificationRequired(tried: Tried, missing: readonly Check[]): HubError {
  return refuse(
    'conflict',
    { verb: tried.verb, reason: 'verification_required' },
    {
      ...stateOf(tried),
      missing: missing.map(({ id, title }) => ({ id, title })),
      hint: 'Give passing evidence for each check named here (submit_evidence), newer than the last change of the task.',
    },
  );
}

type Limit = Readonly<{ limit: string; max: number; what: string; hint: string }>;

export function limitReached({ limit, max, what, hint }: Limit): HubError {
  return new HubError('limited', `limit reached: ${limit} is ${max} (${what})`, { limit, max, hint });
}

export function badCursor(): HubError {
  return new HubError('invalid', 'invalid cursor: it was changed, or belongs to another list.', {
    hint: 'Send nextCursor exactly as you got it, with the same filters, or leave it out to start again.',
  });
}

/** Some calls cannot be made by nobody. */
export function requireName({ agent }: Caller): string {
  if (agent !== undefined) return agent;
  throw new HubError('invalid', 'assigneeAgentId is needed: this connection does not say who you are.', {
    hint: 'Call again with assigneeAgentId.',
  });
}
