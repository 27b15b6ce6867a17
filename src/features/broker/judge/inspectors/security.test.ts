import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../../../kernel/inspect/patterns/rules.ts';
import { scan } from './security.ts';
import { MAX_TEXT, viewsOf } from '../../../../kernel/inspect/views.ts';

const b64 = (text: string) => Buffer.from(text).toString('base64');

describe('a long text', () => {
  it.each([
    ['one long line', 'rm -rf '.repeat(200_000)],
    ['nothing but quotes', `'"\\\``.repeat(400_000)],
    ['a wall of spaces', ' '.repeat(1_500_000)],
    [
      'hostile nesting',
      JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ c: 'x'.repeat(200_000) }) }) }),
    ],
    ['base64 of base64', b64(b64(b64('x'.repeat(200_000))))],
  ])('is not slowed down by %s', (_, text) => {
    const startedAt = performance.now();
    scan({ text }, new Set());
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});

it('every pattern has its row in the reference, and the reference no other', () => {
  const reference = readFileSync(
    new URL('../../../../../docs/reference/inspectors.md', import.meta.url),
    'utf8',
  );
  const documented = [...reference.matchAll(/^\| `(security:[a-z-]+:[a-z-]+)` \|/gm)].map(([, code]) => code);
  expect(new Set(documented)).toEqual(
    new Set(RULES.map(({ severity, label }) => `security:${severity}:${label}`)),
  );
});

describe('a text made to hold the hub up', () => {
  /** Each of them once took minutes or more. */
  const REPEATED = [
    'rm -',
    'rm -r ',
    '-r ',
    'a=a= ',
    '| env a=a= ',
    '| sudo -a ',
    '.env|',
    'env|',
    '.env;',
    'ignore all ',
    'show your ',
    'del /a:b ',
  ];
  const BEGUN = ['', 'curl x | env ', 'rm -r ', 'del ', 'npx ', 'base64 '];

  it.each(REPEATED)('no text of the full length holds the hub up: %j', (part) => {
    for (const begin of BEGUN) {
      const text = `${begin}${part.repeat(Math.ceil(MAX_TEXT / part.length))}`.slice(0, MAX_TEXT);
      const startedAt = performance.now();
      scan({ text }, new Set());
      expect(performance.now() - startedAt, begin).toBeLessThan(20_000);
    }
  });

  it('many texts cost no more than a few', () => {
    const texts = Array.from({ length: 400 }, (_, i) => `${i} ${'env| '.repeat(6_000)}`);
    const startedAt = performance.now();
    scan(texts, new Set());
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it('what was left out is told: it may hold anything', () => {
    const decoys = Array.from({ length: 500 }, (_, i) => `decoy ${i}`);
    expect(viewsOf([...decoys, 'rm -rf /']).isWhole).toBe(false);
    expect(viewsOf(['a', { b: ['rm -rf /'] }, 5, null]).isWhole).toBe(true);
    expect(viewsOf('x'.repeat(MAX_TEXT + 1)).isWhole).toBe(false);
    expect(viewsOf({ a: { a: { a: { a: { a: { a: { a: { a: 'rm -rf /' } } } } } } } }).isWhole).toBe(false);
  });
});
