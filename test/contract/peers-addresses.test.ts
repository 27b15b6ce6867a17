import { expect, it } from 'vitest';
import { nextDue } from '../../src/features/peers/rows/mailbox.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { eachEngine } from '../fixtures/databases.ts';
import { openMail, send, texts } from '../fixtures/mail-host.ts';

/** Who may write to whom, and whose mail is whose. */
eachEngine('the addresses of peers', (engine) => {
  it('shows an agent the dead letters it sent and those it should have got, and no others', async () => {
    const { as, register, clock } = await openMail(engine);
    for (const name of ['ada', 'bob', 'cid']) await register(name);
    await as('ada')('POST', '/v1/peers/bob/messages', { text: 'to bob', ttl_seconds: 1 });
    clock.advance(1001);
    const dead = async (agent: string, query = '') =>
      texts(await as(agent)('GET', `/v1/peers/dead-letters${query}`));
    expect([await dead('ada'), await dead('bob'), await dead('cid')]).toEqual([['to bob'], ['to bob'], []]);
    expect([await dead('ada', '?agent_id=bob'), await dead('ada', '?agent_id=cid')]).toEqual([
      ['to bob'],
      [],
    ]);
  });

  it('an agent cannot answer a message that is not its own', async () => {
    const { as, register } = await openMail(engine);
    for (const name of ['ada', 'bob', 'eve']) await register(name);
    const { body: secret } = await as('ada')('POST', '/v1/peers/bob/messages', { text: 'secret plan' });
    expect(
      (await as('eve')('POST', '/v1/peers/bob/messages', { text: 'me too', reply_to: secret.id })).status,
    ).toBe(404);
    expect(
      (await as('bob')('POST', '/v1/peers/ada/messages', { text: 'yes', reply_to: secret.id })).body
        .thread_id,
    ).toBe(secret.thread_id);
  });

  it('whoever writes can be answered, the person at the hub included, and only within the circle', async () => {
    const { rest, as, register } = await openMail(engine);
    await register('ada', { circle: 'red' });
    await register('eve', { circle: 'blue' });
    expect((await as('ada')('POST', '/v1/peers/user/messages', { text: 'anybody?' })).status).toBe(404);
    const asked = await send(rest, 'ada', { text: 'how far are you?', type: 'query' });
    const answer = { text: 'done', type: 'response', reply_to: asked.id };
    expect((await as('ada')('POST', `/v1/peers/${asked.from_peer}/messages`, answer)).body).toMatchObject({
      to_agent: 'user',
      thread_seq: 2,
    });
    expect(texts(await rest('GET', '/v1/peers/user/messages'))).toEqual(['done']);
    expect((await as('eve')('POST', '/v1/peers/user/messages', { text: 'me too' })).status).toBe(403);
  });

  it('mail for an agent waits at its address and outlives its sessions', async () => {
    const { rest, register, clock } = await openMail(engine);
    const first = await register('bob', { agent_id: 'bob' });
    await send(rest, first.peer_id, { text: 'to the session' });
    await send(rest, 'bob', { text: 'to the agent' });
    const second = await register('bob', { agent_id: 'bob' });
    expect(texts(await rest('GET', `/v1/peers/${second.peer_id}/messages?peek=1`))).toEqual(['to the agent']);
    clock.advance(71_000);
    await rest('POST', `/v1/peers/${second.peer_id}/heartbeat`);
    expect(texts(await rest('GET', `/v1/peers/${second.peer_id}/messages?peek=1`))).toEqual([
      'to the session',
      'to the agent',
    ]);
    await rest('DELETE', `/v1/peers/${first.peer_id}`);
    await rest('DELETE', `/v1/peers/${second.peer_id}`);
    await send(rest, 'bob', { text: 'while away' });
    expect(texts(await rest('GET', '/v1/peers/bob/messages'))).toEqual([
      'to the session',
      'to the agent',
      'while away',
    ]);
  });

  it('who took over the mail of a silent session need not look again before its lease ends', async () => {
    const { db, peers, rest, register, clock } = await openMail(engine);
    const [one, two] = [await register('bob'), await register('bob')];
    await send(rest, one.peer_id, { text: 'for one' });
    const call = { who: localPrincipal(''), via: 'route' } as const;
    const reader = await peers.look(call, (view) => view.reader({ id: two.peer_id }));
    const nextLook = () => db.read((q) => nextDue(q, reader, clock.now()));
    expect(await nextLook()).toBe(clock.now() + 70_001);
    clock.advance(70_001);
    const taken = await peers.change(call, (desk) => desk.handOut(reader, { limit: 10, leaseMs: 30_000 }));
    expect([taken.map(({ text }) => text), await nextLook()]).toEqual([['for one'], clock.now() + 30_000]);
  });

  it('circles isolate messages; the person at the hub reaches all', async () => {
    const { rest, register } = await openMail(engine);
    const [red, blue] = [await register('ada', { circle: 'red' }), await register('bob', { circle: 'blue' })];
    const across = await rest('POST', `/v1/peers/${blue.peer_id}/messages`, {
      from_peer: red.peer_id,
      text: 'psst',
    });
    expect(across).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(
      (await rest('POST', '/v1/peers/bob/messages', { from_peer: red.peer_id, text: 'psst' })).status,
    ).toBe(403);
    expect(
      (await rest('POST', `/v1/peers/${blue.peer_id}/messages`, { from_peer: 'somebody', text: 'psst' }))
        .status,
    ).toBe(403);
    expect((await rest('POST', `/v1/peers/${blue.peer_id}/messages`, { text: 'hello' })).status).toBe(200);
    const { body } = await rest('POST', '/v1/peers/broadcast', { from_peer: red.peer_id, text: 'all' });
    expect(body).toEqual({ delivered_to: 0, message_ids: [] });
  });

  it('an agent in two circles must be addressed with its circle', async () => {
    const { rest, register } = await openMail(engine);
    await register('bob', { circle: 'red' });
    await register('bob', { circle: 'blue' });
    expect(await rest('POST', '/v1/peers/bob/messages', { text: 'which?' })).toMatchObject({
      status: 409,
      body: { details: { circles: ['blue', 'red'] } },
    });
    expect((await rest('POST', '/v1/peers/bob/messages', { text: 'you', circle: 'red' })).body.circle).toBe(
      'red',
    );
    expect(texts(await rest('GET', '/v1/peers/bob/messages?circle=blue'))).toEqual([]);
    expect(texts(await rest('GET', '/v1/peers/bob/messages?circle=red'))).toEqual(['you']);
  });

  it('replies, threads and mailboxes do not lead from one circle into another', async () => {
    const { rest, as, register } = await openMail(engine);
    const [red, blue] = [await register('ada', { circle: 'red' }), await register('bob', { circle: 'blue' })];
    const [, cid] = [await register('dan', { circle: 'red' }), await register('cid', { circle: 'blue' })];
    const inRed = await send(rest, red.peer_id, { text: 'in red' }); // by the person at the hub, who reaches all
    const across = { from_peer: cid.peer_id, text: 'psst' };
    const toBob = (body: object) =>
      rest('POST', `/v1/peers/${blue.peer_id}/messages`, { ...across, ...body });
    expect((await toBob({ reply_to: inRed.id })).status).toBe(404);
    expect((await toBob({ thread_id: inRed.thread_id })).status).toBe(404);
    expect((await toBob({ circle: 'red' })).status).toBe(403);
    expect((await as('cid')('POST', '/v1/peers/ada/messages', { text: 'psst' })).status).toBe(403);
    expect((await as('cid')('POST', '/v1/peers/broadcast', { text: 'psst', circle: 'red' })).status).toBe(
      403,
    );
    expect((await as('cid')('POST', '/v1/peers/broadcast', { text: 'psst' })).body.delivered_to).toBe(1);
    expect((await as('ada')('GET', '/v1/peers/ada/messages?circle=blue')).status).toBe(403);
    expect(texts(await rest('GET', '/v1/peers/ada/messages'))).toEqual(['in red']);
  });

  it('at its durable address an agent finds all its mail, that of its sessions included', async () => {
    const { rest, register } = await openMail(engine);
    const [one, two] = [await register('bob'), await register('bob')];
    await send(rest, one.peer_id, { text: 'to one' });
    await send(rest, two.peer_id, { text: 'to two' });
    expect(texts(await rest('GET', `/v1/peers/${two.peer_id}/messages?peek=1`))).toEqual(['to two']);
    expect(texts(await rest('GET', '/v1/peers/bob/messages'))).toEqual(['to one', 'to two']);
  });

  it('an address that was left behind does not make its agent ambiguous', async () => {
    const { rest, register } = await openMail(engine);
    const first = await register('bob', { circle: 'old' });
    await rest('DELETE', `/v1/peers/${first.peer_id}`);
    await register('bob', { circle: 'new' });
    expect(await send(rest, 'bob', { text: 'hello' })).toMatchObject({ circle: 'new', state: 'queued' });
  });

  it('broadcasts to every other agent once per live session, also to those who are away', async () => {
    const { rest, register, clock } = await openMail(engine);
    await register('gone');
    clock.advance(61_000);
    const ada = await register('ada');
    const bobs = [await register('bob'), await register('bob')];
    const { body } = await rest('POST', '/v1/peers/broadcast', { from_peer: ada.peer_id, text: 'meeting' });
    expect(body.delivered_to).toBe(3);
    for (const bob of bobs)
      expect(texts(await rest('GET', `/v1/peers/${bob.peer_id}/messages`))).toEqual(['meeting']);
    expect(texts(await rest('GET', '/v1/peers/gone/messages'))).toEqual(['meeting']);
    expect(texts(await rest('GET', `/v1/peers/${ada.peer_id}/messages`))).toEqual([]);
  });

  it('a credential names the sender; another name is refused', async () => {
    const { as, register } = await openMail(engine);
    const [ada, bob] = [await register('ada'), await register('bob')];
    const eve = as('eve');
    expect((await eve('POST', `/v1/peers/${bob.peer_id}/messages`, { text: 'hi' })).body).toMatchObject({
      from_agent: 'eve',
      asserted: false,
    });
    expect(
      (await eve('POST', `/v1/peers/${bob.peer_id}/messages`, { from_peer: ada.peer_id, text: 'hi' })).status,
    ).toBe(403);
    expect(
      (await eve('POST', `/v1/peers/${bob.peer_id}/messages`, { from_peer: 'ada', text: 'hi' })).status,
    ).toBe(403);
  });

  it('shows receipts to the two it concerns and to nobody else', async () => {
    const { as, register } = await openMail(engine);
    const bob = await register('bob');
    const { body: sent } = await as('ada')('POST', `/v1/peers/${bob.peer_id}/messages`, {
      text: 'secret plan',
    });
    for (const agent of ['ada', 'bob'])
      expect((await as(agent)('GET', `/v1/peers/messages/${sent.id}`)).status).toBe(200);
    expect((await as('eve')('GET', `/v1/peers/messages/${sent.id}`)).status).toBe(404);
  });
});
