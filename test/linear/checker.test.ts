import { describe, expect, it } from 'vitest';
import { check } from './checker.ts';
import type { Answer, Asked, Call } from './history.ts';

const LEASE = { ms: 1_000, slackMs: 100 };

let client = 0;
const call = (at: readonly [number, number], asked: Asked, answer: Answer): Call => ({
  client: (client += 1),
  task: 'one',
  asked,
  answer,
  began: at[0],
  ended: at[1],
});
const taken = (fence: number): Answer => ({ is: 'taken', fence });
const refused = (code: string): Answer => ({ is: 'refused', code });
const ok: Answer = { is: 'ok' };
const lost: Answer = { is: 'lost' };
const claim = (agent: string): Asked => ({ op: 'claim', agent });
const finish = (fence: number): Asked => ({ op: 'finish', fence });
const release = (fence: number): Asked => ({ op: 'release', fence });
const seen = (status: string, holder: string | null): Answer => ({ is: 'seen', status, holder });

/** A race, a release, a lease that runs out, an assignment: all of it as it should be. */
const GOOD: readonly Call[] = [
  call([0, 10], claim('a'), taken(1)),
  call([1, 12], claim('b'), refused('conflict')),
  call([20, 25], { op: 'read' }, seen('in_progress', 'a')),
  call([30, 40], release(1), ok),
  call([35, 45], claim('b'), taken(2)),
  call([50, 55], finish(1), refused('stale_fence')),
  call([1_200, 1_210], claim('c'), taken(3)),
  call([1_205, 1_220], finish(2), refused('stale_fence')),
  call([1_230, 1_240], release(3), ok),
  call([1_250, 1_260], { op: 'assign', agent: 'd' }, ok),
  call([1_255, 1_270], claim('e'), refused('conflict')),
  call([5_000, 5_010], claim('d'), taken(4)),
  call([5_020, 5_030], finish(4), ok),
  call([5_040, 5_050], claim('a'), refused('conflict')),
];

describe('a history that could have been', () => {
  it('passes', () => {
    expect(check(GOOD, LEASE)).toEqual({ is: 'linearizable' });
  });

  it('passes whatever became of a call that was not answered', () => {
    const began = [call([0, Infinity], claim('a'), lost)];
    const never = [...began, call([10, 20], claim('b'), taken(1))];
    const done = [...began, call([10, 20], claim('b'), refused('conflict'))];
    const late = [
      ...began,
      call([10, 20], claim('b'), taken(1)),
      call([30, 40], release(1), ok),
      call([50, 60], { op: 'read' }, seen('in_progress', 'a')),
    ];
    for (const history of [never, done, late]) expect(check(history, LEASE).is).toBe('linearizable');
  });

  it('is told apart by task', () => {
    const other = { ...call([0, 10], claim('b'), taken(1)), task: 'two' };
    expect(check([...GOOD, other], LEASE).is).toBe('linearizable');
  });
});

/** One answer of the good history, changed as a broken hub would. */
const CORRUPTED: readonly [string, (calls: Call[]) => void][] = [
  ['two win one race', (calls) => change(calls, 1, taken(1))],
  ['two win one race under two fences', (calls) => change(calls, 1, taken(2))],
  ['a fence is given twice', (calls) => change(calls, 4, taken(1))],
  ['a fence is left out', (calls) => change(calls, 4, taken(3))],
  [
    'a free task is refused',
    (calls) => void calls.splice(4, 1, call([60, 70], claim('b'), refused('conflict'))),
  ],
  ['a claim that is over finishes the task', (calls) => change(calls, 5, ok)],
  ['a claim whose lease ran out finishes it after another took over', (calls) => change(calls, 7, ok)],
  [
    'a lease is taken before it could run out',
    (calls) => void calls.splice(6, 1, call([700, 710], claim('c'), taken(3))),
  ],
  [
    'a lease outlives its time',
    (calls) => void calls.splice(6, 2, call([1_250, 1_260], claim('c'), refused('conflict'))),
  ],
  ['an assigned task goes to somebody else', (calls) => change(calls, 10, taken(5))],
  ['what is finished is taken once more', (calls) => change(calls, 13, taken(5))],
  ['an old state is read', (calls) => change(calls, 2, seen('todo', null))],
  ['an acknowledged claim is forgotten', (calls) => change(calls, 2, seen('in_progress', 'b'))],
  ['the holder is refused', (calls) => change(calls, 3, refused('stale_fence'))],
  ['a refusal has another reason', (calls) => change(calls, 5, refused('conflict'))],
];

function change(calls: Call[], i: number, answer: Answer): void {
  calls[i] = { ...calls[i]!, answer };
}

describe('a history that no task could have', () => {
  it.each(CORRUPTED)('is found when %s', (_, corrupt) => {
    const calls = [...GOOD];
    corrupt(calls);
    expect(check(calls, LEASE)).toMatchObject({ is: 'broken', task: 'one' });
  });
});
