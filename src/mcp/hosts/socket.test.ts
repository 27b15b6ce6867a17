import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KEY, sampleServer } from '../../../test/fixtures/mcp-server.ts';
import { HubError } from '../../kernel/errors.ts';
import { createEngine } from '../engine/engine.ts';
import { createRegistry } from '../registry.ts';
import { connectHub } from './hub-backend.ts';
import { runShim } from './shim.ts';
import { serveSocket, type SocketHost } from './socket.ts';
import { noSeating, type Introduced } from '../seats.ts';

let folder: string;
let path: string;
let host: SocketHost;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hf-socket-'));
  path = join(folder, 'hub.sock');
  writeFileSync(path, 'left over from a hub that was killed');
  host = await serveSocket({
    engine: createEngine({ key: KEY }),
    registry: createRegistry([sampleServer]),
    path,
    version: '0.1.0',
  });
});
afterEach(async () => {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

const HELLO = { server: 'sample', profile: 'default', seat: 'stdio:1', version: '0.1.0' };

/** Everything the socket says until it closes. `ends`: the client half-closes after sending. */
function exchange(sent: string, ends = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true }, () =>
      ends ? socket.end(sent) : socket.write(sent),
    );
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
  [
    'an unknown server',
    `${JSON.stringify({ holdfast: 1, ...HELLO, server: 'nope' })}\n`,
    'unknown server or profile: nope default',
  ],
  [
    'an unknown profile',
    `${JSON.stringify({ holdfast: 1, ...HELLO, profile: 'x' })}\n`,
    'unknown server or profile: sample x',
  ],
])('%s is refused with a reason', async (_, sent, reason) => {
  expect(JSON.parse(await exchange(sent))).toEqual({ ok: false, error: reason });
});

test('an endless first line is cut off', async () => {
  expect(await exchange('x'.repeat(70_000))).toBe('');
});

test('what follows the hello in the same packet is served, bound as the hello says', async () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } };
  const [welcome, answer] = (
    await exchange(
      `${JSON.stringify({ holdfast: 1, ...HELLO, params: 'scopeTeamId=red' })}\n${JSON.stringify(call)}\n`,
      true,
    )
  ).split('\n');
  expect(JSON.parse(welcome!)).toEqual({ ok: true, version: '0.1.0' });
  expect(JSON.parse(answer!).result.structuredContent).toEqual({
    kind: 'local',
    seat: 'stdio:1',
    bound: { team: 'red' },
  });
});

const FROM = { pid: 7, parent: 6, cwd: '/work/app' };

/** The answers of one connection that says where it works, by id. */
async function tellingFrom(
  from: object,
  ...methods: readonly string[]
): Promise<Readonly<Record<number, any>>> {
  const lines = methods.map((method, i) =>
    JSON.stringify({ jsonrpc: '2.0', id: i + 1, method, params: { name: 'whoami' } }),
  );
  const said = await exchange(
    `${[JSON.stringify({ holdfast: 1, ...HELLO, from }), ...lines].join('\n')}\n`,
    true,
  );
  const answers = said
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id?: number; result?: unknown });
  return Object.fromEntries(answers.map(({ id = 0, result }) => [id, result]));
}

type Found = Readonly<{ team?: string }>;

async function reopen(find: (from: NonNullable<Introduced['from']>) => Promise<Found>): Promise<void> {
  await host.close();
  const settle = async ({ who, from }: Introduced) => (from ? { ...who, default: await find(from) } : who);
  const engine = createEngine({ key: KEY, seating: { ...noSeating, settle } });
  host = await serveSocket({ engine, registry: createRegistry([sampleServer]), path, version: '0.1.0' });
}

test('where a client works becomes the default of every call, looked up once', async () => {
  const asked: unknown[] = [];
  await reopen(async (from) => (asked.push(from), { team: 'app' }));
  const answers = await tellingFrom(FROM, 'tools/call', 'tools/call');
  expect(answers[1].structuredContent).toEqual({
    kind: 'local',
    seat: 'stdio:1',
    bound: {},
    default: { team: 'app' },
  });
  expect(answers[2].structuredContent).toEqual(answers[1].structuredContent);
  expect(asked).toEqual([FROM]);
});

test('a client that says nothing of where it works has no default', async () => {
  await reopen(async () => Promise.reject(new Error('nobody asked')));
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } };
  const [, answer] = (
    await exchange(`${JSON.stringify({ holdfast: 1, ...HELLO })}\n${JSON.stringify(call)}\n`, true)
  ).split('\n');
  expect(JSON.parse(answer!).result.structuredContent).not.toHaveProperty('default');
});

test('being introduced and shown the tools does not wait for it; a call does', async () => {
  let find: (found: { team: string }) => void = () => {};
  await reopen(() => new Promise((resolve) => (find = resolve)));
  const order: number[] = [];
  const answered = new Promise<any>((resolve) => {
    const socket = connect({ path });
    const say = (id: number, method: string) =>
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: { name: 'whoami' } })}\n`);
    socket.write(`${JSON.stringify({ holdfast: 1, ...HELLO, from: FROM })}\n`);
    say(1, 'tools/call');
    say(2, 'ping');
    say(3, 'tools/list');
    createInterface({ input: socket }).on('line', (line) => {
      const { id, result } = JSON.parse(line) as { id?: number; result?: unknown };
      if (id !== undefined) order.push(id);
      if (order.length === 2) find({ team: 'late' });
      if (id === 1) resolve((socket.destroy(), result));
    });
  });
  expect((await answered).structuredContent.default).toEqual({ team: 'late' });
  expect(order).toEqual([2, 3, 1]);
});

test('an agent that is fixed is bound', async () => {
  await reopen(async () => ({}));
  const answers = await tellingFrom({ ...FROM, agent: 'ada' }, 'tools/call');
  expect(answers[1].structuredContent).toMatchObject({ bound: { agent: 'ada' } });
});

test.each([
  [{ pid: 'x', parent: 1, cwd: '/' }],
  [{ pid: 1, parent: 1 }],
  [{ ...FROM, cwd: `/${'x'.repeat(5000)}` }],
  [{ ...FROM, agent: 'a\u0007' }],
  [{ ...FROM, team: '' }],
  [{ ...FROM, team: 'x'.repeat(500) }],
  [null],
])('whereabouts that are none (case %#) are refused', async (from) => {
  expect(JSON.parse(await exchange(`${JSON.stringify({ holdfast: 1, ...HELLO, from })}\n`))).toMatchObject({
    ok: false,
  });
});

test('connecting says why it failed', async () => {
  await expect(connectHub(join(folder, 'nobody.sock'), HELLO)).rejects.toThrow('ENOENT');
  await expect(connectHub(path, { ...HELLO, server: 'nope' })).rejects.toThrow(
    'the hub refused: unknown server',
  );
});

function shimWith(openBackend: () => Promise<never>, holdMs = 1_000) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let said = '';
  output.on('data', (chunk: Buffer) => (said += chunk.toString()));
  input.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n');
  return {
    done: runShim({ input, output, openBackend, timing: { retryMs: 10, holdMs } }),
    said: () => JSON.parse(said),
  };
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
    error: {
      code: -32603,
      message: 'unavailable: another process has the database',
      data: { code: 'unavailable', retryable: true },
    },
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
