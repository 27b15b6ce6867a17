import { expect, it } from 'vitest';
import { localPrincipal, operatorPrincipal, type Principal } from '../../src/kernel/principal.ts';
import { brokerHost } from '../fixtures/broker-host.ts';
import { freshDatabase } from '../fixtures/databases.ts';
import { resolveOf } from '../fixtures/approvals.ts';
import { openTestHub, type TestHub } from '../fixtures/hub.ts';
import { askOf } from '../fixtures/rest-client.ts';
import { MODERN_META } from '../fixtures/modern-call.ts';

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
  for (const route of [
    '/api/tools/approvals',
    '/api/tools/audit',
    '/api/tools/notes',
    `/api/tools/audit?agentId=ada`,
  ]) {
    expect(await read(route, red), route).toContain(CANARY);
    expect(await read(route, blue), route).toMatch(/^200 (?!.*zebraquartz)/);
  }
  await resolveOf(askOf(hub), id!, { decision: 'allow_always' });
  await waiting;
  expect(await read('/api/tools/grants', red)).toContain('"agentId":"ada"');
  expect(await read('/api/tools/grants', blue)).toContain('"grants":[]');
});

it('an agent decides only with a token that names the scope, within its team, and never about itself', async () => {
  const host = brokerHost(await freshDatabase('sqlite'));
  const calling = host.connect({ who: agent('ada', ['*'], 'red') }).call('delete_path', path);
  const { id } = await host.pending();
  const decide = (who: Principal) => host.decide(who, (desk) => desk.resolve({ id, decision: 'deny' }));
  await expect(decide(agent('bob', ['*'], 'red'))).rejects.toMatchObject({ code: 'forbidden' });
  await expect(decide(agent('bob', ['tools:approve'], 'blue'))).rejects.toMatchObject({ code: 'not_found' });
  await expect(decide(agent('ada', ['tools:approve'], 'red'))).rejects.toMatchObject({ code: 'forbidden' });
  const others = await host.decide(agent('bob', ['tools:approve'], 'blue'), (desk) =>
    desk.resolveAll([id], { decision: 'deny' }),
  );
  expect(others).toEqual({ approvals: [], notFound: [id] });
  expect(await decide(agent('bob', ['tools:approve'], 'red'))).toMatchObject({
    status: 'deny',
    resolvedBy: 'agent:bob',
  });
  await calling;
});

it('an agent neither switches tools nor ends the grants of another', async () => {
  const host = brokerHost(await freshDatabase('sqlite'));
  const calling = host.connect({ who: agent('ada', ['*'], 'red') }).call('delete_path', path);
  await host.resolve((await host.pending()).id, 'allow_always');
  await calling;
  const { body } = await host.rest('GET', '/api/tools/grants');
  const grantId = body.grants[0].id as string;
  await expect(host.broker.switch(agent('bob', ['*']), 'echo', false)).rejects.toMatchObject({
    code: 'forbidden',
  });
  const revoke = (who: Principal) => host.decide(who, (desk) => desk.revoke(grantId));
  await expect(revoke(agent('bob', ['*']))).rejects.toMatchObject({ code: 'forbidden' });
  await expect(revoke(agent('bob', ['tools:approve'], 'blue'))).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(await revoke(agent('bob', ['tools:approve']))).toMatchObject({
    revokedBy: 'agent:bob',
  });
});

/** Answers every question with yes, for always, and remembers that it was asked. */
function eager() {
  const asked: string[] = [];
  const request = async (method: string) => (
    asked.push(method),
    { action: 'accept', content: { decision: 'allow_always' } }
  );
  return { asked, session: { can: ['elicitation'] as const, peer: { notify: () => {}, request } } };
}

it.each([
  ['its scopes do not name the deciding', ['*']],
  ['its token names tools:approve', ['*', 'tools:approve']],
  ['its token names tools:admin, too', ['tools:call', 'tools:approve', 'tools:admin']],
])('row 9: the client of an agent is never asked in place: %s', async (_, scopes) => {
  const host = brokerHost(await freshDatabase('sqlite'), { terms: { waitMs: 60, unattended: 'wait' } });
  const { asked, session } = eager();
  for (const era of ['legacy', 'modern'] as const) {
    const { meta } = await host
      .connect({ ...session, era, who: agent('ada', scopes) })
      .call('delete_path', path);
    expect([meta.denied, asked]).toEqual(['approval:timeout', []]);
  }
  expect((await host.rest('GET', '/api/tools/grants?all=true')).body.grants).toEqual([]);
});

it.each([
  ['without a credential on this machine', localPrincipal('test:1')],
  ['without a credential, under a name of its own', localPrincipal('test:2', { agent: 'ada' })],
  ['with the hub token', operatorPrincipal],
])('the user of a client %s is asked in place, and the row says whose user it was', async (_, who) => {
  const host = brokerHost(await freshDatabase('sqlite'));
  const { asked, session } = eager();
  expect((await host.connect({ ...session, who }).call('delete_path', path)).isError).toBe(false);
  expect(asked).toEqual(['elicitation/create']);
  const { body } = await host.rest('GET', '/api/tools/audit?phase=decision');
  expect(JSON.parse(body.audit[0].resultSummary).by).toMatch(/^user of /);
});

it('row 9: no agent approves its own call under another binding, connection or credential', async () => {
  const host = brokerHost(await freshDatabase('sqlite'), { terms: { waitMs: 60 } });
  await host.connect({ agent: 'ada', team: 'red' }).call('delete_path', path);
  const { id } = await host.pending();
  const others = [
    agent('ada', ['tools:approve'], 'red'),
    { ...agent('ada', ['tools:approve']), credential: 'other' },
    localPrincipal('test:x', { agent: 'ada', team: 'red' }),
  ];
  for (const who of others)
    await expect(
      host.decide(who, (desk) => desk.resolve({ id, decision: 'allow_once' })),
    ).rejects.toMatchObject({
      code: 'forbidden',
    });
  expect((await host.pending()).status).toBe('pending');
});

it('approvals, grants and the audit show the name a connection was given; rules go by what binds it', async () => {
  const host = brokerHost(await freshDatabase('sqlite'), {
    policy: 'version: 1\nrules:\n  - { tool: echo, agent: claude-code, decide: deny }\n',
  });
  const who = { ...localPrincipal('test:1'), name: 'claude-code' };
  expect((await host.connect({ who }).call('echo', { message: 'x' })).isError).toBe(false);
  const calling = host.connect({ who }).call('delete_path', path);
  const { id, agentId } = await host.pending();
  await host.resolve(id, 'allow_always');
  await calling;
  const { grants } = (await host.rest('GET', '/api/tools/grants')).body;
  const { audit } = (await host.rest('GET', '/api/tools/audit?agentId=claude-code')).body;
  expect([agentId, grants[0].agentId, audit.length]).toEqual(['claude-code', 'claude-code', 4]);
});

it('what the policy says is not shown to an agent', async () => {
  const hub = await openTestHub();
  const token = await tokenFor(hub, { agent: 'ada', scopes: ['*'] });
  const admin = await tokenFor(hub, { agent: 'eve', scopes: ['*', 'tools:admin'] });
  const ask = async (route: string, bearer: string, body?: object) => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
    return (
      await hub.fetch(route, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers })
    ).status;
  };
  const policy = 'version: 1\n';
  const routes: [string, object?][] = [
    ['/api/tools/policy'],
    ['/api/tools/policy/check', { text: policy }],
    ['/api/tools/policy/explain', { tool: 'echo', args: { message: 'x' } }],
    ['/api/tools/policy/dry-run', { text: policy }],
  ];
  for (const [route, body] of routes)
    expect(
      [await ask(route, token, body), await ask(route, admin, body), await ask(route, hub.token, body)],
      route,
    ).toEqual([403, 200, 200]);
});

it('an approval names the task that its caller holds, when that is exactly one', async () => {
  const hub = await openTestHub();
  const headers = { authorization: `Bearer ${hub.token}` };
  const [ada, bob] = [
    await tokenFor(hub, { agent: 'ada', team: 'red' }),
    await tokenFor(hub, { agent: 'bob', team: 'red' }),
  ];
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
    await resolveOf(askOf(hub), id, { decision: 'deny' });
    await waiting;
    return taskId as string | null;
  };
  const first = await claimNew();
  expect(await asked(ada, '/one')).toBe(first);
  expect(await asked(bob, '/two')).toBeNull();
  await claimNew();
  expect(await asked(ada, '/three')).toBeNull();
});
