import { expect, it } from 'vitest';
import { openTestHub } from '../fixtures/hub.ts';
import { modernClient } from '../fixtures/server-hosts.ts';

it('the agent of a token stays who the token says, whatever the URL binds', async () => {
  const hub = await openTestHub();
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${hub.token}` };
  const init = { method: 'POST', headers, body: JSON.stringify({ agent: 'ada', team: 'red' }) };
  const { token } = (await (await hub.fetch('/api/tokens', init)).json()) as { token: string };
  const client = modernClient(`${hub.address}/api/mcp/tasks?scopeAgentId=bob&scopeTeamId=blue`, token);
  const { id, teamId } = (await client.call('create_task', { title: 'a' })).value;
  expect(teamId).toBe('red');
  expect((await client.call('claim_task', { taskId: id })).value.assigneeAgentId).toBe('ada');
  expect((await client.call('claim_task', { taskId: id, assigneeAgentId: 'bob' })).value.code).toBe(
    'forbidden',
  );
});
