import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { startGateway } from '../fixtures/gateway-process.ts';
import { freshHome, runHoldfast } from '../fixtures/hub-process.ts';
import { sendRaw, statusOf } from '../fixtures/raw-http.ts';
import { startStdio } from '../fixtures/stdio-client.ts';

const TOKEN = 'a1'.repeat(32);

function tokenFile(text = `${TOKEN}\n`, mode = 0o600): string {
  const path = join(freshFolder(), 'listener-token');
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  return path;
}

async function ask(
  url: string,
  init: RequestInit = {},
): Promise<{ status: number; body: any; headers: Headers }> {
  const response = await fetch(url, init);
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? undefined : JSON.parse(text),
    headers: response.headers,
  };
}

const bearer = (token = TOKEN) => ({ authorization: `Bearer ${token}` });
const sending = () => ({ ...bearer(), 'content-type': 'application/json' });

async function registerAda(address: string) {
  const body = JSON.stringify({ display_name: 'ada', backend: 'codex' });
  return (await ask(`${address}/v1/peers/register`, { method: 'POST', headers: sending(), body })).body;
}

const PLACES: readonly (readonly [string, string])[] = [
  ['GET', '/v1/health'],
  ['GET', '/v1/peers'],
  ['GET', '/v1/peers/by-pane/%251'],
  ['GET', '/peers'],
  ['POST', '/peers'],
  ['GET', '/peers/by-pane/%251'],
  ['DELETE', '/peers/x'],
  ['POST', '/v1/peers/register'],
  ['POST', '/v1/peers/x/heartbeat'],
  ['DELETE', '/v1/peers/x'],
  ['GET', '/v1/peers/x/messages'],
  ['GET', '/v1/peers/x/inbox'],
  ['POST', '/v1/peers/broadcast'],
  ['POST', '/mcp'],
  ['POST', '/mcp/'],
];

describe('the bearer gateway', () => {
  it('asks for the token on every path, whatever is wrong with it', async () => {
    const file = tokenFile();
    const { address } = await startGateway(freshHome(), ['--token-file', file, '--mcp-http']);
    const wrong: Record<string, string>[] = [
      {},
      { authorization: TOKEN },
      { authorization: 'Bearer' },
      { authorization: 'Bearer ' },
      { authorization: `Basic ${TOKEN}` },
      bearer(`${TOKEN}0`),
      bearer(TOKEN.slice(0, -1)),
      bearer(TOKEN.toUpperCase()),
    ];
    for (const [method, path] of PLACES) {
      for (const headers of wrong) {
        const { status, body, headers: answered } = await ask(`${address}${path}`, { method, headers });
        expect([path, headers, status]).toEqual([path, headers, 401]);
        const [error, hint] = path.startsWith('/mcp')
          ? [body.error.message, body.error.data.hint]
          : [body.error, body.hint];
        expect([error, hint]).toEqual([expect.any(String), expect.stringContaining(`the token in ${file}.`)]);
        expect(answered.get('www-authenticate')).toMatch(/^Bearer/);
        expect(answered.get('content-type')).toMatch(/^application\/json/);
      }
    }
    for (const [method, path] of PLACES) {
      const init = {
        method,
        headers: { ...bearer(), 'content-type': 'application/json' },
        ...(method === 'POST' && { body: '{}' }),
      };
      if (!path.endsWith('/inbox')) expect((await ask(`${address}${path}`, init)).status).not.toBe(401);
    }
  });

  it('says that it is well, and that clients need its token', async () => {
    const env = freshHome();
    const { address } = await startGateway(env, ['--token-file', tokenFile(), '--mcp-http']);
    const file = join(freshFolder(), 'mcp.json');
    const { out } = runHoldfast(env, ['connect', 'claude-code', '--http', '--dry-run', '--file', file]);
    expect(out).toContain('Bearer ${HOLDFAST_TOKEN}');
    expect((await ask(`${address}/v1/health`, { headers: bearer() })).body).toMatchObject({
      status: 'ok',
      version: expect.any(String),
      build: {},
    });
  });

  it('has no /mcp unless it was asked for', async () => {
    const { address } = await startGateway(freshHome(), ['--token-file', tokenFile()]);
    expect(await ask(`${address}/mcp`, { method: 'POST', headers: bearer() })).toMatchObject({
      status: 404,
      body: { error: expect.any(String), endpoints: expect.not.arrayContaining(['POST /mcp']) },
    });
  });

  it('serves MCP with --mcp-http, the tools of peers under their own names; also as clawtool', async () => {
    const options = ['--token-file', tokenFile(), '--mcp-http'];
    const { address } = await startGateway(freshHome(), options, '127.0.0.1:0', 'clawtool');
    const headers = {
      ...bearer(),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const post = (body: object, more = {}) =>
      fetch(`${address}/mcp?profile=full`, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify(body),
      });
    const opened = await post({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
    });
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
    await opened.text();
    const { result } = JSON.parse(
      await (await post({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, session)).text(),
    );
    const names = result.tools.map(({ name }: { name: string }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['PeerList', 'PeerSend', 'PeerInbox', 'PeerAck', 'teamchat__team_chat_post']),
    );
  });

  it('answers an unknown path with the list of endpoints and a wrong method with 405', async () => {
    const { address } = await startGateway(freshHome(), ['--token-file', tokenFile(), '--mcp-http']);
    const unknown = await ask(`${address}/v1/nothing`, { headers: bearer() });
    expect(unknown).toMatchObject({
      status: 404,
      body: {
        error: expect.any(String),
        endpoints: expect.arrayContaining([
          'GET /v1/health',
          'GET /v1/peers',
          'POST /v1/peers/register',
          'POST /v1/peers/{peer_id}/heartbeat',
          'DELETE /v1/peers/{peer_id}',
          'POST /mcp',
        ]),
      },
    });
    const wrongMethod = await ask(`${address}/v1/peers`, { method: 'PUT', headers: bearer() });
    expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'GET']);
  });

  it('with --no-auth asks for nothing on loopback and warns loudly', async () => {
    const { address, complaints } = await startGateway(freshHome(), ['--no-auth']);
    expect((await ask(`${address}/v1/peers`)).body).toMatchObject({ peers: [], count: 0 });
    expect((await ask(`${address}/v1/peers`, { headers: bearer('of-some-other-server') })).status).toBe(200);
    expect((await ask(`${address}/v1/peers`, { headers: bearer('hft_wrong') })).status).toBe(401);
    await expect.poll(complaints, { timeout: 15_000 }).toContain('WARNING');
  });

  it.each([
    ['no token file', ['--token-file', '/nonexistent/token'], 'init-token'],
    ['an empty token file', () => ['--token-file', tokenFile(' \n')], 'is empty'],
    ['a token file that others can read', () => ['--token-file', tokenFile(undefined, 0o644)], 'chmod 600'],
    ['a token too short to be one', () => ['--token-file', tokenFile('short\n')], '32 characters'],
    ['--no-auth with --token-file', () => ['--no-auth', '--token-file', tokenFile()], 'exclude each other'],
  ])('refuses %s', (_, given, words) => {
    const args = typeof given === 'function' ? given() : given;
    const { code, err } = runHoldfast(freshHome(), ['serve', '--listen', '127.0.0.1:0', ...args]);
    expect(code).not.toBe(0);
    expect(err).toContain(words);
  });

  it('refuses --no-auth beyond loopback without --i-know', () => {
    const { code, err } = runHoldfast(freshHome(), ['serve', '--listen', ':0', '--no-auth']);
    expect([code, err.includes('--i-know')]).toEqual([5, true]);
  });

  it('beyond loopback asks for the token on every path, /api included', async () => {
    const { address } = await startGateway(freshHome(), ['--token-file', tokenFile()], '0.0.0.0:0');
    const near = address.replace('0.0.0.0', '127.0.0.1');
    for (const path of ['/v1/peers', '/api/health', '/api/chat/rooms', '/api/events']) {
      expect([path, (await ask(`${near}${path}`)).status]).toEqual([path, 401]);
    }
    expect((await ask(`${near}/api/health`, { headers: bearer() })).status).toBe(200);
    const { port } = new URL(address);
    const statusAs = async (host: string) =>
      statusOf(
        await sendRaw(
          near,
          `GET /v1/peers HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${TOKEN}\r\nconnection: close\r\n\r\n`,
        ),
      );
    for (const { address: own } of Object.values(networkInterfaces()).flatMap((each) => each ?? []))
      if (isIP(own) === 4) expect([own, await statusAs(`${own}:${port}`)]).toEqual([own, 200]);
    for (const foreign of [`192.0.2.77:${port}`, `${hostname()}.example:${port}`])
      expect([foreign, await statusAs(foreign)]).toEqual([foreign, 403]);
  });

  it('is clawtool serve for those who follow its document, and nothing else is', async () => {
    const path = join(freshFolder(), 'token');
    const { out } = runHoldfast(freshHome(), ['serve', 'init-token', path], '', '/', 'clawtool');
    expect(readFileSync(path, 'utf8')).toBe(out);
    const { code, err } = runHoldfast(freshHome(), ['board', 'list'], '', '/', 'clawtool');
    expect([code, err]).toEqual([2, expect.stringContaining('only serve')]);
    const help = runHoldfast(freshHome(), ['serve', '--help'], '', '/', 'clawtool');
    expect(help.out).toMatch(/^Usage: clawtool serve /);
    const wrong = runHoldfast(freshHome(), ['serve', '--listen=8080'], '', '/', 'clawtool');
    expect(wrong.err).toMatch(/^clawtool: /);
    const client = await startStdio(freshHome(), 'clawtool', ['serve']);
    const { result } = await client.request('tools/list');
    expect(JSON.stringify(result)).toContain('tasks__claim_task');
    expect(await client.end()).toBe(0);
  });

  it.each(['8080', 'localhost', '127.0.0.1:', 'http://x:1', ''])('refuses the address %j', (listen) => {
    const { code, err } = runHoldfast(freshHome(), ['serve', `--listen=${listen}`, '--no-auth']);
    expect(code).not.toBe(0);
    expect(err).toContain('--listen');
  });

  it('init-token writes a fresh token that only its owner can read, and prints it', () => {
    const path = join(freshFolder(), 'deep', 'token');
    const first = runHoldfast(freshHome(), ['serve', 'init-token', path]);
    expect(first.out).toMatch(/^[0-9a-f]{64}\n$/);
    expect(first.err).toContain(path);
    expect(readFileSync(path, 'utf8')).toBe(first.out);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const second = runHoldfast(freshHome(), ['serve', 'init-token', path]);
    expect(second.out).not.toBe(first.out);
    expect(second.err).toContain('Replaced');
  });

  it('init-token leaves nothing behind where it cannot write', () => {
    const folder = freshFolder();
    const { code, err, out } = runHoldfast(freshHome(), ['serve', 'init-token', folder]);
    expect([code, out, err.includes('cannot be written (EISDIR')]).toEqual([2, '', true]);
    const beside = readdirSync(dirname(folder)).filter((name) => name.startsWith(`${basename(folder)}.`));
    expect(beside).toEqual([]);
  });

  it('the file named by the flag beats HOLDFAST_TOKEN, which is enough without one', async () => {
    const other = 'b2'.repeat(32);
    const env = freshHome({ HOLDFAST_TOKEN: other });
    const named = await startGateway(env, ['--token-file', tokenFile()]);
    expect((await ask(`${named.address}/v1/health`, { headers: bearer() })).status).toBe(200);
    expect((await ask(`${named.address}/v1/health`, { headers: bearer(other) })).status).toBe(401);
    await named.stop();
    const plain = await startGateway(env, []);
    expect((await ask(`${plain.address}/v1/health`, { headers: bearer(other) })).status).toBe(200);
  });

  it('writes down the last heartbeats when it is stopped', async () => {
    const [env, file] = [freshHome(), tokenFile()];
    const first = await startGateway(env, ['--token-file', file]);
    const peer = await registerAda(first.address);
    const beat = () =>
      ask(`${first.address}/v1/peers/${peer.peer_id}/heartbeat`, { method: 'POST', headers: bearer() });
    let last = await beat();
    while (last.body.last_seen === peer.last_seen) last = await beat();
    expect(await first.stop()).toBe(0);
    const second = await startGateway(env, ['--token-file', file]);
    const { body } = await ask(`${second.address}/v1/peers/${peer.peer_id}`, { headers: bearer() });
    expect(body.last_seen).toBe(last.body.last_seen);
  });

  it('keeps peers and mail over a restart', async () => {
    const [env, file] = [freshHome(), tokenFile()];
    const first = await startGateway(env, ['--token-file', file]);
    const peer = await registerAda(first.address);
    await ask(`${first.address}/v1/peers/${peer.peer_id}/messages`, {
      method: 'POST',
      headers: sending(),
      body: '{"text":"still here?"}',
    });
    await first.stop('SIGKILL');
    const second = await startGateway(env, ['--token-file', file]);
    const { body } = await ask(`${second.address}/v1/peers/${peer.peer_id}/messages`, { headers: bearer() });
    expect(body.messages).toMatchObject([{ text: 'still here?', deliveries: 1 }]);
  });
});
