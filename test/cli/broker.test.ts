import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemActor } from '../../src/kernel/principal.ts';
import { openDatabase } from '../../src/store/open.ts';
import { sql } from '../../src/store/sql.ts';
import { brokerHost } from '../fixtures/broker-host.ts';
import { openTerminal } from '../fixtures/terminal.ts';

/** A command line, and a call that waits in the same database without any hub. */
async function open(policy?: string) {
  const terminal = openTerminal();
  const home = terminal.env['HOLDFAST_HOME']!;
  if (policy !== undefined) writeFileSync(join(home, 'policy.yaml'), policy);
  const db = await openDatabase(join(home, 'holdfast.db'));
  return { ...terminal, home, db, host: brokerHost(db, { terms: { waitMs: 20_000, lifeMs: 60_000 } }) };
}

describe('holdfast approvals', () => {
  it('lists what waits and lets it run', async () => {
    const { run, host, db } = await open();
    expect((await run('approvals', 'list')).err).toContain('Nothing is waiting');
    const calling = host.connect({ agent: 'ada' }).call('delete_path', { path: '/tmp/x' });
    const { id } = await host.pending();
    const { out } = await run('approvals', 'list');
    expect(out).toContain(id.slice(-8));
    expect(out).toContain('{"path":"/tmp/x"}');
    expect(out).not.toContain('TASK');
    await db.write(systemActor, (tx) =>
      tx.run(sql`update tool_approvals set task_id = 'task-7' where id = ${id}`),
    );
    expect((await run('approvals', 'list')).out).toMatch(/TASK[^]*task-7/);
    expect((await run('approvals', 'allow', id)).out).toContain('allow_once by you');
    expect((await calling).isError).toBe(false);
    await db.close();
  });

  it('row 4: shows what always would allow before anybody decides, in the list, by itself and when it is decided', async () => {
    const { run, json, host, db } = await open();
    const calling = host.connect({ agent: 'ada' }).call('delete_path', { path: '/tmp/a\u202e\n/x' });
    const { id } = await host.pending();
    expect((await run('approvals', 'list')).out).toMatch(/SHAPE[^]*path=\/tmp\/a/);
    const { out } = await run('approvals', 'show', id);
    expect(out).toContain('shape   path=/tmp/a');
    expect(out).toContain('  path:\n    /tmp/a\\u{202e}\n    /x');
    expect(await json('approvals', 'show', id)).toMatchObject({
      id,
      argsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((await run('approvals', 'show', 'none')).code).toBe(3);
    const decided = await run('approvals', 'approve', id, '--always', '--shape');
    expect(decided.err).toContain(`${id.slice(-8)}  always allows delete_path path=/tmp/a`);
    expect(decided.out).toContain('allow_always by you');
    await calling;
    expect((await run('audit', 'list')).out).toContain('approval:allow_always');
    await db.close();
  });

  it('denies all at once, and answers JSON', async () => {
    const { json, host, db } = await open();
    const calling = host.connect().call('delete_path', { path: '/tmp/x' });
    await host.pending();
    expect(await json('approvals', 'deny', 'all')).toMatchObject({
      approvals: [{ status: 'deny' }],
      notFound: [],
    });
    expect((await calling).meta.denied).toBe('approval:deny');
    await db.close();
  });

  it('decides more at once than one request may name', async () => {
    const { json, db } = await open();
    const impatient = brokerHost(db, { terms: { waitMs: 1, lifeMs: 600_000 } });
    for (let i = 0; i < 205; i += 1)
      await impatient.connect({ agent: `a${i % 3}` }).call('delete_path', { path: `/tmp/${i}` });
    const { approvals } = await json<{ approvals: { status: string }[] }>('approvals', 'deny', 'all');
    expect(approvals.filter(({ status }) => status === 'deny')).toHaveLength(205);
    await db.close();
  });

  it('names an unknown id and a bad duration, each with its exit code', async () => {
    const { run, json, db } = await open();
    expect(await run('approvals', 'allow', '01890000-0000-7000-8000-000000000000')).toMatchObject({
      code: 3,
      err: expect.stringContaining('There is no approval'),
    });
    expect((await run('approvals', 'allow', 'x', '--always', '--expires', 'soon')).code).toBe(2);
    expect(await json('approvals', 'deny', 'nope')).toMatchObject({
      code: 'not_found',
      details: { approvals: [], notFound: ['nope'] },
    });
    await db.close();
  });
});

describe('holdfast grants', () => {
  it('row 2: allow --always covers these very arguments', async () => {
    const { run, json, host, db } = await open();
    const calling = host.connect({ agent: 'ada' }).call('delete_path', { path: '/tmp/a/x' });
    await run('approvals', 'allow', (await host.pending()).id, '--always');
    await calling;
    expect(await json('grants', 'list')).toMatchObject({
      grants: [{ shape: { exactly: '{"path":"/tmp/a/x"}' } }],
    });
    await db.close();
  });

  it('lists what allow --always left, and takes it back', async () => {
    const { run, json, host, db } = await open();
    const calling = host.connect({ agent: 'ada' }).call('delete_path', { path: '/tmp/a/x' });
    await run('approvals', 'allow', (await host.pending()).id, '--always', '--shape', '--expires', '1h');
    await calling;
    const {
      grants: [grant],
    } = await json<{ grants: { id: string; uses: number }[] }>('grants', 'list');
    expect(grant).toMatchObject({
      toolName: 'delete_path',
      agentId: 'ada',
      shape: { path: '/tmp/a/*' },
      uses: 1,
    });
    expect((await run('grants')).out).toContain('path=/tmp/a/*');
    expect((await run('grants', 'revoke', grant!.id)).out).toContain('used 1 times');
    expect((await run('grants')).err).toContain('Nothing is allowed');
    await db.close();
  });
});

describe('holdfast audit', () => {
  it('lists calls and proves that nobody changed them', async () => {
    const { run, json, host, db } = await open();
    await host.connect({ agent: 'ada' }).call('echo', { message: 'hello' });
    expect((await run('audit', '--agent', 'ada')).out).toMatch(/echo +ada/);
    const {
      audit: [{ callId }],
    } = await json<{ audit: [{ callId: string }] }>('audit');
    const end = callId.slice(-8);
    expect((await run('audit')).out.split('\n')[1]).toMatch(new RegExp(`^\\d+ +${end} `));
    for (const given of [end, callId, end.slice(2)]) {
      const { out } = await run('audit', 'show', given);
      expect(out).toMatch(new RegExp(`^call +${callId}\ntool +echo\nagent +ada\n`));
      expect(out).toMatch(/ {2}before {2}allow\n[^]* {2}after {2}.*ok after \d+ ms/);
    }
    expect(await json('audit', 'show', end)).toMatchObject({ callId, audit: [{ seq: 1 }, { seq: 2 }] });
    expect((await run('audit', 'show', 'no-such-call')).code).toBe(3);
    await host.connect({ agent: 'ada' }).call('echo', { message: 'another' });
    expect((await run('audit', 'show', '')).code).toBe(2);
    const whole = await run('audit', 'verify');
    expect(whole).toMatchObject({ code: 0, out: expect.stringContaining('The audit is whole: 4 rows') });
    const head = /^head (\d+:[0-9a-f]{64})$/m.exec(whole.out)![1]!;
    expect((await run('audit', 'verify', '--head', head)).code).toBe(0);
    expect((await run('audit', 'verify', '--head', head.replace(/^4/, '5'))).code).toBe(4);
    expect((await run('audit', 'verify', '--head', 'nonsense')).code).toBe(2);
    await db.write(systemActor, (tx) =>
      tx.run(sql`update tool_audit set agent_id = 'mallory' where seq = 1`),
    );
    expect(await run('audit', 'verify')).toMatchObject({
      code: 4,
      out: expect.stringContaining('row 1 is not what was written'),
    });
    await db.close();
  });
});

describe('holdfast policy', () => {
  it('checks a file and names the line that is wrong', async () => {
    const { run, home, db } = await open('version: 1\nrules:\n  - { tool: echo, decide: allow }\n');
    expect(await run('policy', 'check')).toMatchObject({ code: 0, out: expect.stringContaining('is right') });
    writeFileSync(join(home, 'other.yaml'), 'version: 1\nrules:\n  - { tool: echo, decide: perhaps }\n');
    expect(await run('policy', 'check', join(home, 'other.yaml'))).toMatchObject({
      code: 2,
      out: expect.stringMatching(/other\.yaml:3:\d+: rules\.0\.decide/),
    });
    expect((await run('policy', 'check', join(home, 'none.yaml'))).code).toBe(3);
    await db.close();
  });

  it('explains a call and tries another policy on recent ones', async () => {
    const { run, home, host, db } = await open(
      'version: 1\nrules:\n  - { name: tidy, tool: delete_path, args: { path: "/tmp/*" }, decide: allow }\n',
    );
    expect((await run('policy', 'explain', 'delete_path', '--args', '{"path":"/tmp/x"}')).out).toContain(
      'allow  (policy:tidy)',
    );
    expect((await run('policy', 'explain', 'delete_path', '--args', '{"path":"/etc/x"}')).out).toContain(
      'require_approval  (risk:destructive)',
    );
    expect((await run('policy', 'explain', 'delete_path', '--args', 'not json')).code).toBe(2);
    await host.connect().call('echo', { message: 'x' });
    writeFileSync(
      join(home, 'strict.yaml'),
      'version: 1\nrules:\n  - { name: silence, tool: echo, decide: deny }\n',
    );
    expect(await run('policy', 'dry-run', join(home, 'strict.yaml'))).toMatchObject({
      out: expect.stringContaining('policy:silence'),
      err: expect.stringContaining('1 of 1'),
    });
    expect((await run('policy', 'schema')).out).toContain('"decide"');
    await db.close();
  });
});
