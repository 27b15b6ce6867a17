import { describe, expect, it } from 'vitest';
import { composeOverview, tokensOf } from './memory-overview.ts';
import type { VaultMemory } from './memory.ts';

const memory = (name: string, facts: Partial<VaultMemory> = {}): VaultMemory => ({
  id: `entity-projects-${name}`,
  path: `entities/projects/${name}.md`,
  type: 'entity',
  category: 'projects',
  name,
  tags: [],
  body: `What ${name} is about.`,
  pinned: false,
  createdAt: 0,
  updatedAt: 0,
  ...facts,
});

describe('MEMORY.md', () => {
  it('has a section per kind, most useful first', () => {
    const text = composeOverview(
      [
        { memory: memory('low'), score: 0.2 },
        { memory: memory('high'), score: 0.9 },
        { memory: memory('ann', { category: 'people' }), score: 0.5 },
        { memory: memory('trip', { type: 'episode', category: '2026-01' }), score: 0.5 },
      ],
      5000,
    );
    expect(text.match(/^## .+$/gm)).toEqual(['## People', '## Projects', '## Recent Episodes']);
    expect(text.indexOf('high')).toBeLessThan(text.indexOf('low'));
  });

  it('stays within its budget, passing over what does not fit', () => {
    const many = Array.from({ length: 300 }, (_, i) => ({
      memory: memory(`topic-${i}`),
      score: 1 - i / 300,
    }));
    const text = composeOverview(many, 400);
    expect(tokensOf(text)).toBeLessThanOrEqual(400);
    expect(text).toContain('topic-0');
    expect(text).not.toContain('topic-299');
  });

  it('shows pinned memories before all others', () => {
    const many = Array.from({ length: 100 }, (_, i) => ({ memory: memory(`topic-${i}`), score: 0.9 }));
    expect(composeOverview([...many, { memory: memory('keep', { pinned: true }), score: 0 }], 250)).toContain(
      'keep',
    );
  });

  it('says so when nothing is remembered', () => {
    expect(composeOverview([], 5000)).toContain('Nothing is remembered yet.');
  });
});
