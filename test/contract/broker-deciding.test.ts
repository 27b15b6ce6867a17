import { expect, it } from 'vitest';
import type { Principal } from '../../src/kernel/principal.ts';
import { brokerHost } from '../fixtures/broker-host.ts';
import { freshDatabase } from '../fixtures/databases.ts';
import { MODERN_META, openTestHub, type TestHub } from '../fixtures/hub.ts';

const CANARY = 'zebraquartz';
const path = { path: `/somewhere/${CANARY}` };

const agent = (id: string, scopes: readonly string[], team?: string): Principal => ({
  kind: 'agent',
  id,
  scopes: new Set(scopes),
  seat: '',
  bound: { agent: id, ...(team !== undefined && { team }) },
});

async function tokenFor(hub: TestHub, request: object): Promise<string> {
  const headers = { authorization: `Bearer ${hub.token}`, 'content-type': 'application/json' };
  const response = await hub.fetch('/api/tokens', { method: 'POST', headers, body: JSON.stringify(request) });
  return ((await response.json()) as { token: string }).token;
}

const call = (hub: TestHub, token: string, name: string, args: object) =>
  hub.rpc('/api/mcp/tools', 'tools/call', { name, arguments: args, _meta: MODERN_META }, { token });

it('a caller bound to a team sees what its team asked and did, and nothing of another', async () => {
  const hub = await openTestHub();
  const red = await tokenFor(hub, { agent: 'ada', team: 'red' });
  const blue = await tokenFor(hub, { agent: 'bob', team: 'blue' });
  await call(hub, red, 'note', { note: CANARY });
  const waiting = call(hub, red, 'delete_path', path);
  const read = async (route: string, token: string) => {
    const response = await hub.fetch(route, { headers: { authorization: `Bearer ${token}` } });
    return `${response.status} ${await response.text()}`;
  };
  await expect.poll(() => read('/api/tools/approvals', hub.token)).toContain(CANARY);
  const id = /"id":"([^"]+)"/.exec(await read('/api/tools/approvals', hub.token))![1];
  for (const route of ['/api/tools/approvals', '/api/tools/audit', '/api/tools/notes', `/api/tools/audit?agentId=ada`]) {
    expect(await read(route, red), route).toContain(CANARY);
    expect(await read(route, blue), route).toMatch(/^200 (?!.*zebraquartz)/);
  }
  const allow = { method: 'POST', body: '{"decision":"allow_always"}', headers: { authorization: `Bearer ${hub.token}` } };
  await hub.fetch(`/api/tools/approvals/${id}/resolve`, { ...allow, headers: { ...allow.headers, 'content-type': 'application/json' } });
  await waiting;
  expect(await read('/api/tools/grants', red)).toContain('"agentId":"ada"');
  expect(await read('/api/tools/grants', blue)).toContain('"grants":[]');
});

it('an agent decides only with a token that names the scope, within its team, and never about itself', async () => {
  const host = brokerHost(await freshDatabase('sqlite'));
  const calling = host.connect({ who: agent('ada', ['*'], 'red') }).call('delete_path', path);
  const { id } = await host.pending();
  const decide = (who: Principal) => host.broker.resolve(who, { id, decision: 'deny' });
  await expect(decide(agent('bob', ['*'], 'red'))).rejects.toMatchObject({ code: 'forbidden' });
  await expect(decide(agent('bob', ['tools:approve'], 'blue'))).rejects.toMatchObject({ code: 'not_found' });
  await expect(decide(agent('ada', ['tools:approve'], 'red'))).rejects.toMatchObject({ code: 'forbidden' });
  const others = await host.broker.resolveAll(agent('bob', ['tools:approve'], 'blue'), [id], { decision: 'deny' });
  expect(others).toEqual({ approvals: [], notFound: [id] });
  expect(await decide(agent('bob', ['tools:approve'], 'red'))).toMatchObject({ status: 'deny', resolvedBy: 'agent:bob' });
  await calling;
});

it('an agent neither switches tools nor ends the grants of another', async () => {
  const host = brokerHost(await freshDatabase('sqlite'));
  const calling = host.connect({ who: agent('ada', ['*'], 'red') }).call('delete_path', path);
  await host.rest('POST', `/api/tools/approvals/${(await host.pending()).id}/resolve`, { decision: 'allow_always' });
  await calling;
  const { body } = await host.rest('GET', '/api/tools/grants');
  const grantId = body.grants[0].id as string;
  await expect(host.broker.switch(agent('bob', ['*']), 'echo', false)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(host.broker.revoke(agent('bob', ['*']), grantId)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(host.broker.revoke(agent('bob', ['tools:approve'], 'blue'), grantId)).rejects.toMatchObject({ code: 'not_found' });
  expect(await host.broker.revoke(agent('bob', ['tools:approve']), grantId)).toMatchObject({ revokedBy: 'agent:bob' });
});

it('the client of an agent is asked in place only when the agent may decide: whoever holds its token could be that client', async () => {
  const host = brokerHost(await freshDatabase('sqlite'), { terms: { waitMs: 60, unattended: 'wait' } });
  const asked: string[] = [];
  const peer = {
    notify: () => {},
    request: async (method: string) => (asked.push(method), { action: 'accept', content: { decision: 'allow_always' } }),
  };
  const session = { can: ['elicitation'] as const, peer };
  const refused = await host.connect({ ...session, who: agent('ada', ['*']) }).call('delete_path', path);
  expect([refused.meta.denied, asked]).toEqual(['approval:timeout', []]);
  const modern = await host.connect({ ...session, era: 'modern', who: agent('ada', ['*']) }).call('delete_path', path);
  expect(modern.meta.denied).toBe('approval:timeout');
  const trusted = await host.connect({ ...session, who: agent('eve', ['*', 'tools:approve']) }).call('delete_path', path);
  expect([trusted.isError, asked]).toEqual([false, ['elicitation/create']]);
});

it('an approval names the task that its caller holds, when that is exactly one', async () => {
  const hub = await openTestHub();
  const headers = { authorization: `Bearer ${hub.token}` };
  const [ada, bob] = [await tokenFor(hub, { agent: 'ada', team: 'red' }), await tokenFor(hub, { agent: 'bob', team: 'red' })];
  const board = (name: string, args: object, token: string) =>
    hub.rpc('/api/mcp/tasks', 'tools/call', { name, arguments: args, _meta: MODERN_META }, { token });
  const claimNew = async () => {
    const { body } = await board('create_task', { title: 'tidy up', teamId: 'red', status: 'todo' }, ada);
    const taskId = body.result.structuredContent.id as string;
    await board('claim_task', { taskId, assigneeAgentId: 'ada' }, ada);
    return taskId;
  };
  const asked = async (token: string, file: string) => {
    const waiting = call(hub, token, 'delete_path', { path: file });
    const find = async () => {
      const { approvals } = (await (await hub.fetch('/api/tools/approvals', { headers })).json()) as any;
      return approvals.find(({ argsSummary }: { argsSummary: string }) => argsSummary.includes(file));
    };
    await expect.poll(find, { timeout: 10_000 }).toBeDefined();
    const { id, taskId } = await find();
    await hub.fetch(`/api/tools/approvals/${id}/resolve`, {
      method: 'POST',
      body: '{"decision":"deny"}',
      headers: { ...headers, 'content-type': 'application/json' },
    });
    await waiting;
    return taskId as string | null;
  };
  const first = await claimNew();
  expect(await asked(ada, '/one')).toBe(first);
  expect(await asked(bob, '/two')).toBeNull();
  await claimNew();
  expect(await asked(ada, '/three')).toBeNull();
});
