import { describe, expect, it } from 'vitest';
import { decideNext, LONGEST_MS, MOST_PARKS, waitUntil } from './decide.ts';
import type { Limit } from './limit.ts';
import type { QuotaState } from './state.ts';

const now = Date.parse('2026-11-18T12:45:33Z');
const MINUTE = 60_000;
const RULES = { parks: 3, backoffMs: MINUTE, zone: 'UTC' };
const FRESH: QuotaState = {
  first: 'claude',
  model: null,
  parks: 0,
  inRow: 0,
  met: {},
  goOn: 'anew',
  attempt: 0,
  hasSpoken: false,
  waits: null,
};
const rate: Limit = { kind: 'rate', text: '429' };
const met = (limit: Limit, more: object = {}) => ({
  limit,
  instance: 'claude',
  chain: [],
  state: FRESH,
  now,
  ...more,
});

describe('how long a run waits', () => {
  const wait = (limit: Limit, inRow = 0) => waitUntil(limit, { now, inRow }, RULES) - now;

  it('as long as was said, in whatever way', () => {
    expect(wait({ ...rate, resetsAt: now + 5_000 })).toBe(5_000);
    expect(wait({ ...rate, afterMs: 7_000 })).toBe(7_000);
    expect(wait({ kind: 'usage', text: 'resets 2:45pm (UTC)' })).toBe(2 * 60 * MINUTE - 33_000 + MINUTE);
  });

  it('a time in the past is none, one in a year is at most eight days', () => {
    expect(wait({ ...rate, resetsAt: now - 1 })).toBe(MINUTE);
    expect(wait({ ...rate, resetsAt: 0 })).toBe(MINUTE);
    expect(wait({ ...rate, resetsAt: Number.NaN })).toBe(MINUTE);
    expect(wait({ ...rate, resetsAt: now + 365 * 24 * 60 * MINUTE })).toBe(LONGEST_MS);
    expect(wait({ kind: 'usage', text: 'try again in 400 days' })).toBe(LONGEST_MS);
  });

  it('where nothing was said twice as long each time, up to an hour', () => {
    expect([0, 1, 2, 3, 10, 5_000].map((inRow) => wait(rate, inRow) / MINUTE)).toEqual([1, 2, 4, 8, 60, 60]);
  });
});

describe('what becomes of a run that met a limit', () => {
  it('parks without a fallback, and not for ever', () => {
    expect(decideNext(met(rate), RULES)).toMatchObject({ kind: 'park', to: 'claude', until: now + MINUTE });
    const often = { state: { ...FRESH, inRow: 3, parks: 7 } };
    expect(decideNext(met(rate, often), RULES)).toEqual({
      kind: 'over',
      why: 'it waited 3 times for its model',
    });
    const always = { state: { ...FRESH, inRow: 0, parks: MOST_PARKS } };
    expect(decideNext(met(rate, always), RULES)).toMatchObject({ kind: 'over' });
    expect(decideNext(met(rate), { ...RULES, parks: 0 })).toEqual({ kind: 'over' });
  });

  it('is over when waiting would not help', () => {
    for (const kind of ['key', 'credit'] as const)
      expect(decideNext(met({ kind, text: '' }), RULES)).toEqual({ kind: 'over' });
    const chain = ['codex'];
    expect(decideNext(met({ kind: 'key', text: '' }, { chain }), RULES)).toEqual({ kind: 'over' });
    expect(decideNext(met({ kind: 'credit', text: '' }, { chain }), RULES)).toMatchObject({
      kind: 'switch',
      to: 'codex',
    });
  });

  it('the next of its chain goes on; when all wait, the one that may first', () => {
    const chain = ['codex', 'gemini'];
    const first = decideNext(met({ ...rate, afterMs: 9 * MINUTE }, { chain }), RULES);
    expect(first).toMatchObject({ kind: 'switch', to: 'codex', met: { claude: now + 9 * MINUTE } });
    const state = { ...FRESH, met: { claude: now + 9 * MINUTE } };
    const second = decideNext(
      met({ ...rate, afterMs: 5 * MINUTE }, { chain, state, instance: 'codex' }),
      RULES,
    );
    expect(second).toMatchObject({ kind: 'switch', to: 'gemini' });
    const both = { ...FRESH, met: { claude: now + 9 * MINUTE, codex: now + 5 * MINUTE } };
    const third = decideNext(
      met({ kind: 'credit', text: '' }, { chain, state: both, instance: 'gemini' }),
      RULES,
    );
    expect(third).toMatchObject({ kind: 'park', to: 'codex', until: now + 5 * MINUTE });
  });

  it('whose limit has passed may go on again', () => {
    const state = { ...FRESH, met: { claude: now - 1 } };
    expect(decideNext(met(rate, { chain: ['codex'], state, instance: 'codex' }), RULES)).toMatchObject({
      kind: 'switch',
      to: 'claude',
    });
  });
});
