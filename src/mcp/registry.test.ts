import { z } from 'zod';
import { expect, test } from 'vitest';
import { localPrincipal } from '../kernel/principal.ts';
import { sampleServer, sampleTools } from '../../test/fixtures/mcp-server.ts';
import { markBrokered } from './brokered.ts';
import { defineTool } from './define.ts';
import { createRegistry, prepareServer } from './registry.ts';

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

test('serves a world tool that the broker has marked, and leaves one it has not out of a dynamic list', async () => {
  const marked = markBrokered(tool('send', { effect: 'world' }));
  expect(() => prepareServer({ ...sampleServer, tools: [marked] })).not.toThrow();
  const server = prepareServer({
    ...sampleServer,
    tools: { version: () => '1', list: () => [marked, tool('rm', { effect: 'world' })] },
  });
  expect((await server.toolList.view(who, 'default')).names).toEqual(['send']);
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
  const first = await server.toolList.view(who, 'default');
  expect(await server.toolList.view(who, 'default')).toBe(first);
  expect(lists).toBe(1);
  version = '2';
  expect((await server.toolList.view(who, 'default')).names).toEqual(['a', 'b']);
});

test('shows a caller only what its scopes allow', async () => {
  const server = prepareServer({ ...sampleServer, tools: sampleTools });
  const limited = { ...who, scopes: new Set(['sample']) };
  expect((await server.toolList.view(limited, 'default')).names).not.toContain('guarded');
  expect((await server.toolList.view(who, 'default')).names).toContain('guarded');
});
