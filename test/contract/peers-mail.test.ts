import { systemClock } from '../../src/kernel/clock.ts';
import { expect, it } from 'vitest';
import { createPeers } from '../../src/features/peers/peers.ts';
import { peersRoutes } from '../../src/features/peers/routes.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { eachEngine, freshPlace } from '../fixtures/databases.ts';
import { openMail, send, texts } from '../fixtures/mail-host.ts';
import { restOf } from '../fixtures/rest-client.ts';
import { createActing } from '../../src/store/calls.ts';

eachEngine('the mail between peers', (engine) => {
  it('queues a message with the documented shape', async () => {
    const { rest, register, clock } = await openMail(engine);
    const [ada, bob] = [await register('ada'), await register('bob')];
    const sent = await send(rest, bob.peer_id, {
      from_peer: ada.peer_id,
      text: 'ping',
      type: 'query',
      correlation_id: 'c1',
    });
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
    const { rest, register } = await openMail(engine);
    const bob = await register('bob');
    const sent = await send(rest, bob.peer_id, { text: 'one' });
    await send(rest, bob.peer_id, { text: 'two' });
    const box = `/v1/peers/${bob.peer_id}/messages`;
    expect(await rest('GET', `${box}?peek=1`)).toMatchObject({
      body: { peer_id: bob.peer_id, count: 2, peek: true },
    });
    const drained = await rest('GET', box);
    expect([texts(drained), drained.body.peek, drained.body.waiting]).toEqual([['one', 'two'], false, 0]);
    expect((await rest('GET', box)).body).toMatchObject({ count: 0, messages: [] });
    expect((await rest('GET', `/v1/peers/messages/${sent.id}`)).body).toMatchObject({
      state: 'acked',
      deliveries: 1,
    });
  });

  it('a HEAD request fetches nothing', async () => {
    const { rest, register } = await openMail(engine);
    const bob = await register('bob');
    await send(rest, bob.peer_id, { text: 'still here' });
    const head = await rest.app.inject({
      method: 'HEAD',
      url: `/v1/peers/${bob.peer_id}/messages`,
      headers: { host: 'localhost' },
    });
    expect(head.statusCode).toBe(405);
    expect(texts(await rest('GET', `/v1/peers/${bob.peer_id}/messages`))).toEqual(['still here']);
  });

  it('writes delivered when fetched, redelivers after the lease, and stops when acked', async () => {
    const { rest, register, clock } = await openMail(engine);
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
    const { rest, register, clock, tidy } = await openMail(engine);
    const bob = await register('bob');
    const { id } = await send(rest, bob.peer_id, { text: 'soon', ttl_seconds: 10 });
    await rest('GET', `/v1/peers/${bob.peer_id}/messages?ack=1`);
    clock.advance(10_000);
    const dead = async () => (await rest('GET', '/v1/peers/dead-letters')).body.messages;
    expect(await dead()).toMatchObject([{ id, state: 'expired', text: 'soon' }]);
    expect((await rest('POST', `/v1/peers/${bob.peer_id}/messages/ack`, { ids: [id] })).body.expired).toEqual(
      [id],
    );
    await tidy();
    expect(await dead()).toMatchObject([{ id, state: 'expired' }]);
    expect(texts(await rest('GET', `/v1/peers/${bob.peer_id}/messages`))).toEqual([]);
  });

  it('forgets settled mail after its time, and a thread with its last message', async () => {
    const { rest, register, clock, tidy } = await openMail(engine);
    await register('bob');
    const [old, kept] = [await send(rest, 'bob', { text: 'old' }), await send(rest, 'bob', { text: 'kept' })];
    await rest('GET', '/v1/peers/bob/messages');
    clock.advance(36 * 86_400_000);
    await send(rest, 'bob', { text: 'goes on', thread_id: kept.thread_id });
    clock.advance(2 * 86_400_000);
    while ((await tidy()) > 0);
    for (const { id } of [old, kept])
      expect((await rest('GET', `/v1/peers/messages/${id}`)).status).toBe(404);
    expect((await send(rest, 'bob', { text: 'again', thread_id: kept.thread_id })).thread_seq).toBe(3);
    expect((await send(rest, 'bob', { text: 'anew', thread_id: old.thread_id })).thread_seq).toBe(1);
  });

  it('keeps threads in order: a reply is in the thread of what it answers', async () => {
    const { rest, register } = await openMail(engine);
    const [ada, bob] = [await register('ada'), await register('bob')];
    const first = await send(rest, bob.peer_id, { from_peer: ada.peer_id, text: 'q' });
    const answer = await send(rest, ada.peer_id, {
      from_peer: bob.peer_id,
      text: 'a',
      type: 'response',
      reply_to: first.id,
    });
    const third = await send(rest, bob.peer_id, {
      from_peer: ada.peer_id,
      text: 'thanks',
      thread_id: first.thread_id,
    });
    expect([answer.thread_id, answer.thread_seq, answer.reply_to]).toEqual([first.thread_id, 2, first.id]);
    expect([third.thread_id, third.thread_seq]).toEqual([first.thread_id, 3]);
    expect(
      await rest('POST', `/v1/peers/${bob.peer_id}/messages`, { text: 'x', reply_to: 'unknown-id' }),
    ).toMatchObject({ status: 404 });
  });

  it('numbers a mailbox and a thread without gaps under concurrent senders', async () => {
    const { rest, register } = await openMail(engine);
    const bob = await register('bob');
    const { thread_id } = await send(rest, bob.peer_id, { text: 'start' });
    const sent = await Promise.all(
      Array.from({ length: 40 }, (_, i) => send(rest, bob.peer_id, { text: `m${i}`, thread_id })),
    );
    const expected = Array.from({ length: 40 }, (_, i) => i + 2);
    expect(sent.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(expected);
    expect(sent.map(({ thread_seq }) => thread_seq).sort((a, b) => a - b)).toEqual(expected);
  });

  it('the same id twice is one message; for another message it is refused', async () => {
    const { rest, register } = await openMail(engine);
    const bob = await register('bob');
    const id = 'client-made-0001';
    const first = await send(rest, bob.peer_id, { id, text: 'once' });
    expect(await send(rest, bob.peer_id, { id, text: 'once' })).toEqual(first);
    expect((await rest('POST', `/v1/peers/${bob.peer_id}/messages`, { id, text: 'other' })).status).toBe(409);
    expect((await rest('GET', `/v1/peers/${bob.peer_id}/messages`)).body.count).toBe(1);
  });

  it('two hubs never hand out a message twice under one lease, and count its ack once', async () => {
    const place = await freshPlace(engine);
    // The second hub is a moment behind the first, as machines are.
    const serve = async (behindMs: number) => {
      const db = await place.open({ clock: { ...systemClock, now: () => Date.now() - behindMs } });
      const peers = createPeers(db);
      return restOf(peersRoutes(createActing(db), peers));
    };
    const hubs = [await serve(0), await serve(50)];
    const { body: bob } = await hubs[0]!('POST', '/v1/peers/register', {
      display_name: 'bob',
      backend: 'codex',
    });
    const box = `/v1/peers/${bob.peer_id}/messages`;
    await Promise.all(Array.from({ length: 30 }, (_, i) => hubs[i % 2]!('POST', box, { text: `m${i}` })));
    const ids: string[] = [];
    for (let round = 0; round < 20 && ids.length < 30; round += 1) {
      const pages = await Promise.all(
        Array.from({ length: 6 }, (_, i) => hubs[i % 2]!('GET', `${box}?ack=1&limit=5&lease_seconds=3600`)),
      );
      ids.push(...pages.flatMap(({ body }) => body.messages.map(({ id }: { id: string }) => id)));
    }
    expect([ids.length, new Set(ids).size]).toEqual([30, 30]);
    const acks = await Promise.all(hubs.map((hub) => hub('POST', `${box}/ack`, { ids })));
    expect(acks.flatMap(({ body }) => body.acked).sort()).toEqual(ids.toSorted());
    expect(acks.map(({ body }) => body.acked.length + body.already.length)).toEqual([30, 30]);
  });

  it('pages through what was sent', async () => {
    const { rest, register } = await openMail(engine);
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
    const { rest, register, clock } = await openMail(engine);
    const bob = await register('bob');
    await send(rest, bob.peer_id, { text: 'm' });
    await rest('GET', `/v1/peers/${bob.peer_id}/messages?ack=1`);
    clock.step(-86_400_000);
    expect(texts(await rest('GET', `/v1/peers/${bob.peer_id}/messages?ack=1`))).toEqual(['m']);
  });

  it('keeps secrets out of the mail', async () => {
    const { rest, register } = await openMail(engine);
    const bob = await register('bob');
    expect((await send(rest, bob.peer_id, { text: `key ghp_${'a1B2'.repeat(9)}` })).text).toBe(
      'key [REDACTED]',
    );
  });

  it('refuses a full mailbox instead of dropping mail', async () => {
    const { peers, rest, register } = await openMail(engine);
    const bob = await register('bob');
    for (let i = 0; i < 10; i += 1)
      await peers.change({ who: localPrincipal(''), via: 'route' }, async (desk) => {
        for (let k = 0; k < 100; k += 1) await desk.send(bob.peer_id, { text: `m${i}-${k}` });
      });
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
    const { rest, register } = await openMail(engine);
    const bob = await register('bob');
    expect((await rest('POST', `/v1/peers/${bob.peer_id}/messages`, body)).status).toBe(status);
  });

  it.each(['limit=0', 'limit=501', 'ack=yes', 'lease_seconds=5', 'ack=1&lease_seconds=0', 'cursor=x'])(
    'refuses to fetch with ?%s',
    async (query) => {
      const { rest, register } = await openMail(engine);
      const bob = await register('bob');
      expect((await rest('GET', `/v1/peers/${bob.peer_id}/messages?${query}`)).status).toBe(400);
    },
  );
});
