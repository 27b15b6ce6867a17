import { statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { surroundingsOf } from '../../src/features/broker/judge/availability.ts';
import { createPolicyFile } from '../../src/features/broker/judge/policy/file.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { brokerHost } from '../fixtures/broker-host.ts';
import { freshDatabase, freshFolder } from '../fixtures/databases.ts';

const open = async (options: Parameters<typeof brokerHost>[1] = {}) =>
  brokerHost(await freshDatabase('sqlite'), options);

describe('GET /api/tools', () => {
  it('lists the four documented builtins with their availability', async () => {
    const { status, body } = await (await open()).rest('GET', '/api/tools');
    expect([status, body.ok]).toEqual([200, true]);
    const documented = body.tools.map(({ name, description, owner, risk, available, diagnostics }: any) => ({
      name,
      description,
      owner,
      risk,
      available,
      diagnostics,
    }));
    expect(documented).toEqual([
      {
        name: 'echo',
        description: 'Echo a message back. Safe, no side effects.',
        owner: 'core',
        risk: 'safe',
        available: true,
        diagnostics: [],
      },
      {
        name: 'note',
        description: 'Record a short note. Safe.',
        owner: 'core',
        risk: 'safe',
        available: true,
        diagnostics: [],
      },
      {
        name: 'web_search',
        description: 'Search the web. External side effect → requires approval.',
        owner: 'core',
        risk: 'external',
        available: false,
        diagnostics: ['env-missing:TAVILY_API_KEY', 'auth-missing:tavily'],
      },
      {
        name: 'delete_path',
        description: expect.stringContaining('Delete a path. Destructive → requires approval.'),
        owner: 'core',
        risk: 'destructive',
        available: true,
        diagnostics: [],
      },
    ]);
  });

  it('shows web_search as available with a provider, and a switched-off tool as not', async () => {
    const host = await open({ surroundings: surroundingsOf({ env: { TAVILY_API_KEY: 'x' } }) });
    await host.rest('POST', '/api/tools/switches/echo', { enabled: false });
    const { body } = await host.rest('GET', '/api/tools');
    expect(body.tools.map(({ name, available, diagnostics }: any) => [name, available, diagnostics])).toEqual(
      [
        ['echo', false, ['disabled:echo']],
        ['note', true, []],
        ['web_search', true, []],
        ['delete_path', true, []],
      ],
    );
  });

  it('refuses to switch what does not exist', async () => {
    expect(
      (await (await open()).rest('POST', '/api/tools/switches/nothing', { enabled: false })).status,
    ).toBe(404);
  });
});

describe('policy over REST', () => {
  const POLICY =
    'version: 1\nrules:\n  - { name: no notes, tool: note, decide: deny, because: we use the board }\n  - { tool: delete_path, args: { path: "/tmp/*" }, decide: allow }\n';

  it('shows the rules in force and where a broken file is broken', async () => {
    const host = await open({ policy: POLICY });
    expect((await host.rest('GET', '/api/tools/policy')).body).toMatchObject({
      rules: [
        { name: 'no notes', decide: 'deny' },
        { name: 'rule 2', decide: 'allow' },
      ],
      problems: [],
    });
    host.writePolicy('version: 1\nrules:\n  - { tool: note, decide: maybe }\n');
    await new Promise((resolve) => setTimeout(resolve, 250));
    const { body } = await host.rest('GET', '/api/tools/policy');
    expect(body.rules).toHaveLength(2);
    expect(body.problems[0]).toMatchObject({ line: 3, message: expect.stringContaining('rules.0.decide') });
  });

  it('has a JSON schema for editors', async () => {
    const { body } = await (await open()).rest('GET', '/api/tools/policy/schema');
    expect(body.properties.rules.items.properties.decide.enum).toEqual(['allow', 'deny', 'ask']);
  });

  it('checks a text and says where it is broken', async () => {
    const host = await open();
    expect((await host.rest('POST', '/api/tools/policy/check', { text: POLICY })).body).toEqual({
      ok: true,
      problems: [],
      rules: [
        { name: 'no notes', line: 3, decide: 'deny' },
        { name: 'rule 2', line: 4, decide: 'allow' },
      ],
    });
    const { body } = await host.rest('POST', '/api/tools/policy/check', {
      text: 'version: 1\nrules: [ {decide: allow}\nx: 1',
    });
    expect(body.ok).toBe(false);
    expect(body.problems[0].line).toBeGreaterThan(1);
  });

  it('explains a call by its rule, without calling anything', async () => {
    const host = await open({ policy: POLICY });
    const explain = async (body: object) => (await host.rest('POST', '/api/tools/policy/explain', body)).body;
    expect(await explain({ tool: 'note', args: { note: 'x' } })).toMatchObject({
      decision: 'deny',
      reason: 'policy:no notes',
    });
    expect(await explain({ tool: 'delete_path', args: { path: '/tmp/x' } })).toMatchObject({
      decision: 'allow',
      reason: 'policy:rule 2',
    });
    expect(await explain({ tool: 'delete_path', args: { path: '/etc/x' } })).toMatchObject({
      decision: 'require_approval',
      reason: 'risk:destructive',
    });
    expect((await host.rest('POST', '/api/tools/policy/explain', { tool: 'nothing' })).status).toBe(404);
    expect((await host.rest('GET', '/api/tools/audit')).body.audit).toEqual([]);
  });

  it('a dry run names the calls that would be decided otherwise', async () => {
    const host = await open();
    await host.connect({ agent: 'ada' }).call('note', { note: 'one' });
    await host.connect().call('echo', { message: 'two' });
    const { body } = await host.rest('POST', '/api/tools/policy/dry-run', { text: POLICY });
    expect(body).toMatchObject({
      looked: 2,
      changes: [{ toolName: 'note', agentId: 'ada', was: 'allow', now: 'deny', reason: 'policy:no notes' }],
    });
  });
});

it('a dry run leaves out what no rule decided, and knows what a grant answered', async () => {
  const host = await open();
  const ada = host.connect({ agent: 'ada' });
  await ada.call('web_search', { query: 'not configured' }).catch(() => undefined);
  const asked = ada.call('delete_path', { path: '/tmp/a/x' });
  await host.resolve((await host.pending()).id, 'allow_always', { covers: 'shape' });
  await asked;
  await ada.call('delete_path', { path: '/tmp/a/y' });
  const { body } = await host.rest('POST', '/api/tools/policy/dry-run', { text: 'version: 1\n' });
  expect(body).toMatchObject({ looked: 2, changes: [] });
});

describe('policy in force', () => {
  const call = async (policy: string, tool: string, args: object, session = {}) => {
    const host = await open({ policy, terms: { waitMs: 30 } });
    const { isError, meta } = await host.connect(session).call(tool, args);
    return isError ? meta.denied : 'ran';
  };
  const rules = (text: string) => `version: 1\nrules:\n${text}`;

  it.each([
    [
      'allow lets a destructive tool run',
      '  - { tool: delete_*, decide: allow }',
      'delete_path',
      { path: 'x' },
      'ran',
    ],
    [
      'ask gates a safe tool',
      '  - { tool: echo, decide: ask }',
      'echo',
      { message: 'x' },
      'approval:timeout',
    ],
    [
      'deny wins by order',
      '  - { tool: echo, decide: deny }\n  - { tool: "*", decide: allow }',
      'echo',
      { message: 'x' },
      'policy:rule 1',
    ],
    [
      'the first match decides',
      '  - { tool: "*", decide: allow }\n  - { tool: echo, decide: deny }',
      'echo',
      { message: 'x' },
      'ran',
    ],
    [
      'risk selects',
      '  - { risk: destructive, decide: deny }',
      'delete_path',
      { path: 'x' },
      'policy:rule 1',
    ],
    [
      'an argument pattern selects',
      '  - { args: { path: "*.env" }, decide: deny }\n  - { risk: destructive, decide: allow }',
      'delete_path',
      { path: 'a/.env' },
      'policy:rule 1',
    ],
    [
      'an allowed path pattern is not stretched by ..',
      '  - { args: { path: "/tmp/*" }, decide: allow }',
      'delete_path',
      { path: '/tmp/../etc/x' },
      'approval:timeout',
    ],
  ])('%s', async (_, text, tool, args, expected) => {
    expect(await call(rules(text), tool, args)).toBe(expected);
  });

  it('agents, teams and the block list select', async () => {
    const policy =
      'version: 1\nrules:\n  - { agent: intern*, decide: deny }\nblocklist:\n  - { tools: [echo], team: red }\n';
    expect(await call(policy, 'echo', { message: 'x' }, { agent: 'intern-1' })).toBe('policy:rule 1');
    expect(await call(policy, 'echo', { message: 'x' }, { agent: 'ada' })).toBe('ran');
    expect(await call(policy, 'echo', { message: 'x' }, { team: 'red' })).toBe(
      'scope:blocked-for-caller:echo',
    );
  });

  it('counts calls per agent and tool, across connections', async () => {
    const host = await open({
      policy: 'version: 1\nlimits:\n  - { tool: echo, perMinute: 2 }\n  - { tool: note, perDay: 1 }\n',
    });
    const say = async (agent: string, tool: string, args: object) =>
      (await host.connect({ agent }).call(tool, args)).meta.denied;
    expect([
      await say('ada', 'echo', { message: '1' }),
      await say('ada', 'echo', { message: '2' }),
      await say('ada', 'echo', { message: '3' }),
    ]).toEqual([undefined, undefined, 'rate:echo:2/minute']);
    expect(await say('bob', 'echo', { message: '1' })).toBeUndefined();
    expect([await say('ada', 'note', { note: '1' }), await say('ada', 'note', { note: '2' })]).toEqual([
      undefined,
      'budget:note:1/day',
    ]);
  });

  it('is the last good one also for a process that starts while the file is broken', async () => {
    const path = join(freshFolder(), 'policy.yaml');
    const opened = () => createPolicyFile({ path, log: silentLog });
    writeFileSync(path, rules('  - { name: no echo, tool: echo, decide: deny }'));
    await opened().current();
    writeFileSync(path, 'version: 1\nrules: [');
    const { policy, problems, loadedAt } = await opened().current();
    expect(policy.rules).toMatchObject([{ name: 'no echo' }]);
    expect([problems.length > 0, loadedAt === null]).toEqual([true, false]);
    expect(statSync(join(dirname(path), 'policy.last-good.yaml')).mode & 0o777).toBe(0o600);
  });

  it('is read again when the file changes', async () => {
    const host = await open({ policy: rules('  - { tool: echo, decide: deny }') });
    expect((await host.connect().call('echo', { message: 'x' })).isError).toBe(true);
    host.writePolicy(rules('  - { tool: echo, decide: allow }\n'));
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect((await host.connect().call('echo', { message: 'x' })).isError).toBe(false);
  });
});

describe('what goes wrong under /api/tools', () => {
  const SECRET = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
  const PLACES: readonly (readonly ['GET' | 'POST' | 'DELETE', string, unknown?])[] = [
    ['GET', `/api/tools/${SECRET}`],
    ['GET', `/api/tools?${SECRET}=1`],
    ['GET', `/api/tools?all=${SECRET}`],
    ['GET', `/api/tools/approvals?limit=${SECRET}`],
    ['POST', `/api/tools/approvals/${SECRET}/resolve`, { decision: 'deny' }],
    ['POST', `/api/tools/approvals/x/resolve`, { decision: SECRET }],
    ['POST', `/api/tools/approvals/x/resolve`, { [SECRET]: SECRET }],
    ['POST', `/api/tools/approvals/resolve`, { ids: [SECRET], decision: SECRET, [SECRET]: 1 }],
    ['POST', `/api/tools/approvals/resolve`, { ids: [SECRET], decision: 'deny' }],
    ['DELETE', `/api/tools/grants/${SECRET}`],
    ['GET', `/api/tools/audit?limit=${SECRET}`],
    ['GET', `/api/tools/audit?cursor=${SECRET}&order=${SECRET}`],
    ['GET', `/api/tools/results/${SECRET}`],
    ['GET', `/api/tools/notes?limit=${SECRET}`],
    ['POST', `/api/tools/switches/${SECRET}`, { enabled: false }],
    ['POST', `/api/tools/switches/echo`, { enabled: SECRET, [SECRET]: SECRET }],
    [
      'POST',
      `/api/tools/policy/check`,
      { text: `version: 1\nrules: [ { ${SECRET}: ${SECRET}, decide: ${SECRET} } ]\n${SECRET}: 1` },
    ],
    ['POST', `/api/tools/policy/explain`, { tool: SECRET, [SECRET]: SECRET }],
    ['POST', `/api/tools/policy/dry-run`, { text: `version: ${SECRET}`, limit: SECRET }],
    ['DELETE', `/api/tools/audit?${SECRET}`],
  ];

  it.each(PLACES.map(([method, url, body]) => ({ method, url, body })))(
    '$method $url $body never repeats a secret',
    async ({ method, url, body }) => {
      const answer = await (await open()).rest(method, url, body);
      expect(JSON.stringify(answer)).not.toContain(SECRET);
      if (answer.status >= 400) expect(answer.body).toMatchObject({ error: expect.any(String) });
      else expect(url).toMatch(/approvals\/resolve$|policy\/check$/);
    },
  );
});
