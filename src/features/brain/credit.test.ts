import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectiveScore, eligible, rankWeight, SIGNALS, stepScore } from './credit.ts';
import { DEFAULT_STRATEGY } from './strategy.ts';

const score = fc.double({ min: 0, max: 1, noNaN: true });
const weight = fc.double({ min: 0, max: 1, noNaN: true });
const shared = fc.integer({ min: 1, max: 50 });
const alpha = fc.double({ min: 0.01, max: 1, noNaN: true });
const step = fc.record({ shared, weight });
const documented = { ...DEFAULT_STRATEGY, credit_update: 'documented' } as const;

describe('a step of credit', () => {
  it('never lowers on praise and never raises on blame', () => {
    fc.assert(
      fc.property(score, step, alpha, fc.double({ min: 0, max: 1, noNaN: true }), (s, how, a, size) => {
        const policy = { ...DEFAULT_STRATEGY, alpha: a };
        expect(stepScore(s, { ...how, reward: size }, policy)).toBeGreaterThanOrEqual(s);
        expect(stepScore(s, { ...how, reward: -size }, policy)).toBeLessThanOrEqual(s);
      }),
    );
  });

  it('stays within 0 and 1, by either formula', () => {
    fc.assert(
      fc.property(
        score,
        step,
        fc.double({ min: -5, max: 5, noNaN: true }),
        alpha,
        fc.boolean(),
        (s, how, reward, a, isDocumented) => {
          const policy = { ...(isDocumented ? documented : DEFAULT_STRATEGY), alpha: a };
          const next = stepScore(s, { ...how, reward }, policy);
          expect(next).toBeGreaterThanOrEqual(0);
          expect(next).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it('moves more for more reward and more weight, less the more share it', () => {
    const gain = (how: { reward: number; shared: number; weight: number }) =>
      stepScore(0.5, how, DEFAULT_STRATEGY) - 0.5;
    expect(gain({ reward: 0.5, shared: 1, weight: 1 })).toBeGreaterThan(
      gain({ reward: 0.3, shared: 1, weight: 1 }),
    );
    expect(gain({ reward: 0.3, shared: 1, weight: 1 })).toBeGreaterThan(
      gain({ reward: 0.3, shared: 4, weight: 1 }),
    );
    expect(gain({ reward: 0.3, shared: 1, weight: 1 })).toBeGreaterThan(
      gain({ reward: 0.3, shared: 1, weight: 0.5 }),
    );
  });

  it('reaches the line of promotion by praise and that of pruning by blame', () => {
    const repeat = (reward: number, times: number) =>
      Array.from({ length: times }).reduce<number>(
        (s) => stepScore(s, { reward, shared: 1, weight: 1 }, DEFAULT_STRATEGY),
        0.5,
      );
    expect(repeat(SIGNALS.positive_feedback, 9)).toBeGreaterThan(0.7);
    expect(repeat(SIGNALS.user_correction, 11)).toBeLessThan(0.2);
  });

  it('is the published one when the strategy asks for it', () => {
    expect(stepScore(0.5, { reward: 0.3, shared: 1, weight: 1 }, documented)).toBeCloseTo(0.48, 10);
    expect(stepScore(0.5, { reward: 0.5, shared: 2, weight: 1 }, documented)).toBeCloseTo(
      0.9 * 0.5 + (0.1 * 0.5) / Math.SQRT2,
      10,
    );
  });
});

describe('decay', () => {
  it('halves in about 69 days, and reading twice is reading once', () => {
    const credit = { score: 0.8, lastAccessed: 0 };
    expect(effectiveScore(credit, 69.3147 * 86_400_000, DEFAULT_STRATEGY)).toBeCloseTo(0.4, 4);
    expect(effectiveScore(credit, 5, DEFAULT_STRATEGY)).toBe(effectiveScore(credit, 5, DEFAULT_STRATEGY));
  });

  it('never raises, even when the clock went back', () => {
    fc.assert(
      fc.property(score, fc.integer({ min: -1e12, max: 1e12 }), (s, elapsed) => {
        expect(
          effectiveScore({ score: s, lastAccessed: 1e12 }, 1e12 + elapsed, DEFAULT_STRATEGY),
        ).toBeLessThanOrEqual(s);
      }),
    );
  });
});

describe('eligibility', () => {
  const turn = (id: string, ...ids: string[]) => ({
    id,
    retrieved: ids.map((memory, i) => ({ id: memory, rank: i + 1 })),
  });

  it('gives older turns less and forgets what is four turns back', () => {
    const shares = eligible([turn('5', 'a'), turn('4', 'b'), turn('3', 'c'), turn('2', 'd'), turn('1', 'e')]);
    expect(shares.map(({ memory, weight: part }) => [memory, part])).toEqual([
      ['a', 1],
      ['b', 0.5],
      ['c', 0.25],
      ['d', 0.125],
    ]);
  });

  it('credits a memory once, where it counts most', () => {
    expect(eligible([turn('2', 'x', 'a'), turn('1', 'a')]).find(({ memory }) => memory === 'a')).toEqual({
      memory: 'a',
      shared: 2,
      weight: rankWeight(2),
    });
  });
});
