import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../kernel/log.ts';
import { WAYS, openPeer } from '../../../test/fixtures/mcp-peers.ts';
import type { Peer } from '../../../test/fixtures/mcp-peers.ts';
import { sampleServer } from '../../../test/fixtures/mcp-server.ts';

/** The same behaviour on every way in: one suite over streams and HTTP, in both eras. */
describe.each(WAYS)('over %s', (way) => {
  let peer: Peer;
  let logged = '';
  beforeEach(async () => {
    logged = '';
    peer = await openPeer(way, sampleServer, {
      engine: { log: createLog('error', (line) => (logged += line)) },
    });
  });
  afterEach(() => peer.close());
  const isModern = way.endsWith('modern');
  const call = (name: string, args: unknown, meta?: object) =>
    peer.request('tools/call', { name, arguments: args, ...(meta && { _meta: meta }) });

  test('introduces itself with its instructions', async () => {
    const { result } = await (isModern
      ? peer.request('server/discover')
      : peer.request('initialize', { protocolVersion: '2025-06-18', capabilities: {} }));
    const info = isModern ? result._meta['io.modelcontextprotocol/serverInfo'] : result.serverInfo;
    expect(info).toMatchObject({ name: 'holdfast-sample', version: '0.1.0' });
    expect(result.instructions).toBe('A server for tests.');
    expect(isModern ? result.supportedVersions : result.protocolVersion).toEqual(
      isModern ? ['2026-07-28'] : '2025-06-18',
    );
  });

  test('lists the documented tools, sorted, with schema and all four annotations', async () => {
    const { result } = await peer.request('tools/list');
    expect(result.tools.map((tool: { name: string }) => tool.name)).toEqual([
      'confirm',
      'echo',
      'guarded',
      'refuse',
      'slow',
      'whoami',
      'words',
    ]);
    expect(result.tools[1].inputSchema).toEqual({
      type: 'object',
      properties: {
        text: { type: 'string' },
        times: { type: 'integer', minimum: 1, maximum: 5 },
        mode: { type: 'string', enum: ['plain', 'loud'] },
      },
      required: ['text'],
      additionalProperties: false,
    });
    expect(Object.keys(result.tools[1].annotations)).toHaveLength(4);
    expect(result.ttlMs).toBe(isModern ? 60_000 : undefined);
  });

  test('lists extra tools only in the extended profile; by name they can be called in any', async () => {
    const extended = await openPeer(way, sampleServer, { profile: 'extended' });
    const { result } = await extended.request('tools/list');
    expect(result.tools.map((tool: { name: string }) => tool.name)).toContain('extra');
    expect((await extended.request('tools/call', { name: 'extra' })).result.isError).toBeUndefined();
    await extended.close();
    // A list that is shorter takes nothing away: only a wall does.
    expect((await call('extra', {})).result.isError).toBeUndefined();
  });

  test('answers the same facts as structured content and as text', async () => {
    const { result } = await call('echo', { text: 'hi', times: 2 });
    expect(result.structuredContent).toEqual({ text: 'hihi' });
    expect(JSON.parse(result.content[0].text)).toEqual({ text: 'hihi' });
    expect(result.resultType).toBe(isModern ? 'complete' : undefined);
  });

  test('answers plain text from a text tool', async () => {
    const { result } = await call('words', {});
    expect(result.content).toEqual([{ type: 'text', text: 'just words' }]);
    expect(result.structuredContent).toBeUndefined();
  });

  test('gives the documented line alone in the first block of a refusal', async () => {
    const { result } = await call('refuse', { how: 'line' });
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toBe('claim failed: conflict');
    expect(result.content[1].text).toContain('Pick other work.');
    expect(result.content[1].text).toContain('ada');
    expect(result.structuredContent).toEqual({
      error: 'claim failed: conflict',
      code: 'conflict',
      holder: 'ada',
      hint: 'Pick other work.',
    });
  });

  test('turns a thrown hub error into a result with code and advice', async () => {
    const { result } = await call('refuse', { how: 'error' });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: 'too much is waiting', code: 'busy', waiting: 12, retryable: true },
    });
  });

  test('hides what crashed and logs it', async () => {
    const { result } = await call('refuse', { how: 'crash' });
    expect(result).toMatchObject({ isError: true, structuredContent: { code: 'internal' } });
    expect(JSON.stringify(result)).not.toContain('hunter2');
    expect(logged).toContain('a tool failed');
  });

  test('names each bad argument with what would be right', async () => {
    const { result } = await call('echo', { text: '', times: 9, mode: 'quiet', loud: true });
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toBe(
      'invalid arguments for echo: text must be a string of 1 to 100 characters, got ""; times must be a whole number from 1 to 5, got 9; ' +
        'mode must be one of plain, loud, got "quiet"; unknown argument "loud"; known: text, times, mode',
    );
  });

  test.each([
    ['a number as text', { text: 'a', times: '2' }, 'times must be a whole number from 1 to 5, got "2"'],
    ['a fraction', { text: 'a', times: 1.5 }, 'times must be a whole number from 1 to 5, got 1.5'],
    ['nothing', {}, 'text is required: a string of 1 to 100 characters'],
    ['null', { text: null }, 'text must be a string of 1 to 100 characters, got null'],
  ])('does not coerce %s', async (_, args, text) => {
    expect((await call('echo', args)).result.content[0].text).toContain(text);
  });

  test('is not confused by keys of the prototype', async () => {
    const args: unknown = JSON.parse('{"text":"a","__proto__":{"times":5},"constructor":1}');
    expect((await call('echo', args)).result.content[0].text).toContain(
      'unknown arguments "__proto__", "constructor"',
    );
    expect((await call('constructor', {})).error.code).toBe(-32602);
    expect((await peer.request('__proto__')).error.code).toBe(-32601);
  });

  test('refuses unknown tools, missing names and unknown methods as protocol errors', async () => {
    expect((await call('nope', {})).error).toMatchObject({ code: -32602, message: 'Unknown tool: nope' });
    expect((await peer.request('tools/call', {})).error.code).toBe(-32602);
    expect((await peer.request('tools/call', { name: 'echo', arguments: [] })).error.code).toBe(-32602);
    expect((await peer.request('no/such')).error.code).toBe(-32601);
    expect((await peer.request('resources/list')).error.code).toBe(-32601);
  });

  test.each(['{}', '{"requestState":"x"}'])(
    'refuses arguments deeper than anybody can mean, also with %s',
    async (more) => {
      const bottomless = JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`) as object;
      const { error } = await peer.request('tools/call', {
        name: 'echo',
        arguments: { text: bottomless },
        ...(JSON.parse(more) as object),
      });
      expect(error).toMatchObject({
        code: -32602,
        message: 'Invalid params: nested more than 64 levels deep',
      });
      expect(logged).toBe('');
    },
  );

  test('reports growing progress to whoever sent a token', async () => {
    await call('slow', { ms: 30, steps: 3 }, { progressToken: 'p1' });
    await call('slow', { ms: 10, steps: 2 });
    const progress = peer.heard.filter((wire) => wire.method === 'notifications/progress');
    expect(progress.map((wire) => wire.params)).toEqual(
      [1, 2, 3].map((step) => ({ progressToken: 'p1', progress: step, total: 3, message: `step ${step}` })),
    );
  });

  test('refuses a cursor it did not give out', async () => {
    for (const cursor of ['***', 'bogus', '', 'gg', 5, null])
      expect((await peer.request('tools/list', { cursor })).error?.code, String(cursor)).toBe(-32602);
  });
});

test.each(['stream modern', 'HTTP modern'] as const)(
  '%s: methods of the other era do not exist',
  async (way) => {
    const peer = await openPeer(way, sampleServer);
    for (const method of ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe'])
      expect((await peer.request(method)).error.code).toBe(-32601);
    await peer.close();
  },
);

test.each(['stream legacy', 'HTTP legacy'] as const)(
  '%s: ping answers, modern methods do not exist',
  async (way) => {
    const peer = await openPeer(way, sampleServer);
    expect((await peer.request('ping')).result).toEqual({});
    expect((await peer.request('server/discover')).error.code).toBe(-32601);
    expect((await peer.request('subscriptions/listen')).error.code).toBe(-32601);
    await peer.close();
  },
);
