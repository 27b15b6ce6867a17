import { expect, it } from 'vitest';
import { createPeers } from '../../src/features/peers/peers.ts';
import { peersRoutes } from '../../src/features/peers/routes.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { handClock } from '../fixtures/board-host.ts';
import { eachEngine, freshDatabase, freshPlace } from '../fixtures/databases.ts';
import { restOf, type Rest } from '../fixtures/rest-client.ts';

eachEngine('the mail between peers', (engine) => {
  const open = async () => {
    const clock = handClock();
    const db = await freshDatabase(engine, { clock });
    const peers = createPeers(db);
    const rest = restOf(peersRoutes({ db, peers: () => peers }));
    const as = (agent: string) => restOf(peersRoutes({ db, peers: () => peers }), () => localPrincipal('', { agent }));
    const register = async (name: string, more: object = {}) =>
      (await rest('POST', '/v1/peers/register', { display_name: name, backend: 'codex', session_id: `${name}-${Math.random()}`, ...more }))
        .body;
    const tidy = () => db.write({ id: 'test', asserted: false }, (tx) => peers.tidy(tx));
    return { db, clock, peers, rest, as, register, tidy };
  };
  const send = async (rest: Rest, to: string, body: object) => (await rest('POST', `/v1/peers/${to}/messages`, body)).body;
  const texts = (answer: { body: { messages: { text: string }[] } }) => answer.body.messages.map(({ text }) => text);

  it('queues a message with the documented shape', async () => {
    const { rest, register, clock } = await open();
    const [ada, bob] = [await register('ada'), await register('bob')];
    const sent = await send(rest, bob.peer_id, { from_peer: ada.peer_id, text: 'ping', type: 'query', correlation_id: 'c1' });
    expect(sent).toMatchObject({
      type: 'query',
      from_peer: ada.peer_id,
      from_agent: 'ada',
      to_peer: bob.peer_id,
      to_agent: 'bob',
      text: 'ping',
      correlation_id: 'c1',
      seq: 1,
      thread_seq: 1,
      state: 'queued',
      deliveries: 0,
      timestamp: new Date(clock.now()).toISOString(),
    });
    expect(sent.thread_id).toBe(sent.id);
  });

  it('a plain drain empties the mailbox and counts as acked; peek only looks', async () => {
    const { rest, register } = await open();
    const bob = await register('bob');
    const sent = await send(rest, bob.peer_id, { text: 'one' });
    await send(rest, bob.peer_id, { text: 'two' });
    const box = `/v1/peers/${bob.peer_id}/messages`;
    expect(await rest('GET', `${box}?peek=1`)).toMatchObject({ body: { peer_id: bob.peer_id, count: 2, peek: true } });
    const drained = await rest('GET', box);
    expect([texts(drained), drained.body.peek, drained.body.waiting]).toEqual([['one', 'two'], false, 0]);
    expect((await rest('GET', box)).body).toMatchObject({ count: 0, messages: [] });
    expect((await rest('GET', `/v1/peers/messages/${sent.id}`)).body).toMatchObject({ state: 'acked', deliveries: 1 });
  });

  it('a HEAD request fetches nothing', async () => {
    const { rest, register } = await open();
    const bob = await register('bob');
    await send(rest, bob.peer_id, { text: 'still here' });
    const head = await rest.app.inject({ method: 'HEAD', url: `/v1/peers/${bob.peer_id}/messages`, headers: { host: 'localhost' } });
    expect(head.statusCode).toBe(405);
    expect(texts(await rest('GET', `/v1/peers/${bob.peer_id}/messages`))).toEqual(['still here']);
  });

  it('writes delivered when fetched, redelivers after the lease, and stops when acked', async () => {
    const { rest, register, clock } = await open();
    const bob = await register('bob');
    const { id } = await send(rest, bob.peer_id, { text: 'work' });
    const receipt = async () => (await rest('GET', `/v1/peers/messages/${id}`)).body;
    const fetch = () => rest('GET', `/v1/peers/${bob.peer_id}/messages?ack=1&lease_seconds=30`);
    expect((await receipt()).state).toBe('queued');
    expect(texts(await fetch())).toEqual(['work']);
    expect(await receipt()).toMatchObject({ state: 'delivered', deliveries: 1 });
    expect(texts(await fetch())).toEqual([]);
    clock.advance(30_000);
    expect(texts(await fetch())).toEqual(['work']);
    const ack = () => rest('POST', `/v1/peers/${bob.peer_id}/messages/ack`, { ids: [id, 'nope'] });
    expect((await ack()).body).toEqual({ acked: [id], already: [], expired: [], unknown: ['nope'] });
    expect((await ack()).body).toEqual({ acked: [], already: [id], expired: [], unknown: ['nope'] });
    clock.advance(60_000);
    expect(texts(await fetch())).toEqual([]);
    expect(await receipt()).toMatchObject({ state: 'acked', deliveries: 2 });
  });

  it('expires what nobody fetched in time, shows it as a dead letter, and refuses a late ack', async () => {
    const { rest, register, clock, tidy } = await open();
    const bob = await register('bob');
    const { id } = await send(rest, bob.peer_id, { text: 'soon', ttl_seconds: 10 });
    await rest('GET', `/v1/peers/${bob.peer_id}/messages?ack=1`);
    clock.advance(10_000);
    const dead = async () => (await rest('GET', '/v1/peers/dead-letters')).body.messages;
    expect(await dead()).toMatchObject([{ id, state: 'expired', text: 'soon' }]);
    expect((await rest('POST', `/v1/peers/${bob.peer_id}/messages/ack`, { ids: [id] })).body.expired).toEqual([id]);
    await tidy();
    expect(await dead()).toMatchObject([{ id, state: 'expired' }]);
    expect(texts(await rest('GET', `/v1/peers/${bob.peer_id}/messages`))).toEqual([]);
  });

  it('forgets settled mail after its time, and a thread with its last message', async () => {
    const { rest, register, clock, tidy } = await open();
    await register('bob');
    const [old, kept] = [await send(rest, 'bob', { text: 'old' }), await send(rest, 'bob', { text: 'kept' })];
    await rest('GET', '/v1/peers/bob/messages');
    clock.advance(36 * 86_400_000);
    await send(rest, 'bob', { text: 'goes on', thread_id: kept.thread_id });
    clock.advance(2 * 86_400_000);
    while ((await tidy()) > 0);
    for (const { id } of [old, kept]) expect((await rest('GET', `/v1/peers/messages/${id}`)).status).toBe(404);
    expect((await send(rest, 'bob', { text: 'again', thread_id: kept.thread_id })).thread_seq).toBe(3);
    expect((await send(rest, 'bob', { text: 'anew', thread_id: old.thread_id })).thread_seq).toBe(1);
  });

  it('shows an agent the dead letters it sent and those it should have got, and no others', async () => {
    const { as, register, clock } = await open();
    for (const name of ['ada', 'bob', 'cid']) await register(name);
    await as('ada')('POST', '/v1/peers/bob/messages', { text: 'to bob', ttl_seconds: 1 });
    clock.advance(1001);
    const dead = async (agent: string, query = '') => texts(await as(agent)('GET', `/v1/peers/dead-letters${query}`));
    expect([await dead('ada'), await dead('bob'), await dead('cid')]).toEqual([['to bob'], ['to bob'], []]);
    expect([await dead('ada', '?agent_id=bob'), await dead('ada', '?agent_id=cid')]).toEqual([['to bob'], []]);
  });

  it('an agent cannot answer a message that is not its own', async () => {
    const { as, register } = await open();
    for (const name of ['ada', 'bob', 'eve']) await register(name);
    const { body: secret } = await as('ada')('POST', '/v1/peers/bob/messages', { text: 'secret plan' });
    expect((await as('eve')('POST', '/v1/peers/bob/messages', { text: 'me too', reply_to: secret.id })).status).toBe(404);
    expect((await as('bob')('POST', '/v1/peers/ada/messages', { text: 'yes', reply_to: secret.id })).body.thread_id).toBe(secret.thread_id);
  });

  it('keeps threads in order: a reply is in the thread of what it answers', async () => {
    const { rest, register } = await open();
    const [ada, bob] = [await register('ada'), await register('bob')];
    const first = await send(rest, bob.peer_id, { from_peer: ada.peer_id, text: 'q' });
    const answer = await send(rest, ada.peer_id, { from_peer: bob.peer_id, text: 'a', type: 'response', reply_to: first.id });
    const third = await send(rest, bob.peer_id, { from_peer: ada.peer_id, text: 'thanks', thread_id: first.thread_id });
    expect([answer.thread_id, answer.thread_seq, answer.reply_to]).toEqual([first.thread_id, 2, first.id]);
    expect([third.thread_id, third.thread_seq]).toEqual([first.thread_id, 3]);
    expect(await rest('POST', `/v1/peers/${bob.peer_id}/messages`, { text: 'x', reply_to: 'unknown-id' })).toMatchObject({ status: 404 });
  });

  it('whoever writes can be answered, the person at the hub included, and only within the circle', async () => {
    const { rest, as, register } = await open();
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

  it('numbers a mailbox and a thread without gaps under concurrent senders', async () => {
    const { rest, register } = await open();
    const bob = await register('bob');
    const { thread_id } = await send(rest, bob.peer_id, { text: 'start' });
    const sent = await Promise.all(Array.from({ length: 40 }, (_, i) => send(rest, bob.peer_id, { text: `m${i}`, thread_id })));
    const expected = Array.from({ length: 40 }, (_, i) => i + 2);
    expect(sent.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(expected);
    expect(sent.map(({ thread_seq }) => thread_seq).sort((a, b) => a - b)).toEqual(expected);
  });

  it('the same id twice is one message; for another message it is refused', async () => {
    const { rest, register } = await open();
    const bob = await register('bob');
    const id = 'client-made-0001';
    const first = await send(rest, bob.peer_id, { id, text: 'once' });
    expect(await send(rest, bob.peer_id, { id, text: 'once' })).toEqual(first);
    expect((await rest('POST', `/v1/peers/${bob.peer_id}/messages`, { id, text: 'other' })).status).toBe(409);
    expect((await rest('GET', `/v1/peers/${bob.peer_id}/messages`)).body.count).toBe(1);
  });

  it('two hubs never hand out a message twice under one lease, and count its ack once', async () => {
    const place = await freshPlace(engine);
    const serve = async () => {
      const db = await place.open();
      const peers = createPeers(db);
      return restOf(peersRoutes({ db, peers: () => peers }));
    };
    const hubs = [await serve(), await serve()];
    const { body: bob } = await hubs[0]!('POST', '/v1/peers/register', { display_name: 'bob', backend: 'codex' });
    const box = `/v1/peers/${bob.peer_id}/messages`;
    await Promise.all(Array.from({ length: 30 }, (_, i) => hubs[i % 2]!('POST', box, { text: `m${i}` })));
    const ids: string[] = [];
    for (let round = 0; round < 20 && ids.length < 30; round += 1) {
      const pages = await Promise.all(Array.from({ length: 6 }, (_, i) => hubs[i % 2]!('GET', `${box}?ack=1&limit=5&lease_seconds=3600`)));
      ids.push(...pages.flatMap(({ body }) => body.messages.map(({ id }: { id: string }) => id)));
    }
    expect([ids.length, new Set(ids).size]).toEqual([30, 30]);
    const acks = await Promise.all(hubs.map((hub) => hub('POST', `${box}/ack`, { ids })));
    expect(acks.flatMap(({ body }) => body.acked).sort()).toEqual(ids.toSorted());
    expect(acks.map(({ body }) => body.acked.length + body.already.length)).toEqual([30, 30]);
  });

  it('mail for an agent waits at its address and outlives its sessions', async () => {
    const { rest, register, clock } = await open();
    const first = await register('bob', { agent_id: 'bob' });
    await send(rest, first.peer_id, { text: 'to the session' });
    await send(rest, 'bob', { text: 'to the agent' });
    const second = await register('bob', { agent_id: 'bob' });
    expect(texts(await rest('GET', `/v1/peers/${second.peer_id}/messages?peek=1`))).toEqual(['to the agent']);
    clock.advance(71_000);
    await rest('POST', `/v1/peers/${second.peer_id}/heartbeat`);
    expect(texts(await rest('GET', `/v1/peers/${second.peer_id}/messages?peek=1`))).toEqual(['to the session', 'to the agent']);
    await rest('DELETE', `/v1/peers/${first.peer_id}`);
    await rest('DELETE', `/v1/peers/${second.peer_id}`);
    await send(rest, 'bob', { text: 'while away' });
    expect(texts(await rest('GET', '/v1/peers/bob/messages'))).toEqual(['to the session', 'to the agent', 'while away']);
  });

  it('circles isolate messages; the person at the hub reaches all', async () => {
    const { rest, register } = await open();
    const [red, blue] = [await register('ada', { circle: 'red' }), await register('bob', { circle: 'blue' })];
    const across = await rest('POST', `/v1/peers/${blue.peer_id}/messages`, { from_peer: red.peer_id, text: 'psst' });
    expect(across).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect((await rest('POST', '/v1/peers/bob/messages', { from_peer: red.peer_id, text: 'psst' })).status).toBe(403);
    expect((await rest('POST', `/v1/peers/${blue.peer_id}/messages`, { from_peer: 'somebody', text: 'psst' })).status).toBe(403);
    expect((await rest('POST', `/v1/peers/${blue.peer_id}/messages`, { text: 'hello' })).status).toBe(200);
    const { body } = await rest('POST', '/v1/peers/broadcast', { from_peer: red.peer_id, text: 'all' });
    expect(body).toEqual({ delivered_to: 0, message_ids: [] });
  });

  it('an agent in two circles must be addressed with its circle', async () => {
    const { rest, register } = await open();
    await register('bob', { circle: 'red' });
    await register('bob', { circle: 'blue' });
    expect(await rest('POST', '/v1/peers/bob/messages', { text: 'which?' })).toMatchObject({
      status: 409,
      body: { details: { circles: ['blue', 'red'] } },
    });
    expect((await rest('POST', '/v1/peers/bob/messages', { text: 'you', circle: 'red' })).body.circle).toBe('red');
    expect(texts(await rest('GET', '/v1/peers/bob/messages?circle=blue'))).toEqual([]);
    expect(texts(await rest('GET', '/v1/peers/bob/messages?circle=red'))).toEqual(['you']);
  });

  it('replies, threads and mailboxes do not lead from one circle into another', async () => {
    const { rest, as, register } = await open();
    const [red, blue] = [await register('ada', { circle: 'red' }), await register('bob', { circle: 'blue' })];
    const [, cid] = [await register('dan', { circle: 'red' }), await register('cid', { circle: 'blue' })];
    const inRed = await send(rest, red.peer_id, { text: 'in red' }); // by the person at the hub, who reaches all
    const across = { from_peer: cid.peer_id, text: 'psst' };
    const toBob = (body: object) => rest('POST', `/v1/peers/${blue.peer_id}/messages`, { ...across, ...body });
    expect((await toBob({ reply_to: inRed.id })).status).toBe(404);
    expect((await toBob({ thread_id: inRed.thread_id })).status).toBe(404);
    expect((await toBob({ circle: 'red' })).status).toBe(403);
    expect((await as('cid')('POST', '/v1/peers/ada/messages', { text: 'psst' })).status).toBe(403);
    expect((await as('cid')('POST', '/v1/peers/broadcast', { text: 'psst', circle: 'red' })).status).toBe(403);
    expect((await as('cid')('POST', '/v1/peers/broadcast', { text: 'psst' })).body.delivered_to).toBe(1);
    expect((await as('ada')('GET', '/v1/peers/ada/messages?circle=blue')).status).toBe(403);
    expect(texts(await rest('GET', '/v1/peers/ada/messages'))).toEqual(['in red']);
  });

  it('at its durable address an agent finds all its mail, that of its sessions included', async () => {
    const { rest, register } = await open();
    const [one, two] = [await register('bob'), await register('bob')];
    await send(rest, one.peer_id, { text: 'to one' });
    await send(rest, two.peer_id, { text: 'to two' });
    expect(texts(await rest('GET', `/v1/peers/${two.peer_id}/messages?peek=1`))).toEqual(['to two']);
    expect(texts(await rest('GET', '/v1/peers/bob/messages'))).toEqual(['to one', 'to two']);
  });

  it('an address that was left behind does not make its agent ambiguous', async () => {
    const { rest, register } = await open();
    const first = await register('bob', { circle: 'old' });
    await rest('DELETE', `/v1/peers/${first.peer_id}`);
    await register('bob', { circle: 'new' });
    expect(await send(rest, 'bob', { text: 'hello' })).toMatchObject({ circle: 'new', state: 'queued' });
  });

  it('broadcasts to every other agent once per live session, also to those who are away', async () => {
    const { rest, register, clock } = await open();
    await register('gone');
    clock.advance(61_000);
    const ada = await register('ada');
    const bobs = [await register('bob'), await register('bob')];
    const { body } = await rest('POST', '/v1/peers/broadcast', { from_peer: ada.peer_id, text: 'meeting' });
    expect(body.delivered_to).toBe(3);
    for (const bob of bobs) expect(texts(await rest('GET', `/v1/peers/${bob.peer_id}/messages`))).toEqual(['meeting']);
    expect(texts(await rest('GET', '/v1/peers/gone/messages'))).toEqual(['meeting']);
    expect(texts(await rest('GET', `/v1/peers/${ada.peer_id}/messages`))).toEqual([]);
  });

  it('a credential names the sender; another name is refused', async () => {
    const { as, register } = await open();
    const [ada, bob] = [await register('ada'), await register('bob')];
    const eve = as('eve');
    expect((await eve('POST', `/v1/peers/${bob.peer_id}/messages`, { text: 'hi' })).body).toMatchObject({
      from_agent: 'eve',
      asserted: false,
    });
    expect((await eve('POST', `/v1/peers/${bob.peer_id}/messages`, { from_peer: ada.peer_id, text: 'hi' })).status).toBe(403);
    expect((await eve('POST', `/v1/peers/${bob.peer_id}/messages`, { from_peer: 'ada', text: 'hi' })).status).toBe(403);
  });

  it('shows receipts to the two it concerns and to nobody else', async () => {
    const { as, register } = await open();
    const bob = await register('bob');
    const { body: sent } = await as('ada')('POST', `/v1/peers/${bob.peer_id}/messages`, { text: 'secret plan' });
    for (const agent of ['ada', 'bob']) expect((await as(agent)('GET', `/v1/peers/messages/${sent.id}`)).status).toBe(200);
    expect((await as('eve')('GET', `/v1/peers/messages/${sent.id}`)).status).toBe(404);
  });

  it('pages through what was sent', async () => {
    const { rest, register } = await open();
    const [ada, bob] = [await register('ada'), await register('bob')];
    for (let i = 0; i < 5; i += 1) await send(rest, bob.peer_id, { from_peer: ada.peer_id, text: `m${i}` });
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const page = await rest('GET', `/v1/peers/${ada.peer_id}/sent?limit=2${cursor}`);
      seen.push(...texts(page));
      if (page.body.nextCursor === undefined) break;
      cursor = `&cursor=${page.body.nextCursor}`;
    }
    expect(seen.sort()).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
  });

  it('a lease granted before the clock was set back does not hide mail for ever', async () => {
    const { rest, register, clock } = await open();
    const bob = await register('bob');
    await send(rest, bob.peer_id, { text: 'm' });
    await rest('GET', `/v1/peers/${bob.peer_id}/messages?ack=1`);
    clock.advance(-86_400_000);
    expect(texts(await rest('GET', `/v1/peers/${bob.peer_id}/messages?ack=1`))).toEqual(['m']);
  });

  it('redacts secrets and refuses a full mailbox instead of dropping mail', async () => {
    const { rest, register } = await open();
    const bob = await register('bob');
    expect((await send(rest, bob.peer_id, { text: `key ghp_${'a1B2'.repeat(9)}` })).text).toBe('key [REDACTED]');
    for (let i = 0; i < 37; i += 1) await Promise.all(Array.from({ length: 27 }, () => send(rest, bob.peer_id, { text: `m${i}` })));
    expect(await rest('POST', `/v1/peers/${bob.peer_id}/messages`, { text: 'one more' })).toMatchObject({
      status: 429,
      body: { details: { max: 1000 } },
    });
  });

  it.each([
    [{ text: '' }, 400],
    [{ text: '  \n' }, 400],
    [{}, 400],
    [{ text: 'x'.repeat(16_385) }, 413],
    [{ text: 'a\0b' }, 400],
    [{ text: 'a', type: 'order' }, 400],
    [{ text: 'a', ttl_seconds: 0 }, 400],
    [{ text: 'a', id: '../../etc' }, 400],
  ])('refuses the message %j with %i', async (body, status) => {
    const { rest, register } = await open();
    const bob = await register('bob');
    expect((await rest('POST', `/v1/peers/${bob.peer_id}/messages`, body)).status).toBe(status);
  });

  it.each(['limit=0', 'limit=501', 'ack=yes', 'lease_seconds=5', 'ack=1&lease_seconds=0', 'cursor=x'])(
    'refuses to fetch with ?%s',
    async (query) => {
      const { rest, register } = await open();
      const bob = await register('bob');
      expect((await rest('GET', `/v1/peers/${bob.peer_id}/messages?${query}`)).status).toBe(400);
    },
  );
});
