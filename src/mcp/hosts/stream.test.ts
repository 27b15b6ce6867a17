import { once } from 'node:events';
import { type Duplex, duplexPair, PassThrough } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { ENVELOPE, INITIALIZE, type Wire } from '../../../test/fixtures/mcp-peers.ts';
import { KEY, cancellations, sampleServer } from '../../../test/fixtures/mcp-server.ts';
import { localPrincipal } from '../../kernel/principal.ts';
import { createChangeBoard } from '../changes.ts';
import { createEngine } from '../engine/engine.ts';
import { prepareServer } from '../registry.ts';
import { serveStream } from './stream.ts';

const board = createChangeBoard();
const stopping = new AbortController();

function open(): {
  near: Duplex;
  served: Promise<void>;
  send(...messages: unknown[]): void;
  next(): Promise<Wire>;
  rest(): Promise<Wire[]>;
} {
  const [near, far] = duplexPair();
  const engine = createEngine({ key: KEY, changes: board });
  const served = serveStream({
    engine,
    server: prepareServer(sampleServer),
    who: localPrincipal('stdio:1'),
    profile: 'default',
    input: far,
    output: far,
    stopping: stopping.signal,
  });
  const lines: Wire[] = [];
  const waiting: ((wire: Wire) => void)[] = [];
  let held = '';
  near.on('data', (chunk: Buffer) => {
    const parts = (held + chunk.toString()).split('\n');
    held = parts.pop()!;
    for (const part of parts) {
      const wire = JSON.parse(part) as Wire;
      const take = waiting.shift();
      if (take) take(wire);
      else lines.push(wire);
    }
  });
  opened.push(near);
  return {
    near,
    served,
    send: (...messages) =>
      near.write(
        messages
          .map((message) => (typeof message === 'string' ? message : JSON.stringify(message)) + '\n')
          .join(''),
      ),
    next: () =>
      lines.length > 0 ? Promise.resolve(lines.shift()!) : new Promise((resolve) => waiting.push(resolve)),
    async rest() {
      await served;
      return lines;
    },
  };
}

const opened: Duplex[] = [];
afterEach(() => {
  for (const stream of opened.splice(0)) stream.destroy();
});

const request = (id: unknown, method: string, params?: object) => ({ jsonrpc: '2.0', id, method, params });
const slow = (id: unknown, ms: number) => request(id, 'tools/call', { name: 'slow', arguments: { ms } });

test('answers a parse error and goes on', async () => {
  const { send, next } = open();
  send('{"jsonrpc":', request(1, 'ping'));
  expect(await next()).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32700, message: 'Parse error: the line is not valid JSON' },
  });
  expect(await next()).toMatchObject({ id: 1, result: {} });
});

test('survives invalid UTF-8 and a line of more than 10 MB', async () => {
  const { near, send, next } = open();
  near.write(Buffer.from([0xff, 0xfe, 0x0a]));
  expect((await next()).error).toEqual({ code: -32700, message: 'Parse error: the line is not UTF-8' });
  near.write(Buffer.alloc(11 * 1024 * 1024, 'a'));
  send('', request(2, 'ping'));
  expect((await next()).error).toEqual({ code: -32700, message: 'Parse error: the line is too long' });
  expect((await next()).id).toBe(2);
});

test.each([
  ['a number', 5],
  ['no version', { id: 1, method: 'ping' }],
  ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
  ['a null id', { jsonrpc: '2.0', id: null, method: 'ping' }],
  ['a fractional id', { jsonrpc: '2.0', id: 1.5, method: 'ping' }],
  ['neither method nor result', { jsonrpc: '2.0', id: 1 }],
])('refuses %s as an invalid request', async (_, message) => {
  const { send, next } = open();
  send(message);
  expect((await next()).error.code).toBe(-32600);
});

test('treats a notification with an id as the request it is', async () => {
  const { send, next } = open();
  send(request(7, 'notifications/initialized'));
  expect(await next()).toMatchObject({ id: 7, error: { code: -32601 } });
});

test('lets pending answers out after the end of input, then ends', async () => {
  const { near, send, rest } = open();
  send(slow(1, 80), request(2, 'ping'));
  near.end();
  expect((await rest()).map((wire) => wire.id)).toEqual([2, 1]);
});

test('takes a last message without newline at the end of input', async () => {
  const { near, rest } = open();
  near.end(JSON.stringify(request(1, 'ping')));
  expect(await rest()).toMatchObject([{ id: 1, result: {} }]);
});

test('cuts nothing off when input ends in the middle of a message', async () => {
  const { near, send, rest } = open();
  send(request(1, 'ping'));
  near.end('{"jsonrpc":"2.0","id":2,"me');
  expect(await rest()).toMatchObject([{ error: { code: -32700 } }, { id: 1 }]);
});

test('a cancelled request is never answered and its work is stopped', async () => {
  const { near, send, next, rest } = open();
  const before = cancellations.count;
  send(slow('a', 60_000), request('b', 'ping'));
  await next();
  send(
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } },
    request('c', 'ping'),
  );
  near.end();
  expect((await rest()).map((wire) => wire.id)).toEqual(['c']);
  expect(cancellations.count).toBe(before + 1);
});

test('a request cancelled before it began never begins', async () => {
  const { near, send, rest } = open();
  const before = cancellations.count;
  send(slow('a', 60_000), { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } });
  near.end();
  expect(await rest()).toEqual([]);
  expect(cancellations.count).toBe(before);
});

test('a client that can no longer be answered has cancelled its work', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const engine = createEngine({ key: KEY });
  const served = serveStream({
    engine,
    server: prepareServer(sampleServer),
    who: localPrincipal('stdio:1'),
    profile: 'default',
    input,
    output,
  });
  const before = cancellations.count;
  input.write(`${JSON.stringify(slow('a', 60_000))}\n${JSON.stringify(request('b', 'ping'))}\n`);
  await once(output, 'data');
  output.destroy();
  await served;
  expect(cancellations.count).toBe(before + 1);
});

test('refuses an id that is still in use', async () => {
  const { send, next } = open();
  send(slow(1, 100), request(1, 'ping'));
  expect((await next()).error.message).toContain('still in use');
  expect((await next()).result.structuredContent).toEqual({ done: true });
});

test('refuses batches, except in the one revision that has them', async () => {
  const { send, next } = open();
  send([request(1, 'ping')]);
  expect(await next()).toMatchObject({ id: null, error: { code: -32600 } });
  send(request(2, 'initialize', { ...INITIALIZE, protocolVersion: '2025-03-26' }));
  await next();
  send([
    request(3, 'ping'),
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    request(4, 'initialize', INITIALIZE),
    5,
  ]);
  expect(await next()).toMatchObject([
    { id: 3, result: {} },
    { id: 4, error: { code: -32600 } },
    { id: null, error: { code: -32600 } },
  ]);
  send([]);
  expect((await next()).error.code).toBe(-32600);
});

test('offers its newest revision to a client that names an unknown one and refuses one that names none', async () => {
  const { send, next } = open();
  send(request(1, 'initialize', { ...INITIALIZE, protocolVersion: '1999-01-01' }));
  expect((await next()).result.protocolVersion).toBe('2025-11-25');
  send(request(2, 'initialize', { capabilities: {} }));
  expect((await next()).error.code).toBe(-32602);
});

test('refuses a modern request with a wrong or incomplete envelope, and serves the next', async () => {
  const { send, next } = open();
  send(
    request(1, 'tools/list', {
      _meta: { ...ENVELOPE, 'io.modelcontextprotocol/protocolVersion': '2027-01-01' },
    }),
  );
  expect((await next()).error).toEqual({
    code: -32022,
    message: 'Unsupported protocol version: 2027-01-01',
    data: { supported: ['2026-07-28'], requested: '2027-01-01' },
  });
  send(request(2, 'tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }));
  expect((await next()).error).toMatchObject({
    code: -32602,
    data: { envelope: { key: 'io.modelcontextprotocol/clientCapabilities' } },
  });
  send(request(3, 'tools/list', { _meta: ENVELOPE }));
  expect((await next()).result.resultType).toBe('complete');
});

test('tells a legacy client that a list has changed', async () => {
  const { send, next } = open();
  send(request(1, 'initialize', INITIALIZE));
  await next();
  board.publish({ server: 'other', list: 'tools' });
  board.publish({ server: 'sample', list: 'tools' });
  expect(await next()).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
});

test('a modern client listens to what it asked for until it cancels', async () => {
  const { near, send, next, rest } = open();
  send(
    request('l', 'subscriptions/listen', {
      _meta: ENVELOPE,
      notifications: { toolsListChanged: true, promptsListChanged: true },
    }),
  );
  const meta = { 'io.modelcontextprotocol/subscriptionId': 'l' };
  expect(await next()).toMatchObject({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { toolsListChanged: true }, _meta: meta },
  });
  board.publish({ server: 'sample', list: 'tools' });
  board.publish({ server: 'sample', list: 'prompts' });
  expect(await next()).toMatchObject({ method: 'notifications/tools/list_changed', params: { _meta: meta } });
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'l' } });
  send(request(2, 'tools/list', { _meta: ENVELOPE }));
  expect((await next()).id).toBe(2);
  board.publish({ server: 'sample', list: 'tools' });
  near.end();
  expect(await rest()).toEqual([]);
});

test('asks a legacy client over the same stream and waits for its answer', async () => {
  const { send, next } = open();
  send(request(1, 'initialize', INITIALIZE));
  await next();
  send(request(2, 'tools/call', { name: 'confirm' }));
  const question = await next();
  expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Sure?' } });
  send({ jsonrpc: '2.0', id: question.id, result: { action: 'decline' } });
  expect((await next()).result.structuredContent).toEqual({ answer: 'decline' });
});

test('does not wait for ever for a client that never answers a question', async () => {
  const [near, far] = duplexPair();
  const engine = createEngine({ key: KEY, limits: { callMs: 50 } });
  void serveStream({
    engine,
    server: prepareServer(sampleServer),
    who: localPrincipal('stdio:1'),
    profile: 'default',
    input: far,
    output: far,
  });
  opened.push(near);
  let text = '';
  near.on('data', (chunk: Buffer) => (text += chunk.toString()));
  near.write(
    `${JSON.stringify(request(1, 'initialize', INITIALIZE))}\n${JSON.stringify(request(2, 'tools/call', { name: 'confirm' }))}\n`,
  );
  await expect.poll(() => text).toContain('the call ended before the client answered elicitation/create');
  expect(text).toContain('notifications/cancelled');
});

test('says so when a legacy client cannot be asked', async () => {
  const { send, next } = open();
  send(request(1, 'initialize', { ...INITIALIZE, capabilities: {} }));
  await next();
  send(request(2, 'tools/call', { name: 'confirm' }));
  expect((await next()).result).toMatchObject({ isError: true, structuredContent: { code: 'unavailable' } });
});

test('a client that never reads is not waited for with unbounded memory', async () => {
  const [near, far] = duplexPair();
  const engine = createEngine({ key: KEY });
  const served = serveStream({
    engine,
    server: prepareServer(sampleServer),
    who: localPrincipal('stdio:1'),
    profile: 'default',
    input: far,
    output: far,
  });
  near.on('error', () => undefined);
  const line = `${JSON.stringify(request(1, 'tools/list'))}\n`.repeat(100);
  let isStuck = false;
  while (!isStuck) {
    while (near.write(line));
    isStuck = await Promise.race([
      once(near, 'drain').then(() => false),
      new Promise<boolean>((resolve) => setTimeout(resolve, 200, true)),
    ]);
  }
  // What it sends waits in its own pipe: nothing more is read from it than was answered.
  expect(far.writableLength).toBeLessThan(33 * 1024 * 1024);
  far.destroy();
  await served;
});
