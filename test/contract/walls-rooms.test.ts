import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { boardRoutes } from '../../src/features/board/routes.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { createActing } from '../../src/store/calls.ts';
import { freshBoard } from '../fixtures/board-host.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';
import { openTestHub, type TestHub } from '../fixtures/hub.ts';
import { MODERN_META } from '../fixtures/modern-call.ts';
import { restOf } from '../fixtures/rest-client.ts';

const CANARY = 'zebraquartz';

async function as(hub: TestHub, agent: string, team: string) {
  const ask = async (method: string, path: string, body?: object, token = hub.token) => {
    const response = await hub.fetch(path, {
      method,
      signal: AbortSignal.timeout(20_000),
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
      await response.body?.cancel();
      return { status: response.status, text: '' };
    }
    return { status: response.status, text: await response.text() };
  };
  const { token } = JSON.parse((await ask('POST', '/api/tokens', { agent, team })).text) as { token: string };
  return {
    rest: (method: string, path: string, body?: object) => ask(method, path, body, token),
    call: async (path: string, name: string, args: object) =>
      (await hub.rpc(path, 'tools/call', { name, arguments: args, _meta: MODERN_META }, { token })).body
        .result,
  };
}

/** What ada of the team red leaves in every room; answers what each is called in the paths of routes. */
async function plant(ada: Awaited<ReturnType<typeof as>>) {
  const tool = async (path: string, name: string, args: object) => {
    const { isError, structuredContent } = await ada.call(path, name, args);
    expect(isError ?? false, `${name}: ${JSON.stringify(structuredContent)}`).toBe(false);
    return structuredContent;
  };
  const { id: taskId } = await tool('/api/mcp/tasks', 'create_task', { title: CANARY, description: CANARY });
  await tool('/api/mcp/tasks', 'claim_task', { taskId, assigneeAgentId: 'ada' });
  await tool('/api/mcp/tasks', 'add_comment', { taskId, body: CANARY, authorAgentId: 'ada' });
  await ada.rest('PATCH', `/api/board/tasks/${taskId}/labels`, { add: [CANARY] });
  await tool('/mcp', 'reserve_files', { taskId, patterns: [`${CANARY}/**`], reason: CANARY });
  const { fact } = await tool('/api/mcp/memory', 'memory_save', {
    title: CANARY,
    content: `${CANARY} is so`,
  });
  await tool('/api/mcp/memory', 'memory_save', { procedureName: CANARY, content: `${CANARY}, then rest` });
  await tool('/api/mcp/teamchat', 'team_chat_post', { text: `${CANARY} for @ada` });
  const peer = await ada.rest('POST', '/v1/peers/register', {
    display_name: CANARY,
    backend: 'codex',
    circle: 'redplans',
    session_id: 's',
    path: `/${CANARY}`,
  });
  const peerId = (JSON.parse(peer.text) as { peer_id: string }).peer_id;
  const sent = await ada.rest('POST', '/v1/peers/ada/messages', { text: CANARY, circle: 'redplans' });
  const messageId = (JSON.parse(sent.text) as { id: string }).id;
  return {
    taskId,
    id: fact.id as string,
    peerId,
    messageId,
    name: CANARY,
    roomId: 'team:red',
    teamId: 'red',
  };
}

/** Every route that looks, of whatever room; the brain is one for all agents, and a Being's is its own server. */
const looks = readFileSync(new URL('./route-matrix.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('GET /'))
  .map((line) => line.split(' ')[1]!)
  .filter((path) => !/brain|beings/.test(path));

const QUERIES: Readonly<Record<string, string>> = {
  '/api/chat/posts': '?search=zebra',
  '/api/memory/search': '?query=zebra',
  '/api/board/tasks': '?search=zebra&archived=true',
  '/v1/biam/subscribe': '?task_id=x',
};

it(
  'an agent of the same name in another team sees nothing of any room, by whatever route',
  { timeout: 120_000 },
  async () => {
    const hub = await openTestHub();
    const [red, blue] = [await as(hub, 'ada', 'red'), await as(hub, 'ada', 'blue')];
    const ids: Record<string, string> = await plant(red);
    const seen: string[] = [];
    let shownToItself = 0;
    for (const route of looks) {
      const path = route.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(ids[key] ?? 'x'));
      for (const query of new Set([
        '',
        QUERIES[route] ?? '',
        '?all=true',
        '?teamId=red',
        '?scopeTeamId=red',
        '?circle=redplans&peek=1',
      ])) {
        if ((await blue.rest('GET', path + query)).text.includes(CANARY) && !path.includes(CANARY))
          seen.push(path + query);
        if (query === '' && (await red.rest('GET', path)).text.includes(CANARY)) shownToItself += 1;
      }
    }
    expect(seen).toEqual([]);
    // The walk is worth something only while its own team does see what it looks for.
    expect(shownToItself).toBeGreaterThan(12);
  },
);

it('nor by a tool, whatever it asks for', { timeout: 120_000 }, async () => {
  const hub = await openTestHub();
  const [red, blue] = [await as(hub, 'ada', 'red'), await as(hub, 'ada', 'blue')];
  const { taskId, id, peerId } = await plant(red);
  for (const [path, name, args] of [
    ['/api/mcp/tasks', 'list_tasks', { teamId: 'red' }],
    ['/api/mcp/tasks', 'get_task', { taskId }],
    ['/api/mcp/tasks', 'update_task_status', { taskId, status: 'done', agentId: 'ada' }],
    ['/api/mcp/tasks', 'release_task', { taskId, agentId: 'ada' }],
    ['/api/mcp/tasks', 'add_comment', { taskId, body: 'forged', authorAgentId: 'ada' }],
    ['/mcp', 'reserve_files', { taskId, patterns: ['x'] }],
    ['/mcp', 'release_files', { taskId }],
    ['/mcp', 'list_reservations', { taskId, all: true }],
    ['/api/mcp/memory', 'memory_search', { query: 'zebra', scopeTeamId: 'red', scopeAgentId: 'ada' }],
    ['/api/mcp/memory', 'memory_forget', { id }],
    ['/api/mcp/teamchat', 'team_chat_subscribe', { teamId: 'red', roomId: 'team:red' }],
    ['/mcp', 'PeerList', { all: true }],
    ['/mcp', 'PeerInbox', { peer: peerId }],
    ['/mcp', 'PeerInbox', { circle: 'redplans' }],
    ['/mcp', 'whoami', {}],
  ] as const)
    expect(JSON.stringify((await blue.call(path, name, args)) ?? {}), name).not.toContain(CANARY);
  const task = JSON.parse((await red.rest('GET', `/api/board/tasks/${taskId}`)).text) as Record<
    string,
    unknown
  >;
  expect(JSON.stringify(task)).not.toContain('forged');
  expect(JSON.stringify(task)).toContain('"in_progress"');
  expect((await red.rest('GET', `/api/memory/facts/${id}`)).status).toBe(200);
});

eachEngine('a person who is bound to a team', (engine) => {
  it('takes back no change of another team', async () => {
    const db = await freshDatabase(engine);
    const routes = boardRoutes({ db, acting: createActing(db), board: freshBoard(db) });
    const at = (team?: string) =>
      restOf(routes, () => localPrincipal('', team === undefined ? {} : { team }));
    const { body: task } = await at()('POST', '/api/board/tasks', { title: 'x', teamId: 'red' });
    await at()('PATCH', `/api/board/tasks/${task.id}`, { title: 'y' });
    expect((await at('blue')('PUT', '/api/board/undone', {})).status).toBe(404);
    expect((await at()('GET', `/api/board/tasks/${task.id}`)).body.task.title).toBe('y');
    expect((await at('red')('PUT', '/api/board/undone', {})).status).toBe(200);
  });
});
