import { z } from 'zod';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPeer, type Peer, WAYS } from '../../../test/fixtures/mcp-peers.ts';
import { sampleServer } from '../../../test/fixtures/mcp-server.ts';
import { HubError } from '../../kernel/errors.ts';
import { createChangeBoard } from '../changes.ts';
import { defineTool, type Tool, type ToolContext } from '../define.ts';
import type { ServerDefinition } from '../server.ts';

/** Resources, prompts, completion, logging, paging and trace context, on every way in. */
const board = createChangeBoard();
const HUB = [{ realm: 'hub' }] as const;
let seen: ToolContext | undefined;

function tool(name: string, run: (context: ToolContext) => void = () => undefined): Tool {
  return defineTool({
    name,
    title: name,
    description: name,
    input: z.object({}),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    scope: 'sample',
    effect: 'read',
    handler: async (_, context) => {
      run(context);
      return { ok: true, value: undefined as never, text: 'ok', meta: { 'holdfast/reason': 'because' } };
    },
  });
}

const many = Array.from({ length: 600 }, (_, i) => tool(`tool_${String(i).padStart(3, '0')}`));
const speaking = tool('speak', ({ say }) => {
  say('debug', 'too quiet');
  say('warning', { text: 'heard' }, 'sample');
});

const server: ServerDefinition = {
  ...sampleServer,
  tools: [...many, speaking, tool('trace', (context) => (seen = context))],
  resources: {
    list: async () => [
      { uri: 'holdfast://b', name: 'b' },
      { uri: 'holdfast://a', name: 'a', mimeType: 'text/plain' },
    ],
    templates: async () => [{ uriTemplate: 'holdfast://tasks/{id}', name: 'task' }],
    async read(uri) {
      if (uri === 'holdfast://broken') throw new HubError('busy', 'try later', { waiting: 3 });
      return uri === 'holdfast://a' ? [{ uri, mimeType: 'text/plain', text: 'A' }] : undefined;
    },
    mayWatch: (uri) => uri === 'holdfast://a',
  },
  prompts: {
    list: async () => [
      {
        name: 'stand-up',
        description: 'What happened',
        arguments: [{ name: 'team', required: true }, { name: 'since' }],
        get: async ({ team, since }) => [
          { role: 'user', content: { type: 'text', text: `${team} ${since ?? 'today'}` } },
        ],
      },
    ],
  },
  complete: async ({ target, name, value, given }) => {
    const pool = Array.from({ length: 150 }, (_, i) => `${target.kind} ${name} ${given['team'] ?? '-'} ${i}`);
    return pool.filter((word) => word.includes(value));
  },
  listChangedOn: { tools: ['x'], resources: ['y'] },
};

describe.each(WAYS)('over %s', (way) => {
  const isModern = way.endsWith('modern');
  let peer: Peer;
  beforeEach(async () => {
    peer = await openPeer(way, server, { engine: { changes: board } });
  });
  afterEach(() => peer.close());

  test('announces exactly what it serves', async () => {
    const { result } = await (isModern
      ? peer.request('server/discover')
      : peer.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} }));
    expect(result.capabilities).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: {},
      completions: {},
      ...(!isModern && { logging: {} }),
    });
  });

  test('a long list comes in pages that neither repeat nor skip', async () => {
    const names: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const { result } = await peer.request('tools/list', cursor === undefined ? {} : { cursor });
      names.push(...result.tools.map((one: { name: string }) => one.name));
      cursor = result.nextCursor;
      pages += 1;
    } while (cursor !== undefined);
    expect(pages).toBe(3);
    expect(names).toEqual([...new Set(names)].toSorted());
    expect(names).toHaveLength(602);
  });

  test('lists, reads and misses resources', async () => {
    const { result } = await peer.request('resources/list');
    expect(result.resources.map((one: { uri: string }) => one.uri)).toEqual(['holdfast://a', 'holdfast://b']);
    expect((await peer.request('resources/templates/list')).result.resourceTemplates).toHaveLength(1);
    const read = (await peer.request('resources/read', { uri: 'holdfast://a' })).result;
    expect(read.contents).toEqual([{ uri: 'holdfast://a', mimeType: 'text/plain', text: 'A' }]);
    expect(read.ttlMs).toBe(isModern ? 0 : undefined);
    expect((await peer.request('resources/read', { uri: 'holdfast://zzz' })).error).toMatchObject({
      code: isModern ? -32602 : -32002,
      data: { uri: 'holdfast://zzz' },
    });
    expect((await peer.request('resources/read', {})).error.code).toBe(-32602);
  });

  test('a hub error of a resource keeps its code and advice', async () => {
    expect((await peer.request('resources/read', { uri: 'holdfast://broken' })).error).toMatchObject({
      code: -32603,
      message: 'try later',
      data: { code: 'busy', retryable: true, waiting: 3 },
    });
  });

  test('gives prompts with their arguments and names what is missing', async () => {
    expect((await peer.request('prompts/list')).result.prompts).toEqual([
      {
        name: 'stand-up',
        description: 'What happened',
        arguments: [{ name: 'team', required: true }, { name: 'since' }],
      },
    ]);
    expect(
      (await peer.request('prompts/get', { name: 'stand-up', arguments: { team: 'red' } })).result.messages[0]
        .content.text,
    ).toBe('red today');
    expect((await peer.request('prompts/get', { name: 'stand-up' })).error.message).toContain(
      'missing argument team; stand-up takes team, since',
    );
    expect(
      (await peer.request('prompts/get', { name: 'stand-up', arguments: { team: 5 } })).error.message,
    ).toContain('must be text');
    expect((await peer.request('prompts/get', { name: 'nope' })).error.code).toBe(-32602);
  });

  test('completes from what was typed and chosen, a hundred at most', async () => {
    const { result } = await peer.request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'stand-up' },
      argument: { name: 'since', value: 'since' },
      context: { arguments: { team: 'red' } },
    });
    expect(result.completion).toMatchObject({ total: 150, hasMore: true });
    expect(result.completion.values).toHaveLength(100);
    expect(result.completion.values[0]).toBe('prompt since red 0');
    expect(
      (await peer.request('completion/complete', { ref: { type: 'x' }, argument: { name: 'a', value: '' } }))
        .error.code,
    ).toBe(-32602);
    expect(
      (
        await peer.request('completion/complete', {
          ref: { type: 'ref/resource', uri: 'x{y}' },
          argument: {},
        })
      ).error.code,
    ).toBe(-32602);
  });

  test('says log lines only to who wants that level', async () => {
    const level = { 'io.modelcontextprotocol/logLevel': 'warning' };
    if (!isModern) await peer.request('logging/setLevel', { level: 'warning' });
    await peer.request('tools/call', { name: 'speak', ...(isModern && { _meta: level }) });
    const lines = peer.heard.filter((wire) => wire.method === 'notifications/message');
    expect(lines.map((wire) => wire.params)).toEqual([
      { level: 'warning', logger: 'sample', data: { text: 'heard' } },
    ]);
    if (isModern) await peer.request('tools/call', { name: 'speak' });
    else expect((await peer.request('logging/setLevel', { level: 'loud' })).error.code).toBe(-32602);
    expect(peer.heard.filter((wire) => wire.method === 'notifications/message')).toHaveLength(1);
  });

  test('hands the trace context and the deadline to the tool, and its meta to the caller', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { result } = await peer.request('tools/call', {
      name: 'trace',
      _meta: { traceparent, tracestate: 'a=b' },
    });
    expect(seen?.trace).toEqual({ traceparent, tracestate: 'a=b' });
    expect(seen?.deadline).toBeGreaterThan(Date.now());
    expect(seen?.callId).toMatch(/^[0-9a-f-]{36}$/);
    expect(result._meta['holdfast/reason']).toBe('because');
    await peer.request('tools/call', { name: 'trace', _meta: { traceparent: 'nonsense' } });
    expect(seen?.trace).toBeUndefined();
  });
});

test('a legacy client watches what it may see, until it stops', async () => {
  const peer = await openPeer('stream legacy', server, {
    engine: { changes: board, limits: { watched: 1 } },
  });
  expect((await peer.request('resources/subscribe', { uri: 'holdfast://a' })).result).toEqual({});
  expect((await peer.request('resources/subscribe', { uri: 'holdfast://secret' })).error).toMatchObject({
    code: -32002,
  });
  board.publish({ server: 'sample', uri: 'holdfast://a', origins: HUB });
  board.publish({ server: 'sample', uri: 'holdfast://secret', origins: HUB });
  await peer.request('resources/unsubscribe', { uri: 'holdfast://a' });
  board.publish({ server: 'sample', uri: 'holdfast://a', origins: HUB });
  await peer.request('ping');
  expect(peer.heard).toEqual([
    { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'holdfast://a' } },
  ]);
  await peer.close();
});

test('a modern listener is granted only what it may see', async () => {
  const peer = await openPeer('stream modern', server, { engine: { changes: board } });
  void peer.request('subscriptions/listen', {
    notifications: { resourceSubscriptions: ['holdfast://a', 'holdfast://secret'], promptsListChanged: true },
  });
  await expect.poll(() => peer.heard.length).toBe(1);
  expect(peer.heard[0]?.params.notifications).toEqual({ resourceSubscriptions: ['holdfast://a'] });
  board.publish({ server: 'sample', uri: 'holdfast://secret', origins: HUB });
  board.publish({ server: 'sample', uri: 'holdfast://a', origins: HUB });
  await expect.poll(() => peer.heard.length).toBe(2);
  expect(peer.heard[1]).toMatchObject({
    method: 'notifications/resources/updated',
    params: { uri: 'holdfast://a' },
  });
  expect((await peer.request('subscriptions/listen', {})).error.code).toBe(-32602);
  expect(
    (await peer.request('subscriptions/listen', { notifications: { resourceSubscriptions: [5] } })).error
      .code,
  ).toBe(-32602);
  await peer.close();
});

test('listeners are capped', async () => {
  const peer = await openPeer('stream modern', server, {
    engine: { limits: { listeners: { total: 9, perCaller: 9, perSeat: 1 } } },
  });
  void peer.request('subscriptions/listen', { notifications: { toolsListChanged: true } });
  await expect.poll(() => peer.heard.length).toBe(1);
  expect(
    (await peer.request('subscriptions/listen', { notifications: { toolsListChanged: true } })).error.message,
  ).toContain('limit reached (1 of this connection)');
  await peer.close();
});

test.each(['stream modern', 'HTTP modern'] as const)(
  '%s: a question ends the call and its answer finishes it',
  async (way) => {
    const peer = await openPeer(way, sampleServer);
    const first = (await peer.request('tools/call', { name: 'confirm' })).result;
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: { sure: { method: 'elicitation/create' } },
    });
    const retry = {
      name: 'confirm',
      requestState: first.requestState,
      inputResponses: { sure: { action: 'accept', content: { ok: true } } },
    };
    expect((await peer.request('tools/call', retry)).result.structuredContent).toEqual({ answer: 'accept' });
    expect(
      (await peer.request('tools/call', { ...retry, requestState: `${first.requestState}x` })).error.code,
    ).toBe(-32602);
    const unable = { name: 'confirm', _meta: { 'io.modelcontextprotocol/clientCapabilities': {} } };
    expect((await peer.request('tools/call', unable)).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: {} } },
    });
    await peer.close();
  },
);
