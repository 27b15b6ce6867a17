import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  beginsRevision,
  canMove,
  claimOrder,
  decideMove,
  isClaimed,
  isLapsed,
  isSatisfied,
  isTerminal,
  judgeCaller,
  leaseEnd,
  needsHolder,
  nextStatuses,
  windowStart,
  type Mover,
  type Signs,
  type Standing,
} from './rules.ts';
import { STATUSES, type Status, type StoredTask } from './task.ts';

const NOW = 1_000_000;

function taskOf(facts: Partial<StoredTask>): StoredTask {
  return {
    status: 'todo',
    assigneeAgentId: null,
    fence: 0,
    leaseUntil: null,
    seat: null,
    awaited: false,
    ...facts,
  } as StoredTask;
}

const status = fc.constantFrom(...STATUSES);
const standing = fc.constantFrom<Standing>(
  'holder',
  'heir',
  'awaited',
  'successor',
  'person',
  'anyone',
  'stale',
  'stranger',
);
const agent = fc.constantFrom('ann', 'bob', 'cid');
const lease = fc.option(fc.integer({ min: NOW - 10, max: NOW + 10 }), { nil: null });
const anyTask = fc
  .record({
    status,
    assigneeAgentId: fc.option(agent, { nil: null }),
    fence: fc.integer({ min: 0, max: 4 }),
    leaseUntil: lease,
  })
  .map(taskOf);

describe('the state machine', () => {
  it('has exactly the documented moves', () => {
    const moves = Object.fromEntries(STATUSES.map((from) => [from, [...nextStatuses(from)].toSorted()]));
    expect(moves).toEqual({
      backlog: ['blocked', 'cancelled', 'todo'],
      todo: ['backlog', 'blocked', 'cancelled', 'in_progress'],
      in_progress: ['blocked', 'cancelled', 'done', 'in_review', 'todo'],
      in_review: ['blocked', 'cancelled', 'done', 'in_progress'],
      blocked: ['backlog', 'cancelled', 'in_progress', 'todo'],
      done: [],
      cancelled: [],
    });
  });

  it('never leaves a final status', () => {
    fc.assert(
      fc.property(status, status, (from, to) => !isTerminal(from) || from === to || !canMove(from, to)),
    );
  });

  it('can finish or cancel a task from wherever it is', () => {
    const reachable = (from: Status, seen = new Set<Status>([from])): Set<Status> => {
      for (const next of nextStatuses(from)) if (!seen.has(next)) reachable(next, seen.add(next));
      return seen;
    };
    for (const from of STATUSES.filter((each) => !isTerminal(each))) {
      expect([...reachable(from)]).toEqual(expect.arrayContaining(['done', 'cancelled']));
    }
  });
});

describe('a move', () => {
  const decide = (
    task: StoredTask,
    to: Status,
    standing: Standing,
    isNamed: boolean,
    more: Partial<Mover> = {},
  ) =>
    decideMove(
      task,
      { to, standing, isNamed, namesFence: false, isOriginator: false, isUnblocking: false, ...more },
      NOW,
    );

  it.each([
    ['stale', 'stale_fence'],
    ['stranger', 'not_holder'],
  ] as const)('is refused to the %s, but for the verdict of a reviewer', (standing, reason) => {
    fc.assert(
      fc.property(anyTask, status, fc.boolean(), (task, to, isNamed) => {
        fc.pre(task.status !== 'in_review' || !['done', 'in_progress'].includes(to));
        expect(decide(task, to, standing, isNamed)).toEqual({ kind: 'refuse', reason });
      }),
    );
  });

  it('unblocking and verdicts are open to all, unless they name a fence that is over', () => {
    const blocked = taskOf({ status: 'blocked', assigneeAgentId: 'ann', fence: 1 });
    expect(decide(blocked, 'todo', 'stranger', false, { isUnblocking: true }).kind).toBe('move');
    const review = taskOf({ status: 'in_review', assigneeAgentId: 'ann', fence: 1 });
    expect(decide(review, 'done', 'stranger', false).kind).toBe('move');
    expect(decide(review, 'done', 'stale', false).kind).toBe('move');
    expect(decide(review, 'done', 'stale', false, { namesFence: true })).toEqual({
      kind: 'refuse',
      reason: 'stale_fence',
    });
  });

  it('whoever made or assigned a task may cancel it, and nothing more', () => {
    const held = taskOf({ status: 'in_progress', assigneeAgentId: 'ann', fence: 1 });
    expect(decide(held, 'cancelled', 'stranger', true, { isOriginator: true }).kind).toBe('move');
    expect(decide(held, 'done', 'stranger', true, { isOriginator: true })).toEqual({
      kind: 'refuse',
      reason: 'not_holder',
    });
  });

  it('is never outside the state machine', () => {
    fc.assert(
      fc.property(anyTask, status, standing, fc.boolean(), (task, to, standing, isNamed) => {
        const decision = decide(task, to, standing, isNamed);
        if (decision.kind === 'move') expect(canMove(task.status, to) && task.status !== to).toBe(true);
        if (decision.kind === 'take' || decision.kind === 'adopt')
          expect(canMove(task.status, to)).toBe(true);
      }),
    );
  });

  it('never brings a task nobody claimed under way', () => {
    fc.assert(
      fc.property(anyTask, status, standing, fc.boolean(), (task, to, standing, isNamed) => {
        fc.pre(!isClaimed(task) && needsHolder(to) && task.status !== to);
        expect(decide(task, to, standing, isNamed).kind).not.toBe('move');
      }),
    );
  });

  it('makes only a caller with a name the holder', () => {
    fc.assert(
      fc.property(anyTask, status, standing, (task, to, standing) => {
        fc.pre(standing !== 'successor');
        expect(decide(task, to, standing, false).kind).not.toBe('take');
      }),
    );
  });

  it('takes a lapsed claim over first', () => {
    const lapsed = taskOf({ assigneeAgentId: 'ann', status: 'in_progress', fence: 1, leaseUntil: NOW });
    for (const to of ['done', 'blocked', 'todo', 'cancelled'] as const) {
      expect(decide(lapsed, to, 'successor', true).kind).toBe('take');
    }
  });
});

/** A caller of which nothing is known but what is said here. */
function signsOf(facts: Partial<Signs>): Signs {
  const known = facts.agent === undefined ? 'unnamed' : 'asserted';
  return {
    agent: undefined,
    known,
    isNamed: facts.agent !== undefined,
    hasSeat: false,
    isPerson: false,
    seatClaim: undefined,
    fence: undefined,
    isHolderLiving: false,
    ...facts,
  };
}

describe('a caller', () => {
  const held = {
    status: 'in_progress',
    assigneeAgentId: 'ann',
    fence: 2,
    seat: 'seat',
    leaseUntil: NOW + 1,
  } as const;
  const judge = (task: Partial<StoredTask>, facts: Partial<Signs>) =>
    judgeCaller(taskOf(task), signsOf(facts), NOW);

  it('is anyone where nobody holds the task', () => {
    expect(judge({}, {})).toBe('anyone');
    expect(judge({}, { agent: 'bob', hasSeat: true })).toBe('anyone');
    expect(judge({ status: 'done', assigneeAgentId: 'ann', fence: 1 }, { agent: 'bob' })).toBe('anyone');
  });

  it('is a stranger to what a seat holds, with or without a name', () => {
    expect(judge(held, {})).toBe('stranger');
    expect(judge(held, { hasSeat: true })).toBe('stranger');
    expect(judge(held, { agent: 'bob' })).toBe('stranger');
    expect(judge(held, { agent: 'bob', known: 'bound', hasSeat: true })).toBe('stranger');
  });

  it('that names the holder goes on with its claim once the seat is gone, and not before', () => {
    expect(judge(held, { agent: 'ann' })).toBe('heir');
    expect(judge(held, { agent: 'ann', known: 'bound', hasSeat: true })).toBe('heir');
    expect(judge(held, { agent: 'ann', isHolderLiving: true })).toBe('stranger');
    expect(judge(held, { agent: 'ann', known: 'automatic', hasSeat: true })).toBe('stranger');
  });

  it('is the holder by name of what a name alone holds; without name and connection it is anyone', () => {
    const byName = { ...held, seat: null };
    expect(judge(byName, { agent: 'ann' })).toBe('holder');
    expect(judge(byName, {})).toBe('anyone');
    expect(judge(byName, { hasSeat: true })).toBe('stranger');
    expect(judge(byName, { agent: 'ann', known: 'automatic', hasSeat: true })).toBe('stranger');
    expect(judge(byName, { agent: 'bob' })).toBe('stranger');
  });

  it('takes a lapsed claim over when it has any name', () => {
    const lapsed = { ...held, leaseUntil: NOW };
    expect(judge(lapsed, { agent: 'bob' })).toBe('successor');
    expect(judge(lapsed, { isNamed: true, hasSeat: true })).toBe('successor');
    expect(judge(lapsed, { hasSeat: true })).toBe('stranger');
  });

  it('is awaited where a task was assigned to it, or to anybody and it has no name', () => {
    const assigned = { ...held, seat: null, awaited: true };
    expect(judge(assigned, { agent: 'ann' })).toBe('awaited');
    expect(judge(assigned, { agent: 'ann', known: 'automatic', hasSeat: true })).toBe('awaited');
    expect(judge(assigned, { hasSeat: true })).toBe('awaited');
    expect(judge(assigned, { agent: 'bob' })).toBe('stranger');
  });

  it('that is a person decides about everything', () => {
    expect(judge(held, { isPerson: true })).toBe('person');
  });

  it('with a fence is the holder exactly when the claim of that number is the current one', () => {
    fc.assert(
      fc.property(
        anyTask,
        fc.integer({ min: 1, max: 5 }),
        fc.option(agent, { nil: undefined }),
        (task, fence, agent) => {
          const isCurrent = task.assigneeAgentId !== null && task.fence === fence;
          expect(judgeCaller(task, signsOf({ agent, fence }), NOW)).toBe(isCurrent ? 'holder' : 'stale');
        },
      ),
    );
  });

  it('whose seat held an older claim is stale, even under the name of the present holder', () => {
    const task = taskOf({ status: 'in_progress', assigneeAgentId: 'ann', fence: 2 });
    expect(
      judgeCaller(task, signsOf({ agent: 'ann', seatClaim: { fence: 1, endedBy: 'takeover' } }), NOW),
    ).toBe('stale');
  });

  it('whose seat gave its claim back is free to try again', () => {
    const task = taskOf({ status: 'todo', fence: 1 });
    expect(
      judgeCaller(task, signsOf({ agent: 'ann', seatClaim: { fence: 1, endedBy: 'release' } }), NOW),
    ).toBe('anyone');
    expect(judgeCaller(task, signsOf({ agent: 'ann', seatClaim: { fence: 1, endedBy: 'lapse' } }), NOW)).toBe(
      'stale',
    );
  });

  it('that gave its claim back is nobody to the next claim, one that lost it is stale', () => {
    const task = taskOf({ status: 'in_progress', assigneeAgentId: 'bob', fence: 2 });
    const after = (endedBy: string) =>
      judgeCaller(task, signsOf({ hasSeat: true, seatClaim: { fence: 1, endedBy } }), NOW);
    expect(after('release')).toBe('stranger');
    expect(['revoke', 'lapse', 'takeover'].map(after)).toEqual(['stale', 'stale', 'stale']);
  });

  it('can never be two holders of different names without seat or fence', () => {
    fc.assert(
      fc.property(anyTask, agent, agent, (task, one, two) => {
        const holds = (agent: string) => judgeCaller(task, signsOf({ agent }), NOW) === 'holder';
        expect(one !== two && holds(one) && holds(two)).toBe(false);
      }),
    );
  });
});

describe('order, leases and windows', () => {
  it('puts the higher priority first among tasks of one age, and the older first among tasks of one priority', () => {
    const priority = fc.integer({ min: -1_000_000, max: 1_000_000 });
    const at = fc.integer({ min: 0, max: 4e12 });
    fc.assert(
      fc.property(priority, priority, at, (a, b, t) => a <= b || claimOrder(a, t) < claimOrder(b, t)),
    );
    fc.assert(fc.property(priority, at, at, (p, a, b) => a >= b || claimOrder(p, a) < claimOrder(p, b)));
    fc.assert(fc.property(priority, at, (p, t) => Number.isSafeInteger(claimOrder(p, t))));
  });

  it('lets any task become the first after a bounded wait', () => {
    const waited = (priority: number) => claimOrder(0, 0) - claimOrder(priority, 0);
    expect(claimOrder(0, 0)).toBeLessThan(claimOrder(10, waited(10) + 1));
  });

  it('has no end when leases are off, and is over exactly at its end', () => {
    expect(leaseEnd(NOW, 0)).toBeNull();
    expect(isLapsed({ leaseUntil: null }, Number.MAX_SAFE_INTEGER)).toBe(false);
    expect(isLapsed({ leaseUntil: leaseEnd(NOW, 5) }, NOW + 4)).toBe(false);
    expect(isLapsed({ leaseUntil: leaseEnd(NOW, 5) }, NOW + 5)).toBe(true);
  });

  it('counts every instant in exactly one window', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: 1, max: 1e7 }), (now, size) => {
        const start = windowStart(now, size);
        expect(start <= now && now < start + size && start % size === 0).toBe(true);
      }),
    );
  });
});

describe('evidence', () => {
  it('counts for one revision only', () => {
    expect(isSatisfied(undefined, 0)).toBe(false);
    expect(isSatisfied({ passed: true, revision: 1 }, 1)).toBe(true);
    expect(isSatisfied({ passed: true, revision: 0 }, 1)).toBe(false);
    expect(isSatisfied({ passed: false, revision: 1 }, 1)).toBe(false);
    expect(beginsRevision('in_review', 'in_progress') && beginsRevision('in_progress', 'todo')).toBe(true);
    expect(beginsRevision('in_progress', 'in_review') || beginsRevision('blocked', 'in_progress')).toBe(
      false,
    );
  });
});
