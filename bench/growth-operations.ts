// What is asked of a hub of any size, over HTTP as agents and the page do.
import { createCorpus } from './memory-corpus.ts';
import { modernCall } from './load.ts';
import { TEAMS } from './growth-seed.ts';

/** `head`: the newest event, before anything was asked. */
export type Asker = Readonly<{ address: string; token: string; head: number; being: string }>;
export type Operation = Readonly<{
  what: string;
  calls: number;
  /** What cannot cost less than all there is; its hold is the cost of one. */
  isLinear?: true;
  ask(hub: Asker, i: number): Promise<void>;
}>;

const corpus = createCorpus(5);
const plain = (count: number): string => corpus.question().slice(0, count).join(' ');
const words = (count: number): string => encodeURIComponent(plain(count));

async function send(
  hub: Pick<Asker, 'address' | 'token'>,
  path: string,
  init: RequestInit = {},
): Promise<string> {
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${hub.token}`);
  const response = await fetch(`${hub.address}${path}`, { ...init, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
  return text;
}

/** With the one Being there is. */
export async function askerOf(hub: Pick<Asker, 'address' | 'token'>): Promise<Asker> {
  const ask = async (path: string) => JSON.parse(await send(hub, path)) as unknown;
  const { beings } = (await ask('/v1/beings')) as { beings: { id: string }[] };
  const { eventHead } = (await ask('/api/health')) as { eventHead: number };
  return { ...hub, head: eventHead, being: beings[0]!.id };
}

const post =
  (path: (hub: Asker) => string, body: () => object): Operation['ask'] =>
  async (hub) => {
    const headers = { 'content-type': 'application/json' };
    await send(hub, path(hub), { method: 'POST', headers, body: JSON.stringify(body()) });
  };

const get =
  (path: (i: number, hub: Asker) => string, check?: (text: string) => void): Operation['ask'] =>
  async (hub, i) => {
    const text = await send(hub, path(i, hub));
    check?.(text);
  };

/** An answer without what was asked for would be cheap at any size. */
const full =
  (list: string) =>
  (text: string): void => {
    const found = (JSON.parse(text) as Record<string, readonly unknown[]>)[list];
    if (found === undefined || found.length === 0) throw new Error(`no ${list}: ${text.slice(0, 300)}`);
  };

function tool(name: string, args: (i: number) => object, has = ''): Operation['ask'] {
  const { headers, body, check } = modernCall(name, args);
  return async (hub, i) => {
    const text = await send(hub, '/api/mcp/tasks', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: body(i),
    });
    check!(text);
    if (!text.includes(has)) throw new Error(`${name} found nothing: ${text.slice(0, 300)}`);
  };
}

const A_TASK = '"title":"task';

/** A hundred events from where a reader was cut off. */
const resume: Operation['ask'] = async (hub) => {
  const ended = new AbortController();
  const response = await fetch(`${hub.address}/api/events?since=${hub.head - 100}`, {
    headers: { authorization: `Bearer ${hub.token}` },
    signal: ended.signal,
  });
  let said = '';
  for await (const chunk of response.body!) {
    said += Buffer.from(chunk).toString('latin1');
    if (said.split('\nid: ').length > 90) break;
  }
  ended.abort();
};

const OPENING = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '0' },
};

/** A new agent comes: its session, and its first call, whose answer brings what it should know. */
const arrive: Operation['ask'] = async (hub, i) => {
  const headers = {
    authorization: `Bearer ${hub.token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const rpc = (id: number, method: string, params: object) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const url = `${hub.address}/mcp`;
  const opened = await fetch(url, { method: 'POST', headers, body: rpc(1, 'initialize', OPENING) });
  await opened.text();
  const session = opened.headers.get('mcp-session-id');
  const seated = session === null ? headers : { ...headers, 'mcp-session-id': session };
  const body = rpc(2, 'tools/call', { name: 'tasks__list_tasks', arguments: { limit: 1 } });
  const answer = await (await fetch(url, { method: 'POST', headers: seated, body })).text();
  if (!answer.includes('"result"')) throw new Error(`arrival ${i}: ${answer.slice(0, 300)}`);
  if (session !== null) await fetch(url, { method: 'DELETE', headers: seated });
};

export const OPERATIONS: readonly Operation[] = [
  { what: 'list ready, 20', calls: 60, ask: tool('list_tasks', () => ({ ready: true, limit: 20 }), A_TASK) },
  {
    what: 'a team’s page, 50',
    calls: 60,
    ask: tool('list_tasks', (i) => ({ teamId: `team-${i % TEAMS}` }), A_TASK),
  },
  { what: 'the first page, 50', calls: 60, ask: tool('list_tasks', () => ({}), A_TASK) },
  {
    what: 'board of the page, 20 cards',
    calls: 40,
    ask: get((i) => `/api/board/cards?limit=20&teamId=team-${i % TEAMS}`, full('cards')),
  },
  // Words have no index on the board: one that hardly any task has is looked for in all of them.
  {
    what: 'search the board for a rare word',
    calls: 20,
    isLinear: true,
    ask: get((i) => `/api/board/search?q=keel${(i * 7) % 997}`),
  },
  { what: 'recall', calls: 60, ask: get(() => `/api/memory/search?query=${words(3)}`) },
  {
    what: 'search sessions',
    calls: 40,
    ask: post(
      () => '/api/sessions/search',
      () => ({ query: plain(2), limit: 10 }),
    ),
  },
  {
    what: 'recall of a Being',
    calls: 40,
    ask: post(
      ({ being }) => `/v1/beings/${being}/memory/recall`,
      () => ({ user_message: plain(3) }),
    ),
  },
  {
    what: 'a Being’s context',
    calls: 40,
    ask: get((_, { being }) => `/v1/beings/${being}/context`),
  },
  { what: 'newest mail', calls: 40, ask: get(() => '/api/mail') },
  { what: 'an agent’s arrival, with its briefing', calls: 20, ask: arrive },
  { what: 'feed, resumed 100 back', calls: 40, ask: resume },
  { what: 'newest of the audit', calls: 40, ask: get(() => '/api/tools/audit?limit=50') },
  {
    what: 'create',
    calls: 100,
    ask: tool('create_task', (i) => ({ title: `more ${i}`, status: 'backlog' })),
  },
  { what: 'claim the next', calls: 60, ask: tool('claim_next_task', (i) => ({ agentId: `agent-${i}` })) },
  { what: 'audit verify', calls: 1, isLinear: true, ask: get(() => '/api/tools/audit/verify') },
];
