import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSameUser } from '../../src/features/access/local/same-user.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { MODERN_META } from '../fixtures/modern-call.ts';
import { sendRaw, sendTarget, statusOf } from '../fixtures/raw-http.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '0' },
  },
};

function post(url: string, headers: Record<string, string> = {}, body: object = INITIALIZE) {
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return fetch(url, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) });
}

describe('/mcp without a token', { timeout: 60_000 }, () => {
  it('answers programs of the owner as a local seat, and nobody else', async () => {
    const log = join(freshFolder(), 'access.log');
    const env = freshHome({ HOLDFAST_ACCESS_LOG: log });
    const hub = await startHub(env);
    const mcp = `${hub.address}/mcp`;

    const opened = await post(mcp);
    expect(opened.status).toBe(200);
    expect(await opened.json()).toMatchObject({ result: { serverInfo: { name: 'holdfast' } } });
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
    const asked = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} };
    expect((await post(mcp, session, asked)).status).toBe(200);
    const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
    expect((await post(mcp, modern, { ...asked, params: { _meta: MODERN_META } })).status).toBe(200);

    const pages = [
      { origin: hub.address },
      { referer: `${hub.address}/` },
      { cookie: 'a=b' },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-dest': 'empty' },
    ];
    const between = [{ 'x-forwarded-for': '10.0.0.9' }, { forwarded: 'for=1.2.3.4' }, { via: '1.1 proxy' }];
    const text = JSON.stringify(INITIALIZE);
    for (const headers of [...pages, ...between]) {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      expect(statusOf(await sendTarget(hub.address, 'POST', '/mcp', lines, text)), lines[0]).toBe(401);
    }
    const old = `POST /mcp HTTP/1.0\r\nhost: ${new URL(mcp).host}\r\ncontent-type: application/json\r\n`;
    expect(statusOf(await sendRaw(hub.address, `${old}content-length: ${text.length}\r\n\r\n${text}`))).toBe(
      401,
    );
    expect((await post(mcp, { origin: 'http://evil.example' })).status).toBe(403);
    for (const token of ['x'.repeat(64), 'hft_wrong', 'bto_wrong', 'something-else'])
      expect((await post(mcp, { authorization: `Bearer ${token}` })).status, token).toBe(401);

    const bearer = { authorization: `Bearer ${tokenIn(env)}` };
    const made = await post(`${hub.address}/api/tokens`, bearer, { agent: 'ada' });
    const { token, record } = (await made.json()) as { token: string; record: { id: string } };
    expect((await post(mcp, { authorization: `Bearer ${token}` })).status).toBe(200);
    await fetch(`${hub.address}/api/tokens/${record.id}`, { method: 'DELETE', headers: bearer });
    expect((await post(mcp, { authorization: `Bearer ${token}` })).status).toBe(401);

    // Clients find out from the challenge where a Being's owner consents.
    const id = '0198a1b2-0000-7000-8000-000000000001';
    for (const [path, resource] of [
      [`/mcp/${id}`, `/mcp/${id}`],
      [`/mcp?being_id=${id}`, '/mcp'],
      ['/mcp?being_id=', '/mcp'],
    ]) {
      const refused = await post(`${hub.address}${path}`);
      expect(refused.status, path).toBe(401);
      expect(refused.headers.get('www-authenticate')).toBe(
        `Bearer realm="holdfast", resource_metadata="${hub.address}/.well-known/oauth-protected-resource${resource}"`,
      );
    }
    expect((await post(`${hub.address}/v1/send_message`, {}, {})).status).toBe(401);
    expect(await statusForNobody(mcp)).toBe(process.getuid?.() === 0 ? 401 : undefined);

    await hub.stop();
    const callers = readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { route: string; status: number; caller: string })
      .filter(({ route, status }) => route === '/mcp' && status === 200)
      .map(({ caller }) => caller);
    expect(new Set(callers)).toEqual(new Set(['local', 'agent']));
  });
});

/** Only root may become somebody else. */
async function statusForNobody(url: string): Promise<number | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const node = existsSync('/usr/bin/node') ? '/usr/bin/node' : process.execPath;
  const script = `fetch(${JSON.stringify(url)}, { method: 'POST' }).then((r) => console.log(r.status))`;
  const nobody = { uid: 65_534, gid: 65_534, env: {}, cwd: '/', timeout: 20_000 };
  return Number((await promisify(execFile)(node, ['-e', script], nobody)).stdout);
}

describe('whose program holds a connection', () => {
  const may = (...args: string[]) => spawnSync('unshare', [...args, 'true']).status === 0;

  it.each([
    ['the process of the hub', undefined, false],
    ['what the hub started', stays, false],
    ['what that left behind, by the mark it carries', left({ RUN_MARK: 'x' }), false],
    ['a run that has left its parents', left({ HOLDFAST_RUN_ID: 'x' }), false],
    [
      'a command that has cleared its environment',
      left({}, 'ulimit -S -R 281474976710700; exec env -i'),
      false,
    ],
    ['a program of the owner', left({}), true],
    ...(may('-U') ? [['one in a container', left({}, 'exec unshare -U'), false] as const] : []),
  ] as const)('%s', async (_, wrap, expected) => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const users = createSameUser({ fallback: 'open' });
    expect(await users.prove({ host: '127.0.0.1', port })).toBe('checked');
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const hold = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}; read -t 20 <&3'`;
    const started = wrap && spawn('bash', ['-c', wrap(hold)], { stdio: 'ignore' });
    const gone = started && wrap !== stays ? once(started, 'exit') : undefined;
    if (!started) connect(port, '127.0.0.1').on('error', () => undefined);
    const [socket] = await accepted;
    await gone;
    onTestFinished(() => void socket.destroy());
    expect(await users.isOwn(socket)).toBe(true);
    expect(await users.isOwnProgram(socket)).toBe(expected);
    expect(await users.isOwnProgram(undefined)).toBe(false);
  });

  it('is not known where the system does not tell', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    // eslint-disable-next-line require-yield -- it fails before it has anything
    const readTable = async function* (): AsyncGenerator<string> {
      throw new Error('no such table');
    };
    const blind = createSameUser({ fallback: 'open', readTable });
    await blind.prove({ host: '127.0.0.1', port });
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const client = connect(port, '127.0.0.1');
    onTestFinished(() => void client.destroy());
    const [socket] = await accepted;
    expect(await blind.isOwn(socket)).toBe(true);
    expect(await blind.isOwnProgram(socket)).toBe(false);
  });
});

/** Started in the background of a shell that ends at once: its parent is nobody of ours any more. */
function left(env: Record<string, string>, before = 'exec') {
  const marks = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return (hold: string) =>
    `(${['setsid', 'env', ...marks].join(' ')} bash -c "${before} ${hold}") & sleep 0.1`;
}

function stays(hold: string): string {
  return hold;
}
