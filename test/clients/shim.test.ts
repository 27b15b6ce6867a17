import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ENVELOPE, INITIALIZE } from '../fixtures/mcp-peers.ts';
import type { Wire } from '../fixtures/mcp-peers.ts';

/** Real processes: a stdio server, a hub, and SIGKILL. */
const started: ChildProcess[] = [];
let folder: string;
let socket: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hf-shim-'));
  socket = join(folder, 'hub.sock');
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function run(file: string): ChildProcess {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../fixtures', file), socket], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  started.push(child);
  return child;
}

async function startHub(): Promise<ChildProcess> {
  const hub = run('mcp-hub-process.ts');
  await once(hub.stdout!, 'data');
  return hub;
}

async function kill(hub: ChildProcess): Promise<void> {
  hub.kill('SIGKILL');
  await once(hub, 'exit');
}

function startClient() {
  const child = run('mcp-stdio-process.ts');
  const heard: Wire[] = [];
  const waiting: { test: (wire: Wire) => boolean; resolve: (wire: Wire) => void }[] = [];
  createInterface(child.stdout!).on('line', (line) => {
    const wire = JSON.parse(line) as Wire;
    heard.push(wire);
    const index = waiting.findIndex((one) => one.test(wire));
    if (index !== -1) waiting.splice(index, 1)[0]!.resolve(wire);
  });
  let errors = '';
  child.stderr!.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  let count = 0;
  const until = (test: (wire: Wire) => boolean) =>
    new Promise<Wire>((resolve) => waiting.push({ test, resolve }));
  return {
    child,
    heard,
    stderr: () => errors,
    until,
    note: (method: string, params?: object) =>
      child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`),
    request(method: string, params?: object): Promise<Wire> {
      const id = (count += 1);
      child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      return until((wire) => wire.id === id && wire.method === undefined);
    },
  };
}

const whoami = { name: 'whoami', arguments: {} };
const untilLogged = async (client: ReturnType<typeof startClient>, text: string) => {
  while (!client.stderr().includes(text)) await new Promise((resolve) => setTimeout(resolve, 20));
};

test('alone, it serves from its own process', async () => {
  const client = startClient();
  expect((await client.request('initialize', INITIALIZE)).result.serverInfo.name).toBe('holdfast-sample');
  expect((await client.request('tools/call', whoami)).result.structuredContent.seat).toMatch(/^stdio:/);
});

test('a killed hub: the running call is answered as retryable, the session goes on with the same seat', async () => {
  const hub = await startHub();
  const client = startClient();
  await client.request('initialize', INITIALIZE);
  client.note('notifications/initialized');
  const { seat } = (await client.request('tools/call', whoami)).result.structuredContent;
  const running = client.request('tools/call', { name: 'slow', arguments: { ms: 60_000 } });
  await client.request('ping');
  await kill(hub);
  const lost = (await running).result;
  expect(lost).toMatchObject({ isError: true, structuredContent: { code: 'unavailable', retryable: true } });
  expect(lost.content[0].text).toContain('may or may not have happened');
  expect(lost.content[1].text).toContain('same idempotencyKey');
  expect((await client.request('tools/call', whoami)).result.structuredContent.seat).toBe(seat);
  // The client saw one answer to its initialize and no trace of the replay.
  expect(client.heard.filter((wire) => wire.result?.protocolVersion)).toHaveLength(1);
  expect(client.heard.some((wire) => String(wire.id).startsWith('holdfast'))).toBe(false);
  expect(client.heard.some((wire) => wire.method === 'notifications/tools/list_changed')).toBe(true);
});

test('a modern call that was lost is a complete result, other requests are put again', async () => {
  const hub = await startHub();
  const client = startClient();
  const running = client.request('tools/call', { name: 'slow', arguments: { ms: 60_000 }, _meta: ENVELOPE });
  await client.request('tools/call', { name: 'echo', arguments: { text: 'b' }, _meta: ENVELOPE });
  await kill(hub);
  expect((await running).result).toMatchObject({ resultType: 'complete', isError: true });
  expect(
    (await client.request('tools/call', { name: 'echo', arguments: { text: 'a' }, _meta: ENVELOPE })).result
      .structuredContent,
  ).toEqual({ text: 'a' });
});

test('a call that only reads, as its list has said, is put again when its hub is killed', async () => {
  const hub = await startHub();
  const client = startClient();
  await client.request('tools/list', { _meta: ENVELOPE });
  const reading = client.request('tools/call', { name: 'slow', arguments: { ms: 500 }, _meta: ENVELOPE });
  await client.request('tools/list', { _meta: ENVELOPE });
  await kill(hub);
  expect((await reading).result.structuredContent).toEqual({ done: true });
});

test('it moves to a hub that appears, between calls, and back when the hub dies', async () => {
  const client = startClient();
  await client.request('initialize', INITIALIZE);
  const slow = client.request('tools/call', { name: 'slow', arguments: { ms: 700 } });
  const hub = await startHub();
  expect((await slow).result.structuredContent).toEqual({ done: true });
  await untilLogged(client, 'moving to it');
  expect((await client.request('tools/call', whoami)).result.structuredContent.kind).toBe('local');
  await kill(hub);
  rmSync(socket, { force: true });
  await untilLogged(client, 'the hub backend is gone');
  expect(
    (await client.request('tools/call', { name: 'echo', arguments: { text: 'still here' } })).result
      .structuredContent,
  ).toEqual({
    text: 'still here',
  });
});

test('a listener survives its hub and is acknowledged once', async () => {
  const hub = await startHub();
  const client = startClient();
  void client.request('subscriptions/listen', { _meta: ENVELOPE, notifications: { toolsListChanged: true } });
  const isAck = (wire: Wire) => wire.method === 'notifications/subscriptions/acknowledged';
  await client.until(isAck);
  await kill(hub);
  await client.request('tools/list', { _meta: ENVELOPE });
  expect(client.heard.filter(isAck)).toHaveLength(1);
});

test('a call that a stopping hub never began is put to the next backend', async () => {
  const hub = await startHub();
  const client = startClient();
  await client.request('initialize', INITIALIZE);
  const running = client.request('tools/call', { name: 'slow', arguments: { ms: 500 } });
  await client.request('ping');
  hub.kill('SIGTERM');
  await new Promise((resolve) => setTimeout(resolve, 150));
  const late = client.request('tools/call', { name: 'echo', arguments: { text: 'late' } });
  expect((await running).result.structuredContent).toEqual({ done: true });
  expect((await late).result.structuredContent).toEqual({ text: 'late' });
});

test('a hub that stops in order lets running calls finish first', async () => {
  const hub = await startHub();
  const client = startClient();
  await client.request('initialize', INITIALIZE);
  const running = client.request('tools/call', { name: 'slow', arguments: { ms: 300 } });
  await client.request('ping');
  hub.kill('SIGTERM');
  expect((await running).result.structuredContent).toEqual({ done: true });
  expect((await client.request('tools/call', whoami)).result.structuredContent.kind).toBe('local');
});

test.each(['alone', 'beside a hub'])(
  '%s: the end of input lets pending answers out, then the process ends',
  async (where) => {
    if (where === 'beside a hub') await startHub();
    const client = startClient();
    const slow = client.request('tools/call', { name: 'slow', arguments: { ms: 300 } });
    client.child.stdin!.end();
    expect((await slow).result.structuredContent).toEqual({ done: true });
    expect(await once(client.child, 'exit')).toEqual([0, null]);
  },
);

test('garbage, oversized and broken lines are answered and the next request works', async () => {
  await startHub();
  const client = startClient();
  const refused = client.until((wire) => wire.error?.message === 'Parse error: the line is too long');
  client.child.stdin!.write(Buffer.concat([Buffer.alloc(11 * 1024 * 1024, 'a'), Buffer.from('\n')]));
  await refused;
  const broken = client.until((wire) => wire.error?.message === 'Parse error: the line is not valid JSON');
  client.child.stdin!.write('{"jsonrpc\n');
  await broken;
  const bytes = client.until((wire) => wire.error?.message === 'Parse error: the line is not UTF-8');
  client.child.stdin!.write(Buffer.from([0xff, 0x0a]));
  await bytes;
  expect((await client.request('ping')).result).toEqual({});
});
