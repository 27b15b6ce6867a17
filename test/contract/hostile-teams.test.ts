import { expect, it } from 'vitest';
import { openTestHub, type TestHub } from '../fixtures/hub.ts';
import { MODERN_META } from '../fixtures/modern-call.ts';

const CANARY = 'zebraquartz';

async function tokenFor(hub: TestHub, agent: string, team: string): Promise<string> {
  const headers = { authorization: `Bearer ${hub.token}`, 'content-type': 'application/json' };
  const response = await hub.fetch('/api/tokens', {
    method: 'POST',
    headers,
    body: JSON.stringify({ agent, team }),
  });
  return ((await response.json()) as { token: string }).token;
}

it('resources, prompts and rooms show a team nothing of another', async () => {
  const hub = await openTestHub();
  const [red, blue] = [await tokenFor(hub, 'ada', 'red'), await tokenFor(hub, 'bob', 'blue')];
  const call = (path: string, name: string, args: object) =>
    hub.rpc(path, 'tools/call', { name, arguments: args, _meta: MODERN_META }, { token: red });
  const created = await call('/api/mcp/tasks', 'create_task', { title: CANARY });
  const id = created.body.result.structuredContent.id as string;
  await call('/api/mcp/teamchat', 'team_chat_post', { text: CANARY, authorAgentId: 'ada' });

  const session = async (token: string) => {
    const opened = await hub.rpc('/mcp', 'initialize', {}, { token });
    return { token, session: opened.headers.get('mcp-session-id')! };
  };
  const [asRed, asBlue] = [await session(red), await session(blue)];
  const read = async (method: string, params: object, as: typeof asRed) =>
    JSON.stringify((await hub.rpc('/mcp', method, params, as)).body);
  const asked: [string, object][] = [
    ['resources/read', { uri: `holdfast://tasks/${id}` }],
    ['resources/read', { uri: 'holdfast://board' }],
    ['prompts/get', { name: 'hand-over', arguments: { task: id } }],
  ];
  for (const [method, params] of asked) {
    expect(await read(method, params, asRed), JSON.stringify(params)).toContain(CANARY);
    expect(await read(method, params, asBlue), JSON.stringify(params)).not.toContain(CANARY);
  }
  const posts = async (token: string) =>
    (
      await hub.fetch('/api/chat/rooms/team:red/posts', { headers: { authorization: `Bearer ${token}` } })
    ).text();
  expect(await posts(red)).toContain(CANARY);
  expect(await posts(blue)).not.toContain(CANARY);
});
