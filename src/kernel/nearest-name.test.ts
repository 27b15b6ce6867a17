import { expect, it } from 'vitest';
import { nearestName } from './nearest-name.ts';

it('finds what was meant: letters swapped, left out, doubled or wrong', () => {
  const known = ['api', 'web', 'holdfast', 'shop'];
  for (const [given, meant] of [
    ['wbe', 'web'],
    ['we', 'web'],
    ['Web', 'web'],
    ['webb', 'web'],
    ['holdfats', 'holdfast'],
    ['holdfst', 'holdfast'],
    ['shpo', 'shop'],
  ] as const)
    expect(nearestName(given, known), given).toBe(meant);
});

it('guesses nothing when nothing is near, and takes the nearest of several', () => {
  expect(nearestName('kelp', ['api', 'web'])).toBeUndefined();
  expect(nearestName('x', ['y', 'ab'])).toBeUndefined();
  expect(nearestName('web', [])).toBeUndefined();
  expect(nearestName('appp', ['apple', 'app'])).toBe('app');
});
