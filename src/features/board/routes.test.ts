import { describe, expect, it, onTestFinished } from 'vitest';
import { freshBoard } from '../../../test/fixtures/board-host.ts';
import { eachEngine, freshDatabase } from '../../../test/fixtures/databases.ts';
import { createHttpApp } from '../../http/app.ts';
import { createLog } from '../../kernel/log.ts';
import { localPrincipal, type Binding } from '../../kernel/principal.ts';
import { boardRoutes } from './routes.ts';
import { createActing } from '../../store/calls.ts';

const MISSING = '01890000-0000-7000-8000-000000000000';

eachEngine('/api/board', (engine) => {
  async function open(bound: Binding = {}) {
    const db = await freshDatabase(engine);
    const board = freshBoard(db);
    const serve = (bound: Binding) => {
      const app = createHttpApp({
        routes: boardRoutes({ db, acting: createActing(db), board }),
        authenticate: () => localPrincipal('', bound),
        log: createLog('error'),
        verifyResponses: true,
      });
      onTestFinished(() => app.close());
      return async (
        method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
        path: string,
        body?: object,
      ): Promise<{ status: number; body: any }> => {
        const url = path.startsWith('/api') ? path : `/api/board/tasks${path}`;
        const answer = await app.inject({ method, url, ...(body && { payload: body }) });
        return { status: answer.statusCode, body: answer.json() };
      };
    };
    return { call: serve(bound), serve };
  }

  type Call = Awaited<ReturnType<typeof open>>['call'];
  const make = async (call: Call, body: object): Promise<any> => (await call('POST', '', body)).body;

  it('creates, shows, lists and patches tasks', async () => {
    const { call } = await open();
    const made = await call('POST', '', { title: 'a', priority: 2, teamId: 't' });
    expect(made).toMatchObject({
      status: 201,
      body: { title: 'a', priority: 2, teamId: 't', status: 'todo' },
    });
    const { id } = made.body;
    expect((await call('GET', `/${id}`)).body).toMatchObject({ task: made.body, comments: [], checks: [] });
    expect((await call('GET', '?teamId=t&ready=true&limit=5')).body).toMatchObject({
      total: 1,
      tasks: [{ id }],
    });
    const facts = { branchRef: 'mend/roof', worktreeRef: '/work/roof', costUsd: 0.5 };
    expect((await call('PATCH', `/${id}`, facts)).body).toMatchObject(facts);
    const patched = await call('PATCH', `/${id}`, {
      title: 'b',
      description: 'why',
      priority: 3,
      status: 'blocked',
    });
    expect(patched).toMatchObject({
      status: 200,
      body: { title: 'b', description: 'why', priority: 3, status: 'blocked' },
    });
  });

  it('pages with cursors and refuses spoiled ones', async () => {
    const { call } = await open();
    for (const title of ['a', 'b', 'c']) await make(call, { title });
    const first = (await call('GET', '?limit=2')).body;
    const second = (await call('GET', `?limit=2&cursor=${first.nextCursor}`)).body;
    expect([...first.tasks, ...second.tasks].map((task) => task.title)).toEqual(['a', 'b', 'c']);
    expect(second.nextCursor).toBeUndefined();
    expect((await call('GET', `?limit=2&cursor=${first.nextCursor}x`)).status).toBe(400);
    expect((await call('GET', `?limit=2&status=todo&cursor=${first.nextCursor}`)).status).toBe(400);
  });

  it('claims, and answers 409 with the conflict', async () => {
    const { call } = await open();
    const { id } = await make(call, { title: 'a' });
    expect((await call('POST', `/${id}/claim`, { assigneeAgentId: 'ann' })).body).toMatchObject({
      assigneeAgentId: 'ann',
      fence: 1,
    });
    const lost = await call('POST', `/${id}/claim`, { assigneeAgentId: 'bob' });
    expect(lost).toMatchObject({ status: 409, body: { error: 'claim failed: conflict', code: 'conflict' } });
    expect(JSON.stringify(lost.body)).toContain('ann');
    expect((await call('POST', `/${id}/heartbeat`, { agentId: 'ann' })).body).toMatchObject({
      taskId: id,
      fence: 1,
    });
    expect((await call('POST', `/${id}/heartbeat`, { fence: 1, idempotencyKey: 'k' })).status).toBe(200);
    expect(await call('POST', `/${id}/heartbeat`)).toMatchObject({
      status: 409,
      body: { error: 'heartbeat failed: claim_required' },
    });
    expect((await call('POST', `/${id}/release`, { fence: 9 })).status).toBe(409);
    expect((await call('POST', `/${id}/release`)).body).toMatchObject({
      status: 'todo',
      assigneeAgentId: null,
    });
    expect((await call('POST', '/api/board/claim-next', { assigneeAgentId: 'bob' })).body.task).toMatchObject(
      { id, fence: 2 },
    );
    expect((await call('POST', '/api/board/claim-next', { assigneeAgentId: 'bob' })).body).toEqual({
      task: null,
    });
  });

  it('lets a reviewer judge what was handed in, and a stranger take nothing', async () => {
    const { call } = await open();
    const { id } = await make(call, { title: 'a' });
    await call('POST', `/${id}/claim`, { assigneeAgentId: 'ann' });
    const stranger = await call('PATCH', `/${id}`, { status: 'done', agentId: 'bob' });
    expect(stranger).toMatchObject({
      status: 409,
      body: { error: 'status change failed: not_holder', code: 'not_holder' },
    });
    await call('PATCH', `/${id}`, { status: 'in_review', agentId: 'ann' });
    expect((await call('PATCH', `/${id}`, { title: 'b', status: 'done', agentId: 'bob' })).body.error).toBe(
      'update failed: not_holder',
    );
    expect((await call('PATCH', `/${id}`, { status: 'done', agentId: 'bob' })).body).toMatchObject({
      status: 'done',
      title: 'a',
    });
  });

  it('comments as a person unless an agent is named, and pages back', async () => {
    const { call } = await open();
    const { id } = await make(call, { title: 'a' });
    expect((await call('POST', `/${id}/comments`, { body: 'one' })).body).toMatchObject({
      authorType: 'user',
      authorAgentId: null,
    });
    expect(
      (await call('POST', `/${id}/comments`, { body: 'two', authorAgentId: 'ann' })).body.authorType,
    ).toBe('agent');
    await call('POST', `/${id}/comments`, { body: 'three' });
    const newest = (await call('GET', `/${id}/comments?limit=2`)).body;
    expect(newest.comments.map((comment: { body: string }) => comment.body)).toEqual(['two', 'three']);
    const older = (await call('GET', `/${id}/comments?limit=2&before=${newest.nextBefore}`)).body;
    expect(older.comments.map((comment: { body: string }) => comment.body)).toEqual(['one']);
    expect(older.nextBefore).toBeUndefined();
  });

  it('links and unlinks', async () => {
    const { call } = await open();
    const [a, b] = [await make(call, { title: 'a' }), await make(call, { title: 'b' })];
    expect((await call('POST', `/${a.id}/dependencies`, { dependsOnTaskId: b.id })).status).toBe(201);
    expect((await call('POST', `/${b.id}/dependencies`, { dependsOnTaskId: a.id })).status).toBe(409);
    expect((await call('DELETE', `/${a.id}/dependencies/${b.id}`)).body).toEqual({
      taskId: a.id,
      dependsOnTaskId: b.id,
    });
    expect((await call('DELETE', `/${a.id}/dependencies/${b.id}`)).status).toBe(404);
  });

  describe('evidence', () => {
    async function checked(call: Call) {
      const { id } = await make(call, { title: 'a' });
      const check = (await call('POST', `/${id}/checks`, { title: 'tests pass' })).body;
      await call('POST', `/${id}/claim`, { assigneeAgentId: 'ann' });
      return { id, check };
    }

    it('guards done', async () => {
      const { call } = await open();
      const { id, check } = await checked(call);
      expect((await call('PATCH', `/${id}`, { status: 'done' })).body.error).toBe(
        'status change failed: verification_required',
      );
      const given = await call('POST', `/${id}/evidence`, {
        checkId: check.id,
        passed: true,
        summary: 'green',
      });
      expect(given).toMatchObject({ status: 201, body: { passed: true, current: true } });
      expect((await call('GET', `/${id}/evidence`)).body.evidence).toEqual([given.body]);
      expect((await call('PATCH', `/${id}`, { status: 'done' })).body).toMatchObject({
        status: 'done',
        verification: { status: 'pass' },
      });
    });

    it('can be overridden by a person, which is recorded', async () => {
      const { call } = await open();
      const { id } = await checked(call);
      const done = await call('PATCH', `/${id}`, {
        status: 'done',
        override: { reason: 'seen with my own eyes' },
      });
      expect(done.body).toMatchObject({
        status: 'done',
        verification: { status: 'overridden', by: 'local', reason: 'seen with my own eyes' },
      });
      expect((await call('GET', `/${id}`)).body.comments).toEqual([
        expect.objectContaining({ authorType: 'system' }),
      ]);
      expect(
        (await call('GET', `/${id}/history`)).body.events.map((event: { kind: string }) => event.kind),
      ).toContain('task.overridden');
    });

    it('cannot be overridden by an agent, nor without finishing', async () => {
      const { call, serve } = await open();
      const { id } = await checked(call);
      const agent = serve({ agent: 'ann' });
      expect(
        (await agent('PATCH', `/${id}`, { status: 'done', override: { reason: 'trust me' } })).status,
      ).toBe(403);
      expect((await call('PATCH', `/${id}`, { status: 'in_review', override: { reason: 'x' } })).status).toBe(
        400,
      );
      expect((await call('GET', `/${id}`)).body.task.status).toBe('in_progress');
    });
  });

  it('tells the history of one task, page by page', async () => {
    const { call } = await open();
    const { id } = await make(call, { title: 'a' });
    await call('POST', `/${id}/claim`, { assigneeAgentId: 'ann' });
    await call('PATCH', `/${id}`, { status: 'done', agentId: 'ann' });
    const first = (await call('GET', `/${id}/history?limit=2`)).body;
    const rest = (await call('GET', `/${id}/history?limit=2&after=${first.nextAfter}`)).body;
    expect([...first.events, ...rest.events].map((event) => event.kind)).toEqual([
      'task.created',
      'task.claimed',
      'task.status_changed',
    ]);
    expect(rest.events[0].actor).toEqual({ id: 'ann', asserted: true });
  });

  it('drops a task, which releases its dependents', async () => {
    const { call } = await open();
    const [a, b] = [await make(call, { title: 'a' }), await make(call, { title: 'b' })];
    await call('POST', `/${b.id}/dependencies`, { dependsOnTaskId: a.id });
    expect((await call('DELETE', `/${a.id}`)).body.dropped).toBe(true);
    expect((await call('GET', `/${a.id}`)).status).toBe(404);
    expect((await call('GET', '')).body.total).toBe(1);
    expect((await call('POST', `/${b.id}/claim`, { assigneeAgentId: 'ann' })).status).toBe(200);
  });

  it('takes effect once under one idempotency key', async () => {
    const { call } = await open();
    const body = { title: 'a', idempotencyKey: 'k' };
    expect((await call('POST', '', body)).body).toEqual((await call('POST', '', body)).body);
    expect((await call('POST', '', { ...body, title: 'b' })).status).toBe(409);
    expect((await call('GET', '')).body.total).toBe(1);
  });

  it.each([
    ['GET', '?limit=-1', undefined],
    ['GET', '?limit=99999', undefined],
    ['GET', '?status=doing', undefined],
    ['GET', '?ready=yes', undefined],
    ['GET', '?colour=red', undefined],
    ['POST', '', {}],
    ['POST', '', { title: 'a', colour: 'red' }],
    ['POST', '', { title: 'a', priority: 1e30 }],
    ['POST', `/${MISSING}/claim`, {}],
    ['PATCH', `/${MISSING}`, { status: 'doing' }],
    ['POST', `/${MISSING}/release`, { colour: 'red' }],
  ] as const)('refuses %s %s %j', async (method, path, body) => {
    const { call } = await open();
    expect(await call(method, path, body)).toMatchObject({ status: 400, body: { code: 'invalid' } });
  });

  it('shows a caller that is bound to a team nothing else, whatever it asks for', async () => {
    const { call, serve } = await open();
    const own = await make(call, { title: 'own', teamId: 't' });
    const free = await make(call, { title: 'free' });
    const bound = serve({ team: 't' });
    expect((await bound('GET', '?teamId=t&orNone=true')).body.tasks).toMatchObject([{ id: own.id }]);
    expect((await call('GET', '?teamId=t&orNone=true')).body.total).toBe(2);
    const ending = (id: string) => `/api/board/ids?ending=${id.slice(-8).toUpperCase()}`;
    expect((await bound('GET', ending(own.id))).body).toEqual({ ids: [own.id], total: 1 });
    expect((await bound('GET', ending(free.id))).body).toEqual({ ids: [], total: 0 });
    expect((await call('GET', '/api/board/ids?ending=')).body.total).toBe(2);
  });

  it('answers 404 for what is not there or belongs to another team', async () => {
    const { call, serve } = await open();
    const { id } = await make(call, { title: 'a', teamId: 'theirs' });
    const bound = serve({ team: 'mine' });
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { title: 'b' }],
      ['DELETE', '', undefined],
      ['POST', '/claim', { assigneeAgentId: 'ann' }],
      ['POST', '/release', undefined],
      ['POST', '/heartbeat', {}],
      ['GET', '/comments', undefined],
      ['POST', '/comments', { body: 'x' }],
      ['POST', '/dependencies', { dependsOnTaskId: MISSING }],
      ['POST', '/checks', { title: 'x' }],
      ['GET', '/evidence', undefined],
      ['POST', '/evidence', { checkId: MISSING, passed: true, summary: 'x' }],
      ['GET', '/history', undefined],
    ] as const) {
      expect(await call(method, `/${MISSING}${path}`, body)).toMatchObject({
        status: 404,
        body: { error: `not found: ${MISSING}` },
      });
      expect(await bound(method, `/${id}${path}`, body)).toMatchObject({
        status: 404,
        body: { error: `not found: ${id}` },
      });
    }
  });

  it('exports page by page and imports with a report', async () => {
    const [from, to] = [await open(), await open()];
    const { id } = await make(from.call, { title: 'a' });
    await from.call('POST', `/${id}/comments`, { body: 'x' });
    const lines: string[] = [];
    for (let cursor = ''; ;) {
      const page = (await from.call('GET', `/api/board/archive${cursor}`)).body;
      lines.push(...page.records.map((record: unknown) => JSON.stringify(record)));
      if (page.nextCursor === undefined) break;
      cursor = `?cursor=${page.nextCursor}`;
    }
    const imported = await to.call('POST', '/api/board/archive', { lines: [...lines, 'broken'] });
    expect(imported.body).toEqual({
      added: 2,
      known: 0,
      updated: 0,
      problems: [{ line: 4, problem: 'not valid JSON' }],
    });
    expect((await to.call('GET', `/${id}`)).body.comments).toHaveLength(1);
    expect((await from.call('GET', '/api/board/archive?cursor=spoiled')).status).toBe(400);
    expect((await from.serve({ team: 't' })('GET', '/api/board/archive')).status).toBe(403);
  });

  it('is described by the OpenAPI document', async () => {
    const { call } = await open();
    const { paths } = (await call('GET', '/api/openapi.json')).body;
    expect(Object.keys(paths['/api/board/tasks'])).toEqual(['get', 'post']);
    expect(paths['/api/board/tasks/{taskId}/claim'].post.responses).toHaveProperty('409');
    expect(paths['/api/board/tasks'].post.requestBody.required).toBe(true);
  });
});
