import { expect, it } from 'vitest';
import { createChat } from '../../src/features/chat/chat.ts';
import { chatOperations } from '../../src/features/chat/operations.ts';
import { behindChat, teamChatServer } from '../../src/features/chat/server.ts';
import { routesOf } from '../../src/operation/faces.ts';
import { createPeers } from '../../src/features/peers/peers.ts';
import { peersRoutes } from '../../src/features/peers/routes.ts';
import { peerTools } from '../../src/features/peers/operations.ts';
import { mailPostscript } from '../../src/features/peers/mail/piggyback-mail.ts';
import { localPrincipal, type Principal } from '../../src/kernel/principal.ts';
import type { Tool } from '../../src/mcp/define.ts';
import { createActing } from '../../src/store/calls.ts';
import { sql } from '../../src/store/sql.ts';
import { handClock } from '../fixtures/board-host.ts';
import { eachEngine, freshDatabase, type Engine } from '../fixtures/databases.ts';
import { directlyTo } from '../fixtures/direct-host.ts';
import { restOf } from '../fixtures/rest-client.ts';

const CANARY = 'zebraquartz';
/** What only the team `red` knows: its words, its circle, its sessions, its second agent. */
const SECRETS = [CANARY, 'redplans', 'zoe'];

const agent = (name: string, team?: string): Principal => ({
  kind: 'agent',
  id: name,
  scopes: new Set(['*']),
  seat: `seat:${name}@${team}`,
  bound: { agent: name, ...(team !== undefined && { team }) },
});

/**
 * The team `red`: ada and zoe, in the default circle and in one of their own, with mail that waits, that was sent and
 * that died, and with a room in which ada was mentioned.
 */
async function openTeams(engine: Engine) {
  const clock = handClock();
  const db = await freshDatabase(engine, { clock });
  const [peers, acting] = [createPeers(db), createActing(db)];
  const chat = createChat({ mentions: peers });
  const behind = behindChat({ db, acting, chat });
  const routes = [...peersRoutes(acting, peers), ...routesOf(behind, chatOperations)];
  const rest = (who: Principal) => restOf(routes, () => who);
  const chatTools = teamChatServer(behind).tools as Tool[];
  const tools = directlyTo(
    {
      key: 'walls',
      name: 'walls',
      version: '0',
      tools: [...peerTools(acting, peers), ...chatTools],
    },
    { postscript: mailPostscript(peers.piggyback) },
  );
  const person = rest(localPrincipal(''));
  const [ada, zoe] = [rest(agent('ada', 'red')), rest(agent('zoe', 'red'))];
  const register = async (who: typeof ada, name: string, circle: string) =>
    (
      await who('POST', '/v1/peers/register', {
        display_name: name,
        backend: 'codex',
        path: `/secret/${CANARY}`,
        session_id: `${name}-${circle}`,
        tmux_pane: '%7',
        circle,
      })
    ).body.peer_id as string;
  const sessions = {
    common: await register(ada, 'ada', 'default'),
    own: await register(ada, 'ada', 'redplans'),
    zoe: await register(zoe, 'zoe', 'redplans'),
  };
  const write = async (who: typeof ada, to: string, more: object) =>
    (await who('POST', `/v1/peers/${to}/messages`, { text: CANARY, circle: 'redplans', ...more })).body
      .id as string;
  await write(zoe, 'ada', { id: 'dead', ttl_seconds: 1 });
  clock.advance(2_000);
  const mail = {
    dead: 'dead',
    waiting: await write(zoe, 'ada', { id: 'waiting', thread_id: 'plan' }),
    sent: await write(ada, 'zoe', { id: 'sent' }),
    common: (await person('POST', '/v1/peers/ada/messages', { text: CANARY, circle: 'default' })).body.id,
  };
  await ada('POST', '/api/chat/rooms/team:red/posts', { text: `${CANARY} one` });
  await zoe('POST', '/api/chat/rooms/team:red/posts', { text: `${CANARY} for @ada` });
  const state = () =>
    db.read(async (q) => ({
      mail: await q.all<Row>(sql`select * from peer_messages order by id`),
      boxes: await q.all<Row>(sql`select * from peer_mailboxes order by agent_id, circle`),
      peers: await q.all<Row>(sql`select * from peers order by peer_id`),
      posts: await q.all<Row>(sql`select * from chat_posts order by room_id, seq`),
    }));
  return { db, clock, peers, rest, tools, person, ada, zoe, sessions, mail, state };
}

type Row = Record<string, unknown>;
type Teams = Awaited<ReturnType<typeof openTeams>>;
type Doing = Readonly<{
  rest: ReturnType<Teams['rest']>;
  call: (tool: string, args: object) => Promise<any>;
}>;

/** Every way to look at mail and rooms, aimed at what is red's. */
function looksAt({ sessions, mail }: Teams): readonly [string, (by: Doing) => Promise<unknown>][] {
  const boxes = ['ada', 'zoe', ...Object.values(sessions)];
  const get = (path: string): [string, (by: Doing) => Promise<unknown>] => [
    `GET ${path}`,
    ({ rest }) => rest('GET', path),
  ];
  const use = (tool: string, args: object): [string, (by: Doing) => Promise<unknown>] => [
    `${tool} ${JSON.stringify(args)}`,
    ({ call }) => call(tool, args),
  ];
  return [
    ...boxes.flatMap((box) =>
      ['', 'circle=redplans', 'circle=default', 'team=red', 'team=red&circle=redplans'].flatMap((where) => [
        get(`/v1/peers/${box}/messages?peek=1&${where}`),
        get(`/v1/peers/${box}/sent?${where}`),
      ]),
    ),
    ...boxes.flatMap((peer) => [
      use('PeerInbox', { peer, peek: true }),
      use('PeerInbox', { peer, peek: true, circle: 'redplans' }),
      use('PeerInbox', { peer, peek: true, team: 'red' }),
      get(`/v1/peers/${peer}`),
      get(`/peers/${peer}`),
    ]),
    ...Object.values(sessions).map((id) => get(`/v1/peers/${id}/inbox`)),
    use('PeerInbox', { peek: true }),
    use('PeerList', { all: true }),
    use('PeerList', { circle: 'redplans' }),
    use('team_chat_subscribe', { teamId: 'red', roomId: 'team:red' }),
    ...Object.values(mail).map((id) => get(`/v1/peers/messages/${id}`)),
    get('/v1/peers/dead-letters'),
    get('/v1/peers/dead-letters?circle=redplans'),
    get('/v1/peers/dead-letters?agent_id=ada'),
    get('/v1/peers'),
    get('/v1/peers?circle=redplans'),
    get('/peers'),
    get('/peers?circle=redplans'),
    get('/v1/peers/by-pane/%257'),
    get('/api/mail'),
    get('/api/chat/rooms'),
    get('/api/chat/rooms/team:red/posts'),
    get(`/api/chat/posts?search=${CANARY.slice(0, 5)}`),
  ];
}

/** Every way to change something, aimed at what is red's. */
function changesTo({ sessions, mail }: Teams): readonly [string, (by: Doing) => Promise<unknown>][] {
  const ids = Object.values(mail);
  const post = (path: string, body: object): [string, (by: Doing) => Promise<unknown>] => [
    `POST ${path} ${JSON.stringify(body)}`,
    ({ rest }) => rest('POST', path, body),
  ];
  const boxes = ['ada', ...Object.values(sessions)];
  return [
    ...boxes.flatMap((box): [string, (by: Doing) => Promise<unknown>][] => [
      [`take ${box}`, ({ rest }) => rest('GET', `/v1/peers/${box}/messages`)],
      [`take ${box} there`, ({ rest }) => rest('GET', `/v1/peers/${box}/messages?circle=redplans`)],
      [`take ${box} by name`, ({ rest }) => rest('GET', `/v1/peers/${box}/messages?team=red`)],
      [`lease ${box}`, ({ rest }) => rest('GET', `/v1/peers/${box}/messages?ack=1&circle=redplans`)],
      [`PeerInbox ${box}`, ({ call }) => call('PeerInbox', { peer: box, circle: 'redplans' })],
      [`PeerAck ${box}`, ({ call }) => call('PeerAck', { peer: box, ids })],
      [`PeerAck ${box} there`, ({ call }) => call('PeerAck', { peer: box, ids, circle: 'redplans' })],
      post(`/v1/peers/${box}/messages/ack`, { ids }),
      post(`/v1/peers/${box}/messages/ack`, { ids, circle: 'redplans' }),
    ]),
    // Into its circle, as whoever is in it.
    ...['ada', 'zoe', sessions.own, sessions.zoe].flatMap((to) => [
      post(`/v1/peers/${to}/messages`, { text: 'forged', circle: 'redplans' }),
      post(`/v1/peers/${to}/messages`, { text: 'forged', from_peer: sessions.own }),
    ]),
    post(`/v1/peers/${sessions.own}/messages`, { text: 'forged' }),
    post(`/v1/peers/zoe/messages`, { text: 'forged' }),
    post(`/v1/peers/zoe/messages`, { text: 'forged', reply_to: mail.waiting }),
    post(`/v1/peers/broadcast`, { text: 'forged', circle: 'redplans' }),
    post(`/v1/peers/broadcast`, { text: 'forged', from_peer: sessions.own }),
    ...Object.values(sessions).flatMap((id): [string, (by: Doing) => Promise<unknown>][] => [
      [`deregister ${id}`, ({ rest }) => rest('DELETE', `/v1/peers/${id}`)],
      [`remove ${id}`, ({ rest }) => rest('DELETE', `/peers/${id}`)],
      post(`/v1/peers/${id}/heartbeat`, { status: 'busy' }),
      post(`/peers/${id}/touch`, {}),
      post(`/peers/${id}/offline`, {}),
      post(`/peers/${id}/description`, { description: 'forged' }),
    ]),
    post('/v1/peers/register', { display_name: 'mine', backend: 'codex', circle: 'redplans' }),
    post('/api/mail', { to: 'ada', text: 'forged' }),
    post('/api/chat/rooms/team:red/posts', { text: 'forged @ada' }),
  ];
}

eachEngine('the wall around the mail of a team', (engine) => {
  const doing = (teams: Teams, who: Principal): Doing => {
    const client = teams.tools({ who });
    return {
      rest: teams.rest(who),
      call: async (tool, args) => client.call(tool, args as Record<string, unknown>),
    };
  };
  /** Who is of no team sees who is registered and what is said in rooms, and nobody's mail all the same. */
  const isOfMail =
    ({ bound }: Principal) =>
    ([what]: readonly [string, unknown]) =>
      bound.team !== undefined || /messages|sent|inbox|dead|PeerInbox|api.mail/.test(what);
  /** Without what the caller itself said. */
  const learnt = (what: string, answer: unknown) =>
    SECRETS.filter((secret) => JSON.stringify(answer).includes(secret) && !what.includes(secret));

  for (const [kind, who] of [
    ['the same name in another team', agent('ada', 'blue')],
    ['another name in another team', agent('bob', 'blue')],
    ['a team alone', { ...agent('x', 'blue'), bound: { team: 'blue' } }],
    ['the same name without a team', agent('ada')],
  ] as const) {
    it(`${kind} learns nothing by looking, and looking leaves nothing behind`, async () => {
      const teams = await openTeams(engine);
      const before = await teams.state();
      const by = doing(teams, { ...who, seat: '' });
      const told: string[] = [];
      for (const [what, look] of looksAt(teams).filter(isOfMail(who)))
        for (const leak of learnt(what, await look(by))) told.push(`${what}: ${leak}`);
      expect(told).toEqual([]);
      const after = await teams.state();
      // An agent that calls a tool has an address of its own from then on; nothing else is new.
      const { agent: own = '', team = '' } = who.bound;
      const boxes = after.boxes.filter((box) => box['agent_id'] !== own || box['team'] !== team);
      expect({ ...after, boxes }).toEqual(before);
    });
  }

  for (const [kind, who] of [
    ['the same name in another team', agent('ada', 'blue')],
    ['another name in another team', agent('bob', 'blue')],
    ['a team alone', { ...agent('x', 'blue'), bound: { team: 'blue' } }],
  ] as const) {
    it(`${kind} changes nothing of it, and is told nothing by the refusals`, async () => {
      const teams = await openTeams(engine);
      const before = await teams.state();
      const by = doing(teams, who);
      const told: string[] = [];
      for (const [what, change] of changesTo(teams))
        for (const leak of learnt(what, await change(by))) told.push(`${what}: ${leak}`);
      expect(told).toEqual([]);
      const after = await teams.state();
      expect(after.mail.filter(({ id }) => Object.values(teams.mail).includes(String(id)))).toEqual(
        before.mail.filter(({ id }) => Object.values(teams.mail).includes(String(id))),
      );
      expect(JSON.stringify(after.mail.filter(({ circle }) => circle === 'redplans'))).not.toContain(
        'forged',
      );
      expect(JSON.stringify(after.posts)).not.toContain('forged');
      expect(after.peers.filter(({ team }) => team === 'red')).toEqual(before.peers);
    });
  }

  it('the same name in the same team has it all; another name of the team its own', async () => {
    const teams = await openTeams(engine);
    const [again, zoe] = [doing(teams, agent('ada', 'red')), doing(teams, agent('zoe', 'red'))];
    const texts = async (by: Doing, path: string) =>
      (await by.rest('GET', path)).body.messages?.map(({ text }: { text: string }) => text);
    expect(await texts(again, '/v1/peers/ada/messages?peek=1&circle=redplans')).toEqual([CANARY]);
    expect(await texts(again, '/v1/peers/ada/messages?peek=1&circle=default')).toContain(CANARY);
    expect(await texts(again, `/v1/peers/${teams.sessions.own}/messages?peek=1`)).toEqual([CANARY]);
    expect(await texts(again, '/v1/peers/ada/sent?circle=redplans')).toEqual([CANARY]);
    expect(await texts(again, '/v1/peers/dead-letters')).toEqual([CANARY]);
    expect(await texts(zoe, '/v1/peers/dead-letters')).toEqual([CANARY]);
    expect((await zoe.rest('GET', '/v1/peers/ada/messages?peek=1&circle=redplans')).status).toBe(403);
    expect((await zoe.rest('GET', '/v1/peers/ada/sent?circle=redplans')).status).toBe(403);
    expect(await texts(zoe, '/v1/peers/zoe/messages?peek=1')).toEqual([CANARY]);
    const { value } = await again.call('PeerInbox', { circle: 'redplans' });
    expect(value.messages.map(({ id }: { id: string }) => id)).toEqual([teams.mail.waiting]);
    expect(
      (await again.call('PeerAck', { ids: [teams.mail.waiting], circle: 'redplans' })).value.acked,
    ).toEqual([teams.mail.waiting]);
  });

  it('a stream of the own name is that of the own mailbox, whatever circle or team it asks for', async () => {
    const { peers } = await openTeams(engine);
    const blue = agent('ada', 'blue');
    const reader = (asked: object) =>
      peers.look({ who: blue, via: 'tool' }, (view) => view.reader({ id: 'ada', ...asked }));
    expect(await reader({})).toMatchObject({ team: 'blue', circle: 'default' });
    expect(await reader({ circle: 'redplans' })).toMatchObject({ team: 'blue', circle: 'redplans' });
    await expect(reader({ team: 'red' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('a mention, a broadcast and mail that goes along reach the agent of the team, not its namesake', async () => {
    const teams = await openTeams(engine);
    const blue = teams.rest(agent('ada', 'blue'));
    await blue('POST', '/v1/peers/register', { display_name: 'ada', backend: 'codex', session_id: 'b' });
    const along = async (team: string) =>
      JSON.stringify(
        (await teams.tools({ who: agent('ada', team) }).call('PeerList', {})).value._inbox ?? [],
      );
    expect(await along('red')).toContain(CANARY);
    expect(await along('blue')).toBe('[]');
    const said = await teams.zoe('POST', '/api/chat/rooms/team:red/posts', { text: `@ada ${CANARY} again` });
    expect(said.body.mentioned).toEqual(['ada']);
    expect((await blue('GET', '/v1/peers/ada/messages')).body.messages).toEqual([]);
    // A broadcast goes to everybody else of the circle: the namesake is somebody else.
    const sent = await blue('POST', '/v1/peers/broadcast', { text: 'hello all' });
    expect(sent.body.delivered_to).toBe(1);
    expect((await blue('GET', '/v1/peers/ada/messages')).body.messages).toEqual([]);
    expect(
      (await teams.ada('GET', '/v1/peers/ada/messages?circle=default&peek=1')).body.messages.map(
        ({ text }: { text: string }) => text,
      ),
    ).toContain('hello all');
  });

  it('in the default circle one team can write to another, and the answer finds the one who asked', async () => {
    const teams = await openTeams(engine);
    const [blueAda, bob] = [teams.rest(agent('ada', 'blue')), teams.rest(agent('bob', 'blue'))];
    for (const [who, name] of [
      [blueAda, 'ada'],
      [bob, 'bob'],
    ] as const)
      await who('POST', '/v1/peers/register', { display_name: name, backend: 'codex', session_id: name });
    const asked = await teams.ada('POST', '/v1/peers/bob/messages', { text: 'which port?' });
    expect(asked.status).toBe(200);
    const answer = await bob('POST', '/v1/peers/ada/messages', { text: 'this one', reply_to: asked.body.id });
    expect(answer.body).toMatchObject({ to_agent: 'ada', thread_id: asked.body.thread_id });
    expect((await blueAda('GET', '/v1/peers/ada/messages?peek=1')).body.messages).toEqual([]);
    expect(JSON.stringify((await teams.ada('GET', '/v1/peers/ada/messages?circle=default')).body)).toContain(
      'this one',
    );
    // Without a message to answer, a name means the one of the own team.
    await bob('POST', '/v1/peers/ada/messages', { text: 'ours' });
    expect(JSON.stringify((await blueAda('GET', '/v1/peers/ada/messages')).body)).toContain('ours');
  });

  it('the person at the hub names the team where a name is in two, and sees whose each message is', async () => {
    const teams = await openTeams(engine);
    const blue = teams.rest(agent('ada', 'blue'));
    await blue('POST', '/v1/peers/register', { display_name: 'ada', backend: 'codex', session_id: 'b' });
    const unclear = await teams.person('POST', '/v1/peers/ada/messages', { text: 'x', circle: 'default' });
    expect(unclear).toMatchObject({ status: 409, body: { details: { teams: ['blue', 'red'] } } });
    const clear = await teams.person('POST', '/api/mail', { to: 'ada', text: 'for blue', team: 'blue' });
    expect(clear.status).toBe(201);
    expect((await blue('GET', '/v1/peers/ada/messages')).body.messages).toMatchObject([{ text: 'for blue' }]);
    const { messages } = (await teams.person('GET', '/api/mail')).body;
    expect(messages.find(({ id }: { id: string }) => id === clear.body.id)).toMatchObject({
      to_team: 'blue',
    });
  });
});
