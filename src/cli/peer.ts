import { Command } from 'commander';
import { PERSON } from '../features/peers/rules.ts';
import type { PeerMessage } from '../features/peers/mail/message.ts';
import type { Peer } from '../features/peers/peer.ts';
import type { MessageType, PeerStatus, Role } from '../features/peers/words.ts';
import { type Client, withClient } from './client.ts';
import { type Options, textOf, withDatabase } from './options.ts';
import { findOwnPeer, namedPeer, sessionOf } from './peer-session.ts';
import { projectOf, readProjectOf, withNew, withTeam } from './project-of.ts';
import { shortId } from './short-id.ts';
import { type Column, printable, renderTable } from './terminal/table.ts';
import { localTime } from './terminal/when.ts';
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
    .action((to: string, words: string[], options: Options) =>
      send(world, { to, text: words.join(' ') }, options),
    );
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
  const wanted = {
    status: textOf(options, 'status'),
    backend: textOf(options, 'backend'),
    circle: textOf(options, 'circle'),
    path: textOf(options, 'path'),
  };
  const answer = await withClient(world, options, async (client) => {
    const project = await readProjectOf(client, options, world);
    const found = await client.ask('GET /v1/peers', wanted);
    const peers = found.peers.filter((each) => isOf(project, each));
    return { ...found, peers, count: peers.length };
  });
  if (options['json']) return world.print(JSON.stringify(answer));
  if (answer.peers.length === 0)
    return world.tell(
      Object.values(wanted).some((one) => one !== undefined) ? 'Nobody matches.' : 'Nobody is registered.',
    );
  world.print(renderTable(COLUMNS, answer.peers, world.columns));
}

/** A session that says nothing of its project is everybody's. */
function isOf(project: string | undefined, { metadata }: Peer): boolean {
  return project === undefined || metadata?.['team'] === undefined || metadata['team'] === project;
}

async function register(world: World, options: Options): Promise<void> {
  const backend = textOf(options, 'backend')!;
  const path = textOf(options, 'path') ?? world.cwd;
  const peer = await withClient(world, options, async (client) => {
    const team = await projectOf(client, options, path);
    return client.ask('POST /v1/peers/register', {
      display_name: textOf(options, 'name') ?? backend,
      backend,
      agent_id: textOf(options, 'agent'),
      circle: textOf(options, 'circle'),
      role: textOf(options, 'role') as Role | undefined,
      session_id: textOf(options, 'session') ?? sessionOf(world.env),
      path,
      ...(team !== undefined && { metadata: { team } }),
    });
  });
  world.print(options['json'] ? JSON.stringify(peer) : peer.peer_id);
}

async function heartbeat(world: World, id: string | undefined, options: Options): Promise<void> {
  const status = textOf(options, 'status') as PeerStatus | undefined;
  const peer = await withOwnPeer({ world, options, id }, (client, peerId) =>
    client.ask('POST /v1/peers/:peerId/heartbeat', { peerId, status }),
  );
  if (options['json']) return world.print(JSON.stringify(peer));
  world.print(`${peer.display_name} is ${peer.status}.`);
}

type Written = Readonly<{ to: string; text: string }>;

async function send(world: World, { to, text }: Written, options: Options): Promise<void> {
  const from = textOf(options, 'from');
  const ttl = textOf(options, 'ttl');
  const letter = {
    text,
    type: textOf(options, 'type') as MessageType | undefined,
    reply_to: textOf(options, 'replyTo'),
    circle: textOf(options, 'circle'),
    ttl_seconds: ttl === undefined ? undefined : Number(ttl),
  };
  const sent = await withClient({ ...world, hints: HINTS }, options, async (client) => {
    const sender = from === undefined ? {} : { from_peer: await namedPeer(client, from) };
    const peerId = await namedPeer(client, to);
    return client.ask('POST /v1/peers/:peerId/messages', { peerId, ...letter, ...sender });
  });
  if (options['json']) return world.print(JSON.stringify(sent));
  world.print(sent.id);
  world.tell(`Queued for ${sent.to_agent}; it is delivered when it is fetched.`);
}

async function inbox(world: World, id: string | undefined, options: Options): Promise<void> {
  const own = id ?? (sessionOf(world.env) === undefined ? PERSON : undefined);
  await withOwnPeer({ world, options, id: own }, async (client, peerId) => {
    const circle = textOf(options, 'circle');
    const how = options['peek'] ? { peek: '1' } : { ack: '1' as const };
    const mail = await client.ask('GET /v1/peers/:peerId/messages', { peerId, circle, ...how });
    if (options['json']) world.print(JSON.stringify(mail));
    else for (const message of mail.messages) world.print(lineOf(message));
    if (mail.messages.length === 0 && !options['json']) world.tell('No mail.');
    // Acked only once it has been shown: a command that dies before leaves the mail where it was.
    if (!options['peek'] && mail.messages.length > 0)
      await client.ask('POST /v1/peers/:peerId/messages/ack', {
        peerId,
        ids: mail.messages.map((each) => each.id),
        circle,
      });
  });
}

async function deregister(world: World, id: string | undefined, options: Options): Promise<void> {
  const peer = await withOwnPeer({ world, options, id }, (client, peerId) =>
    client.ask('DELETE /v1/peers/:peerId', { peerId }),
  );
  if (options['json']) return world.print(JSON.stringify(peer));
  world.print(`${peer.display_name} (${peer.peer_id}) is gone.`);
}

type Asked = Readonly<{ world: World; options: Options; id: string | undefined }>;

function withOwnPeer<T>(
  { world, options, id }: Asked,
  work: (client: Client, peerId: string) => Promise<T>,
): Promise<T> {
  return withClient({ ...world, hints: HINTS }, options, async (client) =>
    work(client, await findOwnPeer(client, id, sessionOf(world.env))),
  );
}

function lineOf({ id, from_agent: from, type, text, timestamp }: PeerMessage): string {
  return `${localTime(Date.parse(timestamp))}  ${printable(from)} (${type}, ${id}): ${printable(text)}`;
}
