import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pause } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { localPrincipal, systemActor } from '../../src/kernel/principal.ts';
import { sql } from '../../src/store/sql.ts';
import { brokerHost, worldTool } from '../fixtures/broker-host.ts';
import { eachEngine, freshDatabase, freshPlace } from '../fixtures/databases.ts';

const APPROVAL_FIELDS = [
  'id',
  'toolName',
  'agentId',
  'argsSummary',
  'reason',
  'status',
  'taskId',
  'tenantId',
  'createdAt',
  'expiresAt',
  'resolvedAt',
];
const UNKNOWN = '01890000-0000-7000-8000-000000000000';

eachEngine('approvals', (engine) => {
  const open = async (options: Parameters<typeof brokerHost>[1] = {}) =>
    brokerHost(await freshDatabase(engine), options);
  const path = { path: '/tmp/a/b.txt' };

  describe('a gated call', () => {
    it('is told at once that it waits, for whom and how long', async () => {
      const host = await open({ terms: { waitMs: 20_000, lifeMs: 60_000 } });
      const heard: { method: string; params: Record<string, unknown> }[] = [];
      const peer = {
        notify: (method: string, params: object) => void heard.push({ method, params: { ...params } }),
      };
      const calling = host
        .connect({ agent: 'ada', peer })
        .call('delete_path', path, { _meta: { progressToken: 'p' } });
      const { id } = await host.pending();
      // It hears of progress, so it waits as long as the request lives.
      const message = `delete_path waits up to 60 s for the person who runs this hub to decide (approval ${id.slice(-8)})`;
      await expect
        .poll(() => heard)
        .toEqual([
          { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, message } },
        ]);
      await host.resolve(id, 'allow_once');
      expect((await calling).isError).toBe(false);
    });

    it('waits longer than others only where it hears of progress, and is told that a late yes counts', async () => {
      const host = await open({ terms: { waitMs: 300, lifeMs: 600_000 } });
      const client = host.connect({ agent: 'ada' });
      const given = await client.call('delete_path', path);
      expect(given.meta.denied).toBe('approval:timeout');
      expect(JSON.stringify(given.raw)).toMatch(/A late yes counts.*It stays open for 9 more min/);
      const followed = client.call('delete_path', { path: '/tmp/c' }, { _meta: { progressToken: 7 } });
      await pause(900);
      const { body } = await host.rest('GET', '/api/tools/approvals');
      expect(body.approvals).toHaveLength(2);
      for (const { id } of body.approvals)
        await host.rest('POST', `/api/tools/approvals/${id}/resolve`, { decision: 'allow_once' });
      expect((await followed).isError).toBe(false);
      expect((await client.call('delete_path', path)).isError).toBe(false);
    });

    it('makes a pending row with the documented fields and waits', async () => {
      const host = await open();
      const calling = host.connect({ agent: 'ada' }).call('delete_path', path);
      const row = await host.pending();
      expect(Object.keys(row)).toEqual(expect.arrayContaining(APPROVAL_FIELDS));
      expect(row).toMatchObject({
        toolName: 'delete_path',
        agentId: 'ada',
        status: 'pending',
        argsSummary: JSON.stringify(path),
        taskId: null,
        resolvedAt: null,
      });
      expect(row.expiresAt - row.createdAt).toBe(60_000);
      await host.resolve(row.id, 'deny');
      await calling;
    });

    it('runs once it is allowed, and leaves the queue', async () => {
      const host = await open();
      const calling = host.connect().call('delete_path', path);
      const { id } = await host.pending();
      const { status, body } = await host.resolve(id, 'allow_once');
      expect([status, body.approval.status, body.approval.resolvedBy]).toEqual([
        200,
        'allow_once',
        'local:local',
      ]);
      expect(body.approval.resolvedAt).toBeTypeOf('number');
      expect((await calling).isError).toBe(false);
      expect((await host.rest('GET', '/api/tools/approvals')).body).toEqual({
        ok: true,
        approvals: [],
        nextCursor: null,
      });
    });

    it.each([
      ['deny', 'approval deny', 'approval:deny'],
      ['nobody', 'approval timeout', 'approval:timeout'],
    ])('is refused with the documented words after %s', async (decision, line, reason) => {
      const host = await open({ terms: { waitMs: decision === 'nobody' ? 80 : 30_000 } });
      const calling = host.connect().call('delete_path', path);
      if (decision === 'deny') await host.resolve((await host.pending()).id, decision);
      const { isError, lines, meta } = await calling;
      expect([isError, lines[0], meta.denied]).toEqual([true, line, reason]);
    });

    it('a no carries the word of whoever said it, to the caller and into the audit', async () => {
      const host = await open();
      const calling = host.connect().call('delete_path', path);
      const { id } = await host.pending();
      const note = 'Ask on the channel first; token=ghp_abcdefghijklmnopqrst';
      await host.resolve(id, 'deny', { note });
      const { lines, meta } = await calling;
      expect([lines[0], meta.denied]).toEqual(['approval deny', 'approval:deny']);
      expect(lines.join('\n')).toContain('Ask on the channel first');
      expect(lines.join('\n')).not.toContain('ghp_');
      const { body } = await host.rest('GET', '/api/tools/audit?phase=decision');
      expect(JSON.parse(body.audit[0].resultSummary).note).toContain('Ask on the channel first');
      expect(body.audit[0].resultSummary).not.toContain('ghp_');
    });

    it('tells who let whom use what, and nothing of what for', async () => {
      const host = await open();
      const head = await host.db.feed.head();
      const calling = host.connect({ agent: 'ada' }).call('delete_path', path);
      await host.resolve((await host.pending()).id, 'deny');
      await calling;
      const told: unknown[] = [];
      for await (const event of host.db.feed.tail(head, () => true, AbortSignal.timeout(10_000))) {
        if ('kind' in event && event.kind.startsWith('approval.')) told.push([event.kind, event.data]);
        if (told.length === 2) break;
      }
      const about = { tool: 'delete_path', agentId: 'ada' };
      expect(told).toEqual([
        ['approval.requested', about],
        ['approval.resolved', { ...about, decision: 'deny' }],
      ]);
    });

    it('says expired when the row lapsed while it waited', async () => {
      const host = await open({ terms: { waitMs: 30_000, lifeMs: 80 } });
      const { lines, meta } = await host.connect().call('delete_path', path);
      expect([lines[0], meta.denied]).toEqual(['approval expired', 'approval:expired']);
    });

    it('is refused at once where nobody is expected to answer', async () => {
      const host = await open({ terms: { unattended: 'deny' } });
      expect((await host.connect().call('delete_path', path)).meta.denied).toBe('approval:unattended');
      expect((await host.rest('GET', '/api/tools/approvals')).body.approvals).toEqual([]);
    });

    it('is refused when a hundred others of its caller wait already', async () => {
      const host = await open({ terms: { waitMs: 1, lifeMs: 60_000 } });
      const client = host.connect({ agent: 'runaway' });
      for (let i = 0; i < 100; i += 1) await client.call('delete_path', { path: `/tmp/${i}` });
      expect((await client.call('delete_path', { path: '/tmp/100' })).meta.denied).toBe(
        'approval:queue-full',
      );
      expect((await client.call('delete_path', { path: '/tmp/7' })).meta.denied).toBe('approval:timeout');
      expect(
        (await host.connect({ agent: 'ada' }).call('delete_path', { path: '/tmp/100' })).meta.denied,
      ).toBe('approval:timeout');
    });

    it('shows its approver the whole of what will run, without secrets', async () => {
      const host = await open({
        tools: [
          worldTool('run', {
            risk: 'destructive',
            handler: async () => ({ ok: true, value: undefined, text: 'ran' }),
          }),
        ],
      });
      const command = `deploy --token=ghp_abcdefghijklmnopqrst ${'--flag x '.repeat(2_000)}--last`;
      const calling = host.connect().call('run', { command });
      const { argsSummary, id } = await host.pending();
      expect(argsSummary).toContain('--last');
      expect(argsSummary).toContain('--token=[REDACTED ghp_…st] --flag');
      await host.resolve(id, 'deny');
      await calling;
    });
  });

  describe('resolving', () => {
    it('refuses a bad decision with the documented body', async () => {
      const { rest } = await open();
      for (const body of [{}, { decision: 'maybe' }, { decision: 3 }, []]) {
        const answer = await rest('POST', `/api/tools/approvals/${UNKNOWN}/resolve`, body);
        expect([answer.status, answer.body.error]).toEqual([400, 'invalid body']);
        expect(Object.keys(answer.body.details)).toEqual(['formErrors', 'fieldErrors']);
      }
    });

    it('answers 404 for an unknown id only', async () => {
      const { rest } = await open();
      for (const id of [UNKNOWN, 'nonsense', 'x'.repeat(300), 'a%2fb', '0']) {
        const answer = await rest('POST', `/api/tools/approvals/${id}/resolve`, { decision: 'deny' });
        expect([answer.status, answer.body.error], id).toEqual([404, 'approval not found']);
      }
    });

    it('leaves a resolved row as it is, and says who resolved it', async () => {
      const host = await open();
      const calling = host.connect().call('delete_path', path);
      const { id } = await host.pending();
      const first = await host.resolve(id, 'deny');
      const second = await host.resolve(id, 'allow_always');
      expect([second.status, second.body]).toEqual([200, first.body]);
      expect((await host.rest('GET', '/api/tools/grants?all=true')).body.grants).toEqual([]);
      await calling;
    });

    it('is read one by one, decided or not, with the word that was said, by its id or the end of it', async () => {
      const host = await open();
      const calling = host.connect({ agent: 'ada' }).call('delete_path', path);
      const { id } = await host.pending();
      const before = await host.rest('GET', `/api/tools/approvals/${id}`);
      expect([before.body.approval.status, before.body.note]).toEqual(['pending', null]);
      await host.resolve(id, 'deny', { note: 'Not today.' });
      await calling;
      const after = await host.rest('GET', `/api/tools/approvals/${id.slice(-8)}`);
      expect(after.body).toMatchObject({
        approval: { id, status: 'deny', resolvedBy: 'local:local', argsSummary: JSON.stringify(path) },
        note: 'Not today.',
      });
      for (const unknown of [UNKNOWN, '00000000', '%', '________'])
        expect((await host.rest('GET', `/api/tools/approvals/${encodeURIComponent(unknown)}`)).status).toBe(
          404,
        );
    });

    it('is told of when it runs out, at once and once', async () => {
      const host = await open({ terms: { waitMs: 100, lifeMs: 600 } });
      const head = await host.db.feed.head();
      await host.connect().call('delete_path', path);
      const told: string[] = [];
      const startedAt = Date.now();
      for await (const event of host.db.feed.tail(head, () => true, AbortSignal.timeout(10_000))) {
        if ('kind' in event && event.kind.startsWith('approval.')) told.push(event.kind);
        if (told.includes('approval.expired')) break;
      }
      // Far sooner than the sweep of every half minute.
      expect(Date.now() - startedAt).toBeLessThan(5_000);
      expect(told).toEqual(['approval.requested', 'approval.expired']);
      expect(await host.db.write(systemActor, (tx) => host.broker.sweep(tx))).toBe(0);
    });

    it('leaves an expired row as it is', async () => {
      const host = await open({ terms: { waitMs: 40 } });
      const calling = host.connect().call('delete_path', path);
      const { id } = await host.pending();
      await calling;
      await host.db.write(systemActor, (tx) =>
        tx.run(sql`update tool_approvals set expires_at = ${tx.now} where id = ${id}`),
      );
      const { status, body } = await host.resolve(id, 'allow_once');
      expect([status, body.approval.status, body.approval.resolvedAt]).toEqual([200, 'expired', null]);
      expect((await host.rest('GET', '/api/tools/approvals')).body.approvals).toEqual([]);
    });

    it('has one winner when two people resolve at once, and both see who', async () => {
      const place = await freshPlace(engine);
      const [one, two] = [brokerHost(await place.open()), brokerHost(await place.open())];
      const calling = one.connect().call('delete_path', path);
      const { id } = await one.pending();
      const answers = await Promise.all([
        one.decide({ ...localPrincipal(''), kind: 'operator', id: 'ann' }, (desk) =>
          desk.resolve({ id, decision: 'allow_always' }),
        ),
        two.decide({ ...localPrincipal(''), kind: 'operator', id: 'bob' }, (desk) =>
          desk.resolve({ id, decision: 'deny' }),
        ),
      ]);
      expect(answers[0]).toEqual(answers[1]);
      expect(['operator:ann', 'operator:bob']).toContain(answers[0].resolvedBy);
      expect((await one.rest('GET', '/api/tools/grants?all=true')).body.grants).toHaveLength(
        answers[0].status === 'deny' ? 0 : 1,
      );
      expect((await calling).isError).toBe(answers[0].status === 'deny');
    });

    it('resolves many at once', async () => {
      const host = await open();
      const callings = [1, 2, 3].map((n) => host.connect().call('delete_path', { path: `/tmp/${n}` }));
      const waiting = async () =>
        (await host.rest('GET', '/api/tools/approvals')).body.approvals as { id: string }[];
      await expect.poll(async () => (await waiting()).length).toBe(3);
      const rows = await waiting();
      const { body } = await host.rest('POST', '/api/tools/approvals/resolve', {
        ids: [...rows.map(({ id }) => id), UNKNOWN],
        decision: 'allow_once',
      });
      expect(body.approvals.map((row: { status: string }) => row.status)).toEqual([
        'allow_once',
        'allow_once',
        'allow_once',
      ]);
      expect(body.notFound).toEqual([UNKNOWN]);
      for (const calling of callings) expect((await calling).isError).toBe(false);
    });

    it('does not let an agent approve its own call', async () => {
      const host = await open();
      const agent = { ...localPrincipal('x', { agent: 'ada' }), kind: 'agent' as const, id: 'ada' };
      const calling = host.connect({ who: agent }).call('delete_path', path);
      const { id } = await host.pending();
      await expect(
        host.decide(agent, (desk) => desk.resolve({ id, decision: 'allow_once' })),
      ).rejects.toMatchObject({
        code: 'forbidden',
      });
      await host.resolve(id, 'deny');
      await calling;
    });
  });

  describe('redeeming', () => {
    const giveUp = async (host: ReturnType<typeof brokerHost>, session = {}) => {
      const calling = host.connect(session).call('delete_path', path);
      const { id } = await host.pending();
      expect((await calling).meta.denied).toBe('approval:timeout');
      return id as string;
    };

    it('an identical retry runs at once after a late allow_once, and only once', async () => {
      const host = await open({ terms: { waitMs: 60 } });
      const id = await giveUp(host);
      await host.resolve(id, 'allow_once');
      expect((await host.connect().call('delete_path', path)).isError).toBe(false);
      expect((await host.connect().call('delete_path', path)).meta.denied).toBe('approval:timeout');
    });

    it('other arguments, another agent and another tool do not', async () => {
      const host = await open({ terms: { waitMs: 60 } });
      const id = await giveUp(host, { agent: 'ada' });
      await host.resolve(id, 'allow_once');
      expect(
        (await host.connect({ agent: 'ada' }).call('delete_path', { path: '/tmp/a/c.txt' })).isError,
      ).toBe(true);
      expect((await host.connect({ agent: 'bob' }).call('delete_path', path)).isError).toBe(true);
      expect((await host.connect({ agent: 'ada' }).call('delete_path', path)).isError).toBe(false);
    });

    it('survives a restart of the hub', async () => {
      const place = await freshPlace(engine);
      const before = await place.open();
      const host = brokerHost(before, { terms: { waitMs: 60 } });
      const id = await giveUp(host);
      await host.resolve(id, 'allow_once');
      await host.broker.close();
      await before.close();
      const after = brokerHost(await place.open(), { terms: { waitMs: 60 } });
      expect((await after.connect().call('delete_path', path)).isError).toBe(false);
    });

    it('a retry while the request is open joins it instead of asking twice', async () => {
      const host = await open({ terms: { waitMs: 60 } });
      const id = await giveUp(host);
      await host.connect().call('delete_path', path);
      expect(
        (await host.rest('GET', '/api/tools/approvals')).body.approvals.map((row: { id: string }) => row.id),
      ).toEqual([id]);
    });

    it('of two identical calls that wait on one allow_once exactly one runs', async () => {
      let ran = 0;
      const host = await open({
        tools: [
          worldTool('once', {
            risk: 'destructive',
            handler: async () => ((ran += 1), { ok: true, value: undefined, text: 'ran' }),
          }),
        ],
      });
      const leaving = new AbortController();
      const callings = [1, 2].map(() =>
        host
          .connect({ signal: leaving.signal })
          .call('once', { text: 'x' })
          .catch((error: Error) => error),
      );
      await expect
        .poll(
          async () =>
            (await host.rest('GET', '/api/tools/audit?decision=require_approval')).body.audit.length,
        )
        .toBe(2);
      const { id } = await host.pending();
      await host.resolve(id, 'allow_once');
      await Promise.race(callings);
      expect((await host.pending()).id).not.toBe(id);
      leaving.abort();
      await Promise.all(callings);
      expect(ran).toBe(1);
    });

    it('of two processes that retry at once exactly one redeems', async () => {
      const place = await freshPlace(engine);
      const hosts = [
        brokerHost(await place.open(), { terms: { waitMs: 80 } }),
        brokerHost(await place.open(), { terms: { waitMs: 80 } }),
      ];
      const id = await giveUp(hosts[0]!);
      await hosts[1]!.resolve(id, 'allow_once');
      const results = await Promise.all(
        [0, 1, 0, 1].map((n) => hosts[n]!.connect().call('delete_path', path)),
      );
      expect(results.filter(({ isError }) => !isError)).toHaveLength(1);
    });

    it('a shutdown tells the waiter to come again, and the request stays open', async () => {
      const place = await freshPlace(engine);
      const db = await place.open();
      const host = brokerHost(db);
      const calling = host
        .connect()
        .call('delete_path', path)
        .catch((error: Error) => error);
      const { id } = await host.pending();
      await host.broker.close();
      await db.close();
      await calling;
      const after = brokerHost(await place.open());
      expect((await after.pending()).id).toBe(id);
    });
  });

  describe('grants', () => {
    /** The same database, through a process that does not wait long for a person. */
    const impatient = (host: ReturnType<typeof brokerHost>) => brokerHost(host.db, { terms: { waitMs: 40 } });
    const grantFor = async (host: ReturnType<typeof brokerHost>, args: object, extra = {}) => {
      const calling = host.connect({ agent: 'ada' }).call('delete_path', args);
      const { id } = await host.pending();
      const answer = await host.resolve(id, 'allow_always', { covers: 'shape', ...extra });
      expect((await calling).isError).toBe(false);
      return answer.body.approval.grantId as string;
    };

    it('allow_always is remembered for the shape, listed and counted', async () => {
      const host = await open();
      const id = await grantFor(host, path);
      expect(
        (await host.connect({ agent: 'ada' }).call('delete_path', { path: '/tmp/a/other.txt' })).isError,
      ).toBe(false);
      const { body } = await host.rest('GET', '/api/tools/grants');
      expect(body.grants).toMatchObject([
        {
          id,
          toolName: 'delete_path',
          agentId: 'ada',
          shape: { path: '/tmp/a/*' },
          uses: 2,
          createdBy: 'local:local',
        },
      ]);
    });

    it('does not reach another folder or another agent', async () => {
      const host = await open();
      await grantFor(host, path);
      const { connect } = impatient(host);
      expect((await connect({ agent: 'ada' }).call('delete_path', path)).isError).toBe(false);
      expect(
        (await connect({ agent: 'ada' }).call('delete_path', { path: '/tmp/a/b/deeper.txt' })).isError,
      ).toBe(true);
      expect((await connect({ agent: 'bob' }).call('delete_path', path)).isError).toBe(true);
    });

    it('ends when it is revoked, and says who did it', async () => {
      const host = await open();
      const id = await grantFor(host, path, { grantTtlMs: 60_000 });
      const { body } = await host.rest('DELETE', `/api/tools/grants/${id}`);
      expect(body.grant).toMatchObject({ revokedBy: 'local:local', expiresAt: expect.any(Number) });
      expect((await impatient(host).connect({ agent: 'ada' }).call('delete_path', path)).isError).toBe(true);
      expect((await host.rest('GET', '/api/tools/grants')).body.grants).toEqual([]);
      expect((await host.rest('DELETE', `/api/tools/grants/${newId()}`)).status).toBe(404);
    });

    it('ends when it expires', async () => {
      const host = await open();
      const id = await grantFor(host, path, { grantTtlMs: 60_000 });
      await host.db.write(systemActor, (tx) =>
        tx.run(sql`update tool_grants set expires_at = ${tx.now} where id = ${id}`),
      );
      expect((await impatient(host).connect({ agent: 'ada' }).call('delete_path', path)).isError).toBe(true);
      expect((await host.rest('GET', '/api/tools/grants')).body.grants).toEqual([]);
      expect((await host.rest('GET', '/api/tools/grants?all=true')).body.grants).toHaveLength(1);
    });

    it('no grant crosses what an inspector forbids', async () => {
      const host = await open({
        terms: { waitMs: 60 },
        tools: [
          worldTool('sh', {
            risk: 'destructive',
            shape: () => ({ command: 'anything' }),
            handler: async () => ({ ok: true, value: undefined, text: 'ran' }),
          }),
        ],
      });
      const calling = host.connect().call('sh', { command: 'ls' });
      await host.resolve((await host.pending()).id, 'allow_always');
      await calling;
      expect((await host.connect().call('sh', { command: 'rm -rf /' })).meta.denied).toBe(
        'security:destructive:recursive-delete-root',
      );
    });
  });

  describe('a client that can be asked', () => {
    it('is asked in place, over an open connection', async () => {
      const host = await open();
      const asked: unknown[] = [];
      const peer = {
        notify: () => {},
        request: async (method: string, params: unknown) => (
          asked.push([method, params]),
          { action: 'accept', content: { decision: 'allow_once' } }
        ),
      };
      const { isError } = await host
        .connect({ can: ['elicitation'], peer, agent: 'ada' })
        .call('delete_path', path);
      expect(isError).toBe(false);
      expect(asked).toHaveLength(1);
      const { body } = await host.rest('GET', '/api/tools/audit?phase=after');
      expect(body.audit[0].outcome).toBe('ok');
    });

    it('a declined question is a no', async () => {
      const host = await open();
      const peer = { notify: () => {}, request: async () => ({ action: 'decline' }) };
      expect((await host.connect({ can: ['elicitation'], peer }).call('delete_path', path)).meta.denied).toBe(
        'approval:deny',
      );
    });

    it('is not asked where the operator does not trust its answers', async () => {
      const host = await open({ terms: { askClient: false, waitMs: 60 } });
      const peer = {
        notify: () => {},
        request: async () => ({ action: 'accept', content: { decision: 'allow_once' } }),
      };
      expect((await host.connect({ can: ['elicitation'], peer }).call('delete_path', path)).meta.denied).toBe(
        'approval:timeout',
      );
    });

    it('of the newer era ends the call with the question and comes again with the answer', async () => {
      const host = await open();
      const client = host.connect({ era: 'modern', can: ['elicitation'] });
      const first = await client.call('delete_path', path);
      const [[key]] = Object.entries(first.raw.inputRequests) as [[string, unknown]];
      const again = {
        inputResponses: { [key]: { action: 'accept', content: { decision: 'allow_once' } } },
        requestState: first.raw.requestState,
      };
      expect((await client.call('delete_path', path, again)).isError).toBe(false);
    });

    it('and puts the question off leaves it to the queue', async () => {
      const host = await open();
      const peer = { notify: () => {}, request: async () => ({ action: 'cancel' }) };
      const calling = host.connect({ can: ['elicitation'], peer }).call('delete_path', path);
      await host.resolve((await host.pending()).id, 'allow_once');
      expect((await calling).isError).toBe(false);
    });
  });

  it('a call without a hub is approved from another process', async () => {
    const place = await freshPlace(engine);
    const bin = brokerHost(await place.open());
    const cli = brokerHost(await place.open());
    const calling = bin.connect().call('delete_path', path);
    await cli.resolve((await cli.pending()).id, 'allow_once');
    expect((await calling).isError).toBe(false);
  });

  it('a caller that hangs up is written down, and its request stays open', async () => {
    const host = await open();
    const leaving = new AbortController();
    const calling = host
      .connect({ signal: leaving.signal })
      .call('delete_path', path)
      .catch((error: Error) => error);
    const { id } = await host.pending();
    leaving.abort();
    await calling;
    expect((await host.rest('GET', '/api/tools/audit?outcome=cancelled')).body.audit).toHaveLength(1);
    expect((await host.pending()).id).toBe(id);
  });
});

it('a request withdrawn on PostgreSQL while somebody allows it leaves no grant and no decision', async () => {
  const place = await freshPlace('postgres');
  const host = brokerHost(await place.open(), { terms: { waitMs: 1_000, lifeMs: 60_000 } });
  const calling = host.connect().call('delete_path', { path: '/tmp/a/b.txt' });
  const { id } = await host.pending();
  const other = new pg.Client({
    connectionString: place.location,
    options: `-c search_path=${place.schema}`,
  });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('begin');
  await other.query(`update tool_approvals set status = 'expired' where id = $1`, [id]);
  const resolving = host.resolve(id, 'allow_always');
  await pause(200);
  await other.query('commit');
  expect((await resolving).body.approval.status).toBe('expired');
  expect((await host.rest('GET', '/api/tools/grants')).body.grants).toEqual([]);
  expect((await host.rest('GET', '/api/tools/audit?phase=decision')).body.audit).toEqual([]);
  expect((await calling).isError).toBe(true);
});
