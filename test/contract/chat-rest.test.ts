import { expect, it } from 'vitest';
import { createChat } from '../../src/features/chat/chat.ts';
import { chatOperations } from '../../src/features/chat/operations.ts';
import { behindChat } from '../../src/features/chat/server.ts';
import type { Event } from '../../src/kernel/event.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import type { Database } from '../../src/store/database.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';
import { restOf } from '../fixtures/rest-client.ts';
import { routesOf } from '../../src/operation/faces.ts';
import { createActing } from '../../src/store/calls.ts';

const chatRoutes = (db: Database, chat = createChat()) =>
  routesOf(behindChat({ db, acting: createActing(db), chat }), chatOperations);

async function eventsOf(db: Database): Promise<Event[]> {
  const events: Event[] = [];
  const head = await db.feed.head();
  if (head === 0) return events;
  for await (const event of db.feed.tail(0, () => true, new AbortController().signal)) {
    if (!('gapBefore' in event)) events.push(event);
    if (events.at(-1)?.seq === head) return events;
  }
  return events;
}

eachEngine('/api/chat', (engine) => {
  const open = async (bound = {}, postsPerMinute = 600) => {
    const db = await freshDatabase(engine);
    return {
      db,
      rest: restOf(chatRoutes(db, createChat({ postsPerMinute })), () => localPrincipal('', bound)),
    };
  };
  const posts = '/api/chat/rooms/team:red/posts';

  it('finds posts by their words in every room that the caller may enter', async () => {
    const { db, rest } = await open();
    for (const [room, text] of [
      ['red', 'The Gauge is mended'],
      ['red', '100% sure'],
      ['blue', 'another gauge, not mended'],
    ])
      await rest('POST', `/api/chat/rooms/team:${room}/posts`, { text });
    const find = async (search: string, ask = rest) =>
      (await ask('GET', `/api/chat/posts?search=${encodeURIComponent(search)}`)).body.posts.map(
        ({ roomId, seq }: any) => `${roomId}#${seq}`,
      );
    expect((await find('mended gauge')).sort()).toEqual(['team:blue#1', 'team:red#1']);
    expect(await find('0% s')).toEqual(['team:red#2']);
    expect(await find('_auge')).toEqual([]);
    const bound = restOf(chatRoutes(db), () => localPrincipal('', { team: 'blue' }));
    expect(await find('gauge', bound)).toEqual(['team:blue#1']);
  });

  it('posts as the person at the hub and shows rooms and history', async () => {
    const { rest } = await open();
    expect((await rest('POST', posts, { text: 'morning' })).body).toMatchObject({
      post: {
        seq: 1,
        roomId: 'team:red',
        teamId: 'red',
        authorAgentId: 'user',
        kind: 'user',
        body: 'morning',
        asserted: false,
      },
    });
    expect((await rest('GET', '/api/chat/rooms')).body.rooms).toMatchObject([
      { roomId: 'team:red', head: 1 },
    ]);
    expect((await rest('GET', posts)).body.posts).toMatchObject([{ seq: 1, body: 'morning' }]);
  });

  it('pages back through history and forward from a seq, without losing a post', async () => {
    const { rest } = await open();
    for (let i = 1; i <= 7; i += 1) await rest('POST', posts, { text: `p${i}` });
    const walk = async (first: string, next: string) => {
      const seen: number[] = [];
      let cursor = first;
      for (;;) {
        const { body } = await rest('GET', `${posts}?limit=3${cursor}`);
        seen.push(...body.posts.map((post: { seq: number }) => post.seq));
        if (body.nextCursor === undefined) return seen;
        cursor = `&${next}=${body.nextCursor}`;
      }
    };
    expect(await walk('', 'before')).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(await walk('&after=0', 'after')).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('has a room for every team, however long its name', async () => {
    const { rest } = await open();
    const room = `/api/chat/rooms/team:${'x'.repeat(200)}/posts`;
    expect((await rest('POST', room, { text: 'here' })).body.post.teamId).toBe('x'.repeat(200));
    expect((await rest('GET', room)).body.posts).toHaveLength(1);
    expect((await rest('POST', `/api/chat/rooms/team:${'x'.repeat(201)}/posts`, { text: 'a' })).status).toBe(
      400,
    );
  });

  it('waits for the next post when asked', async () => {
    const { rest } = await open();
    await rest('POST', posts, { text: 'one' });
    const waiting = rest('GET', `${posts}?after=1&waitSeconds=20`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await rest('POST', posts, { text: 'two' });
    expect((await waiting).body.posts).toMatchObject([{ seq: 2, body: 'two' }]);
  });

  it('shows a caller bound to a team its own room only', async () => {
    const { rest, db } = await open({ team: 'blue', agent: 'eve' });
    await restOf(chatRoutes(db))('POST', posts, {
      text: 'ours',
    });
    expect((await rest('GET', posts)).status).toBe(404);
    expect((await rest('POST', posts, { text: 'hi' })).status).toBe(404);
    expect((await rest('GET', '/api/chat/rooms')).body.rooms).toEqual([]);
    expect((await rest('POST', '/api/chat/rooms/team:blue/posts', { text: 'hi' })).body.post).toMatchObject({
      authorAgentId: 'eve',
      kind: 'peer',
    });
  });

  it.each([
    ['GET', '/api/chat/rooms/nowhere/posts', undefined, 404],
    ['GET', `${posts}?after=-1`, undefined, 400],
    ['GET', `${posts}?limit=501`, undefined, 400],
    ['GET', `${posts}?limit=0`, undefined, 400],
    ['GET', `${posts}?before=2&after=1`, undefined, 400],
    ['GET', `${posts}?waitSeconds=5`, undefined, 400],
    ['GET', '/api/chat/rooms?cursor=%00', undefined, 400],
    ['POST', posts, { text: ' ' }, 400],
    ['POST', posts, { text: 'x'.repeat(16_385) }, 413],
    ['POST', posts, {}, 400],
    ['POST', posts, { text: 'a', author: 'boss' }, 400],
    ['POST', `/api/chat/rooms/${'r'.repeat(201)}/posts`, { text: 'a' }, 400],
    ['POST', '/api/chat/rooms/a%0Ab/posts', { text: 'a' }, 400],
    ['POST', '/api/chat/rooms/team:/posts', { text: 'a' }, 400],
    ['POST', '/api/chat/rooms/team:%20/posts', { text: 'a' }, 400],
    ['POST', '/api/chat/rooms//posts', { text: 'a' }, 400],
    ['GET', '/api/chat/rooms/team:/posts', undefined, 400],
  ])('%s %s %j is refused with %i', async (method, path, body, status) => {
    const { rest } = await open();
    expect(await rest(method, path, body)).toMatchObject({
      status,
      body: { error: expect.any(String), code: expect.any(String) },
    });
  });

  it('refuses a flood and names the limit', async () => {
    const { rest } = await open({}, 2);
    await rest('POST', posts, { text: '1' });
    await rest('POST', posts, { text: '2' });
    const third = await rest('POST', posts, { text: '3' });
    expect(third).toMatchObject({
      status: 429,
      body: { code: 'limited', details: { limit: 'posts', max: 2 } },
    });
    expect((await rest('GET', posts)).body.room.head).toBe(2);
  });

  it('tells of each bound post as the documented team_chat_post, without its text', async () => {
    const { rest, db } = await open({ team: 'red', agent: 'ada' });
    await rest('POST', posts, { text: 'the plan' });
    const events = await eventsOf(db);
    expect(events).toMatchObject([
      {
        kind: 'team_chat_post',
        subject: 'team:red',
        team: 'red',
        data: { roomId: 'team:red', seq: 1, authorAgentId: 'ada', postKind: 'peer' },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain('the plan');
  });
});
