import { expect, it } from 'vitest';
import { createPeers } from '../../src/features/peers/peers.ts';
import { peersRoutes } from '../../src/features/peers/routes.ts';
import { resolveConfig } from '../../src/kernel/config.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { peersRoom } from '../../src/features/peers/room.ts';
import { eachEngine, freshDatabase, freshFolder, freshPlace } from '../fixtures/databases.ts';
import { handClock } from '../fixtures/board-host.ts';
import { restOf } from '../fixtures/rest-client.ts';
import { createActing } from '../../src/store/calls.ts';
import { standingOn } from '../fixtures/ground.ts';

eachEngine('/v1/peers', (engine) => {
  const open = async (bound = {}) => {
    const clock = handClock();
    const db = await freshDatabase(engine, { clock });
    const peers = createPeers(db);
    const rest = restOf(peersRoutes(createActing(db), peers), () => localPrincipal('', bound));
    const register = async (more: Record<string, unknown> = {}) =>
      (await rest('POST', '/v1/peers/register', { display_name: 'ada', backend: 'claude-code', ...more }))
        .body;
    return { db, clock, peers, rest, register };
  };

  it('registers a peer with the documented fields and defaults', async () => {
    const { register, clock } = await open();
    const peer = await register({
      path: '/repo',
      session_id: 's1',
      tmux_pane: '%3',
      pid: 42,
      metadata: { k: 'v' },
    });
    const at = new Date(clock.now()).toISOString();
    expect(peer).toEqual({
      peer_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      agent_id: 'ada',
      display_name: 'ada',
      path: '/repo',
      backend: 'claude-code',
      circle: 'default',
      role: 'agent',
      status: 'online',
      session_id: 's1',
      tmux_pane: '%3',
      pid: 42,
      metadata: { k: 'v' },
      registered_at: at,
      last_seen: at,
    });
  });

  it('accepts what documented clients send: empty text, null metadata, fields we do not know', async () => {
    const { register } = await open();
    const peer = await register({
      path: '',
      circle: '',
      role: '',
      session_id: '',
      tmux_pane: '',
      metadata: null,
      machine: 'mac',
    });
    expect(peer).toMatchObject({ circle: 'default', role: 'agent', status: 'online' });
    expect(peer).not.toHaveProperty('path');
  });

  it('lists with filters: alive first, then by name', async () => {
    const { rest, register } = await open();
    const a = await register({ display_name: 'zoe', path: '/a', circle: 'red', session_id: '1' });
    const b = await register({ display_name: 'bob', backend: 'codex', session_id: '2' });
    const c = await register({ display_name: 'cid', session_id: '3' });
    await rest('POST', `/v1/peers/${b.peer_id}/heartbeat`, { status: 'busy' });
    await rest('POST', `/v1/peers/${c.peer_id}/heartbeat`, { status: 'offline' });
    const names = async (query: string) =>
      (await rest('GET', `/v1/peers${query}`)).body.peers.map(
        (p: { display_name: string }) => p.display_name,
      );
    expect(await names('')).toEqual(['zoe', 'bob', 'cid']);
    expect(await names('?status=busy')).toEqual(['bob']);
    expect(await names('?backend=claude-code')).toEqual(['zoe', 'cid']);
    expect(await names('?circle=red')).toEqual(['zoe']);
    expect(await names('?path=/a')).toEqual(['zoe']);
    expect(await names('?path=/none')).toEqual([]);
    expect(await names('?status=&backend=&circle=&path=')).toEqual(['zoe', 'bob', 'cid']);
    expect(await names('?status=busy&backend=claude-code')).toEqual([]);
    expect((await rest('GET', '/v1/peers?status=weird')).body).toMatchObject({
      error: 'Invalid query: status must be one of online, busy, offline, got "weird".',
      code: 'invalid',
    });
    expect((await rest('GET', '/v1/peers')).body).toMatchObject({ count: 3, as_of: expect.any(String) });
    expect((await rest('GET', `/v1/peers/${a.peer_id}`)).body.display_name).toBe('zoe');
  });

  it('finds a session again by its exact identity and never takes the peer of another', async () => {
    const { register } = await open();
    const first = await register({ path: '/repo', session_id: 's1' });
    const again = await register({ path: '/repo', session_id: 's1', metadata: { more: '1' }, circle: 'red' });
    expect(again).toMatchObject({ peer_id: first.peer_id, circle: 'red', metadata: { more: '1' } });
    const others = await Promise.all([
      register({ path: '/repo', session_id: 's2' }),
      register({ path: '/other', session_id: 's1' }),
      register({ path: '/repo', session_id: 's1', tmux_pane: '%1' }),
      register({ path: '/repo', session_id: 's1', backend: 'codex' }),
      register({ path: '/repo' }),
      register({ path: '/repo' }),
      register({}),
    ]);
    expect(new Set([first, ...others].map((peer) => peer.peer_id)).size).toBe(8);
  });

  it('refuses to register a known session under another agent', async () => {
    const { rest, register } = await open();
    await register({ session_id: 's1', agent_id: 'ada' });
    const refused = await rest('POST', '/v1/peers/register', {
      display_name: 'x',
      backend: 'claude-code',
      session_id: 's1',
      agent_id: 'eve',
    });
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('one session registering many times at once is one peer', async () => {
    const place = await freshPlace(engine);
    const rests = await Promise.all(
      [0, 1].map(async () => {
        const db = await place.open();
        const peers = createPeers(db);
        return restOf(peersRoutes(createActing(db), peers));
      }),
    );
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        rests[i % 2]!('POST', '/v1/peers/register', { display_name: 'ada', backend: 'x', session_id: 's' }),
      ),
    );
    expect(new Set(answers.map(({ body }) => body.peer_id)).size).toBe(1);
  });

  it('decides who is offline when asked, and hears a peer that comes back', async () => {
    const { rest, register, clock } = await open();
    const { peer_id: id } = await register({ session_id: 's1' });
    clock.advance(60_001);
    expect((await rest('GET', `/v1/peers/${id}`)).body.status).toBe('offline');
    expect((await rest('GET', '/v1/peers?status=online')).body.count).toBe(0);
    expect((await rest('GET', '/v1/peers?status=offline')).body.count).toBe(1);
    expect((await rest('POST', `/v1/peers/${id}/heartbeat`)).body).toMatchObject({ status: 'online' });
    expect((await rest('GET', `/v1/peers/${id}`)).body.status).toBe('online');
  });

  it('shows a heartbeat at once where it came in, and to other hubs when it was written with the rest', async () => {
    const place = await freshPlace(engine);
    const clock = handClock();
    const hubs = await Promise.all(
      [0, 1].map(async () => {
        const db = await place.open({ clock });
        const peers = createPeers(db, { flushMs: 3_600_000 });
        return { db, peers, rest: restOf(peersRoutes(createActing(db), peers)) };
      }),
    );
    const [one, two] = [hubs[0]!, hubs[1]!];
    const { body: peer } = await one.rest('POST', '/v1/peers/register', {
      display_name: 'ada',
      backend: 'codex',
    });
    const beat = (status?: string) =>
      one.rest('POST', `/v1/peers/${peer.peer_id}/heartbeat`, status === undefined ? undefined : { status });
    const seenBy = async ({ rest }: typeof one) => (await rest('GET', `/v1/peers/${peer.peer_id}`)).body;
    clock.advance(30_000);
    const at = new Date(clock.now()).toISOString();
    expect((await beat()).body.last_seen).toBe(at);
    expect((await seenBy(one)).last_seen).toBe(at);
    expect((await seenBy(two)).last_seen).toBe(peer.last_seen);
    await one.peers.close();
    expect((await seenBy(two)).last_seen).toBe(at);
    clock.advance(1);
    await beat('busy');
    expect(await seenBy(two)).toMatchObject({
      status: 'busy',
      last_seen: new Date(clock.now()).toISOString(),
    });
    clock.advance(61_000);
    await beat();
    expect(await seenBy(two)).toMatchObject({
      status: 'busy',
      last_seen: new Date(clock.now()).toISOString(),
    });
  });

  it('an older sign of life never overwrites a newer one of another hub', async () => {
    const place = await freshPlace(engine);
    const clock = handClock();
    const open = async () => {
      const db = await place.open({ clock });
      const peers = createPeers(db, { flushMs: 3_600_000 });
      return { peers, rest: restOf(peersRoutes(createActing(db), peers)) };
    };
    const [one, two] = [await open(), await open()];
    const { body: peer } = await one.rest('POST', '/v1/peers/register', {
      display_name: 'ada',
      backend: 'codex',
    });
    for (const hub of [one, two]) {
      clock.advance(1000);
      await hub.rest('POST', `/v1/peers/${peer.peer_id}/heartbeat`);
    }
    await two.peers.close();
    await one.peers.close();
    expect((await one.rest('GET', `/v1/peers/${peer.peer_id}`)).body.last_seen).toBe(
      new Date(clock.now()).toISOString(),
    );
  });

  it('does not believe a sign of life from before the clock was set back', async () => {
    const { rest, register, clock, db, peers } = await open();
    const { peer_id: id } = await register({ session_id: 's1' });
    clock.step(-3_600_000);
    expect((await rest('GET', `/v1/peers/${id}`)).body.status).toBe('offline');
    await rest('POST', `/v1/peers/${id}/heartbeat`, {});
    expect((await rest('GET', `/v1/peers/${id}`)).body.status).toBe('online');
    await db.write({ id: 't', asserted: false }, (tx) => peers.tidy(tx));
    expect((await rest('GET', '/v1/peers')).body.count).toBe(1);
  });

  it('survives a restart', async () => {
    const place = await freshPlace(engine);
    const serve = async () => {
      const db = await place.open();
      const peers = createPeers(db);
      return { db, rest: restOf(peersRoutes(createActing(db), peers)) };
    };
    const before = await serve();
    const { body: peer } = await before.rest('POST', '/v1/peers/register', {
      display_name: 'ada',
      backend: 'codex',
    });
    await before.db.close();
    const after = await serve();
    expect((await after.rest('GET', `/v1/peers/${peer.peer_id}`)).body).toEqual(peer);
  });

  it('deregisters once, and a deleted peer has no heartbeat', async () => {
    const { rest, register } = await open();
    const { peer_id: id } = await register();
    expect((await rest('DELETE', `/v1/peers/${id}`)).body.peer_id).toBe(id);
    const gone = {
      status: 404,
      body: {
        error: expect.stringContaining('unknown peer'),
        got_id: id,
        hint: expect.stringContaining('register'),
      },
    };
    expect(await rest('DELETE', `/v1/peers/${id}`)).toMatchObject(gone);
    expect(await rest('POST', `/v1/peers/${id}/heartbeat`, {})).toMatchObject(gone);
  });

  it('an agent may act for its own peers only', async () => {
    const { rest, db, peers } = await open({ agent: 'eve' });
    const operator = restOf(peersRoutes(createActing(db), peers));
    const { body: ada } = await operator('POST', '/v1/peers/register', {
      display_name: 'ada',
      backend: 'codex',
    });
    expect((await rest('DELETE', `/v1/peers/${ada.peer_id}`)).status).toBe(403);
    expect((await rest('POST', `/v1/peers/${ada.peer_id}/heartbeat`)).status).toBe(403);
    expect((await rest('GET', `/v1/peers/${ada.peer_id}/messages`)).status).toBe(403);
    expect(
      (await rest('POST', '/v1/peers/register', { display_name: 'x', backend: 'y', agent_id: 'ada' })).status,
    ).toBe(403);
    expect(
      (await rest('POST', '/v1/peers/register', { display_name: 'ada', backend: 'y' })).body.agent_id,
    ).toBe('eve');
  });

  it.each([
    ['POST', '/v1/peers/register', {}, 400],
    ['POST', '/v1/peers/register', { display_name: 'a' }, 400],
    ['POST', '/v1/peers/register', { backend: 'a' }, 400],
    ['POST', '/v1/peers/register', { display_name: ' ', backend: 'a' }, 400],
    ['POST', '/v1/peers/register', { display_name: 'a\nb', backend: 'a' }, 400],
    ['POST', '/v1/peers/register', { display_name: 'a', backend: 'b', role: 'king' }, 400],
    ['POST', '/v1/peers/register', { display_name: 'a', backend: 'b', metadata: { k: 1 } }, 400],
    ['POST', '/v1/peers/register', { display_name: 'a', backend: 'b', pid: -1 }, 400],
    ['POST', '/v1/peers/register', [], 400],
    ['GET', '/v1/peers?status=asleep', undefined, 400],
    ['GET', '/v1/peers?color=red', undefined, 400],
    ['GET', '/v1/peers/..%2F..%2Fetc%2Fpasswd', undefined, 404],
    ['GET', '/v1/peers/%00', undefined, 400],
    ['POST', '/v1/peers/nobody/heartbeat', { status: 'online' }, 404],
    ['GET', '/v1/peers/nobody/messages', undefined, 404],
    ['POST', '/v1/peers/nobody/messages', { text: 'hi' }, 404],
    ['GET', `/v1/peers/${'x'.repeat(201)}`, undefined, 400],
  ])('%s %s %j is refused with %i', async (method, path, body, status) => {
    const { rest } = await open();
    expect(await rest(method, path, body)).toMatchObject({ status, body: { error: expect.any(String) } });
  });

  it('refuses a status that is none', async () => {
    const { rest, register } = await open();
    const { peer_id: id } = await register();
    expect((await rest('POST', `/v1/peers/${id}/heartbeat`, { status: 'asleep' })).status).toBe(400);
  });

  it('answers 503 from the moment the hub begins to stop', async () => {
    const db = await freshDatabase(engine);
    const room = peersRoom.open(
      {
        db,
        config: await resolveConfig({ flags: {}, env: {}, home: freshFolder() }),
        log: silentLog,
        ...standingOn(db),
      },
      {},
    );
    const rest = restOf(await room.routes!([]));
    expect((await rest('GET', '/v1/peers')).status).toBe(200);
    room.settle!();
    expect(await rest('GET', '/v1/peers')).toMatchObject({
      status: 503,
      body: { error: 'peer registry not initialised' },
    });
    await room.close!();
  });

  it('answers 503 while the registry is not there', async () => {
    const db = await freshDatabase(engine);
    const peers = createPeers(db);
    peers.settle();
    const rest = restOf(peersRoutes(createActing(db), peers));
    for (const [method, path, body] of [
      ['GET', '/v1/peers'],
      ['POST', '/v1/peers/register', { display_name: 'a', backend: 'b' }],
      ['POST', '/v1/peers/x/heartbeat'],
      ['DELETE', '/v1/peers/x'],
    ] as const) {
      expect(await rest(method, path, body)).toMatchObject({
        status: 503,
        body: { error: expect.stringContaining('registry not initialised') },
      });
    }
  });
});
