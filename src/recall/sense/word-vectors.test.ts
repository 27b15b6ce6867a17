import { describe, expect, it } from 'vitest';
import { termsOf } from '../analyse/tokens.ts';
import { likeness, wordVectors } from './word-vectors.ts';

describe('vectors of words', () => {
  it('tell what is about the same matter from what is not', () => {
    const { directionOf } = wordVectors();
    const alike = (a: string, b: string): number =>
      likeness(
        ...([a, b].map((text) => directionOf(text.split(' ').flatMap(termsOf).join(' '))) as [
          Float64Array,
          Float64Array,
        ]),
      );
    expect(alike('doctor', 'hospital nurse')).toBeGreaterThan(alike('doctor', 'guitar concert'));
    expect(alike('guitar', 'concert band')).toBeGreaterThan(alike('guitar', 'hospital nurse'));
    expect(alike('bought a house', 'bought a house')).toBeCloseTo(1);
  });

  it('know nothing of words that nobody uses', () => {
    const { directionOf } = wordVectors();
    expect(likeness(directionOf('xyzzyq'), directionOf('doctor'))).toBe(0);
    expect(likeness(directionOf(''), directionOf(''))).toBe(0);
  });
});
