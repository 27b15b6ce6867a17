import { parseDocument } from 'yaml';
import { describe, expect, it } from 'vitest';
import { parseMemory } from '../../src/features/brain/frontmatter.ts';
import { readStrategy } from '../../src/features/brain/strategy.ts';
import { SMALL_YAML, yamlProblem } from '../../src/kernel/yaml-limits.ts';
import { cpuMs } from '../fixtures/cpu.ts';

const times = (length: number, make: (i: number) => string) =>
  Array.from({ length }, (_, i) => make(i)).join('');

const BOMBS: Readonly<Record<string, string>> = {
  'many keys': times(20_000, (i) => `k${i}: 1\n`),
  'many keys in one line': `{${times(20_000, (i) => `k${i}: 1, `)}}`,
  'many bare keys in one line': `{${times(20_000, (i) => `k${i}, `)}}`,
  'many asked keys': times(20_000, (i) => `? k${i}\n`),
  'many anchors': times(50_000, (i) => `- &a${i} x\n`),
  laughs: times(20, (i) => `a${i}: &a${i} [${times(9, () => (i === 0 ? 'x,' : `*a${i - 1},`))}]\n`),
  brackets: '['.repeat(20_000),
  braces: '{a: '.repeat(10_000),
  dashes: '- '.repeat(20_000),
  indentation: times(300, (i) => `${' '.repeat(i)}a:\n`),
  'a lot': `x: ${'y'.repeat(100_000)}`,
};

/** As heavy as it may be. */
const HEAVIEST: Readonly<Record<string, string>> = {
  keys: times(990, (i) => `k${i}: 1\n`),
  'bare keys': `{${times(990, (i) => `k${i}, `)}}`,
  anchors: times(49, (i) => `- &a${i} x\n`) + times(6_000, () => '- y\n'),
  brackets: times(500, () => `${'['.repeat(60)}${']'.repeat(60)},`),
  text: `x: ${'y '.repeat(30_000)}`,
  lines: '- y\n'.repeat(15_000),
};

describe('row 7: YAML of somebody else', () => {
  it.each(Object.entries(BOMBS))('with %s is not parsed', (_, text) => {
    const began = cpuMs();
    expect(yamlProblem(text, SMALL_YAML)).toBeTypeOf('string');
    expect(parseMemory(`---\n${text}\n---\n\nbody`)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('is not read'),
    });
    expect(() => readStrategy(`\`\`\`yaml\n${text}\n\`\`\`\n`)).toThrow('is not read');
    expect(cpuMs() - began).toBeLessThan(500);
  });

  it.each(Object.entries(HEAVIEST))('that has as many %s as it may is parsed in a moment', (_, text) => {
    expect(yamlProblem(text, SMALL_YAML)).toBeUndefined();
    const began = cpuMs();
    parseDocument(text, { logLevel: 'error' });
    expect(cpuMs() - began).toBeLessThan(2_000);
  });

  it.each([
    'id: x\ntags: [a, b]\ncreated: 2025-01-01T10:00:00Z\nnote: "5 * 3 & more"\n',
    `sources: [${times(900, (i) => `"episode-${i}", `)}]`,
    'a:\n  b:\n    - c: 1\n      d: { e: f }\n',
  ])('%s may be what it is', (text) => expect(yamlProblem(text, SMALL_YAML)).toBeUndefined());
});
