import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createPeers } from '../../src/features/peers/peers.ts';
import { peersRoutes } from '../../src/features/peers/routes.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { handClock } from '../fixtures/board-host.ts';
import { eachEngine, freshDatabase, freshFolder } from '../fixtures/databases.ts';
import { restOf } from '../fixtures/rest-client.ts';
import { createActing } from '../../src/store/calls.ts';

const STALE = 61_000;

eachEngine('/peers, for clients of the system it is modelled on', (engine) => {
  const open = async (bound = {}) => {
    const clock = handClock();
    const db = await freshDatabase(engine, { clock });
    const peers = createPeers(db);
    const rest = restOf(peersRoutes(createActing(db), peers), () => localPrincipal('', bound));
    const add = (name: string, more: object = {}) =>
      rest('POST', '/peers', { name, backend: 'codex', ...more });
    const names = async (query = '') =>
      (await rest('GET', `/peers${query}`)).body.peers.map((peer: { name: string }) => peer.name);
    return { clock, rest, add, names };
  };

  it('registers, shows and lists a peer in its words', async () => {
    const { rest, add, clock } = await open();
    const facts = {
      machine: 'mac',
      tmux_session: 'main',
      turn_state: 'idle',
      agent_pid: 7,
      metadata: { branch: 'x', n: 1 },
    };
    const { status, body } = await add('ada', { path: '/repo', pane_id: '%3', ...facts });
    expect([status, body]).toEqual([200, { ok: true, peer_id: expect.any(String), display_name: 'ada' }]);
    const info = {
      peer_id: body.peer_id,
      name: 'ada',
      display_name: 'ada',
      path: '/repo',
      machine: 'mac',
      tmux_session: 'main',
      backend: 'codex',
      circle: 'default',
      role: 'agent',
      status: 'online',
      turn_state: 'idle',
      last_seen: new Date(clock.now()).toISOString(),
      metadata: { branch: 'x', n: '1' },
      description: '',
    };
    expect((await rest('GET', '/peers')).body).toEqual({ peers: [info] });
    for (const path of ['/peers/ada', `/peers/${body.peer_id}`, '/peers/by-pane/%253'])
      expect([path, (await rest('GET', path)).body]).toEqual([path, info]);
    expect((await rest('GET', '/v1/peers/by-pane/%253')).body).toMatchObject({
      peer_id: body.peer_id,
      tmux_pane: '%3',
      agent_id: 'ada',
    });
  });

  it('finds a name again, with a pane and without', async () => {
    const { add, names } = await open();
    const [one, two] = [await add('ada'), await add('ada')];
    const [three, four] = [await add('bob', { pane_id: '%1' }), await add('bob', { pane_id: '%1' })];
    expect([two.body.peer_id, four.body.peer_id]).toEqual([one.body.peer_id, three.body.peer_id]);
    expect(await names()).toEqual(['ada', 'bob']);
  });

  it('filters: online includes busy, a circle those beyond circles, a path by where it leads', async () => {
    const { add, names, rest } = await open();
    const folder = freshFolder();
    mkdirSync(join(folder, 'real'));
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    const ada = await add('ada', { circle: 'red', path: join(folder, 'real') });
    await add('bob', { circle: 'blue', backend: 'gemini' });
    await add('max', { circle: 'blue', role: 'human' });
    await add('zoe', { circle: 'blue', role: 'orchestrator' });
    await rest('POST', `/v1/peers/${ada.body.peer_id}/heartbeat`, { status: 'busy' });
    expect((await rest('POST', '/peers/bob/offline')).body).toEqual({ ok: true, cancelled_queries: 0 });
    expect((await rest('GET', '/peers/ada')).body).toMatchObject({ status: 'busy', turn_state: 'working' });
    expect(await names('?status=online')).toEqual(['max', 'zoe', 'ada']);
    expect(await names('?status=offline')).toEqual(['bob']);
    expect(await names('?circle=red')).toEqual(['max', 'zoe', 'ada']);
    expect(await names('?circle=*&backend=gemini')).toEqual(['bob']);
    expect(await names(`?path=${join(folder, 'link')}`)).toEqual(['ada']);
    expect(await names('?status=&circle=&path=&backend=')).toHaveLength(4);
  });

  it('touch, description and DELETE', async () => {
    const { add, rest, clock } = await open();
    await add('ada');
    clock.advance(STALE);
    expect((await rest('GET', '/peers/ada')).body.status).toBe('offline');
    expect((await rest('POST', '/peers/ada/touch')).body).toEqual({ ok: true });
    expect((await rest('POST', '/peers/ada/description', { description: 'mends the roof' })).body).toEqual({
      ok: true,
    });
    expect((await rest('GET', '/peers/ada')).body).toMatchObject({
      status: 'online',
      description: 'mends the roof',
      metadata: {},
    });
    expect((await rest('DELETE', '/peers/ada')).body).toEqual({ ok: true });
    expect(await rest('GET', '/peers/ada')).toMatchObject({
      status: 404,
      body: { detail: 'unknown peer: ada' },
    });
  });

  it('a pane belongs to whoever is alive in it', async () => {
    const { add, rest, clock, names } = await open();
    await add('ada', { pane_id: '%1', path: '/a' });
    expect(await add('eve', { pane_id: '%1', path: '/b' })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('%1') },
    });
    clock.advance(STALE);
    expect((await add('eve', { pane_id: '%1', path: '/b' })).status).toBe(200);
    expect((await rest('GET', '/peers/by-pane/%251')).body.name).toBe('eve');
    expect(await names()).toEqual(['eve']);
  });

  it('a name that several go by is refused until the circle says which', async () => {
    const { add, rest } = await open();
    await add('ada', { circle: 'red', pane_id: '%1' });
    await add('ada', { circle: 'blue', pane_id: '%2' });
    expect(await rest('GET', '/peers/ada')).toMatchObject({
      status: 409,
      body: { detail: expect.any(String) },
    });
    expect((await rest('GET', '/peers/ada?circle=blue')).body).toMatchObject({ circle: 'blue' });
  });

  it('an agent registers as itself and touches nobody else', async () => {
    const { add, rest } = await open({ agent: 'ada' });
    const { body } = await add('session-1', { pane_id: '%1' });
    expect((await rest('GET', `/v1/peers/${body.peer_id}`)).body).toMatchObject({
      agent_id: 'ada',
      display_name: 'session-1',
    });
  });

  it.each<[string, string, object | undefined, number]>([
    ['POST', '/peers', { name: 'no spaces' }, 400],
    ['POST', '/peers', { name: '' }, 400],
    ['POST', '/peers', {}, 400],
    ['POST', '/peers', { name: 'a', role: 'king' }, 400],
    ['POST', '/peers', { name: 'a', metadata: { x: 'y'.repeat(1001) } }, 400],
    ['GET', '/peers?status=busy', undefined, 400],
    ['GET', '/peers/by-pane/%259', undefined, 404],
    ['GET', '/v1/peers/by-pane/%259', undefined, 404],
    ['GET', '/peers/nobody', undefined, 404],
    ['DELETE', '/peers/nobody', undefined, 404],
    ['POST', '/peers/nobody/touch', undefined, 404],
    ['PUT', '/peers', undefined, 405],
    ['GET', '/peers/a/transcript', undefined, 404],
  ])('%s %s %j is refused in its words', async (method, path, body, status) => {
    const answer = await (await open()).rest(method, path, body);
    expect([answer.status, typeof answer.body.error]).toEqual([status, 'string']);
    if (path.startsWith('/peers')) expect(answer.body.detail).toBe(answer.body.error);
    else expect(answer.body).not.toHaveProperty('detail');
  });
});
