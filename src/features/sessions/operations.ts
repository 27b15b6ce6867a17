// What a person does with sessions, and what agents may look up in those of their own repository.
import { z } from 'zod';
import { requirePerson } from '../../kernel/principal.ts';
import { work } from '../../operation/operation.ts';
import { clientStateSchema, momentSchema, pageSchema, sessionSchema } from './session.ts';
import type { ClientSessions } from './sessions.ts';

const read = { scope: 'sessions:read', effect: 'read' } as const;
const write = { scope: 'sessions:write', effect: 'state' } as const;

const id = z.string().min(1).max(200).describe('The id of a session, or its beginning.');
const project = z.string().min(1).max(200).describe('Of this project.');
const folder = z
  .string()
  .min(1)
  .max(4096)
  .describe('Of the repository or folder of this folder. Persons only.');
const limit = z.int().min(1).max(100).default(10);

const sync = work({
  ...write,
  name: 'sync_sessions',
  summary: 'Read to the end what clients have written about their sessions, and tell what is kept',
  input: {},
  output: z.object({ clients: z.array(clientStateSchema) }),
  refusals: ['unavailable', 'forbidden'],
  route: 'POST /api/sessions/sync',
  async run(sessions: ClientSessions, _, context) {
    requirePerson(context.who, 'Reading sessions');
    return { clients: await sessions.sync() };
  },
});

const states = work({
  ...read,
  name: 'list_session_clients',
  summary: 'What is kept of each client, and whether its format is still the known one',
  input: {},
  output: z.object({ isOn: z.boolean(), clients: z.array(clientStateSchema) }),
  refusals: ['forbidden'],
  route: 'GET /api/sessions/clients',
  async run(sessions: ClientSessions, _, { who }) {
    requirePerson(who, 'What is read of all clients');
    return { isOn: sessions.isOn, clients: await sessions.states() };
  },
});

const list = work({
  ...read,
  name: 'list_sessions',
  summary: 'Sessions of clients, those that ended last first',
  input: {
    client: z.string().max(40).optional().describe('Only of this client.'),
    since: z.int().optional().describe('Only those that ended after this time.'),
    project: project.optional(),
    folder: folder.optional(),
    cursor: z.string().max(100).optional(),
    limit: z.int().min(1).max(200).default(50),
  },
  output: z.object({ sessions: z.array(sessionSchema), nextCursor: z.string().nullable() }),
  refusals: ['forbidden', 'invalid', 'unavailable'],
  route: 'GET /api/sessions',
  run: (sessions: ClientSessions, args, context) => sessions.list(context, args),
});

const search = work({
  ...read,
  name: 'session_search',
  summary:
    'Find moments of sessions: words, "phrases", /patterns/, file: tool: error: agent: project: since:',
  input: {
    query: z.string().min(1).max(2_000),
    project: project.optional(),
    folder: folder.optional(),
    limit,
  },
  onlyRoute: ['folder'],
  output: z.object({ moments: z.array(momentSchema), notes: z.array(z.string()) }),
  refusals: ['forbidden', 'invalid', 'unavailable'],
  tool: {
    title: 'Search sessions',
    description:
      'Finds what was said, tried and decided in earlier sessions of this repository, by any agent. Words, "phrases", /patterns/, and file:src/app.ts tool:Bash error: agent:codex since:3d. Answers moments with the turns around them.',
    carries: ['text', 'title', 'files', 'folder', 'resume'],
  },
  route: 'POST /api/sessions/search',
  run: (sessions: ClientSessions, args, context) => sessions.search(context, args),
});

const AROUND = 20;

const readSession = work({
  ...read,
  name: 'session_read',
  summary: 'Read a session, or the turns around one of it',
  input: {
    sessionId: id,
    turn: z.int().min(1).optional().describe('Around this turn; from the beginning without it.'),
    around: z.int().min(0).max(100).default(AROUND).describe('So many turns before and after it.'),
  },
  output: pageSchema,
  refusals: ['not_found', 'forbidden', 'unavailable'],
  tool: {
    title: 'Read a session',
    description:
      'The turns of an earlier session of this repository, around one that was found or from the beginning.',
    carries: ['text', 'args', 'title', 'branch', 'folder', 'resume'],
  },
  route: 'GET /api/sessions/:sessionId',
  run: (sessions: ClientSessions, { sessionId, turn, around }, context) =>
    sessions.show(context, { id: sessionId, from: Math.max(1, (turn ?? 1) - around), most: 2 * around + 1 }),
});

const why = work({
  ...read,
  name: 'why_line',
  summary: 'Who touched a line and why: its commit, and the moments of sessions behind it',
  input: {
    file: z.string().min(2).max(4096).describe('Absolute.'),
    line: z.int().min(1).max(10_000_000),
    limit: z.int().min(1).max(20).default(5),
  },
  output: z.object({
    commit: z
      .object({ id: z.string(), at: z.int(), author: z.string(), subject: z.string() })
      .nullable()
      .describe('Null: not committed yet.'),
    text: z.string().describe('The line as it is.'),
    moments: z.array(momentSchema),
  }),
  refusals: ['not_found', 'forbidden', 'invalid', 'unavailable'],
  route: 'GET /api/sessions/why',
  async run(sessions: ClientSessions, args, context) {
    requirePerson(context.who, 'Asking about files of this machine');
    return sessions.why(context, args);
  },
});

const forget = work({
  ...write,
  name: 'forget_sessions',
  summary: 'Forget sessions for good: they are not read again',
  input: { ids: z.array(id).min(1).max(200) },
  output: z.object({ forgotten: z.array(z.string()) }),
  refusals: ['not_found', 'forbidden'],
  route: 'POST /api/sessions/forget',
  async run(sessions: ClientSessions, { ids }, context) {
    requirePerson(context.who, 'Forgetting a session');
    return { forgotten: await sessions.forget(context, ids) };
  },
});

export const sessionOperations = [sync, states, list, search, readSession, why, forget] as const;
