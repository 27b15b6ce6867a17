import { Command } from 'commander';
import { PERSON } from '../features/peers/rules.ts';
import type { PeerMessage } from '../features/peers/message.ts';
import type { Peer } from '../features/peers/peer.ts';
import { type Client, withClient } from './client.ts';
import { type Options, withDatabase } from './options.ts';
import { findOwnPeer, namedPeer, sessionOf } from './peer-session.ts';
import { projectOf, readProjectOf, withNew, withTeam } from './project-of.ts';
import { shortId } from './short-id.ts';
import { type Column, printable, renderTable } from './table.ts';
import { localTime } from './when.ts';
import type { World } from './world.ts';

/** Who is alive and their mail, from the terminal and from hooks. */
export function peerCommand(world: World): Command {
  const peer = new Command('peer').description('see who is alive, and send and fetch mail');
  withTeam(withDatabase(peer.command('list')))
    .description('who is registered, alive first')
    .option('--status <status>', 'online, busy or offline')
    .option('--backend <name>', 'only of this kind, such as codex')
    .option('--circle <name>', 'only of this circle')
    .option('--path <folder>', 'only in this folder')
    .action((options: Options) => list(world, options));
  withNew(withTeam(withDatabase(peer.command('register'))))
    .description('register this session, or find it again')
    .requiredOption('--backend <name>', 'claude-code, codex, gemini, opencode …')
    .option('--name <text>', 'what it is called (the backend)')
    .option('--agent <id>', 'its durable address (the name)')
    .option('--circle <name>', 'whom it can write to (default)')
    .option('--role <role>', 'agent or orchestrator')
    .option('--session <id>', 'what tells it from others (HOLDFAST_PEER_SESSION, CLAUDE_SESSION_ID)')
    .option('--path <folder>', 'where it works (here)')
    .action((options: Options) => register(world, options));
  withDatabase(peer.command('heartbeat'))
    .description('a sign of life')
    .argument('[peer]', 'its peer_id (the one of this session)')
    .option('--status <status>', 'online, busy or offline')
    .action((id: string | undefined, options: Options) => heartbeat(world, id, options));
  withDatabase(peer.command('send'))
    .description('put a message into an inbox')
    .argument('<to>', 'a peer_id or an agent_id')
    .argument('<text...>', 'what to say')
    .option('--from <peer>', 'who sends (you, the person at the hub)')
    .option('--type <type>', 'query, response, notification or broadcast (notification)')
    .option('--reply-to <id>', 'the message this answers')
    .option('--circle <name>', 'needed only when an agent lives in several circles')
    .option('--ttl <seconds>', 'how long it may wait (seven days)')
    .action((to: string, words: string[], options: Options) => send(world, to, words.join(' '), options));
  withDatabase(peer.command('inbox'))
    .description('fetch the mail, show it and acknowledge it')
    .argument('[peer]', 'a peer_id or an agent_id (the peer of this session; outside of sessions, you)')
    .option('--peek', 'only look')
    .option('--circle <name>', 'needed only when an agent lives in several circles')
    .action((id: string | undefined, options: Options) => inbox(world, id, options));
  withDatabase(peer.command('deregister'))
    .description('end a session; its mail waits on for its agent')
    .argument('[peer]', 'its peer_id (the one of this session)')
    .action((id: string | undefined, options: Options) => deregister(world, id, options));
  return peer;
}

const HINTS = {
  not_found: '`holdfast peer list` shows who is registered, with the peer_id of each session.',
};

const COLUMNS: readonly Column<Peer>[] = [
  { title: 'PEER', cell: ({ peer_id: id }) => shortId(id) },
  { title: 'AGENT', cell: ({ agent_id: id }) => id, flexible: true },
  { title: 'NAME', cell: ({ display_name: name }) => name, flexible: true },
  { title: 'BACKEND', cell: ({ backend }) => backend },
  { title: 'CIRCLE', cell: ({ circle }) => circle, flexible: true },
  { title: 'STATUS', cell: ({ status }) => status },
  { title: 'SEEN', cell: ({ last_seen: at }) => localTime(Date.parse(at)) },
  { title: 'PATH', cell: ({ path }) => path ?? '', flexible: true },
];

async function list(world: World, options: Options): Promise<void> {
  const query = new URLSearchParams(picked(options, ['status', 'backend', 'circle', 'path']));
  const answer = await withClient(world, options, async (client) => {
    const project = await readProjectOf(client, options, world);
    const found = await client.call<{ peers: Peer[]; count: number }>('GET', `/v1/peers?${query.toString()}`);
    const peers = found.peers.filter((each) => isOf(project, each));
    return { ...found, peers, count: peers.length };
  });
  if (options['json']) return world.print(JSON.stringify(answer));
  if (answer.peers.length === 0)
    return world.tell(query.size > 0 ? 'Nobody matches.' : 'Nobody is registered.');
  world.print(renderTable(COLUMNS, answer.peers, world.columns));
}

/** A session that says nothing of its project is everybody's. */
function isOf(project: string | undefined, { metadata }: Peer): boolean {
  return project === undefined || metadata?.['team'] === undefined || metadata['team'] === project;
}

async function register(world: World, options: Options): Promise<void> {
  const { backend, name, agent, circle, role, session = sessionOf(world.env), path = world.cwd } = options;
  const body = {
    display_name: name ?? backend,
    backend,
    agent_id: agent,
    circle,
    role,
    session_id: session,
    path,
  };
  const peer = await withClient(world, options, async (client) => {
    const team = await projectOf(client, options, String(path));
    return client.call<Peer>('POST', '/v1/peers/register', {
      ...body,
      ...(team !== undefined && { metadata: { team } }),
    });
  });
  world.print(options['json'] ? JSON.stringify(peer) : peer.peer_id);
}

async function heartbeat(world: World, id: string | undefined, options: Options): Promise<void> {
  const peer = await withOwnPeer(world, id, options, (client, own) =>
    client.call<Peer>('POST', `/v1/peers/${own}/heartbeat`, picked(options, ['status'])),
  );
  if (options['json']) return world.print(JSON.stringify(peer));
  world.print(`${peer.display_name} is ${peer.status}.`);
}

async function send(world: World, to: string, text: string, options: Options): Promise<void> {
  const { from, type, replyTo, circle, ttl } = options;
  const body = {
    text,
    type,
    reply_to: replyTo,
    circle,
    ...(ttl !== undefined && { ttl_seconds: Number(ttl) }),
  };
  const sent = await withClient(
    world,
    options,
    async (client) => {
      const sender = typeof from === 'string' ? { from_peer: await namedPeer(client, from) } : {};
      const path = `/v1/peers/${encodeURIComponent(await namedPeer(client, to))}/messages`;
      return client.call<PeerMessage>('POST', path, { ...body, ...sender });
    },
    HINTS,
  );
  if (options['json']) return world.print(JSON.stringify(sent));
  world.print(sent.id);
  world.tell(`Queued for ${sent.to_agent}; it is delivered when it is fetched.`);
}

async function inbox(world: World, id: string | undefined, options: Options): Promise<void> {
  const own = id ?? (sessionOf(world.env) === undefined ? PERSON : undefined);
  await withOwnPeer(world, own, options, async (client, own) => {
    const path = `/v1/peers/${own}/messages`;
    const { circle } = options;
    const query = new URLSearchParams({
      ...(options['peek'] ? { peek: '1' } : { ack: '1' }),
      ...picked(options, ['circle']),
    });
    const mail = await client.call<{ messages: PeerMessage[]; waiting: number }>(
      'GET',
      `${path}?${query.toString()}`,
    );
    if (options['json']) world.print(JSON.stringify(mail));
    else for (const message of mail.messages) world.print(lineOf(message));
    if (mail.messages.length === 0 && !options['json']) world.tell('No mail.');
    // Acked only once it has been shown: a command that dies before leaves the mail where it was.
    if (!options['peek'] && mail.messages.length > 0)
      await client.call('POST', `${path}/ack`, { ids: mail.messages.map((each) => each.id), circle });
  });
}

async function deregister(world: World, id: string | undefined, options: Options): Promise<void> {
  const peer = await withOwnPeer(world, id, options, (client, own) =>
    client.call<Peer>('DELETE', `/v1/peers/${own}`),
  );
  if (options['json']) return world.print(JSON.stringify(peer));
  world.print(`${peer.display_name} (${peer.peer_id}) is gone.`);
}

function withOwnPeer<T>(
  world: World,
  id: string | undefined,
  options: Options,
  work: (client: Client, own: string) => Promise<T>,
): Promise<T> {
  return withClient(
    world,
    options,
    async (client) => work(client, encodeURIComponent(await findOwnPeer(client, id, sessionOf(world.env)))),
    HINTS,
  );
}

function picked(options: Options, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (typeof options[name] === 'string' ? [[name, options[name]]] : [])),
  );
}

function lineOf({ id, from_agent: from, type, text, timestamp }: PeerMessage): string {
  return `${localTime(Date.parse(timestamp))}  ${printable(from)} (${type}, ${id}): ${printable(text)}`;
}
