import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canOverlap, EFFORT, readPattern } from './rules.ts';
import { cpuMs } from '../../../test/fixtures/cpu.ts';

/** The plain meaning of a pattern, to hold the clever one against. */
function toRegex(pattern: string): RegExp {
  const parts = pattern.split('/').map((segment) =>
    segment === '**'
      ? undefined
      : segment
          .replace(/[.+^$()|]/g, '\\$&')
          .replaceAll('*', '[^/]*')
          .replaceAll('?', '[^/]'),
  );
  const body = parts.reduce<string>(
    (text, part) => `${text}${part === undefined ? '(?:/[^/]+)*' : `/${part}`}`,
    '',
  );
  return new RegExp(`^${body}$`);
}

describe('a pattern', () => {
  it.each([
    ['./src/a.ts', 'src/a.ts'],
    ['src/auth/', 'src/auth/**'],
    ['**', '**'],
  ])('%s is read as %s', (given, read) => expect(readPattern(given)).toBe(read));

  it.each([
    '',
    '/etc/passwd',
    '../x',
    'a//b',
    'a/./b',
    'a\\b',
    'src/[ab].ts',
    'src/{a,b}',
    'a\nb',
    'src/**x',
    'x'.repeat(501),
    'a/'.repeat(41),
    '*a'.repeat(17),
    '?'.repeat(17),
  ])('%j is none', (given) => expect(() => readPattern(given)).toThrow(/The pattern/));

  it.each([
    ['src/**', 'src/auth/login.ts', true],
    ['src/*.ts', 'src/auth/login.ts', false],
    ['**/*.md', 'docs/**', true],
    ['docs/*.md', 'docs/*.txt', false],
    ['src/a?.ts', 'src/ab.ts', true],
    ['package.json', 'package.json', true],
    ['src/**', 'test/**', false],
    ['a*c', '*b*', true],
    ['**/test/**', 'src/**/unit.ts', true],
  ])('%s and %s meet: %s', (a, b, expected) => {
    expect(canOverlap(a, b)).toBe(expected);
    expect(canOverlap(b, a)).toBe(expected);
  });

  it('meets another exactly when there is a path both match', () => {
    const segment = fc.constantFrom('a', 'b', 'ab', '*', 'a*', '*b', '?', '?b', 'a?', '*a*', '**');
    const pattern = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const words = ['a', 'b', 'ab', 'aa', 'bb'];
    const paths = [1, 2, 3, 4, 5].reduce<string[][]>(
      (lists) => [...lists, lists.at(-1)!.flatMap((path) => words.map((word) => `${path}/${word}`))],
      [['']],
    );
    const all = paths.flat();
    fc.assert(
      fc.property(pattern, pattern, (a, b) => {
        const [x, y] = [toRegex(a), toRegex(b)];
        const isCommon = all.some((path) => x.test(path) && y.test(path));
        expect(canOverlap(a, b)).toBe(isCommon);
      }),
      { numRuns: 300 },
    );
  });

  it('is compared with thousands of hostile ones in a moment', () => {
    const effort = { left: EFFORT };
    const began = cpuMs();
    const one = `${'*a'.repeat(15)}b`;
    for (let i = 0; i < 20_000; i += 1) canOverlap(one, `${'*a'.repeat(15)}${i}`, effort);
    expect(cpuMs() - began).toBeLessThan(1_000);
  });

  it('that could cost a long look is refused before it does', () => {
    const effort = { left: EFFORT };
    const [hay, needle] = ['a'.repeat(500), `*${'a'.repeat(250)}?${'a'.repeat(200)}b*`];
    const began = cpuMs();
    expect(() => {
      for (let i = 0; i < 100_000; i += 1) canOverlap(hay, needle, effort);
    }).toThrow(/too many others/);
    expect(cpuMs() - began).toBeLessThan(2_000);
  });
});
