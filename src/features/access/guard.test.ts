import { describe, expect, it } from 'vitest';
import { freshDatabase } from '../../../test/fixtures/databases.ts';
import { silentLog } from '../../kernel/log.ts';
import { systemActor } from '../../kernel/principal.ts';
import { hubCaller } from '../../store/calls.ts';
import { createAccess } from './access.ts';
import { createBindings } from './bindings.ts';
import { createGuard } from './guard.ts';
import { newTokenSchema } from './token.ts';

const TOKEN = 'f'.repeat(64);
const KEY = Buffer.alloc(32, 7);
const LOOPBACK = { isOnLoopback: true, isOpen: false };
const OPEN = { isOnLoopback: true, isOpen: true };
const BEYOND = { isOnLoopback: false, isOpen: false };

async function setUp(reach: Readonly<{ isOnLoopback: boolean; isOpen: boolean }>) {
  const db = await freshDatabase('sqlite');
  const access = createAccess({ db, log: silentLog });
  const bindings = createBindings(KEY);
  const guard = createGuard({ access, bindings, token: TOKEN, ...reach });
  const make = (request: { team?: string; expiresAt?: number }) =>
    db.write(systemActor, (tx) => access.in(tx, hubCaller).createToken({ agent: 'ada', ...request }));
  const ask = (url: string, token?: string, headers: Record<string, string> = {}) =>
    guard({
      url,
      route: url.split('?')[0]!,
      headers: {
        host: '127.0.0.1:18790',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
    }).then(
      (who) => who,
      (error: { code: string }) => error.code,
    );
  return { db, access, bindings, make, ask };
}

const PATHS = [
  '/',
  '/api/health',
  '/api/board/tasks?team=x',
  '/api/mcp/config',
  '/api/mcp/tasks',
  '/api/mcp/memory?profile=extended',
  '/mcp',
  '/mcp/ada',
  '/v1/peers',
  '/v1/agents',
];
const isGuarded = (path: string) => /^\/(mcp|v1)/.test(path);

describe('who a caller is, over every kind of path', () => {
  it.each(PATHS)('%s on loopback', async (path) => {
    const { ask, make } = await setUp(LOOPBACK);
    const { text } = await make({ team: 'red' });
    expect(await ask(path)).toEqual(
      isGuarded(path) ? 'unauthorized' : expect.objectContaining({ kind: 'local' }),
    );
    expect(await ask(path, TOKEN)).toMatchObject({ kind: 'operator' });
    expect(await ask(path, text)).toMatchObject({
      kind: 'agent',
      id: 'ada',
      bound: { agent: 'ada', team: 'red' },
    });
    expect(await ask(path, 'e'.repeat(64))).toBe('unauthorized');
  });

  it.each(PATHS)('%s with --no-auth', async (path) => {
    const { ask, make } = await setUp(OPEN);
    const { text } = await make({});
    expect(await ask(path)).toMatchObject({ kind: 'local' });
    expect(await ask(path, 'wrong')).toMatchObject({ kind: 'local' });
    expect(await ask(path, TOKEN)).toMatchObject({ kind: 'operator' });
    expect(await ask(path, text)).toMatchObject({ kind: 'agent', id: 'ada' });
    for (const ours of [`${text.slice(0, -1)}x`, 'hft_wrong', 'HFT_wrong', 'bto_wrong', 'brt_wrong'])
      expect(await ask(path, ours), ours).toBe('unauthorized');
  });

  it.each(['', 'Bearer', 'Basic YTpi', 'Bearer a b', `Bearer ${'a'.repeat(2000)}`])(
    'with --no-auth the header %j is no credential at all',
    async (authorization) => {
      const { ask } = await setUp(OPEN);
      expect(await ask('/mcp', undefined, { authorization })).toMatchObject({ kind: 'local' });
    },
  );

  it('with --no-auth an agent token that was revoked or has expired is refused', async () => {
    let now = 1_000_000;
    const db = await freshDatabase('sqlite', { clock: { now: () => now, elapsed: () => now } });
    const access = createAccess({ db, log: silentLog });
    const mint = (request: object) =>
      db.write(systemActor, (tx) => access.in(tx, hubCaller).createToken({ agent: 'ada', ...request }));
    const guard = createGuard({ access, bindings: createBindings(KEY), token: TOKEN, ...OPEN });
    const ask = (token: string) =>
      guard({
        url: '/mcp',
        route: '/mcp',
        headers: { host: 'localhost:1', authorization: `Bearer ${token}` },
      });
    const [expiring, revoked] = [await mint({ expiresAt: now + 1000 }), await mint({})];
    await db.write(systemActor, (tx) => access.in(tx, hubCaller).revokeToken(revoked.token.id));
    now += 1000;
    await expect(ask(expiring.text)).rejects.toThrow('This token has expired.');
    await expect(ask(revoked.text)).rejects.toThrow('This token was revoked.');
  });

  it('with --no-auth a stranger behind a proxy still needs a credential that holds', async () => {
    const { ask } = await setUp(OPEN);
    expect(await ask('/mcp', 'wrong', { 'x-forwarded-for': '10.0.0.9' })).toBe('unauthorized');
  });

  it.each(PATHS)('%s beyond loopback', async (path) => {
    const { ask } = await setUp(BEYOND);
    expect(await ask(path)).toBe('unauthorized');
    expect(await ask(path, TOKEN)).toMatchObject({ kind: 'operator' });
    expect(await ask(path, 'wrong')).toBe('unauthorized');
  });

  it.each<Record<string, string>>([
    { host: 'hub.example' },
    { 'x-forwarded-for': '10.0.0.9' },
    { forwarded: 'for=10.0.0.9' },
    { 'x-forwarded-host': 'hub.example' },
    { 'x-forwarded-proto': 'https' },
    { 'x-real-ip': '10.0.0.9' },
    { via: '1.1 proxy' },
    { 'cf-connecting-ip': '10.0.0.9' },
    { 'true-client-ip': '10.0.0.9' },
    { 'x-client-ip': '10.0.0.9' },
    { 'x-envoy-external-address': '10.0.0.9' },
    { 'fly-client-ip': '10.0.0.9' },
    { 'cdn-loop': 'cloudflare' },
    { 'x-amzn-trace-id': 'Root=1' },
  ])('a request that came through something else (%j) is not local', async (headers) => {
    const { ask } = await setUp(LOOPBACK);
    expect(await ask('/api/health', undefined, headers)).toBe('unauthorized');
    expect(await ask('/api/health', TOKEN, headers)).toMatchObject({ kind: 'operator' });
  });
});

describe('/mcp without a token', () => {
  const program = { isOwn: () => true, isOwnProgram: () => true };
  const known = async (more: object) => {
    const db = await freshDatabase('sqlite');
    const access = createAccess({ db, log: silentLog });
    const guard = createGuard({ access, bindings: createBindings(KEY), token: TOKEN, ...LOOPBACK, ...more });
    return (url: string) =>
      guard({ url, route: url.split('?')[0]!, headers: { host: 'localhost:1' } }).then(
        ({ kind }) => kind,
        (error: { code: string }) => error.code,
      );
  };

  it.each([
    ['local', { mcpAuth: 'local', sameUser: program }, 'local'],
    ['token', { mcpAuth: 'token', sameUser: program }, 'unauthorized'],
    [
      'local, of no program',
      { mcpAuth: 'local', sameUser: { ...program, isOwnProgram: () => false } },
      'unauthorized',
    ],
    [
      'local, of another user',
      { mcpAuth: 'local', sameUser: { ...program, isOwn: () => false } },
      'unauthorized',
    ],
    ['local, where nobody can tell', { mcpAuth: 'local' }, 'unauthorized'],
    ['local, beyond loopback', { mcpAuth: 'local', sameUser: program, isOnLoopback: false }, 'unauthorized'],
  ])('mcp-auth: %s', async (_, parts, kind) => {
    const ask = await known(parts);
    expect(await ask('/mcp')).toBe(kind);
    for (const path of ['/mcp?being_id=', '/mcp/source/x', '/mcp/:beingId', '/v1/agents', '/peers', '/a2a'])
      expect(await ask(path), path).toBe('unauthorized');
  });
});

describe('a bad token never falls back to local', () => {
  it('expired, revoked, of another hub, almost right', async () => {
    let now = 1_000_000;
    const db = await freshDatabase('sqlite', { clock: { now: () => now, elapsed: () => now } });
    const access = createAccess({ db, log: silentLog });
    const mint = (request: object) =>
      db.write(systemActor, (tx) => access.in(tx, hubCaller).createToken({ agent: 'ada', ...request }));
    const guard = createGuard({ access, bindings: createBindings(KEY), token: TOKEN, ...LOOPBACK });
    const ask = (authorization: string) =>
      guard({ url: '/api/health', route: '/api/health', headers: { host: 'localhost:1', authorization } });
    const expiring = await mint({ expiresAt: now + 1000 });
    const revoked = await mint({});
    const good = await mint({});
    await db.write(systemActor, (tx) => access.in(tx, hubCaller).revokeToken(revoked.token.id));
    await expect(ask(`Bearer ${expiring.text}`)).resolves.toMatchObject({ kind: 'agent' });
    now += 1000;
    await expect(ask(`Bearer ${expiring.text}`)).rejects.toThrow('This token has expired.');
    await expect(ask(`Bearer ${revoked.text}`)).rejects.toThrow('This token was revoked.');
    const other = await setUp(LOOPBACK);
    const foreign = await other.make({});
    const almost = [
      foreign.text,
      `${good.text.slice(0, -1)}${good.text.endsWith('0') ? '1' : '0'}`,
      good.text.slice(0, -1),
      `${good.text}0`,
      good.text.toUpperCase(),
      good.text.replace('hft_', ''),
      `${TOKEN.slice(0, -1)}e`,
      TOKEN.toUpperCase(),
    ];
    for (const text of almost) await expect(ask(`Bearer ${text}`), text).rejects.toThrow('invalid token');
    for (const header of [
      '',
      'Bearer',
      'Bearer ',
      `Basic ${TOKEN}`,
      TOKEN,
      `Bearer ${TOKEN} ${TOKEN}`,
      `Bearer ${'a'.repeat(2000)}`,
    ])
      await expect(ask(header), header).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(ask(`bearer  ${TOKEN}`)).resolves.toMatchObject({ kind: 'operator' });
    await expect(ask(`Bearer ${good.text}`)).resolves.toMatchObject({ kind: 'agent' });
  });
});

describe('bindings of an attach URL', () => {
  const bare = 'scopeTeamId=red&scopeAgentId=ada';

  it.each(['/api/mcp/tasks', '/api/mcp/memory', '/api/mcp/teamchat'])(
    '%s: unsigned they bind on loopback, a signature makes them proof',
    async (path) => {
      const { ask, bindings } = await setUp(LOOPBACK);
      const signed = bindings.sign(new URLSearchParams(bare)).toString();
      expect(await ask(`${path}?${bare}`)).toMatchObject({ kind: 'local' });
      expect(await ask(`${path}?${signed}`)).toMatchObject({
        kind: 'agent',
        id: 'ada',
        bound: { team: 'red', agent: 'ada' },
      });
      expect(await ask(`${path}?${signed}&profile=extended`)).toMatchObject({ kind: 'agent' });
    },
  );

  it('a signature that does not fit is refused, with any credential, and never served unbound', async () => {
    const { ask, bindings } = await setUp(LOOPBACK);
    const signature = bindings.sign(new URLSearchParams(bare)).get('scopeSig')!;
    for (const url of [
      `scopeTeamId=blue&scopeAgentId=ada&scopeSig=${signature}`,
      `scopeTeamId=red&scopeSig=${signature}`,
      `${bare}&scopeTenantId=t&scopeSig=${signature}`,
      `${bare}&scopeSig=${signature.slice(0, -1)}`,
      `${bare}&scopeSig=`,
      `${bare}&scopeSig=${signature}&scopeSig=${signature}`,
      `scopeSig=${signature}`,
      `${bare}&scopeSig=${createBindings(Buffer.alloc(32, 8)).sign(new URLSearchParams(bare)).get('scopeSig')}`,
    ]) {
      expect(await ask(`/api/mcp/tasks?${url}`), url).toBe('forbidden');
      expect(await ask(`/api/mcp/tasks?${url}`, TOKEN), url).toBe('forbidden');
    }
    expect(await ask(`/api/mcp/tasks?${bare}&scopeTeamId=blue`)).toBe('invalid');
  });

  it.each([
    'scopeTeamID',
    'ScopeTeamId',
    'scope_team_id',
    'scope-agent-id',
    'SCOPESIG',
    'roomteamid',
    'scopeTeamId[]',
    'scopeTeamId[0]',
    'scopeTeamId.',
    'scopeTeam',
    'scopeteams',
    'postAuthor',
  ])('%s is refused, not ignored', async (name) => {
    const { ask } = await setUp(LOOPBACK);
    expect(await ask(`/api/mcp/memory?${encodeURIComponent(name)}=red`)).toBe('invalid');
  });

  it('a value cannot pretend to be two', () => {
    const bindings = createBindings(KEY);
    const one = bindings.sign(new URLSearchParams({ scopeTeamId: 'a\nscopeAgentId:1:b' })).get('scopeSig');
    const two = bindings.sign(new URLSearchParams({ scopeTeamId: 'a', scopeAgentId: 'b' })).get('scopeSig');
    expect(one).not.toBe(two);
  });

  it('beyond loopback only a signature binds, and it is no credential', async () => {
    const { ask, bindings, make } = await setUp(BEYOND);
    const { text } = await make({ team: 'red' });
    const signed = bindings.sign(new URLSearchParams(bare)).toString();
    expect(await ask(`/api/mcp/tasks?${bare}`, TOKEN)).toBe('forbidden');
    expect(await ask(`/api/mcp/tasks?${bare}`, text)).toBe('forbidden');
    expect(await ask(`/api/mcp/tasks?${signed}`)).toBe('unauthorized');
    expect(await ask(`/api/mcp/tasks?${signed}`, TOKEN)).toMatchObject({ kind: 'operator' });
  });

  it('elsewhere the same names are ordinary filters', async () => {
    const { ask } = await setUp(BEYOND);
    expect(await ask(`/api/memory/facts?${bare}`, TOKEN)).toMatchObject({ kind: 'operator' });
  });
});

it('the secret of a token is nowhere in the database', async () => {
  const { db, make } = await setUp(LOOPBACK);
  const { text, token } = await make({});
  const row = await db.read((q) =>
    q.get<Record<string, unknown>>({ text: 'select * from agent_tokens', params: [] }),
  );
  expect(row).toMatchObject({ id: token.id, agent: 'ada' });
  expect(JSON.stringify(row)).not.toContain(text.slice(21));
});

it.each(['user', 'User', 'You', 'holdfast', 'system', '\uff55ser', 'us\u200ber', '@operator'])(
  'no token and no signature makes an agent %j',
  async (agent) => {
    const { ask, bindings } = await setUp(LOOPBACK);
    expect(newTokenSchema.safeParse({ agent }).success).toBe(false);
    expect(() => bindings.sign(new URLSearchParams({ scopeAgentId: agent }))).toThrow(
      'means somebody already',
    );
    expect(
      await ask(
        `/api/mcp/tasks?${new URLSearchParams({ scopeAgentId: agent, scopeSig: '0'.repeat(64) }).toString()}`,
      ),
    ).toBe('invalid');
  },
);

it('a secret in the label of a token is not stored', async () => {
  const { db, access } = await setUp(LOOPBACK);
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  await db.write(systemActor, (tx) =>
    access.in(tx, hubCaller).createToken({ agent: 'ada', label: `for ${secret}` }),
  );
  expect(JSON.stringify(await db.read((q) => access.at(q, hubCaller).tokens()))).not.toContain(secret);
  expect(newTokenSchema.safeParse({ agent: secret }).success).toBe(false);
});

describe('the cookie of a signed-in browser', () => {
  it('speaks for the person on REST, and for nobody in the hands of another user of the machine', async () => {
    const { db, access, ask } = await setUp(LOOPBACK);
    const { persons } = access.oauth;
    const link = await db.write(systemActor, (tx) => persons.createLink(tx));
    const shown = { headers: { host: '127.0.0.1:18790' } };
    const cookie = (await persons.signIn(link, shown, false))!.split(';')[0]!;
    expect(await ask('/api/tokens', undefined, { cookie })).toMatchObject({ kind: 'operator' });
    expect(await ask('/mcp', undefined, { cookie })).toBe('unauthorized');
    persons.knowUsers({ isOwn: () => false });
    expect(await ask('/api/tokens', undefined, { cookie })).toMatchObject({ kind: 'local' });
    expect(await ask('/api/tokens', undefined, { cookie, 'x-forwarded-for': '192.0.2.7' })).toBe(
      'unauthorized',
    );
    persons.knowUsers({ isOwn: () => true });
    expect(await ask('/api/tokens', undefined, { cookie })).toMatchObject({ kind: 'operator' });
  });
});
