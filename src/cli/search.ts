import { Command } from 'commander';
import { HubError } from '../kernel/errors.ts';
import { parseQuery, type PeopleQuery } from '../kernel/query-language.ts';
import { type AskedRoom, isFor, leavingOut, plainWordsOf } from '../kernel/query-rooms.ts';
import { type Client, withClient } from './client.ts';
import { scopeOf } from './memory/scope.ts';
import { tellRefuted } from './memory/verdicts.ts';
import { type Options, withDatabase } from './options.ts';
import { readProjectOf, withTeam } from './project-of.ts';
import { shortId } from './short-id.ts';
import { renderTable } from './terminal/table.ts';
import { wholeNumber } from './whole-number.ts';
import { queryOf, takingQuery } from './query-words.ts';
import type { World } from './world.ts';

/** One question to everything. Each room finds in its own way; the best of each is shown. */
export function searchCommand(world: World): Command {
  const command = withTeam(
    withDatabase(
      new Command('search').description(
        'look for what was written: tasks, comments, checks, evidence, memory, brain, runs, mail, rooms, audit',
      ),
    ),
  )
    .argument('<query...>', 'words, "phrases", -word, status:todo label:x agent:codex due<7d kind:comment')
    .option('--limit <number>', 'at most so many of each kind, 1 to 100', '5')
    .action((words: string[], options: Options) => search(world, words, options));
  return takingQuery(command);
}

type Hit = Readonly<{ kind: string; id: string; text: string }>;
type Asked = Readonly<{ text: string; query: PeopleQuery; limit: number; team: string | undefined }>;
type Look = Readonly<{ room: AskedRoom; find(client: Client, asked: Asked): Promise<Hit[]> }>;

async function search(world: World, given: readonly string[], options: Options): Promise<void> {
  const limit = wholeNumber('--limit', options['limit']);
  if (limit < 1 || limit > 100)
    throw new HubError('invalid', `--limit must be a number from 1 to 100; got ${limit}.`);
  const text = queryOf(given);
  const query = parseQuery(text);
  const { hits, elsewhere } = await withClient(world, options, async (client) => {
    // A project that is named in the query is the one that is meant.
    const isNamed = query.terms.some(({ field }) => field === 'project');
    const team = isNamed ? undefined : await readProjectOf(client, options, world);
    const asked = { text, query, limit, team };
    const found = await lookFor(client, asked);
    const isHereOnly = found.length === 0 && team !== undefined && typeof options['team'] !== 'string';
    const everywhere = isHereOnly ? await lookFor(client, { ...asked, team: undefined }) : [];
    if (isFor('memory', query)) await tellRefuted({ world, client, options });
    return { hits: found, elsewhere: everywhere.length };
  });
  if (options['json']) return world.print(JSON.stringify({ hits }));
  if (hits.length === 0 && elsewhere > 0)
    return world.tell(`Nothing was found here, but ${elsewhere} in other projects; --all shows them.`);
  if (hits.length === 0) return world.tell('Nothing was found.');
  const columns = [
    { title: 'WHERE', cell: ({ kind }: Hit) => kind },
    { title: 'ID', cell: ({ kind, id }: Hit) => (WHOLE.has(kind) ? id : shortId(id)) },
    { title: 'WHAT', cell: ({ text: what }: Hit) => what.replace(/\s+/g, ' '), flexible: true },
  ];
  world.print(renderTable(columns, hits, world.columns));
}

async function lookFor(client: Client, asked: Asked): Promise<Hit[]> {
  const looks = LOOKS.filter(({ room }) => isFor(room, asked.query));
  return (await Promise.all(looks.map(({ find }) => find(client, asked)))).flat();
}

/** Their ids are names. */
const WHOLE = new Set(['brain', 'room', 'audit']);

const LOOKS: readonly Look[] = [
  {
    room: 'board',
    async find({ ask }, { text, limit, team }) {
      const { hits } = await ask('GET /api/board/search', {
        q: text.slice(0, LONGEST),
        limit,
        ...(team !== undefined && { teamId: team, orNone: true }),
      });
      return hits.map(({ kind, taskId, title, text: said, ...hit }) => {
        const state = hit.archived ? `${hit.status}, archived` : hit.status;
        const what =
          kind === 'task'
            ? `${title} (${state})${said === title ? '' : `: ${said}`}`
            : `${said} (${title}, ${state})`;
        return { kind, id: taskId, text: what };
      });
    },
  },
  {
    room: 'memory',
    async find({ ask }, { query, limit, team }) {
      const { isFree, atMost } = leavingOut(query);
      const asked = { query: plainWordsOf(query), limit: atMost(limit), ...scopeOf({ team }), quiet: true };
      const { results } = await ask('POST /api/memory/search', asked);
      return results
        .map(({ id, title, content }) => ({ kind: 'memory', id, text: `${title}: ${content}` }))
        .filter(({ text }) => isFree(text))
        .slice(0, limit);
    },
  },
  {
    room: 'brain',
    async find({ ask }, { query, limit }) {
      const { isFree, atMost } = leavingOut(query);
      const asked = { query: plainWordsOf(query), limit: atMost(limit) };
      const { results } = await ask('GET /api/brain/memories', asked);
      return results
        .map(({ id, snippet }) => ({ kind: 'brain', id, text: snippet }))
        .filter(({ id, text }) => isFree(`${id} ${text}`))
        .slice(0, limit);
    },
  },
  {
    room: 'dispatch',
    async find({ ask }, { text, limit, team }) {
      const q = withProject(text, team);
      const { tasks } = await ask('GET /v1/biam/tasks', { q, limit });
      return tasks.map(({ task_id: id, instance, status, last_message: last, error }) => ({
        kind: 'run',
        id,
        text: `${instance}, ${status}: ${error?.text ?? last ?? ''}`,
      }));
    },
  },
  {
    room: 'peers',
    async find({ ask }, { text, limit, team }) {
      const { messages } = await ask('GET /api/mail', { q: withProject(text, team), limit });
      return messages.map(({ id, from_agent: from, to_agent: to, text: said }) => ({
        kind: 'mail',
        id,
        text: `${from} to ${to}: ${said}`,
      }));
    },
  },
  {
    room: 'chat',
    async find({ ask }, { text, limit, team }) {
      const { posts } = await ask('GET /api/chat/posts', {
        search: text.slice(0, LONGEST),
        limit,
        roomId: team === undefined ? undefined : `team:${team}`,
      });
      return posts.map(({ roomId, seq, body, kind }) => ({
        kind: 'room',
        id: `${roomId}#${seq}`,
        text: kind === 'system' ? body.replace(/^(operator|local) /, 'You ') : body,
      }));
    },
  },
  {
    room: 'broker',
    /** Of the newest calls that the hub looks through. */
    async find({ ask }, { query, limit }) {
      const { isFree, atMost } = leavingOut(query);
      const asked = { search: plainWordsOf(query).slice(0, 200), limit: atMost(limit) };
      const { audit } = await ask('GET /api/tools/audit', asked);
      return audit
        .map(({ seq, toolName, agentId, argsSummary }) => ({
          kind: 'audit',
          id: String(seq),
          text: [toolName, agentId, argsSummary].filter((part) => part !== null).join(' '),
        }))
        .filter(({ text }) => isFree(text))
        .slice(0, limit);
    },
  },
];

const LONGEST = 500;

/** What belongs to no project is found, too. */
function withProject(text: string, team: string | undefined): string {
  return `${text.slice(0, LONGEST - 120)}${team === undefined ? '' : ` project:"${team},none"`}`;
}
