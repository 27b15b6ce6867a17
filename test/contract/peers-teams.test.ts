import { expect, it } from 'vitest';
import { createPeers } from '../../src/features/peers/peers.ts';
import { localPrincipal, type Principal } from '../../src/kernel/principal.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';

const agent = (id: string, team?: string): Principal => ({
  kind: 'agent',
  id,
  scopes: new Set(['*']),
  seat: '',
  bound: { agent: id, ...(team !== undefined && { team }) },
});
const person = localPrincipal('');

eachEngine('row 18: peers and teams', (engine) => {
  async function setUp() {
    const db = await freshDatabase(engine);
    const peers = createPeers(db);
    const register = (who: Principal, given: object = {}) =>
      peers.change({ who, via: 'tool' }, (desk) =>
        desk.register({
          displayName: who.id,
          backend: 'codex',
          path: `/work/${who.id}`,
          sessionId: `s-${who.id}`,
          tmuxPane: '%1',
          pid: 7,
          metadata: { branch: 'secret-plan' },
          ...given,
        }),
      );
    const list = (who: Principal, filter = {}) =>
      peers.look({ who, via: 'tool' }, (view) => view.list(filter));
    const get = (who: Principal, id: string) => peers.look({ who, via: 'tool' }, (view) => view.get(id));
    return { peers, register, list, get };
  }

  it('shows another team that a peer is there, and neither where nor how it works', async () => {
    const { register, list, get } = await setUp();
    const red = await register(agent('ada', 'red'));
    await register(agent('bob', 'blue'));
    const seen = (await list(agent('bob', 'blue'))).find(({ agent_id: id }) => id === 'ada')!;
    expect(seen).toMatchObject({ peer_id: red.peer_id, display_name: 'ada', status: 'online' });
    expect(Object.keys(seen)).not.toEqual(expect.arrayContaining(['path']));
    for (const field of ['path', 'metadata', 'session_id', 'tmux_pane', 'pid'])
      expect(seen).not.toHaveProperty(field);
    expect(await list(agent('bob', 'blue'), { path: '/work/ada' })).toEqual([]);
    expect(await get(agent('bob', 'blue'), red.peer_id)).not.toHaveProperty('path');
    expect(await get(agent('eve', 'red'), red.peer_id)).toHaveProperty('path', '/work/ada');
    expect((await list(person, { path: '/work/ada' })).map(({ metadata }) => metadata)).toEqual([
      { branch: 'secret-plan' },
    ]);
  });

  it('a circle belongs to the team that opened it: nobody of another joins it or sees who is in it', async () => {
    const { register, list } = await setUp();
    await register(agent('ada', 'red'), { circle: 'red-plans' });
    await expect(register(agent('bob', 'blue'), { circle: 'red-plans' })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(register(agent('bob', 'blue'), { circle: 'default' })).resolves.toMatchObject({
      circle: 'default',
    });
    await expect(register(agent('eve', 'red'), { circle: 'red-plans' })).resolves.toMatchObject({
      circle: 'red-plans',
    });
    expect((await list(agent('bob', 'blue'))).map(({ agent_id: id }) => id)).toEqual(['bob']);
    await expect(
      register(person, { displayName: 'me', circle: 'red-plans', sessionId: 'p' }),
    ).resolves.toBeDefined();
  });

  it('a circle that others use without a team is not open to a team', async () => {
    const { register } = await setUp();
    await register(person, { displayName: 'me', circle: 'mine', sessionId: 'p' });
    await expect(register(agent('bob', 'blue'), { circle: 'mine' })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it('a session of another team is not taken over, moved or ended by knowing its id', async () => {
    const { peers, register } = await setUp();
    const red = await register(agent('ada', 'red'));
    const blue = await register(agent('ada', 'blue'));
    expect(blue.peer_id).not.toBe(red.peer_id);
    expect((await register(agent('ada', 'red'))).peer_id).toBe(red.peer_id);
    await expect(
      peers.change({ who: agent('ada', 'blue'), via: 'tool' }, (desk) => desk.deregister(red.peer_id)),
    ).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it('no secret is kept, in whichever field it stands', async () => {
    const { register, list } = await setUp();
    const key = `ghp_${'a1B2'.repeat(9)}`;
    await register(person, {
      displayName: `x ${key}`,
      path: `/w/${key}`,
      metadata: { note: key, api_key: 'hunter22' },
    });
    const text = JSON.stringify(await list(person));
    expect(text).not.toContain(key);
    expect(text).not.toContain('hunter22');
  });
});
