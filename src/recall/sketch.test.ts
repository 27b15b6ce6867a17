import { expect, test } from 'vitest';
import { overlap } from './near-duplicates.ts';
import { mostInCommon, sketchOf } from './sketch.ts';

test('two texts never have more in common than their sketches allow, and mostly far less is allowed than all', () => {
  let state = 3;
  const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const text = (words: number, of: number): string =>
    Array.from({ length: words }, () => `w${Math.floor(random() * of).toString(36)}`).join(' ');
  const bounds: number[] = [];
  for (let i = 0; i < 2_000; i += 1) {
    const common = text(Math.floor(random() * 20), 500);
    const [a, b] = [
      `${common} ${text(1 + (i % 30), 500)}`.trim(),
      `${common} ${text(1 + (i % 17), 500)}`.trim(),
    ];
    const bound = mostInCommon(sketchOf(a), sketchOf(b));
    expect(bound, `${a} | ${b}`).toBeGreaterThanOrEqual(
      overlap(new Set(a.split(' ')), new Set(b.split(' '))),
    );
    bounds.push(mostInCommon(sketchOf(text(20, 5_000)), sketchOf(text(20, 5_000))));
  }
  expect(Math.max(...bounds)).toBeLessThan(0.6);
  expect(mostInCommon(sketchOf(''), sketchOf(''))).toBeLessThanOrEqual(1);
});
