import { z } from 'zod';
import { expect, test } from 'vitest';
import { localPrincipal, type Principal } from '../kernel/principal.ts';
import { sampleServer, sampleTools } from '../../test/fixtures/mcp-server.ts';
import { markBrokered } from './brokered.ts';
import { defineTool } from './define.ts';
import { createRegistry, prepareServer, type Server } from './registry.ts';

const who = localPrincipal('');

function tool(name: string, more: { effect?: 'read' | 'world'; profile?: 'extended'; scope?: string } = {}) {
  return defineTool({
    name,
    title: name,
    description: name,
    input: z.object({}),
    output: z.object({}),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    scope: 'x',
    effect: 'read',
    handler: async () => ({ ok: true, value: {} }),
    ...more,
  });
}

test('finds servers by key and lists them sorted', () => {
  const registry = createRegistry([
    { ...sampleServer, key: 'b' },
    { ...sampleServer, key: 'a' },
  ]);
  expect(registry.all().map((server) => server.key)).toEqual(['a', 'b']);
  expect(registry.get('a')?.name).toBe('holdfast-sample');
  expect(registry.get('c')).toBeUndefined();
});

test.each([
  ['a key that is no word', { key: 'Tasks!' }, 'must be a short lower-case word'],
  ['instructions that clients would cut', { instructions: 'x'.repeat(2_049) }, '2049 characters'],
  ['a tool defined twice', { tools: [tool('a'), tool('a')] }, 'defined twice'],
  ['a tool name the protocol forbids', { tools: [tool('a b')] }, 'not allowed'],
  ['a world tool without broker', { tools: [tool('rm', { effect: 'world' })] }, 'not behind the broker'],
])('refuses %s at start', (_, part, text) => {
  expect(() => prepareServer({ ...sampleServer, ...part })).toThrow(text);
});

test('refuses a second server with the same key', () => {
  expect(() => createRegistry([sampleServer, sampleServer])).toThrow('already registered');
});

const as = (caller: Principal, version = '2026-07-28') => ({ who: caller, profile: 'default', version });

test('serves a world tool that the broker has marked, and leaves one it has not out of a dynamic list', async () => {
  const marked = markBrokered(tool('send', { effect: 'world' }));
  expect(() => prepareServer({ ...sampleServer, tools: [marked] })).not.toThrow();
  const server = prepareServer({
    ...sampleServer,
    tools: { version: () => '1', list: () => [marked, tool('rm', { effect: 'world' })] },
  });
  expect((await server.toolList.view(as(who))).names).toEqual(['send']);
  expect(await server.toolList.find('rm', who, 'default')).toBeUndefined();
});

test('serialises a list once per profile and version', async () => {
  let version = '1';
  let lists = 0;
  const server = prepareServer({
    ...sampleServer,
    tools: {
      version: () => version,
      list: () => ((lists += 1), version === '1' ? [tool('a')] : [tool('a'), tool('b')]),
    },
  });
  const first = await server.toolList.view(as(who));
  expect(await server.toolList.view(as(who))).toBe(first);
  expect(lists).toBe(1);
  version = '2';
  expect((await server.toolList.view(as(who))).names).toEqual(['a', 'b']);
});

test('shows a caller only what its scopes allow', async () => {
  const server = prepareServer({ ...sampleServer, tools: sampleTools });
  const limited = { ...who, scopes: new Set(['sample']) };
  expect((await server.toolList.view(as(limited))).names).not.toContain('guarded');
  expect((await server.toolList.view(as(who))).names).toContain('guarded');
});

test('shows output schemas to the revisions that know them, and only the small ones where a server says so', async () => {
  const output = (fields: number) =>
    z.object(Object.fromEntries(Array.from({ length: fields }, (_, i) => [`field${i}`, z.string()])));
  const tools = [
    { ...tool('small'), output: output(1) },
    { ...tool('large'), output: output(40) },
  ];
  const whose = async (server: Server, version: string) =>
    (
      JSON.parse(`[${(await server.toolList.view(as(who, version))).text}]`) as { outputSchema?: object }[]
    ).map(({ outputSchema }) => outputSchema !== undefined);
  const all = prepareServer({ ...sampleServer, tools });
  const some = prepareServer({ ...sampleServer, tools, mostOutputTokens: 100 });
  for (const version of ['2025-06-18', '2025-11-25', '2026-07-28']) {
    expect(await whose(all, version)).toEqual([true, true]);
    expect(await whose(some, version)).toEqual([false, true]);
  }
  for (const version of ['2025-03-26', '2024-11-05', '2024-10-07'])
    expect(await whose(all, version)).toEqual([false, false]);
});
