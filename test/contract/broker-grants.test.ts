import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { linkHash } from '../../src/features/broker/tell/audit.ts';
import { fingerprint } from '../../src/features/broker/ask/fingerprint.ts';
import { auditAfter } from '../../src/features/broker/rows/audit.ts';
import { verifyAudit } from '../../src/features/broker/tell/verify.ts';
import { canonicalJson } from '../../src/kernel/canonical-json.ts';
import { sha256 } from '../../src/kernel/digest.ts';
import { localPrincipal, type Principal, systemActor } from '../../src/kernel/principal.ts';
import { sql } from '../../src/store/sql.ts';
import { brokerHost, worldTool } from '../fixtures/broker-host.ts';
import { coreHost } from '../fixtures/core-host.ts';
import { eachEngine, freshDatabase, freshFolder } from '../fixtures/databases.ts';

const DAY = 86_400_000;
const path = { path: '/tmp/a/b.txt' };
const run = worldTool('run', {
  risk: 'destructive',
  handler: async () => ({ ok: true, value: undefined, text: 'ran' }),
});

eachEngine('grants and the chain', (engine) => {
  const open = async (options: Parameters<typeof brokerHost>[1] = {}) =>
    brokerHost(await freshDatabase(engine), options);
  const always = async (
    host: ReturnType<typeof brokerHost>,
    session: { who?: Principal; agent?: string },
    more = {},
  ) => {
    const calling = host.connect(session).call('delete_path', path);
    const { id } = await host.pending();
    const { body } = await host.resolve(id, 'allow_always', { covers: 'shape', ...more });
    await calling;
    return body.approval.grantId as string;
  };

  it('a grant ends after thirty days unless somebody says otherwise', async () => {
    const host = await open();
    await always(host, { agent: 'ada' });
    await always(host, { agent: 'bob' }, { grantTtlMs: DAY });
    const { body } = await host.rest('GET', '/api/tools/grants');
    const lives = body.grants.map(({ agentId, createdAt, expiresAt }: any) => [
      agentId,
      (expiresAt - createdAt) / DAY,
    ]);
    expect(Object.fromEntries(lives)).toEqual({ ada: 30, bob: 1 });
  });

  it('a grant that was narrowed covers the arguments of its call and no neighbour', async () => {
    const host = await open();
    await always(host, { agent: 'ada' }, { covers: 'exact' });
    const { body } = await host.rest('GET', '/api/tools/grants');
    expect(JSON.parse(body.grants[0].shape.exactly)).toEqual(path);
    const quick = brokerHost(host.db, { terms: { waitMs: 40 } }).connect({ agent: 'ada' });
    expect((await quick.call('delete_path', path)).isError).toBe(false);
    const near = await quick.call('delete_path', { path: '/tmp/a/c.txt' });
    expect(near.meta.denied).toBe('approval:timeout');
  });

  it('a grant belongs to the credential it was given under', async () => {
    const host = await open();
    const ada = (credential?: string): Principal => ({
      ...localPrincipal(''),
      kind: 'agent',
      id: 'ada',
      bound: { agent: 'ada' },
      ...(credential !== undefined && { credential }),
    });
    await always(host, { who: ada('token-1') });
    const quick = brokerHost(host.db, { terms: { waitMs: 40 } });
    expect((await quick.connect({ who: ada('token-1') }).call('delete_path', path)).isError).toBe(false);
    for (const who of [ada('token-2'), ada()])
      expect((await quick.connect({ who }).call('delete_path', path)).meta.denied).toBe('approval:timeout');
  });

  it('who decided what, for whom and what it allows is in the chain, and so is taking it back', async () => {
    const host = await open();
    const grantId = await always(host, { agent: 'ada' });
    await host.rest('DELETE', `/api/tools/grants/${grantId}`);
    const { body } = await host.rest('GET', '/api/tools/audit?phase=decision');
    const rows = body.audit.map(({ decision, reason, principal, resultSummary }: any) => ({
      decision,
      reason,
      principal,
      ...JSON.parse(resultSummary),
    }));
    expect(rows).toMatchObject([
      { decision: 'revoke', reason: 'grant:revoked', principal: 'local:local', for: 'local:local?agent=ada' },
      {
        decision: 'allow_always',
        reason: 'approval:allow_always',
        by: 'local:local',
        allows: '{"path":"/tmp/a/*"}',
      },
    ]);
    expect(body.audit[0].grantId).toBe(grantId);
    expect((await host.rest('GET', '/api/tools/audit')).body.audit.map(({ phase }: any) => phase)).toEqual([
      'after',
      'before',
    ]);
    expect((await host.rest('GET', '/api/tools/audit?phase=all')).body.audit).toHaveLength(4);
    expect(await verifyAudit(host.db)).toMatchObject({ ok: true, rows: 4 });
    await host.db.write(systemActor, (tx) =>
      tx.run(sql`update tool_audit set decision = 'deny' where decision = 'allow_always'`),
    );
    expect((await verifyAudit(host.db)).ok).toBe(false);
  });

  it('a request that nobody answered is in the chain, too', async () => {
    const host = await open({ terms: { waitMs: 10, lifeMs: 20 } });
    await host.connect({ agent: 'ada' }).call('delete_path', path);
    await new Promise((resolve) => setTimeout(resolve, 40));
    await host.db.write(systemActor, (tx) => host.broker.sweep(tx));
    const { body } = await host.rest('GET', '/api/tools/audit?phase=decision');
    expect(body.audit).toMatchObject([
      { decision: 'expire', reason: 'approval:expired', principal: 'system:system' },
    ]);
  });

  it('rows from before arguments were hashed, and places kept, still verify', async () => {
    const host = await open();
    await host.connect().call('echo', { message: 'x' });
    const rows = await host.db.read((q) => auditAfter(q, { after: 0, upTo: 100, limit: 100 }));
    const chained = rows.reduce(
      (
        previous,
        { hash: _hash, argsHash: _args, client: _client, project: _project, folder: _folder, ...body },
      ) => sha256(`${previous}\n${canonicalJson(body)}`),
      '',
    );
    const fromNow = rows.reduce(
      (previous, { hash: _hash, ...body }) =>
        linkHash(previous, { ...body, argsHash: null, client: null, project: null, folder: null }),
      '',
    );
    expect(fromNow).toBe(chained);
  });

  it('row 3: the audit has the hash of the exact arguments, and nobody changes it unseen', async () => {
    const host = await open({ tools: [run] });
    const args = { command: "echo '-----BEGIN PRIVATE KEY-----' > x; rm -rf y" };
    const calling = host.connect().call('run', args);
    const { id, argsSummary, argsHash } = await host.pending();
    expect(argsSummary).toContain('rm -rf y');
    await host.resolve(id, 'allow_once');
    await calling;
    const { body } = await host.rest('GET', '/api/tools/audit?phase=all');
    expect(body.audit.map((row: any) => [row.phase, row.argsHash])).toEqual(
      ['after', 'decision', 'before'].map((phase) => [phase, fingerprint(args)]),
    );
    expect(argsHash).toBe(fingerprint(args));
    expect(body.audit[2].argsSummary).toContain('rm -rf y');
    await host.db.write(systemActor, (tx) =>
      tx.run(sql`update tool_audit set args_hash = null where phase = 'before'`),
    );
    expect((await verifyAudit(host.db)).ok).toBe(false);
  });

  it('row 11: no shape stores or serves a secret, and a grant still holds for exactly these arguments', async () => {
    const host = await open({ tools: [run] });
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const command = `deploy --token=${secret}; DB_PASSWORD=hunter2xyz ./run`;
    const calling = host.connect().call('run', { command });
    const row = await host.pending();
    await host.resolve(row.id, 'allow_always', { covers: 'shape' });
    await calling;
    expect((await host.connect().call('run', { command })).isError).toBe(false);
    const stored = await host.db.read(async (q) => [
      await q.all(sql`select * from tool_approvals`),
      await q.all(sql`select * from tool_grants`),
      await q.all(sql`select * from tool_audit`),
    ]);
    const served = [
      row,
      (await host.rest('GET', '/api/tools/grants')).body,
      (await host.rest('GET', '/api/tools/audit?phase=all')).body,
    ];
    expect(JSON.stringify([stored, served])).not.toMatch(/ghp_a|hunter2xyz/);
    expect(JSON.stringify([stored[2], served[2]])).not.toContain('ghp_');
    expect(row.shape).toContain('deploy --token=[REDACTED ghp_…B2]; DB_PASSWORD=[REDACTED] ./run');
    const other = brokerHost(host.db, { terms: { waitMs: 40 }, tools: [run] });
    const changed = { command: command.replace('hunter2xyz', 'hunter3xyz') };
    expect((await other.connect().call('run', changed)).meta.denied).toBe('approval:timeout');
  });

  it('a call that no person could be shown whole is not asked for', async () => {
    const host = await open({ tools: [run] });
    const { meta } = await host.connect().call('run', { command: 'echo \u0001'.repeat(70_000) });
    expect(meta.denied).toBe('approval:too-long');
  });
});

describe("the hub's own secrets", () => {
  const TOKEN = 'ab12cd34'.repeat(8);

  it('row 4: stay out of every result, by value, whatever tool reads them', async () => {
    const workspace = freshFolder();
    const home = freshFolder();
    writeFileSync(join(home, 'token'), `${TOKEN}\n`);
    mkdirSync(join(workspace, 'sub'));
    const text = `a ${TOKEN} b\nkey s3cr3t-of-tavily\nhft_${'x1Y2'.repeat(8)}\n`;
    writeFileSync(join(workspace, 'sub', 'leak.txt'), text);
    const { call } = await coreHost({ workspace }, undefined, {
      files: [join(home, 'token')],
      values: () => ['s3cr3t-of-tavily', undefined, 'x'],
    });
    const answers = [
      await call('Read', { path: 'sub/leak.txt' }),
      await call('Grep', { pattern: 'a|hft', context_after: 2 }),
      await call('Bash', {
        command: `cat sub/leak.txt; cat ${home}/token; base64 -w0 ${home}/token; cat ${home}/token >&2`,
      }),
      await call('Bash', { command: 'cat sub/leak.txt; sleep 0.1', background: true }),
      await call('Read', { path: `${TOKEN}/none` }),
    ];
    await new Promise((resolve) => setTimeout(resolve, 300));
    answers.push(await call('BashOutput', { task_id: answers[3]!.value.task_id }));
    const shown = JSON.stringify(answers);
    expect(shown).not.toMatch(/ab12cd34ab12|s3cr3t-of|hft_x1Y2/);
    expect(shown).not.toContain(Buffer.from(TOKEN).toString('base64').slice(0, 40));
    expect(answers[0]!.value.content).toBe('a [REDACTED] b\nkey [REDACTED]\n[REDACTED]');
  });

  it('are not written down when they are in the arguments, either', async () => {
    const { call, db } = await coreHost({}, 'version: 1\n', { values: () => [TOKEN] });
    await call('Bash', { command: `curl -H 'x: ${TOKEN}' http://127.0.0.1/` });
    await call('Read', { path: `../${TOKEN}` });
    await call('Read', { path: TOKEN });
    await db.flush();
    const stored = await db.read(async (q) => [
      await q.all(sql`select * from tool_approvals`),
      await q.all(sql`select * from tool_audit`),
    ]);
    expect(stored.map((rows) => rows.length)).toEqual([1, 5]);
    expect(JSON.stringify(stored)).not.toContain(TOKEN);
  });

  it('row 4: "always" for reading one file reads no other', async () => {
    const workspace = freshFolder();
    writeFileSync(join(workspace, 'README.md'), 'hello');
    const { session, resolve, db } = await coreHost({ workspace }, 'version: 1\n');
    const ada = session('ada');
    const calling = ada('Bash', { command: 'cat README.md' });
    let rows: { id: string; shapeText: string }[] = [];
    while (rows.length === 0) {
      await new Promise((next) => setTimeout(next, 5));
      rows = await db.read((q) => q.all(sql`select id, shape_text as "shapeText" from tool_approvals`));
    }
    expect(JSON.parse(rows[0]!.shapeText)).toMatchObject({ exactly: 'cat README.md', cwd: '.' });
    await resolve({ id: rows[0]!.id, decision: 'allow_always' });
    expect((await calling).value.stdout).toBe('hello');
    expect((await ada('Bash', { command: 'cat README.md' })).ok).toBe(true);
    for (const args of [
      { command: 'cat /etc/passwd' },
      { command: 'cat  README.md' },
      { command: 'cat README.md', cwd: '..' },
    ])
      expect((await ada('Bash', args)).ok, JSON.stringify(args)).toBe(false);
  });
});
