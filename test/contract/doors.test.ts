import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHub } from '../../src/app.ts';
import { createThrottle } from '../../src/features/access/throttle.ts';
import { createSameUser, parseOwners } from '../../src/features/access/local/same-user.ts';
import { resolveConfig } from '../../src/kernel/config.ts';
import { HubError } from '../../src/kernel/errors.ts';
import { type Log, silentLog } from '../../src/kernel/log.ts';
import { localPrincipal, operatorPrincipal } from '../../src/kernel/principal.ts';
import { eachEngine, freshFolder, freshPlace } from '../fixtures/databases.ts';
import { openTestHub, type TestHub } from '../fixtures/hub.ts';
import { MODERN_META } from '../fixtures/modern-call.ts';

type Made = Readonly<{ token: string; record: Readonly<{ id: string }> }>;

async function makeToken(hub: Pick<TestHub, 'address' | 'token'>, request: object): Promise<Made> {
  const headers = { authorization: `Bearer ${hub.token}`, 'content-type': 'application/json' };
  const response = await fetch(`${hub.address}/api/tokens`, {
    method: 'POST',
    headers,
    body: JSON.stringify(request),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as Made;
}

async function revoke(hub: Pick<TestHub, 'address' | 'token'>, id: string): Promise<void> {
  const response = await fetch(`${hub.address}/api/tokens/${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${hub.token}` },
  });
  expect(response.status).toBe(200);
}

/** How long after `act` the body ends; fails when it takes longer than a second and a bit. */
async function endsAfter(response: Response, act: () => Promise<void>): Promise<string> {
  expect(response.status).toBe(200);
  const ended = response.text().catch(() => 'cut');
  await sleep(100);
  await act();
  const began = performance.now();
  const text = await Promise.race([ended, sleep(5_000, 'still open')]);
  expect(text).not.toBe('still open');
  expect(performance.now() - began).toBeLessThan(1_500);
  return text;
}

describe('row 5: local means the same user', () => {
  it('another user of the machine needs a token, the owner does not', async () => {
    const home = freshFolder();
    const agent = { family: 'command', command: [process.execPath] };
    writeFileSync(join(home, 'config.yaml'), JSON.stringify({ agents: { script: agent } }));
    const hub = await openTestHub({ home });
    expect((await hub.fetch('/api/health')).status).toBe(200);
    const card = await (await hub.fetch('/.well-known/agent-card.json')).json();
    expect(card).toMatchObject({
      skills: expect.arrayContaining([expect.objectContaining({ id: 'script' })]),
    });
    if (process.getuid?.() !== 0) return;
    const script = `
      const say = (path, headers = {}) => fetch(${JSON.stringify(hub.address)} + path, { headers }).then((r) => r.status);
      const card = () => fetch(${JSON.stringify(`${hub.address}/.well-known/agent-card.json`)}).then((r) => r.json());
      Promise.all([say('/api/health'), say('/api/board/tasks'), say('/api/health', { authorization: 'Bearer ${hub.token}' }),
        card().then(({ skills }) => skills.length)])
        .then((all) => console.log(all.join()));`;
    const nobody = { uid: 65_534, gid: 65_534, env: {}, cwd: '/', timeout: 20_000 };
    const { stdout } = await promisify(execFile)(realNode(), ['-e', script], nobody);
    expect(stdout.trim()).toBe('401,401,200,0');
  });

  it('is decided by a real connection, once for each, and shared by those that come together', async () => {
    const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    let readings = 0;
    const parts = {
      fallback: 'token',
      async *readTable(file: string) {
        readings += 1;
        const text = readFileSync(file, 'latin1');
        // In pieces that end anywhere, as a file may come.
        for (let at = 0; at < text.length; at += 1000) yield text.slice(at, at + 1000);
      },
    } as const;
    const own = createSameUser(parts);
    const foreign = createSameUser({ ...parts, uid: process.getuid!() + 1 });
    expect(await own.prove({ host: '127.0.0.1', port })).toBe('checked');
    expect(await foreign.prove({ host: '127.0.0.1', port })).toBe('checked');
    const accepted: Socket[] = [];
    server.on('connection', (socket) => accepted.push(socket));
    const clients = Array.from({ length: 50 }, () => connect(port, '127.0.0.1'));
    onTestFinished(() => clients.forEach((client) => client.destroy()));
    await expect.poll(() => accepted.length).toBe(50);
    readings = 0;
    expect(await Promise.all(accepted.map(async (socket) => own.isOwn(socket)))).toEqual(
      accepted.map(() => true),
    );
    expect(readings).toBeLessThanOrEqual(4);
    expect(await foreign.isOwn(accepted[0])).toBe(false);
    readings = 0;
    expect(own.isOwn(accepted[0])).toBe(true);
    expect(readings).toBe(0);
  });

  it.each(['open', 'token'] as const)(
    'where the system does not tell, the setting %s counts',
    async (fallback) => {
      const server = createServer().listen(0, '127.0.0.1');
      onTestFinished(() => void server.close());
      await new Promise((resolve) => server.once('listening', resolve));
      const { port } = server.address() as AddressInfo;
      // eslint-disable-next-line require-yield -- it fails before it has anything
      const readTable = async function* (): AsyncGenerator<string> {
        throw new Error('no such table');
      };
      const blind = createSameUser({ fallback, readTable });
      expect(await blind.prove({ host: '127.0.0.1', port })).toBe(fallback);
      const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
      const client = connect(port, '127.0.0.1');
      onTestFinished(() => void client.destroy());
      expect(await blind.isOwn(await accepted)).toBe(fallback === 'open');
    },
  );

  it('a connection without an owner is nobody’s', () => {
    const line = (uid: string, inode: string) =>
      `  1: 0100007F:1F90 0100007F:4966 01 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1`;
    expect(parseOwners(line('1000', '4711')).get('127.0.0.1 8080 127.0.0.1 18790')).toEqual({
      uid: 1000,
      inode: '4711',
    });
    expect(parseOwners(line('0', '0')).size).toBe(0);
    const six =
      '  1: 00000000000000000000000001000000:1F90 0000000000000000FFFF00000100007F:4966 01 0:0 0:0 0  7 0 9 1';
    expect([...parseOwners(six)]).toEqual([['::1 8080 127.0.0.1 18790', { uid: 7, inode: '9' }]]);
  });
});

describe('row 10: what is under way ends with its credential', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  it('streams of events and of mail, on revocation and on expiry', async () => {
    const hub = await openTestHub();
    const one = await makeToken(hub, { agent: 'ada' });
    const events = await hub.fetch('/api/events', { headers: bearer(one.token) });
    const mail = await hub.fetch('/v1/peers/ada/inbox', { headers: bearer(one.token) });
    const other = await makeToken(hub, { agent: 'ada' });
    const stays = await hub.fetch('/api/events', { headers: bearer(other.token) });
    const mailEnded = endsAfter(mail, () => sleep(50));
    expect(await endsAfter(events, () => revoke(hub, one.record.id))).toContain('no longer holds');
    await mailEnded;
    const expiring = await makeToken(hub, { agent: 'bob', expiresAt: Date.now() + 700 });
    await endsAfter(await hub.fetch('/api/events', { headers: bearer(expiring.token) }), () => sleep(600));
    expect(
      await Promise.race([
        stays
          .body!.getReader()
          .read()
          .then(() => 'said'),
        sleep(100, 'open'),
      ]),
    ).not.toBe('cut');
  });

  it('MCP sessions, their streams and the calls that wait in them', async () => {
    const hub = await openTestHub({ flags: { '--workspace': freshFolder() } });
    const { token, record } = await makeToken(hub, { agent: 'ada' });
    const open = await hub.rpc('/mcp', 'initialize', {}, { token });
    const session = open.headers.get('mcp-session-id')!;
    const headers = { ...bearer(token), 'mcp-session-id': session };
    const stream = await hub.fetch('/mcp', { headers: { ...headers, accept: 'text/event-stream' } });
    const waits = (params: object, extra: object = {}) =>
      hub
        .fetch('/mcp', {
          method: 'POST',
          headers: {
            ...bearer(token),
            'content-type': 'application/json',
            accept: 'application/json',
            ...extra,
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params }),
        })
        .then((response) => response.text())
        .catch(() => 'cut');
    const marker = join(hub.config.tools.workspace!, 'ran');
    const call = { name: 'Bash', arguments: { command: `touch ${marker}` } };
    const legacy = waits(call, { 'mcp-session-id': session });
    const modernHeaders = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'Bash',
    };
    const modern = waits({ ...call, _meta: MODERN_META }, modernHeaders);
    await expect
      .poll(
        async () =>
          ((await (await hub.fetch('/api/tools/approvals')).json()) as { approvals: unknown[] }).approvals
            .length,
      )
      .toBeGreaterThan(0);
    await endsAfter(stream, () => revoke(hub, record.id));
    expect(await Promise.race([Promise.all([legacy, modern]), sleep(1_500, 'waiting')])).not.toBe('waiting');
    const again = await makeToken(hub, { agent: 'ada' });
    expect((await hub.rpc('/mcp', 'tools/list', {}, { token, session })).status).toBe(401);
    expect((await hub.rpc('/mcp', 'tools/list', {}, { token: again.token, session })).status).toBe(404);
    expect(existsSync(marker)).toBe(false);
  });

  it('what a signed URL opened, when the URL is revoked and when the key is exchanged', async () => {
    const hub = await openTestHub();
    const operator = { ...bearer(hub.token), 'content-type': 'application/json' };
    const signed = async () => {
      const path =
        '/api/mcp/config?server=tasks&runtime=claude-code&scopeTeamId=red&scopeAgentId=ada&expiresIn=1h';
      const { config } = (await (await hub.fetch(path, { headers: operator })).json()) as {
        config: { snippet: string };
      };
      const url = /https?:\/\/[^"\\ ']+/.exec(config.snippet)![0].replaceAll('&amp;', '&');
      expect(url).toMatch(/scopeExp=\d+.*scopeSig=[0-9a-f]{64}/);
      return url.slice(hub.address.length);
    };
    const listen = async (path: string) => {
      const session = (await hub.rpc(path, 'initialize')).headers.get('mcp-session-id')!;
      return hub.fetch(path, { headers: { 'mcp-session-id': session, accept: 'text/event-stream' } });
    };
    const [first, second] = [await signed(), await signed()];
    await sleep(1_100);
    const third = await signed();
    const post = (path: string, body?: object) =>
      hub.fetch(path, { method: 'POST', headers: operator, ...(body && { body: JSON.stringify(body) }) });
    await endsAfter(await listen(first), async () => {
      expect((await post('/api/keys/revoke', { url: `${hub.address}${first}` })).status).toBe(200);
    });
    expect((await hub.rpc(second, 'initialize')).status).toBe(first === second ? 403 : 200);
    expect((await hub.rpc(first, 'initialize')).status).toBe(403);
    expect((await hub.rpc(third, 'initialize')).status).toBe(200);
    await endsAfter(await listen(third), async () => {
      expect((await post('/api/keys/rotate')).status).toBe(200);
    });
    expect((await hub.rpc(third, 'initialize')).status).toBe(403);
    expect((await hub.rpc(await signed(), 'initialize')).status).toBe(200);
    expect(statSync(join(hub.config.home, 'signing.key')).mode & 0o777).toBe(0o600);
  });
});

eachEngine('row 10: a revocation', (engine) => {
  it('reaches every hub of the database', async () => {
    const place = await freshPlace(engine);
    const open = async () => {
      const home = freshFolder();
      const env = place.schema === undefined ? {} : { HOLDFAST_DATABASE_SCHEMA: place.schema };
      const config = await resolveConfig({
        flags: { '--port': '0', '--database': place.location },
        env,
        home,
      });
      const hub = await createHub(config, 'private', silentLog);
      onTestFinished(() => hub.close());
      return { address: hub.address, token: readFileSync(join(home, 'token'), 'utf8').trim() };
    };
    const one = await open();
    // Two hubs share a database on PostgreSQL only; on SQLite a private one beside it sees the same file.
    const two = await open();
    const { token, record } = await makeToken(one, { agent: 'ada' });
    const stream = await fetch(`${two.address}/api/events`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await endsAfter(stream, () => revoke(one, record.id));
  });
});

describe('the door', () => {
  const request = () => ({ socket: { remoteAddress: '10.0.0.9' } }) as never;
  const wrong = () =>
    Promise.reject(new HubError('unauthorized', 'invalid token', { challenge: 'invalid_token' }));

  function listening(): { log: Log; lines: unknown[] } {
    const lines: unknown[] = [];
    return { lines, log: { ...silentLog, warn: (message, facts) => lines.push({ message, ...facts }) } };
  }

  it('holds back who shows a wrong credential, writes it down without it, and slows nobody else', async () => {
    const { log, lines } = listening();
    const guard = async ({ headers: { authorization } }: { headers: { authorization?: string } }) => {
      if (authorization === 'Bearer right') return operatorPrincipal;
      return authorization === undefined ? localPrincipal('') : wrong();
    };
    const door = createThrottle({ guard, log, callsPerSecond: 500, now: () => 1_000_000 });
    const show = (authorization?: string) =>
      door({
        headers: authorization === undefined ? {} : { authorization },
        url: '/api/health',
        route: '/api/health',
        request: request(),
      });
    const took: number[] = [];
    for (let i = 0; i < 17; i += 1) {
      const began = performance.now();
      await expect(show('Bearer very-secret-guess')).rejects.toThrow('invalid token');
      took.push(performance.now() - began);
    }
    const heldFor = took.at(-1)!;
    expect(heldFor).toBeGreaterThan(500);
    expect(Math.max(...took.slice(0, 10))).toBeLessThan(heldFor / 2);
    const held = Array.from({ length: 300 }, () =>
      show('Bearer very-secret-guess').catch((error: HubError) => error.code),
    );
    const began = performance.now();
    await expect(show()).resolves.toMatchObject({ kind: 'local' });
    await expect(show('Bearer right')).resolves.toMatchObject({ kind: 'operator' });
    expect(performance.now() - began).toBeLessThan(heldFor / 2);
    const codes = await Promise.all(held);
    expect(new Set(codes)).toEqual(new Set(['unauthorized', 'limited']));
    expect(lines[0]).toMatchObject({
      message: 'a credential was refused',
      address: '10.0.0.9',
      route: '/api/health',
      count: 1,
    });
    expect(lines).toHaveLength(20);
    expect(JSON.stringify(lines)).not.toContain('very-secret-guess');
  });

  it('gives each credential 5,000 calls at once and 500 in a second, and counts nothing of the owner', async () => {
    let now = 0;
    const who = (id: string) => ({ ...operatorPrincipal, kind: 'agent' as const, credential: id });
    const door = createThrottle({
      guard: async ({ url }) => (url === '/' ? localPrincipal('') : who(url)),
      log: silentLog,
      callsPerSecond: 500,
      now: () => now,
    });
    const socket = request();
    const call = (url: string) =>
      door({ headers: {}, url, route: url, request: socket }).then(
        () => 'ok',
        (error: HubError) => error.code,
      );
    for (let i = 0; i < 5_000; i += 1) expect(await call('/a')).toBe('ok');
    expect(await call('/a')).toBe('limited');
    expect(await call('/b')).toBe('ok');
    now += 1_000;
    for (let i = 0; i < 500; i += 1) expect(await call('/a')).toBe('ok');
    expect(await call('/a')).toBe('limited');
    for (let i = 0; i < 6_000; i += 1) expect(await call('/')).toBe('ok');
  });

  it.each([-60_000, -3_600_000, 3_600_000])(
    'a clock that is set by %i ms takes no call from anybody',
    async (by) => {
      const wall = vi.spyOn(Date, 'now');
      onTestFinished(() => wall.mockRestore());
      const door = createThrottle({
        guard: async () => ({ ...operatorPrincipal, kind: 'agent' as const, credential: 'ada' }),
        log: silentLog,
        callsPerSecond: 10,
      });
      const call = () => door({ headers: {}, url: '/', route: '/', request: request() });
      await call();
      const real = wall.getMockImplementation() ?? Date.now;
      const at = real();
      wall.mockImplementation(() => at + by);
      for (let i = 0; i < 50; i += 1) await call();
    },
  );

  it('an agent over its limit is told to wait, in the words of each surface', async () => {
    const home = freshFolder();
    writeFileSync(join(home, 'config.yaml'), 'limits: { calls: 1 }\n');
    const hub = await openTestHub({ home });
    const { token } = await makeToken(hub, { agent: 'ada' });
    const headers = { authorization: `Bearer ${token}` };
    for (let i = 0; i < 10; i += 1) await hub.fetch('/api/health', { headers });
    const rest = await hub.fetch('/api/health', { headers });
    expect([rest.status, rest.headers.get('retry-after')]).toEqual([429, '1']);
    const rpc = await hub.rpc('/api/mcp/tasks', 'initialize', {}, { token });
    expect([rpc.status, rpc.body.error.data.code]).toEqual([429, 'limited']);
    for (let i = 0; i < 30; i += 1) expect((await hub.fetch('/api/health')).status).toBe(200);
  });
});

describe('the access log', () => {
  it('has a line for every request, with its id and who it was, and nothing that was sent', async () => {
    const home = freshFolder();
    const file = join(home, 'access.log');
    writeFileSync(join(home, 'config.yaml'), `access-log: ${file}\n`);
    const hub = await openTestHub({ home });
    const { token } = await makeToken(hub, { agent: 'ada', label: 'a-private-label' });
    const answer = await hub.fetch('/api/board/tasks?status=todo', {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-\w+$/);
    await hub.rpc('/api/mcp/tasks', 'initialize', {}, { token });
    await hub.fetch('/nowhere/at/all');
    await hub.hub.close();
    const text = readFileSync(file, 'utf8');
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ method, route, status, caller }) => [method, route, status, caller])).toEqual([
      ['POST', '/api/tokens', 201, 'operator'],
      ['GET', '/api/board/tasks', 200, 'agent'],
      ['POST', '/api/mcp/tasks', 200, 'agent'],
      ['GET', 'none', 404, 'unknown'],
    ]);
    expect(lines[1]).toMatchObject({
      id: answer.headers.get('x-request-id'),
      agent: 'ada',
      credential: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    for (const secret of [token, 'a-private-label', 'status=todo', hub.token])
      expect(text).not.toContain(secret);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

it('row 24: a request that its sender gave up is not logged as an error', async () => {
  const errors: string[] = [];
  const log: Log = { ...silentLog, error: (message) => errors.push(message) };
  const config = await resolveConfig({ flags: { '--port': '0' }, env: {}, home: freshFolder() });
  const hub = await createHub(config, 'public', log);
  onTestFinished(() => hub.close());
  for (let i = 0; i < 20; i += 1) {
    const gone = new AbortController();
    const pending = fetch(`${hub.address}/api/events`, { signal: gone.signal }).catch(() => undefined);
    const { port } = new URL(hub.address);
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(
        `POST /api/board/tasks HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"title":`,
      );
      setTimeout(() => socket.destroy(), 5);
    });
    socket.on('error', () => undefined);
    await sleep(10);
    gone.abort();
    await pending;
  }
  await sleep(200);
  expect(errors).toEqual([]);
});

/** Where the program itself lies, which a user without rights in this folder can run as well. */
function realNode(): string {
  return existsSync('/usr/bin/node') ? '/usr/bin/node' : process.execPath;
}
