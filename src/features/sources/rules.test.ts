import { expect, it } from 'vitest';
import { nameOf, nameTools } from './served/names.ts';
import { mayRepeat, waitAfter } from './rules.ts';
import { createCheck } from './review/schema-check.ts';
import { RESERVED } from './config/settings.ts';
import { readToml } from './config/toml.ts';

it('waits longer after every failure, and opens the breaker after five', () => {
  const waits = [1, 2, 3, 4].map((failures) => waitAfter(failures, 0.5).ms);
  expect(waits).toEqual([250, 1_000, 2_000, 4_000]);
  expect(waitAfter(5, 0.5)).toEqual({ ms: 300_000, isOpen: true });
});

it('repeats only what cannot have run or may run twice', () => {
  expect(mayRepeat('unsent', {})).toBe(true);
  expect(mayRepeat('session', {})).toBe(true);
  expect(mayRepeat('closed', {})).toBe(false);
  expect(mayRepeat('closed', { readOnlyHint: true })).toBe(true);
  expect(mayRepeat('closed', { idempotentHint: true })).toBe(true);
  expect(mayRepeat('timeout', { readOnlyHint: true })).toBe(false);
  expect(mayRepeat('answered', { readOnlyHint: true })).toBe(false);
});

it('gives every tool a name of its own, of at most 64 characters', () => {
  expect(nameOf('git', 'a.b/c d')).toBe('git__a_b_c_d');
  const { named, problems } = nameTools('git', [
    { name: 'a.b' },
    { name: 'a_b' },
    { name: 'a.b' },
    { name: 'y'.repeat(90) },
  ]);
  const names = named.map(({ name }) => name);
  expect(new Set(names).size).toBe(3);
  expect(names.every((name) => name.length <= 64)).toBe(true);
  expect(problems).toHaveLength(2);
});

it('checks arguments by the schema, without its patterns and without fetching anything', () => {
  const check = createCheck({
    type: 'object',
    properties: {
      pattern: { type: 'string', pattern: '^(a+)+$' },
      n: { $ref: '#/$defs/n' },
      far: { $ref: 'http://127.0.0.1:1/x' },
    },
    required: ['pattern'],
    $defs: { n: { type: 'integer' } },
  });
  expect(check({ pattern: `${'a'.repeat(40)}!`, far: {} })).toEqual([]);
  expect(check({})).toEqual([expect.stringContaining('pattern')]);
  expect(check({ pattern: 'x', n: 'y' })).toEqual([expect.stringContaining('n: ')]);
  expect(createCheck({ type: 'object', if: {}, else: {} })({ anything: 1 })).toEqual([]);
});

it('reads the TOML that clients write', () => {
  expect(
    readToml(
      '[mcp_servers."a b".env]\nK = "v # not a comment" # one\n[mcp_servers.c]\nargs = ["x",\n "y"]\nenabled = false\n',
    ),
  ).toEqual({
    mcp_servers: { 'a b': { env: { K: 'v # not a comment' } }, c: { args: ['x', 'y'], enabled: false } },
  });
});

it('is not held up by a file made to hold it up', () => {
  const begun = performance.now();
  readToml(`${'a'.repeat(50_000)}\n${'a.'.repeat(20_000)}\n${'['.repeat(10_000)}`);
  expect(performance.now() - begun).toBeLessThan(1_000);
});

it('keeps the names of built-in servers', () => {
  for (const key of ['tasks', 'memory', 'tools', 'teamchat', 'brain', 'hub']) expect(RESERVED).toContain(key);
});
