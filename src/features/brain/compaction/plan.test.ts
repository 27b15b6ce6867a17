import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeMemory, parseMemory } from '../frontmatter.ts';
import { type VaultMemory, toIso } from '../memory.ts';
import { placeFor } from '../rules.ts';
import { DEFAULT_STRATEGY } from '../strategy.ts';
import { createModel, type Item } from './model.ts';
import { planCompaction } from './plan.ts';

const NOW = Date.UTC(2026, 5, 20, 12);
const DAY = 86_400_000;
const TAGS = ['auth', 'ui', 'db', 'infra'];
const FACTS = [
  'the gateway listens on port 80',
  'alice owns the deploy script',
  'cookies rotate every week',
  'short',
  'is this a question?',
];

const seed = fc.record({
  type: fc.constantFrom('entity' as const, 'episode' as const),
  category: fc.constantFrom<string>('people', 'projects', 'preferences'),
  day: fc.integer({ min: 0, max: 3 }),
  old: fc.boolean(),
  tags: fc.subarray(TAGS),
  facts: fc.subarray(FACTS),
  pinned: fc.boolean(),
  score: fc.double({ min: 0, max: 1, noNaN: true }),
});

function toItem(given: typeof seed extends fc.Arbitrary<infer T> ? T : never, i: number): Item {
  const createdAt = NOW - (given.old ? 200 : 1) * DAY - given.day * DAY;
  const category = given.type === 'entity' ? given.category : new Date(createdAt).toISOString().slice(0, 7);
  const name = i === 0 ? 'alice' : `n${i}`;
  const body = [`# ${name}`, '', `unique ${i}`, ...given.facts.map((fact) => `- ${fact}`)].join('\n');
  const memory: VaultMemory = {
    ...placeFor({ type: given.type, category, name }),
    type: given.type,
    category,
    name,
    tags: given.tags,
    body,
    pinned: given.pinned,
    createdAt,
    updatedAt: createdAt,
  };
  const { score } = given;
  const head = { ...memory, created: toIso(createdAt), updated: toIso(createdAt) };
  return {
    memory,
    text: composeMemory(head, body),
    sources: [],
    credit: { score, accessCount: 1, createdAt, lastAccessed: NOW },
  };
}

/** Applies a plan the way the vault would and reads the files back. */
function apply(items: readonly Item[], plan: ReturnType<typeof planCompaction>) {
  const files = new Map(items.map((item) => [item.memory.path, item.text]));
  const credits = new Map(items.map((item) => [item.memory.id, item.credit]));
  for (const { changes, credits: moved } of plan) {
    for (const { path, before, after } of changes) {
      expect(files.get(path) ?? null).toBe(before);
      if (after === null) files.delete(path);
      else files.set(path, after);
    }
    for (const { id, after } of moved) {
      if (after === null) credits.delete(id);
      else credits.set(id, after);
    }
  }
  const left = [...files]
    .filter(([path]) => !path.startsWith('archive/'))
    .map(([path, text]): Item => {
      const [root, category, file] = path.split('/') as [string, string, string];
      const parsed = parseMemory(text);
      if (!parsed.ok) throw new Error(parsed.problem);
      const { head, body } = parsed;
      const type = root === 'entities' ? 'entity' : 'episode';
      const memory: VaultMemory = {
        id: head.id!,
        path,
        type,
        category,
        name: file.slice(0, -3),
        tags: head.tags,
        body,
        pinned: head.pinned,
        createdAt: head.created!,
        updatedAt: head.updated!,
      };
      return { memory, text, sources: head.sources, credit: credits.get(head.id!)! };
    });
  return { files, left, archived: new Set([...files.keys()].filter((path) => path.startsWith('archive/'))) };
}

const model = (items: readonly Item[], archived: ReadonlySet<string> = new Set()) =>
  createModel({ items, archived, now: NOW, strategy: DEFAULT_STRATEGY });

describe('a compaction', () => {
  it('finds nothing to do a second time, archives nothing pinned and no person, and loses no text', () => {
    fc.assert(
      fc.property(fc.array(seed, { maxLength: 14 }), (seeds) => {
        const items = seeds.map(toItem);
        const plan = planCompaction(model(items));
        const { files, left, archived } = apply(items, plan);
        expect(planCompaction(model(left, archived))).toEqual([]);
        for (const { memory } of items) {
          if (memory.pinned) expect(files.has(memory.path)).toBe(true);
          if (memory.category === 'people') expect(files.has(memory.path)).toBe(true);
        }
        const everything = [...files.values()].join('\n');
        for (const { memory } of items)
          for (const line of memory.body.split('\n')) expect(everything).toContain(line);
        expect(
          left.every(({ credit }) => credit !== undefined && credit.score >= 0 && credit.score <= 1),
        ).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps every source of a merge, and does not nest what was merged before', () => {
    const base = {
      type: 'episode' as const,
      category: '',
      day: 0,
      old: false,
      facts: [],
      pinned: false,
      score: 0.5,
    };
    const first = [toItem({ ...base, tags: ['auth'] }, 1), toItem({ ...base, tags: ['auth'] }, 2)];
    const once = apply(first, planCompaction(model(first)));
    const later = [...once.left, toItem({ ...base, tags: ['auth', 'ui'] }, 3)];
    const twice = apply(later, planCompaction(model(later, once.archived)));
    expect(twice.left).toHaveLength(1);
    const [{ memory, sources }] = twice.left as [Item];
    expect(sources).toHaveLength(3);
    expect(memory.body.match(/^# /gm)).toHaveLength(4);
    expect(memory.body.match(/^## n\d$/gm)).toEqual(['## n1', '## n2', '## n3']);
    expect(memory.tags).toEqual(['auth', 'ui']);
  });

  it('merges no more than one memory may hold, and stays at that', () => {
    const base = {
      type: 'episode' as const,
      category: '',
      day: 0,
      old: false,
      facts: [],
      pinned: false,
      score: 0.5,
      tags: ['auth'],
    };
    const items = [1, 2, 3, 4, 5].map((i) => {
      const item = toItem(base, i);
      const memory = { ...item.memory, body: `${i} ${'long '.repeat(80_000)}` };
      return {
        ...item,
        memory,
        text: composeMemory({ ...memory, created: toIso(NOW - DAY), updated: toIso(NOW - DAY) }, memory.body),
      };
    });
    const { left, archived } = apply(items, planCompaction(model(items)));
    expect(left.map(({ sources }) => sources.length).toSorted()).toEqual([0, 2, 2]);
    for (const { memory } of left) expect(memory.body.length).toBeLessThan(1_001_000);
    expect(planCompaction(model(left, archived))).toEqual([]);
  });

  it('promotes what recurs, to the entity it speaks of, once, with its source', () => {
    const base = {
      type: 'episode' as const,
      category: '',
      old: false,
      pinned: false,
      score: 0.5,
      facts: ['alice owns the deploy script'],
    };
    const items = [
      toItem({ ...base, type: 'entity', category: 'people', day: 0, tags: [], facts: [] }, 0),
      ...[0, 1, 2].map((day) => toItem({ ...base, day, tags: [] }, day + 1)),
    ];
    const plan = planCompaction(model(items));
    expect(plan.map(({ details }) => details)).toEqual([
      "Promoted fact from episode to entity 'people/alice'",
    ]);
    const { left } = apply(items, plan);
    const alice = left.find(({ memory }) => memory.name === 'alice')!;
    expect(alice.memory.body).toMatch(
      /## Learned\n\n- alice owns the deploy script \(from episode-2026-06-n\d\)$/,
    );
  });

  it('does not bring back an entity that somebody archived', () => {
    const useful = toItem(
      {
        type: 'episode',
        category: '',
        day: 0,
        old: false,
        tags: ['auth'],
        facts: ['cookies rotate every week'],
        pinned: false,
        score: 0.9,
      },
      1,
    );
    expect(planCompaction(model([useful])).map(({ action }) => action)).toEqual(['promote']);
    expect(planCompaction(model([useful], new Set(['archive/entities/projects/auth.md'])))).toEqual([]);
  });
});
