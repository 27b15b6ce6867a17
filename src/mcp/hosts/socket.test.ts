import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KEY, sampleServer } from '../../../test/fixtures/mcp-server.ts';
import { HubError } from '../../kernel/errors.ts';
import { createEngine } from '../engine/engine.ts';
import { createRegistry } from '../registry.ts';
import { connectHub } from './hub-backend.ts';
import { runShim } from './shim.ts';
import { serveSocket } from './socket.ts';
import type { SocketHost } from './socket.ts';

let folder: string;
let path: string;
let host: SocketHost;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hf-socket-'));
  path = join(folder, 'hub.sock');
  writeFileSync(path, 'left over from a hub that was killed');
  host = await serveSocket({ engine: createEngine({ key: KEY }), registry: createRegistry([sampleServer]), path, version: '0.1.0' });
});
afterEach(async () => {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

const HELLO = { server: 'sample', profile: 'default', seat: 'stdio:1', version: '0.1.0' };

/** Everything the socket says until it closes. `ends`: the client half-closes after sending. */
function exchange(sent: string, ends = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true }, () => (ends ? socket.end(sent) : socket.write(sent)));
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
    socket.on('end', () => socket.end());
  });
}

test('only its owner may use the socket', () => {
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.each([
  ['a wrong hello', '{"hi":1}\n', 'not a holdfast hello'],
  ['no JSON', 'GET / HTTP/1.1\n', 'not a holdfast hello'],
  ['an unknown server', `${JSON.stringify({ holdfast: 1, ...HELLO, server: 'nope' })}\n`, 'unknown server or profile: nope default'],
  ['an unknown profile', `${JSON.stringify({ holdfast: 1, ...HELLO, profile: 'x' })}\n`, 'unknown server or profile: sample x'],
])('%s is refused with a reason', async (_, sent, reason) => {
  expect(JSON.parse(await exchange(sent))).toEqual({ ok: false, error: reason });
});

test('an endless first line is cut off', async () => {
  expect(await exchange('x'.repeat(70_000))).toBe('');
});

test('what follows the hello in the same packet is served, bound as the hello says', async () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } };
  const [welcome, answer] = (
    await exchange(`${JSON.stringify({ holdfast: 1, ...HELLO, params: 'scopeTeamId=red' })}\n${JSON.stringify(call)}\n`, true)
  ).split('\n');
  expect(JSON.parse(welcome!)).toEqual({ ok: true, version: '0.1.0' });
  expect(JSON.parse(answer!).result.structuredContent).toEqual({ kind: 'local', seat: 'stdio:1', bound: { team: 'red' } });
});

test('connecting says why it failed', async () => {
  await expect(connectHub(join(folder, 'nobody.sock'), HELLO)).rejects.toThrow('ENOENT');
  await expect(connectHub(path, { ...HELLO, server: 'nope' })).rejects.toThrow('the hub refused: unknown server');
});

function shimWith(openBackend: () => Promise<never>, holdMs = 1_000) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let said = '';
  output.on('data', (chunk: Buffer) => (said += chunk.toString()));
  input.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n');
  return { done: runShim({ input, output, openBackend, timing: { retryMs: 10, holdMs } }), said: () => JSON.parse(said) };
}

test('without any backend the shim answers what waits and fails with the reason', async () => {
  let tries = 0;
  const { done, said } = shimWith(async () => {
    tries += 1;
    throw new HubError('busy', 'another process has the database');
  });
  await expect(done).rejects.toThrow('another process has the database');
  expect(tries).toBeGreaterThan(1);
  expect(said()).toMatchObject({
    id: 1,
    error: { code: -32603, message: 'unavailable: another process has the database', data: { code: 'unavailable', retryable: true } },
  });
});

test('a reason that waiting cannot cure fails at once', async () => {
  let tries = 0;
  const { done, said } = shimWith(async () => {
    tries += 1;
    throw new HubError('invalid', 'this file belongs to another program');
  }, 60_000);
  await expect(done).rejects.toThrow('another program');
  expect(tries).toBe(1);
  expect(said().error.message).toContain('this file belongs to another program');
});
