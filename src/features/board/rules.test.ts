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
  type Signs,
  type Standing,
} from './rules.ts';
import { STATUSES, type Status, type StoredTask } from './task.ts';

const NOW = 1_000_000;

function taskOf(facts: Partial<StoredTask>): StoredTask {
  return { status: 'todo', assigneeAgentId: null, fence: 0, leaseUntil: null, ...facts } as StoredTask;
}

const status = fc.constantFrom(...STATUSES);
const standing = fc.constantFrom<Standing>('holder', 'stale', 'other', 'unnamed');
const agent = fc.constantFrom('ann', 'bob', 'cid');
const lease = fc.option(fc.integer({ min: NOW - 10, max: NOW + 10 }), { nil: null });
const anyTask = fc
  .record({ status, assigneeAgentId: fc.option(agent, { nil: null }), fence: fc.integer({ min: 0, max: 4 }), leaseUntil: lease })
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
    fc.assert(fc.property(status, status, (from, to) => !isTerminal(from) || from === to || !canMove(from, to)));
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
  const decide = (task: StoredTask, to: Status, standing: Standing, isNamed: boolean) => decideMove(task, to, { standing, isNamed }, NOW);

  it('is refused to whoever lost the claim or never had it, but for the verdict of a reviewer', () => {
    fc.assert(
      fc.property(anyTask, status, fc.constantFrom<Standing>('stale', 'other'), fc.boolean(), (task, to, standing, isNamed) => {
        fc.pre(standing === 'stale' || task.status !== 'in_review' || !['done', 'in_progress'].includes(to));
        expect(decide(task, to, standing, isNamed)).toEqual({ kind: 'refuse', reason: 'stale_fence' });
      }),
    );
  });

  it('is never outside the state machine', () => {
    fc.assert(
      fc.property(anyTask, status, standing, fc.boolean(), (task, to, standing, isNamed) => {
        const decision = decide(task, to, standing, isNamed);
        if (decision.kind === 'move') expect(canMove(task.status, to) && task.status !== to).toBe(true);
        if (decision.kind === 'take') expect(canMove(task.status, to) && needsHolder(to) && !isTerminal(task.status)).toBe(true);
      }),
    );
  });

  it('never brings a task nobody claimed under way', () => {
    fc.assert(
      fc.property(anyTask, status, standing, fc.boolean(), (task, to, standing, isNamed) => {
        if (isClaimed(task) || !needsHolder(to) || task.status === to) return;
        expect(decide(task, to, standing, isNamed).kind).not.toBe('move');
      }),
    );
  });

  it('makes only a caller with a name the holder', () => {
    fc.assert(fc.property(anyTask, status, standing, (task, to, standing) => decide(task, to, standing, false).kind !== 'take'));
  });

  it('takes a lapsed claim over for a named caller and never a living one', () => {
    const held = { assigneeAgentId: 'ann', status: 'in_progress', fence: 1 } as const;
    expect(decide(taskOf({ ...held, leaseUntil: NOW }), 'done', 'unnamed', true).kind).toBe('take');
    expect(judgeCaller(taskOf({ ...held, leaseUntil: NOW + 1 }), { agent: 'bob', seatClaim: undefined, fence: undefined }, NOW)).toBe(
      'other',
    );
  });
});

describe('a caller', () => {
  const nothing: Signs = { agent: undefined, seatClaim: undefined, fence: undefined };

  it('that shows nothing is unnamed, whatever the task', () => {
    fc.assert(fc.property(anyTask, (task) => judgeCaller(task, nothing, NOW) === 'unnamed'));
  });

  it('with a fence is the holder exactly when the claim of that number is the current one', () => {
    fc.assert(
      fc.property(anyTask, fc.integer({ min: 1, max: 5 }), fc.option(agent, { nil: undefined }), (task, fence, agent) => {
        const isCurrent = task.assigneeAgentId !== null && task.fence === fence;
        expect(judgeCaller(task, { agent, seatClaim: undefined, fence }, NOW)).toBe(isCurrent ? 'holder' : 'stale');
      }),
    );
  });

  it('whose seat held an older claim is stale, even under the name of the present holder', () => {
    const task = taskOf({ status: 'in_progress', assigneeAgentId: 'ann', fence: 2 });
    expect(judgeCaller(task, { agent: 'ann', seatClaim: { fence: 1, endedBy: 'takeover' }, fence: undefined }, NOW)).toBe('stale');
  });

  it('whose seat gave its claim back is free to try again', () => {
    const task = taskOf({ status: 'todo', fence: 1 });
    expect(judgeCaller(task, { agent: 'ann', seatClaim: { fence: 1, endedBy: 'release' }, fence: undefined }, NOW)).toBe('unnamed');
    expect(judgeCaller(task, { agent: 'ann', seatClaim: { fence: 1, endedBy: 'lapse' }, fence: undefined }, NOW)).toBe('stale');
  });

  it('that gave its claim back is nobody to the next claim, one that lost it is stale', () => {
    const task = taskOf({ status: 'in_progress', assigneeAgentId: 'bob', fence: 2 });
    const judge = (endedBy: string) => judgeCaller(task, { agent: undefined, seatClaim: { fence: 1, endedBy }, fence: undefined }, NOW);
    expect(judge('release')).toBe('unnamed');
    expect(['revoke', 'lapse', 'takeover'].map(judge)).toEqual(['stale', 'stale', 'stale']);
  });

  it('can never be two holders of different names without seat or fence', () => {
    fc.assert(
      fc.property(anyTask, agent, agent, (task, one, two) => {
        const holds = (agent: string) => judgeCaller(task, { agent, seatClaim: undefined, fence: undefined }, NOW) === 'holder';
        expect(one !== two && holds(one) && holds(two)).toBe(false);
      }),
    );
  });
});

describe('order, leases and windows', () => {
  it('puts the higher priority first among tasks of one age, and the older first among tasks of one priority', () => {
    const priority = fc.integer({ min: -1_000_000, max: 1_000_000 });
    const at = fc.integer({ min: 0, max: 4e12 });
    fc.assert(fc.property(priority, priority, at, (a, b, t) => a <= b || claimOrder(a, t) < claimOrder(b, t)));
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
    expect(beginsRevision('in_progress', 'in_review') || beginsRevision('blocked', 'in_progress')).toBe(false);
  });
});
