import { Command } from 'commander';
import type { Api } from '../features/api.ts';
import type { ChatRoom, Post } from '../features/chat/post.ts';
import { teamOf } from '../features/chat/rules.ts';
import { nearestName } from '../kernel/nearest-name.ts';
import { HubError } from '../kernel/errors.ts';
import { calledByPerson } from '../kernel/person-name.ts';
import { type Client, withClient } from './client.ts';
import { type Options, withDatabase } from './options.ts';
import { projectOf, readProjectOf, teamToRead, teamToWrite, withNew } from './project-of.ts';
import { type Column, printable, renderTable } from './terminal/table.ts';
import { clockTime } from './terminal/when.ts';
import { wholeNumber } from './whole-number.ts';
import type { World } from './world.ts';

/** The rooms, from the terminal: the person at the hub among the agents. */
export function chatCommand(world: World): Command {
  const chat = new Command('chat').description('read and write in the team rooms');
  withDatabase(chat.command('rooms'))
    .description('the rooms that somebody has spoken in')
    .action((options: Options) => rooms(world, options));
  withDatabase(chat.command('tail'))
    .description('show the newest posts of a room and follow it until Ctrl-C')
    .argument('[room]', 'a team, or the id of a room (team:red); else the room of this project')
    .option('--lines <number>', 'posts to begin with (20)')
    .option('--no-follow', 'show them and stop')
    .action((room: string | undefined, options: Options) => tail(world, room, options));
  withNew(withDatabase(chat.command('post')))
    .description('say something as yourself')
    .argument(
      '<room-and-text...>',
      'a team or the id of a room, and what to say; the text alone goes to the room of this project',
    )
    .action((words: string[], options: Options) => post(world, words, options));
  return chat;
}

const COLUMNS: readonly Column<ChatRoom>[] = [
  { title: 'ROOM', cell: ({ roomId }) => roomId, flexible: true },
  { title: 'POSTS', cell: ({ head }) => String(head) },
];

async function rooms(world: World, options: Options): Promise<void> {
  const answer = await withClient(world, options, (client) => client.ask('GET /api/chat/rooms'));
  if (options['json']) return world.print(JSON.stringify(answer));
  if (answer.rooms.length === 0) return world.tell(NOBODY_SPOKE);
  world.print(renderTable(COLUMNS, answer.rooms, world.columns));
}

const NOBODY_SPOKE =
  'Nobody has spoken yet; a room begins with its first post: `holdfast chat post <team> <text>`.';
const HINTS = { not_found: '`holdfast chat rooms` lists the rooms; a room begins with its first post.' };

async function tail(world: World, given: string | undefined, options: Options): Promise<void> {
  const show = (posts: readonly Post[]) =>
    posts.forEach((each) => world.print(options['json'] ? JSON.stringify(each) : lineOf(each)));
  const limit = wholeNumber('--lines', options['lines'] ?? '20');
  await withClient({ ...world, hints: HINTS }, options, async (client) => {
    const roomId =
      given === undefined
        ? roomOf(await readProjectOf(client, options, world))
        : await roomToRead(client, roomOf(given));
    // Taken before the posts are read: what is said in between is told twice to us and shown once.
    const { eventHead } = await client.ask('GET /api/health');
    const posts = await newest(client, { roomId, limit }, options['follow'] !== false);
    show(posts.toReversed());
    if (options['follow'] === false) return;
    let last = posts[0]?.seq ?? 0;
    for await (const { event, data } of client.follow(
      `/api/events?since=${eventHead}&kinds=team_chat_post,chat.posted`,
      world.interrupted,
    )) {
      if (event !== 'message' || data.subject !== roomId) continue;
      const fresh = await client.ask('GET /api/chat/rooms/:roomId/posts', {
        roomId,
        after: last,
        limit: 500,
      });
      show(fresh.posts);
      last = fresh.posts.at(-1)?.seq ?? last;
    }
  });
}

/** Nobody may have spoken there yet; who follows a room waits for the first word. */
async function newest(
  client: Client,
  page: Readonly<{ roomId: string; limit: number }>,
  isPatient: boolean,
): Promise<readonly Post[]> {
  try {
    return (await client.ask('GET /api/chat/rooms/:roomId/posts', page)).posts;
  } catch (error) {
    if (isPatient && error instanceof HubError && error.code === 'not_found') return [];
    throw error;
  }
}

async function post(world: World, words: readonly string[], options: Options): Promise<void> {
  const [room, text] = words.length === 1 ? [undefined, words[0]!] : [words[0]!, words.slice(1).join(' ')];
  const answer = await withClient(world, options, async (client) => {
    const roomId =
      room === undefined
        ? roomOf(await projectOf(client, {}, world.cwd))
        : await roomToWrite(client, roomOf(room), options);
    return client.ask('POST /api/chat/rooms/:roomId/posts', { roomId, text });
  });
  if (options['json']) return world.print(JSON.stringify(answer));
  const told = answer.mentioned.length === 0 ? '' : `, and to the inbox of ${answer.mentioned.join(', ')}`;
  world.print(`Posted to ${answer.post.roomId} as ${answer.post.seq}${told}.`);
}

/** A room begins with its first post, so a name that is mistyped must not be one. */
async function roomToWrite(client: Client, roomId: string, options: Options): Promise<string> {
  const team = teamOf(roomId);
  if (team !== undefined) await teamToWrite(client, team, options);
  else if (options['new'] !== true) await requireRoom(client, roomId, ' `--new` makes one.');
  return roomId;
}

async function roomToRead(client: Client, roomId: string): Promise<string> {
  const team = teamOf(roomId);
  if (team === undefined) await requireRoom(client, roomId, '');
  else await teamToRead(client, team);
  return roomId;
}

async function requireRoom(client: Client, roomId: string, advice: string): Promise<void> {
  const known: string[] = [];
  let page: Api['GET /api/chat/rooms']['answer'] | undefined;
  do {
    page = await client.ask('GET /api/chat/rooms', { limit: 500, cursor: page?.nextCursor });
    known.push(...page.rooms.map((room) => room.roomId));
  } while (page.nextCursor !== undefined);
  if (known.length === 0 || known.includes(roomId)) return;
  const nearest = nearestName(roomId, known);
  const guess = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  throw new HubError('not_found', `There is no room ${roomId}.${guess}${advice}`, {
    hint: '`holdfast chat rooms` lists the rooms.',
  });
}

function roomOf(given: string | undefined): string {
  if (given === undefined) {
    throw new HubError('invalid', 'Which room? This folder belongs to no project.', {
      hint: 'Name a team before anything else.',
    });
  }
  if (given.trim() === '')
    throw new HubError('invalid', 'The room must be a team or the id of a room, and not empty.');
  return given.includes(':') ? given : `team:${given}`;
}

/** Text of agents goes to a terminal: on one line and without anything that moves the cursor. */
function lineOf({ seq, authorAgentId, kind, body, createdAt }: Post): string {
  const time = clockTime(createdAt);
  const author = kind === 'user' ? calledByPerson(authorAgentId) : authorAgentId;
  const name = kind === 'peer' || kind === 'user' ? author : `${author} (${kind})`;
  // What the hub tells of the person is told to the person here.
  const said = kind === 'system' ? body.replace(/^(operator|local) /, 'You ') : body;
  return `${String(seq).padStart(5)}  ${time}  ${printable(name)}: ${printable(said)}`;
}
