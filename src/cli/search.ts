import { Command } from 'commander';
import { HubError } from '../kernel/errors.ts';
import { type Client, withClient } from './client.ts';
import { scopeOf } from './memory-files.ts';
import { type Options, withDatabase } from './options.ts';
import { readProjectOf, withTeam } from './project-of.ts';
import { shortId } from './short-id.ts';
import { renderTable } from './table.ts';
import { wholeNumber } from './whole-number.ts';
import type { World } from './world.ts';

/** One question to everything: tasks, memory, brain, rooms, audit. Each room finds in its own way; the best of each is shown. */
export function searchCommand(world: World): Command {
  return withTeam(
    withDatabase(
      new Command('search').description('look for words in tasks, memory, brain, rooms and audit'),
    ),
  )
    .argument('<words...>')
    .option('--limit <number>', 'at most so many of each kind, 1 to 100', '5')
    .action((words: string[], options: Options) => search(world, words.join(' '), options));
}

type Hit = Readonly<{ kind: 'task' | 'memory' | 'brain' | 'room' | 'audit'; id: string; text: string }>;
type Asked = Readonly<{ words: string; limit: number; team: string | undefined }>;

async function search(world: World, words: string, options: Options): Promise<void> {
  const limit = wholeNumber('--limit', options['limit']);
  if (limit < 1 || limit > 100)
    throw new HubError('invalid', `--limit must be a number from 1 to 100; got ${limit}.`);
  const hits = await withClient(world, options, async (client) => {
    const asked = { words, limit, team: await readProjectOf(client, options, world) };
    const found = await Promise.all([tasks, facts, notes, posts, calls].map((look) => look(client, asked)));
    return found.flat();
  });
  if (options['json']) return world.print(JSON.stringify({ hits }));
  if (hits.length === 0) return world.tell('Nothing was found.');
  const columns = [
    { title: 'WHERE', cell: ({ kind }: Hit) => kind },
    { title: 'ID', cell: ({ kind, id }: Hit) => (kind === 'task' || kind === 'memory' ? shortId(id) : id) },
    { title: 'WHAT', cell: ({ text }: Hit) => text.replace(/\s+/g, ' '), flexible: true },
  ];
  world.print(renderTable(columns, hits, world.columns));
}

async function tasks({ ask }: Client, { words, limit, team }: Asked): Promise<Hit[]> {
  const wanted = {
    search: words.slice(0, 200),
    limit,
    ...(team !== undefined && { teamId: team, orNone: true }),
  };
  // Lists leave out what was archived. A search is how one finds it again.
  const inSight = await ask('GET /api/board/tasks', wanted);
  const archived = await ask('GET /api/board/tasks', { ...wanted, archived: true });
  return [
    ...inSight.tasks.map((task) => ({ ...task, state: task.status })),
    ...archived.tasks.map((task) => ({ ...task, state: `${task.status}, archived` })),
  ]
    .slice(0, limit)
    .map(({ id, state, title }) => ({ kind: 'task', id, text: `${title} (${state})` }));
}

async function facts(client: Client, { words, limit, team }: Asked): Promise<Hit[]> {
  const asked = { query: words, limit, ...scopeOf({ team }) };
  const { results } = await client.ask('POST /api/memory/search', asked);
  return results.map(({ id, title, content }) => ({ kind: 'memory', id, text: `${title}: ${content}` }));
}

async function notes(client: Client, { words, limit }: Asked): Promise<Hit[]> {
  const { results } = await client.ask('GET /api/brain/memories', { query: words, limit });
  return results.map(({ id, snippet }) => ({ kind: 'brain', id, text: snippet }));
}

async function posts(client: Client, { words, limit, team }: Asked): Promise<Hit[]> {
  const { posts: said } = await client.ask('GET /api/chat/posts', {
    search: words.slice(0, 200),
    limit,
    roomId: team === undefined ? undefined : `team:${team}`,
  });
  return said.map(({ roomId, seq, body }) => ({ kind: 'room', id: `${roomId}#${seq}`, text: body }));
}

/** Of the newest calls that the hub looks through. */
async function calls(client: Client, { words, limit }: Asked): Promise<Hit[]> {
  const { audit } = await client.ask('GET /api/tools/audit', { search: words.slice(0, 200), limit });
  return audit.map(({ seq, toolName, agentId, argsSummary }) => ({
    kind: 'audit',
    id: String(seq),
    text: [toolName, agentId, argsSummary].filter((part) => part !== null).join(' '),
  }));
}
