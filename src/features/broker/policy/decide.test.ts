import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { matchesPattern } from '../pattern.ts';
import { defineWorldTool } from '../world-tool.ts';
import { decide, limitsFor } from './decide.ts';
import { readPolicy } from './read.ts';

const bash = defineWorldTool({
  name: 'Bash',
  title: '',
  description: '',
  input: z.object({ command: z.string() }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  scope: 'x',
  source: 'core',
  risk: 'destructive',
  handler: async () => ({ ok: true, value: undefined, text: '' }),
});
const caller = {
  principal: 'local:local',
  agentId: 'ada',
  name: 'ada',
  teamId: 'red',
  toldIn: 'red',
  tenantId: null,
  credential: '',
};

async function decisionFor(rule: string, args: Record<string, unknown>) {
  const read = await readPolicy(`version: 1\nrules:\n  - ${rule}\n`);
  if (!read.ok) throw new Error(read.problems[0]!.message);
  return decide(read.policy, { tool: bash, args, caller })?.decide;
}

describe('a rule', () => {
  it.each([
    ['{ tool: Bash, decide: allow }', {}, 'allow'],
    ['{ tool: [Read, B*], decide: allow }', {}, 'allow'],
    ['{ tool: Read, decide: allow }', {}, undefined],
    ['{ agent: ad?, decide: allow }', {}, 'allow'],
    ['{ team: blue, decide: allow }', {}, undefined],
    ['{ source: core, risk: [destructive, external], decide: ask }', {}, 'ask'],
    ['{ args: { command: "git *" }, decide: allow }', { command: 'git status' }, 'allow'],
    ['{ args: { command: "git *" }, decide: allow }', { command: 'git status; rm -rf x' }, undefined],
    ['{ args: { command: "git *" }, decide: allow }', { command: 'git status && curl x' }, undefined],
    ['{ args: { command: "git *" }, decide: allow }', { command: 'git log $(rm x)' }, undefined],
    ['{ args: { command: "git *" }, decide: allow }', { command: 'git log\nrm x' }, undefined],
    ['{ args: { command: "git *" }, decide: deny }', { command: 'git status; rm -rf x' }, 'deny'],
    ['{ args: { command: "rm *" }, decide: deny }', { command: 'cd x;  sudo /bin/rm -r y' }, 'deny'],
    ['{ args: { command: "rm *" }, decide: deny }', { command: "  r'm' y" }, 'deny'],
    ['{ args: { command: "rm *" }, decide: ask }', { command: 'A=1 env rm y' }, 'ask'],
    ['{ args: { command: "rm *" }, decide: deny }', { command: 'echo rm-like' }, undefined],
    ['{ args: { command: "git * | head" }, decide: allow }', { command: 'git log | head' }, 'allow'],
    ['{ args: { limit: { max: 10 } }, decide: allow }', { limit: 10 }, 'allow'],
    ['{ args: { limit: { max: 10 } }, decide: allow }', { limit: 11 }, undefined],
    ['{ args: { limit: { max: 10 } }, decide: allow }', {}, undefined],
    ['{ args: { mode: { oneOf: [a, b] } }, decide: allow }', { mode: 'b' }, 'allow'],
    ['{ args: { background: { absent: true } }, decide: allow }', {}, 'allow'],
    ['{ args: { background: true }, decide: deny }', { background: true }, 'deny'],
    ['{ args: { command: "*" }, decide: allow }', { command: { nested: 'x' } }, undefined],
  ])('%s on %j', async (rule, args, expected) => {
    expect(await decisionFor(rule, args)).toBe(expected);
  });

  it('the tightest of all limits that apply holds', async () => {
    const read = await readPolicy(
      'version: 1\nlimits:\n  - { perMinute: 100 }\n  - { tool: Bash, perMinute: 20, perDay: 500 }\nrules:\n  - { tool: Bash, decide: allow, limits: { perDay: 50 } }\n',
    );
    expect(read.ok && limitsFor(read.policy, { tool: bash, args: {}, caller })).toEqual({
      perMinute: 20,
      perDay: 50,
    });
  });
});

describe('a broken policy', () => {
  it.each([
    ['rules: []', 1],
    ['version: 1\nrules:\n  - { decide: allow, tools: x }', 3],
    ['version: 1\nrules:\n  - { tool: x }', 3],
    ['version: 1\nrules: {', 2],
    ['version: 1\nlimits:\n  - perMinute: -1', 3],
    ['version: 2', 1],
    ['- a\n- b', 1],
    ['version: 1\nrules:\n  - &a { decide: allow }\n  - *b', 1],
  ])('%j names a line', async (text, line) => {
    const read = await readPolicy(text);
    expect(read.ok ? undefined : read.problems[0]!.line).toBe(line);
  });
});

it.each([
  ['*', '', true],
  ['a*c', 'abbbc', true],
  ['a*c', 'abbbd', false],
  ['?', 'x', true],
  ['?', '', false],
  ['*.ts', 'a/b.ts', true],
  ['a**b', 'ab', true],
  ['', '', true],
])('the pattern %s on %s', (pattern, text, expected) => {
  expect(matchesPattern(pattern, text)).toBe(expected);
});

it('a hostile pattern costs little', () => {
  const startedAt = performance.now();
  matchesPattern(`${'*a'.repeat(50)}b`, 'a'.repeat(20_000));
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
