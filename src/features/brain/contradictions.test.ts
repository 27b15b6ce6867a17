import { describe, expect, it } from 'vitest';
import { findContradictions } from './contradictions.ts';
import type { VaultMemory } from './memory.ts';

const entity = (name: string, body: string): VaultMemory => ({
  id: `entity-preferences-${name}`,
  path: '',
  type: 'entity',
  category: 'preferences',
  name,
  tags: [],
  body,
  pinned: false,
  createdAt: 0,
  updatedAt: 0,
});
const between = (mine: string, theirs: string) =>
  findContradictions(entity('style', mine), [entity('style-guide', theirs)]);

describe('contradictions', () => {
  it.each([
    ['a denial', '- The build uses the cache in CI', '- The build does not use the cache in CI', 'denies'],
    [
      'another number',
      '- The gateway time-out is 30 seconds',
      '- The gateway time-out is 60 seconds',
      'different numbers',
    ],
    [
      'the opposite',
      '- Indentation of source files: tabs',
      '- Indentation of source files: spaces',
      'tabs and spaces',
    ],
  ])('%s is named', async (_what, mine, theirs, why) => {
    expect(await between(mine, theirs)).toEqual([
      expect.objectContaining({ with: 'entity-preferences-style-guide', why: expect.stringContaining(why) }),
    ]);
  });

  it.each([
    ['the same claim', '- The build uses the cache', '- The build uses the cache'],
    ['words that contain a negation', '- She knows nothing about knots', '- Notes are taken now'],
    ['claims about different things', '- Alice likes green tea', '- Bob avoids large meetings'],
    ['a heading', '# Not the cache of the build', '# The cache of the build'],
  ])('%s is none', async (_what, mine, theirs) => {
    expect(await between(mine, theirs)).toEqual([]);
  });

  it('of two long texts are looked for without keeping everybody else waiting', async () => {
    const long = (seed: number) =>
      Array.from(
        { length: 5_000 },
        (_, i) => `- item ${'abcdefgh'[(i * seed) % 8]}${i} belongs to shelf ${i * seed}`,
      ).join('\n');
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    const peers = Array.from({ length: 20 }, (_, i) => entity(`peer-${i}`, long(i + 3)));
    await findContradictions(entity('mine', long(2).replace(/\d/g, 'x')), peers);
    clearInterval(counting);
    expect(turns).toBeGreaterThan(5);
  });
});
