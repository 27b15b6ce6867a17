import { expect, it } from 'vitest';
import { z } from 'zod';
import { describeProblems, describeUnknown } from './validate.ts';
import { cpuMs } from '../../test/fixtures/cpu.ts';

const input = z.strictObject({
  title: z
    .string()
    .min(1)
    .max(500)
    .refine((text) => /\S/.test(text), 'must not be blank'),
  tags: z.array(z.string().min(1)).optional(),
});

const problemsOf = (given: unknown) =>
  describeProblems(input.safeParse(given).error!, z.toJSONSchema(input), given);

it('names an argument once, however many of its rules it breaks', () => {
  expect(problemsOf({ title: '' })).toEqual(['title must be a string of 1 to 500 characters, got ""']);
  expect(problemsOf({ title: ' ' })).toEqual(['title: must not be blank']);
});

it('tells a pattern in the words that it was given', () => {
  const labels = z.object({ add: z.array(z.string().regex(/^[a-z]+$/, 'must be one word')) });
  const given = { add: ['big job'] };
  expect(describeProblems(labels.safeParse(given).error!, z.toJSONSchema(labels), given)).toEqual([
    'add.0 must be one word, got "big job"',
  ]);
});

it('names every argument that is wrong', () => {
  expect(problemsOf({ title: '', tags: ['', ''], more: 1 })).toEqual([
    'title must be a string of 1 to 500 characters, got ""',
    'tags.0 must be a string of at least 1 characters, got ""',
    'tags.1 must be a string of at least 1 characters, got ""',
    'unknown argument "more"; known: title, tags',
  ]);
});

it('says what may stand in the place of the whole, and which kinds an argument may be of', () => {
  const kinds = z.object({ type: z.enum(['entity', 'episode']).nullable() });
  const problems = (given: unknown) =>
    describeProblems(kinds.safeParse(given).error!, z.toJSONSchema(kinds), given);
  expect(problems([])).toEqual(['must be an object, got a list of 0 items']);
  expect(problems({ type: 'zz' })).toEqual(['type must be one of entity, episode or null, got "zz"']);
});

it('caps what it says about thousands of bad items, and says it at once', () => {
  const began = cpuMs();
  const problems = problemsOf({ title: 'x', tags: Array.from({ length: 50_000 }, () => '') });
  expect(cpuMs() - began).toBeLessThan(1_000);
  expect(problems).toHaveLength(21);
  expect(problems.at(-1)).toBe('and 49980 more');
});

it('caps the unknown names it repeats', () => {
  const [problem] = problemsOf({
    title: 'x',
    ...Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 1])),
  });
  expect(problem!.length).toBeLessThan(500);
  expect(problem).toContain('and 9980 more');
});

it('names the fields inside an argument that nobody knows, and what was meant', () => {
  const scene = z.object({
    action: z.string(),
    feeling: z.string().optional(),
    importance: z.number().optional(),
  });
  const tool = z.object({
    scenes: z.array(scene).optional(),
    by: z.record(z.string(), z.object({ at: z.number() })).optional(),
    one: z.union([z.string(), z.object({ kind: z.literal('a'), x: z.number() })]).optional(),
    any: z.looseObject({ x: z.number().optional() }).optional(),
  });
  const problemIn = (given: unknown) => describeUnknown(tool, given);
  expect(problemIn({ scenes: [{ action: 'x' }, { action: 'y', feelings: 'glad' }] })).toBe(
    'unknown argument "feelings" in scenes.1; known: action, feeling, importance; did you mean feeling?',
  );
  expect(problemIn({ scenes: [{ action: 'x', Importance: 1 }] })).toContain('did you mean importance?');
  expect(problemIn({ by: { ada: { at: 1, zz: 2 } } })).toBe('unknown argument "zz" in by.ada; known: at');
  expect(problemIn({ one: { kind: 'a', x: 1, y: 2 } })).toBe('unknown argument "y" in one; known: kind, x');
  expect(problemIn({ scenes: [{ action: 'x' }], by: {}, one: 'text', any: { y: { z: 1 } } })).toBeUndefined();
});
