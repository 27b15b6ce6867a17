import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { expect, test } from 'vitest';
import { openPeer, type Peer, type Way, type Wire } from '../../../test/fixtures/mcp-peers.ts';
import { sampleServer } from '../../../test/fixtures/mcp-server.ts';
import { systemClock } from '../../kernel/clock.ts';
import { HubError } from '../../kernel/errors.ts';
import { silentLog } from '../../kernel/log.ts';
import { localPrincipal } from '../../kernel/principal.ts';
import { defineTool, type Tool, type ToolContext, type ToolResult } from '../define.ts';
import { prepareServer } from '../registry.ts';
import type { ServerDefinition } from '../server.ts';
import type { Exchange } from './exchange.ts';
import { createTasks } from './tasks.ts';

let stopped = 0;
const value = (text: string) => ({ ok: true, value: { text } }) as const;

function tool(
  name: string,
  work: (context: ToolContext) => Promise<ToolResult<{ text: string }>>,
  needsTask = false,
) {
  return defineTool({
    name,
    title: name,
    description: name,
    input: z.object({}),
    output: z.object({ text: z.string() }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    scope: 'sample',
    effect: 'read',
    needsTask,
    handler: (_, { later }) => later(work),
  });
}

const server: ServerDefinition = {
  ...sampleServer,
  tasks: [],
  tools: [
    tool('quick', async () => value('at once')),
    tool('slow', async ({ signal }) => {
      await sleep(300, undefined, { signal });
      return value('later');
    }),
    tool('endless', async ({ signal }) => {
      signal.addEventListener('abort', () => (stopped += 1));
      await sleep(60_000, undefined, { signal });
      return value('never');
    }),
    tool('broken', async () => {
      await sleep(150);
      throw new HubError('busy', 'too much is waiting');
    }),
    tool('broken_at_once', async () => Promise.reject(new HubError('busy', 'too much is waiting'))),
    tool('asking', async ({ ask }) => {
      const { sure } = await ask({
        sure: { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema: {} } },
      });
      return value(String(sure?.['action']));
    }),
    tool('long', async () => value('long'), true),
  ],
};

const TASKS = {
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: {},
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
};

async function withPeer(
  way: Way,
  run: (peer: Peer, ask: (method: string, params?: object) => Promise<Wire>) => Promise<void>,
): Promise<void> {
  const peer = await openPeer(way, server);
  await run(peer, (method, params) => peer.request(method, { ...params, _meta: TASKS }));
  await peer.close();
}

async function untilOver(
  ask: (method: string, params?: object) => Promise<Wire>,
  taskId: string,
): Promise<Wire['result']> {
  for (;;) {
    const { result } = await ask('tasks/get', { taskId });
    if (!['working', 'input_required'].includes(result.status)) return result;
    await sleep(20);
  }
}

test.each(['stream modern', 'HTTP modern'] as const)(
  '%s: long work becomes a task whose result is asked for later',
  async (way) => {
    await withPeer(way, async (_, ask) => {
      const { result } = await ask('tools/call', { name: 'slow' });
      expect(result).toMatchObject({
        resultType: 'task',
        status: 'working',
        ttlMs: 3_600_000,
        pollIntervalMs: 1_000,
      });
      expect(await untilOver(ask, result.taskId)).toMatchObject({
        resultType: 'complete',
        status: 'completed',
        result: { structuredContent: { text: 'later' } },
      });
    });
  },
);

test('work that ends in a moment is answered at once, also when it fails', async () => {
  await withPeer('stream modern', async (_, ask) => {
    expect((await ask('tools/call', { name: 'quick' })).result).toMatchObject({
      resultType: 'complete',
      structuredContent: { text: 'at once' },
    });
    expect((await ask('tools/call', { name: 'broken_at_once' })).result).toMatchObject({
      resultType: 'complete',
      isError: true,
      structuredContent: { code: 'busy' },
    });
  });
});

test('a tool that fails in the background has a result that says so', async () => {
  await withPeer('stream modern', async (_, ask) => {
    const { taskId } = (await ask('tools/call', { name: 'broken' })).result;
    expect(await untilOver(ask, taskId)).toMatchObject({
      status: 'completed',
      result: { isError: true, structuredContent: { code: 'busy', retryable: true } },
    });
  });
});

test('a task asks its client and goes on with the answer', async () => {
  await withPeer('stream modern', async (_, ask) => {
    const { taskId } = (await ask('tools/call', { name: 'asking' })).result;
    const waiting = (await ask('tasks/get', { taskId })).result;
    expect(waiting).toMatchObject({
      status: 'input_required',
      inputRequests: { sure: { method: 'elicitation/create' } },
    });
    expect((await ask('tasks/update', { taskId, inputResponses: { sure: 5 } })).error.message).toContain(
      'inputResponses.sure',
    );
    expect((await ask('tasks/update', { taskId, inputResponses: null })).error.code).toBe(-32602);
    expect(
      (await ask('tasks/update', { taskId, inputResponses: { other: {}, sure: { action: 'accept' } } }))
        .result.taskId,
    ).toBeUndefined();
    expect(await untilOver(ask, taskId)).toMatchObject({ result: { structuredContent: { text: 'accept' } } });
  });
});

test('a cancelled task stops its work and stays cancelled', async () => {
  await withPeer('stream modern', async (_, ask) => {
    const before = stopped;
    const { taskId } = (await ask('tools/call', { name: 'endless' })).result;
    expect((await ask('tasks/cancel', { taskId })).result.resultType).toBe('complete');
    expect(stopped).toBe(before + 1);
    await sleep(20);
    expect((await ask('tasks/get', { taskId })).result).toMatchObject({ status: 'cancelled' });
    expect((await ask('tasks/cancel', { taskId })).error).toBeUndefined();
  });
});

test('a client that cannot ask for tasks simply waits, or is told what it lacks', async () => {
  await withPeer('stream modern', async (peer) => {
    expect((await peer.request('tools/call', { name: 'slow' })).result).toMatchObject({
      resultType: 'complete',
      structuredContent: { text: 'later' },
    });
    const lacking = {
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    };
    expect((await peer.request('tools/call', { name: 'long' })).error).toMatchObject(lacking);
    expect((await peer.request('tasks/get', { taskId: 'x' })).error).toMatchObject(lacking);
  });
  await withPeer('stream legacy', async (peer) => {
    expect((await peer.request('tools/call', { name: 'slow' })).result.structuredContent).toEqual({
      text: 'later',
    });
    expect((await peer.request('tools/call', { name: 'long' })).result.structuredContent).toEqual({
      text: 'long',
    });
    expect((await peer.request('tasks/get', { taskId: 'x' })).error.code).toBe(-32601);
  });
});

test('an unknown task is unknown, and a server without tasks has no such methods', async () => {
  await withPeer('stream modern', async (_, ask) => {
    for (const taskId of ['nope', 5, undefined, '__proto__'])
      expect((await ask('tasks/get', { taskId })).error.code).toBe(-32602);
  });
  const plain = await openPeer('stream modern', sampleServer);
  expect((await plain.request('tasks/get', { taskId: 'x', _meta: TASKS })).error.code).toBe(-32601);
  await plain.close();
});

test('a task belongs to the caller who started it', async () => {
  const tasks = createTasks({ clock: systemClock, log: silentLog });
  const exchangeOf = (id: string) =>
    ({
      server: prepareServer(server),
      who: { ...localPrincipal(''), id },
      can: new Set(['tasks']),
    }) as unknown as Exchange;
  const tool = (server.tools as readonly Tool[])[0]!;
  const start = tasks.starting(tool, exchangeOf('ada'), {} as ToolContext);
  const started = await start(() => sleep(300).then(() => value('x')));
  const taskId = (started as { task?: string }).task!;
  expect((await tasks.get({ taskId }, exchangeOf('ada'))).members).toContain('"status":"working"');
  for (const act of [tasks.get, tasks.cancel, tasks.update])
    await expect(act({ taskId, inputResponses: {} }, exchangeOf('bob'))).rejects.toThrow('unknown taskId');
});
