import BetterSqlite3 from 'better-sqlite3';
import pg from 'pg';
import { expect, it } from 'vitest';
import { createPeers } from '../../src/features/peers/peers.ts';
import type { Principal } from '../../src/kernel/principal.ts';
import { APPLICATION_ID } from '../../src/store/dialects/sqlite/file.ts';
import { walls } from '../../src/store/migrations/0031-walls.ts';
import { stepsAfter } from '../../src/store/migrations/list.ts';
import { spell } from '../../src/store/migrations/spell.ts';
import { eachEngine, emptyPlace, type Place } from '../fixtures/databases.ts';

/** A database as the version before left it, with what these statements put into it. */
async function leaveBehind(place: Place, rows: readonly string[]): Promise<void> {
  const before = stepsAfter(0).filter(({ id }) => id < walls.id);
  if (place.engine === 'sqlite') {
    const file = new BetterSqlite3(place.location);
    file.pragma(`application_id = ${APPLICATION_ID}`);
    for (const step of before) file.exec(spell(step.schema, 'sqlite'));
    for (const row of rows) file.exec(row);
    file.pragma(`user_version = ${before.at(-1)!.id}`);
    file.close();
    return;
  }
  const client = new pg.Client(place.location);
  await client.connect();
  await client.query(`create schema "${place.schema}"`);
  await client.query(`set search_path to "${place.schema}"`);
  await client.query(
    'create table holdfast_schema (id bigint primary key, name text not null, applied_at timestamptz not null default now())',
  );
  for (const step of before) {
    await client.query(spell(step.schema, 'postgres'));
    await client.query('insert into holdfast_schema (id, name) values ($1, $2)', [step.id, step.name]);
  }
  for (const row of rows) await client.query(row);
  await client.end();
}

const DAY = 86_400_000;
const now = Date.now();

const peer = (id: string, agent: string, circle: string, { team = '', seen = 0, said = '' } = {}) => `
  insert into peers (peer_id, agent_id, display_name, backend, path, circle, role, status, session_id, tmux_pane,
    metadata, registered_at, last_seen, team)
  values ('${id}', '${agent}', '${agent}', 'codex', '', '${circle}', 'agent', 'online', '${id}', '',
    '${said ? JSON.stringify({ team: said }) : '{}'}', 0, ${now + seen}, ${team ? `'${team}'` : 'null'})`;
const box = (circle: string, agent: string, head: number) =>
  `insert into peer_mailboxes (circle, agent_id, head) values ('${circle}', '${agent}', ${head})`;
const token = (agent: string, team: string) => `
  insert into agent_tokens (id, hash, agent, team, scopes, created_at)
  values ('${agent}-${team}', 'x', '${agent}', '${team}', '[]', 0)`;
const seat = (name: string, team: string) => `
  insert into seats (seat, name, is_bound, team_id, client, server, opened_at, called_at, seen_at)
  values ('${name}-${team}', '${name}', 0, '${team}', '', 'hub', 0, 0, 0)`;
const mail = (
  id: string,
  [from, to]: [string, string],
  seq: number,
  { circle = 'default', session = '' } = {},
) => `
  insert into peer_messages (id, circle, to_agent, seq, to_peer, from_agent, asserted, type, text, thread_id,
    thread_seq, state, created_at, expires_at)
  values ('${id}', '${circle}', '${to}', ${seq}, ${session ? `'${session}'` : 'null'}, '${from}', 0, 'notification',
    '${id}', '${id}', 1, 'queued', ${now}, ${now + DAY})`;

const agent = (name: string, team?: string): Principal => ({
  kind: 'agent',
  id: name,
  scopes: new Set(['*']),
  seat: '',
  bound: { agent: name, ...(team !== undefined && { team }) },
});

eachEngine('mailboxes of the version before', (engine) => {
  const open = async (rows: readonly string[]) => {
    const place = await emptyPlace(engine);
    await leaveBehind(place, rows);
    const db = await place.open();
    const peers = createPeers(db);
    const waiting = async (who: Principal, circle = 'default') =>
      (
        await peers.look({ who, via: 'tool' }, (view) =>
          view.peek({ id: who.bound.agent ?? who.id, circle }, 50),
        )
      ).messages.map(({ id }) => id);
    return { db, peers, waiting };
  };

  it('become those of the team their sessions, circle, tokens or connections are of, with what waits', async () => {
    const { waiting } = await open([
      `insert into peer_circles (circle, team, opened_at) values ('plans', 'red', 0)`,
      peer('p1', 'ada', 'default', { team: 'red' }),
      box('default', 'ada', 1),
      mail('by-session', ['user', 'ada'], 1),
      box('plans', 'ada', 1),
      mail('by-circle', ['user', 'ada'], 1, { circle: 'plans' }),
      token('bob', 'blue'),
      box('default', 'bob', 1),
      mail('by-token', ['user', 'bob'], 1),
      seat('codex', 'web'),
      box('default', 'codex', 1),
      mail('by-connection', ['user', 'codex'], 1),
      peer('p2', 'web-claude', 'default', { said: 'web' }),
      box('default', 'web-claude', 1),
      mail('by-word', ['user', 'web-claude'], 1),
      box('default', 'carl', 1),
      mail('of-nobody', ['user', 'carl'], 1),
      box('default', 'user', 1),
      mail('to-the-person', ['ada', 'user'], 1),
    ]);
    expect(await waiting(agent('ada', 'red'))).toEqual(['by-session']);
    expect(await waiting(agent('ada', 'red'), 'plans')).toEqual(['by-circle']);
    expect(await waiting(agent('bob', 'blue'))).toEqual(['by-token']);
    const project = {
      ...agent('codex'),
      kind: 'local' as const,
      bound: {},
      default: { agent: 'codex', team: 'web' },
    };
    expect(await waiting(project)).toEqual(['by-connection']);
    expect(await waiting({ ...project, id: 'web-claude' })).toEqual(['by-word']);
    expect(await waiting(agent('carl'))).toEqual(['of-nobody']);
    expect(await waiting({ ...project, id: 'user', default: {} })).toEqual(['to-the-person']);
  });

  it('that two teams shared are parted: by session, by the team both sides are of, else to who was here last', async () => {
    const { peers, waiting } = await open([
      peer('r', 'ada', 'default', { team: 'red', seen: -60_000 }),
      peer('b', 'ada', 'default', { team: 'blue' }),
      peer('z', 'zoe', 'default', { team: 'red' }),
      box('default', 'ada', 3),
      box('default', 'zoe', 0),
      box('default', 'user', 0),
      mail('to-the-session', ['user', 'ada'], 1, { session: 'r' }),
      mail('from-a-teammate', ['zoe', 'ada'], 2),
      mail('from-the-person', ['user', 'ada'], 3),
    ]);
    expect(await waiting(agent('ada', 'red'))).toEqual(['to-the-session', 'from-a-teammate']);
    expect(await waiting(agent('ada', 'blue'))).toEqual(['from-the-person']);
    const zoe = { who: agent('zoe', 'red'), via: 'tool' } as const;
    const sent = await peers.look(zoe, (view) => view.sent({ id: 'zoe' }, { limit: 9 }));
    expect(sent.messages.map(({ id }) => id)).toEqual(['from-a-teammate']);
    // Both go on counting where the one they shared had come to.
    const next = await peers.change(zoe, (desk) => desk.send('ada', { text: 'next' }));
    expect(next.seq).toBe(4);
  });
});
