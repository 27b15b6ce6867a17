import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskJson, summarise } from './summary.ts';

describe('a summary', () => {
  it('is always valid JSON within its bound, whatever it summarises', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 64, max: 2_000 }), (value, max) => {
        const text = summarise(value, max);
        expect(text.length).toBeLessThanOrEqual(max);
        expect(() => JSON.parse(text)).not.toThrow();
      }),
    );
  });

  it('says how much it left out', () => {
    expect(summarise({ text: 'x'.repeat(10_000) }, 200)).toMatch(/more characters/);
  });

  it('has no secret, not even the first half of one', () => {
    const secret = `sk-ant-${'a1b2'.repeat(10)}`;
    for (let at = 0; at < 120; at += 7)
      expect(summarise({ note: `${'x'.repeat(at)} ${secret}`, password: 'hunter2' }, 128)).not.toMatch(
        /sk-ant-a1|hunter2/,
      );
  });

  it('does not cut inside a character', () => {
    expect(summarise('😀'.repeat(200), 101).isWellFormed()).toBe(true);
  });
});

it('stored text is masked again, also when it is not JSON', () => {
  expect(maskJson('{"token":"abc"}')).toBe('{"token":"[REDACTED]"}');
  expect(maskJson('not json ghp_abcdefghijklmnopqrst')).toBe('"not json [REDACTED]"');
  expect(maskJson(null)).toBeNull();
});
