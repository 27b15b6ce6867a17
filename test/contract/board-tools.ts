import { describe, expect, it } from 'vitest';
import type { BoardClient, BoardHost } from '../fixtures/board-host.ts';
import type { ToolAnswer } from '../fixtures/tool-answer.ts';

/**
 * The twelve documented tools of `clawboo-tasks`, as any client sees them. Parameterised by the host, so that the
 * same behaviour is proven over every transport and both engines.
 */
export const DOCUMENTED = [
  'add_comment',
  'assign_task',
  'block_task',
  'claim_task',
  'create_subtask',
  'create_task',
  'get_task',
  'link_task',
  'list_tasks',
  'release_task',
  'unblock_task',
  'update_task_status',
];

const STATUSES = ['backlog', 'todo', 'in_progress', 'in_review', 'blocked', 'done', 'cancelled'];
const MISSING = '01890000-0000-7000-8000-000000000000';

const TASK_FIELDS = [
  'assigneeAgentId',
  'assigneeRuntime',
  'branchRef',
  'claimedAt',
  'completedAt',
  'costUsd',
  'createdAt',
  'description',
  'dropped',
  'due',
  'externalId',
  'fence',
  'id',
  'leaseUntil',
  'parentSessionId',
  'parentTaskId',
  'priority',
  'scheduledBy',
  'sourceDelegationId',
  'status',
  'teamId',
  'tenantId',
  'title',
  'updatedAt',
  'verification',
  'worktreeRef',
];

export function boardToolsContract(name: string, openHost: () => Promise<BoardHost>): void {
  const open = async () => (await openHost()).connect();
  const openTwo = async () => {
    const host = await openHost();
    return [await host.connect(), await host.connect()] as const;
  };

  describe(`${name}: reading`, () => {
    it('lists exactly the documented tools', async () => {
      expect((await (await open()).toolNames()).toSorted()).toEqual(DOCUMENTED);
    });

    it('answers the same facts as structured content and as text', async () => {
      const client = await open();
      const made = await client.call('create_task', { title: 'a' });
      expect(made.lines).toHaveLength(1);
      expect(JSON.parse(made.lines[0]!)).toEqual(made.value);
      const listed = await client.call('list_tasks');
      expect(JSON.parse(listed.lines[0]!)).toEqual(listed.value);
    });

    it('gives a new task the documented fields and defaults', async () => {
      const { value } = await (await open()).call('create_task', { title: 'a' });
      expect(Object.keys(value).toSorted()).toEqual(TASK_FIELDS);
      expect(value).toMatchObject({
        title: 'a',
        description: null,
        status: 'todo',
        priority: 0,
        teamId: null,
        assigneeAgentId: null,
        assigneeRuntime: null,
        parentTaskId: null,
        costUsd: 0,
        dropped: false,
        scheduledBy: 'manual',
        completedAt: null,
        fence: null,
        leaseUntil: null,
      });
    });

    it('gets a task with comments, ancestors, dependencies, dependents and children', async () => {
      const client = await open();
      const root = await create(client, { title: 'root', teamId: 't' });
      const middle = await create(client, { title: 'middle', parentTaskId: root.id });
      const leaf = (await client.call('create_subtask', { parentTaskId: middle.id, title: 'leaf' })).value;
      const other = await create(client, { title: 'other' });
      const last = await create(client, { title: 'last' });
      await client.call('link_task', { taskId: leaf.id, dependsOnTaskId: other.id });
      await client.call('link_task', { taskId: last.id, dependsOnTaskId: leaf.id });
      await client.call('add_comment', { taskId: leaf.id, body: 'first', authorAgentId: 'ann' });
      await client.call('add_comment', { taskId: leaf.id, body: 'second', authorType: 'user' });
      const { value } = await client.call('get_task', { taskId: leaf.id });
      expect(value.task).toMatchObject({ id: leaf.id, teamId: 't', parentTaskId: middle.id });
      expect(value.ancestors.map((task: { title: string }) => task.title)).toEqual(['middle', 'root']);
      expect(value.dependencies).toEqual([
        { id: other.id, title: 'other', status: 'todo', parentTaskId: null, untrusted: true },
      ]);
      expect(value.dependents.map((task: { id: string }) => task.id)).toEqual([last.id]);
      expect(value.children).toEqual([]);
      expect(value.comments.map((comment: { body: string }) => comment.body)).toEqual(['first', 'second']);
      expect(
        (await client.call('get_task', { taskId: middle.id })).value.children.map(
          (task: { id: string }) => task.id,
        ),
      ).toEqual([leaf.id]);
    });

    it('lists by priority, then creation, with the documented fields and a total', async () => {
      const client = await open();
      for (const [title, priority] of [
        ['low', -1],
        ['first', 0],
        ['second', 0],
        ['high', 9],
      ] as const) {
        await create(client, { title, priority });
      }
      const { value } = await client.call('list_tasks');
      expect(titles(value)).toEqual(['high', 'first', 'second', 'low']);
      expect(value.total).toBe(4);
      expect(value.nextCursor).toBeUndefined();
      expect(Object.keys(value.tasks[0])).toEqual(
        expect.arrayContaining([
          'id',
          'title',
          'status',
          'priority',
          'teamId',
          'assigneeAgentId',
          'assigneeRuntime',
          'parentTaskId',
          'createdAt',
          'updatedAt',
        ]),
      );
    });

    it('pages through everything exactly once', async () => {
      const client = await open();
      for (let i = 0; i < 23; i += 1) await create(client, { title: `t${i}`, priority: i % 3 });
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const { value } = await client.call('list_tasks', {
          limit: 5,
          ...(cursor !== undefined && { cursor }),
        });
        expect(value.total).toBe(23);
        seen.push(...titles(value));
        cursor = value.nextCursor;
      } while (cursor !== undefined);
      expect(seen).toHaveLength(23);
      expect(new Set(seen).size).toBe(23);
      expect(seen).toEqual(titles((await client.call('list_tasks')).value));
    });

    it('filters by team, status and readiness', async () => {
      const client = await open();
      const free = await create(client, { title: 'free', teamId: 'a' });
      const waiting = await create(client, { title: 'waiting', teamId: 'a' });
      await create(client, { title: 'later', teamId: 'a', status: 'backlog' });
      await create(client, { title: 'elsewhere', teamId: 'b' });
      await client.call('link_task', { taskId: waiting.id, dependsOnTaskId: free.id });
      expect(titles((await client.call('list_tasks', { teamId: 'a' })).value)).toEqual([
        'free',
        'waiting',
        'later',
      ]);
      expect(titles((await client.call('list_tasks', { status: 'backlog' })).value)).toEqual(['later']);
      expect(titles((await client.call('list_tasks', { teamId: 'a', ready: true })).value)).toEqual(['free']);
    });
  });

  describe(`${name}: claiming`, () => {
    it('claims a todo task and answers its holder, fence and lease', async () => {
      const client = await open();
      const task = await create(client, { title: 'a' });
      const { value, isError } = await claim(client, task.id, 'ann', { assigneeRuntime: 'codex' });
      expect(isError).toBe(false);
      expect(value).toMatchObject({
        id: task.id,
        status: 'in_progress',
        assigneeAgentId: 'ann',
        assigneeRuntime: 'codex',
        fence: 1,
      });
      expect(value.leaseUntil).toBeGreaterThan(value.claimedAt);
    });

    it('refuses a second claim with the documented line and says who holds it', async () => {
      const [client, other] = await openTwo();
      const task = await create(client, { title: 'a' });
      const won = (await claim(client, task.id, 'ann')).value;
      const lost = await claim(other, task.id, 'bob');
      expectRefusal(lost, 'claim failed: conflict', 'conflict');
      expect(lost.value.holder).toMatchObject({
        agentId: 'ann',
        since: won.claimedAt,
        leaseUntil: won.leaseUntil,
      });
      expect(lost.value.holder).not.toHaveProperty('fence');
      expect(lost.value.hint).toContain('do not retry');
      expect(lost.lines[1]).toContain('ann');
    });

    it('does not tell a second session of the same name that it holds the task', async () => {
      const [client, other] = await openTwo();
      const task = await create(client, { title: 'a' });
      await claim(client, task.id, 'ann');
      const refused = await claim(other, task.id, 'ann');
      expectRefusal(refused, 'claim failed: conflict', 'conflict');
      expect(refused.value.hint).toContain('do not retry');
    });

    it('assigns with the same claim', async () => {
      const client = await open();
      const task = await create(client, { title: 'a' });
      expect(
        (await client.call('assign_task', { taskId: task.id, assigneeAgentId: 'ann' })).value.assigneeAgentId,
      ).toBe('ann');
      expectRefusal(
        await client.call('assign_task', { taskId: task.id, assigneeAgentId: 'bob' }),
        'claim failed: conflict',
        'conflict',
      );
    });

    it('refuses an unready task and names what it waits for', async () => {
      const client = await open();
      const [first, second] = [
        await create(client, { title: 'first' }),
        await create(client, { title: 'second' }),
      ];
      await client.call('link_task', { taskId: second.id, dependsOnTaskId: first.id });
      const refused = await claim(client, second.id, 'ann');
      expectRefusal(refused, 'claim failed: conflict (not ready)', 'conflict');
      expect(refused.value.waitsFor).toEqual([{ id: first.id, status: 'todo' }]);
      await claim(client, first.id, 'ann');
      await move(client, first.id, 'done');
      expect((await claim(client, second.id, 'ann')).isError).toBe(false);
    });

    it('keeps the runtime a task was made for when the claim names none', async () => {
      const client = await open();
      const task = await create(client, { title: 'a', assigneeRuntime: 'codex' });
      expect((await claim(client, task.id, 'ann')).value.assigneeRuntime).toBe('codex');
    });

    it('refuses to claim what is not ready', async () => {
      const client = await open();
      for (const status of ['backlog', 'blocked', 'cancelled']) {
        const task = await create(client, { title: 'a', status });
        expectRefusal(await claim(client, task.id, 'ann'), 'claim failed: conflict', 'conflict');
      }
    });

    it('lets exactly one of many claimants win', async () => {
      const client = await open();
      const task = await create(client, { title: 'a' });
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) => claim(client, task.id, `agent-${i}`)),
      );
      expect(answers.filter((answer) => !answer.isError)).toHaveLength(1);
      expect(answers.filter((answer) => answer.lines[0] === 'claim failed: conflict')).toHaveLength(11);
    });

    it('releases a claimed task to todo and mints a new fence for the next claim', async () => {
      const client = await open();
      const task = await create(client, { title: 'a' });
      await claim(client, task.id, 'ann');
      const released = await client.call('release_task', { taskId: task.id });
      expect(released.value).toMatchObject({
        status: 'todo',
        assigneeAgentId: null,
        assigneeRuntime: null,
        fence: null,
        leaseUntil: null,
      });
      expect((await claim(client, task.id, 'bob')).value.fence).toBe(2);
    });

    it('refuses to release what nobody holds', async () => {
      const client = await open();
      const task = await create(client, { title: 'a' });
      expectRefusal(
        await client.call('release_task', { taskId: task.id }),
        'release failed: not_claimed',
        'conflict',
      );
    });
  });

  describe(`${name}: moving`, () => {
    it('walks a task from claim through review to done', async () => {
      const client = await open();
      const task = await create(client, { title: 'a' });
      await claim(client, task.id, 'ann');
      expect((await move(client, task.id, 'in_review')).value.status).toBe('in_review');
      const { value } = await move(client, task.id, 'done');
      expect(value).toMatchObject({ status: 'done', assigneeAgentId: 'ann', leaseUntil: null });
      expect(value.completedAt).toEqual(expect.any(Number));
    });

    it('refuses other moves and names the legal ones', async () => {
      const client = await open();
      for (const [from, to] of [
        ['backlog', 'done'],
        ['backlog', 'in_progress'],
        ['todo', 'in_review'],
        ['todo', 'done'],
        ['cancelled', 'todo'],
      ] as const) {
        const task = await create(client, { title: 'a', status: from });
        const refused = await move(client, task.id, to);
        expectRefusal(refused, 'status change failed: illegal_transition', 'conflict');
        expect(refused.value).toMatchObject({ status: from, to });
        expect(STATUSES).toEqual(expect.arrayContaining(refused.value.allowed));
      }
    });

    it('accepts the status a task already has and changes nothing', async () => {
      const client = await open();
      const task = await create(client, { title: 'a' });
      expect((await move(client, task.id, 'todo')).value).toEqual({ ...task, untrusted: true });
    });

    it('refuses to create a task as begun or done for nobody', async () => {
      const client = await open();
      for (const status of ['in_progress', 'in_review', 'done']) {
        const refused = await client.call('create_task', { title: 'a', status });
        expectRefusal(refused, 'status change failed: claim_required', 'conflict');
        expect((await client.call('list_tasks')).value.total).toBe(0);
      }
    });

    it('refuses to start a task for nobody', async () => {
      const client = await open();
      const task = await create(client, { title: 'a' });
      expectRefusal(
        await move(client, task.id, 'in_progress'),
        'status change failed: claim_required',
        'conflict',
      );
    });

    it('makes a caller who names itself the holder of what it starts', async () => {
      const client = await open();
      const task = await create(client, { title: 'a' });
      const started = await move(client, task.id, 'in_progress', { agentId: 'ann' });
      expect(started.value).toMatchObject({ status: 'in_progress', assigneeAgentId: 'ann', fence: 1 });
      const made = await client.call('create_task', { title: 'b', status: 'in_progress', agentId: 'ann' });
      expect(made.value).toMatchObject({ status: 'in_progress', assigneeAgentId: 'ann', fence: 1 });
    });

    it('does not start an unready task by its status', async () => {
      const client = await open();
      const [first, second] = [
        await create(client, { title: 'first' }),
        await create(client, { title: 'second' }),
      ];
      await client.call('link_task', { taskId: second.id, dependsOnTaskId: first.id });
      expectRefusal(
        await move(client, second.id, 'in_progress', { agentId: 'ann' }),
        'status change failed: not_ready',
        'conflict',
      );
    });

    it('blocks, and unblocks only what is blocked', async () => {
      const client = await open();
      const task = await create(client, { title: 'a' });
      expect((await client.call('block_task', { taskId: task.id })).value.status).toBe('blocked');
      expect((await client.call('unblock_task', { taskId: task.id })).value.status).toBe('todo');
      expectRefusal(
        await client.call('unblock_task', { taskId: task.id }),
        'unblock failed: illegal_transition',
        'conflict',
      );
      await claim(client, task.id, 'ann');
      expectRefusal(
        await client.call('unblock_task', { taskId: task.id }),
        'unblock failed: illegal_transition',
        'conflict',
      );
      await move(client, task.id, 'done');
      expectRefusal(
        await client.call('block_task', { taskId: task.id }),
        'block failed: illegal_transition',
        'conflict',
      );
    });

    it('keeps the holder while a task is blocked', async () => {
      const client = await open();
      const task = await create(client, { title: 'a' });
      await claim(client, task.id, 'ann');
      expect((await client.call('block_task', { taskId: task.id })).value.assigneeAgentId).toBe('ann');
      expect((await move(client, task.id, 'in_progress')).value).toMatchObject({
        status: 'in_progress',
        assigneeAgentId: 'ann',
        fence: 1,
      });
    });
  });

  describe(`${name}: fences and identity`, () => {
    it('refuses a fence that is over, with the present holder and what to do', async () => {
      const client = await open();
      const task = await create(client, { title: 'a' });
      const { fence } = (await claim(client, task.id, 'ann')).value;
      await client.call('release_task', { taskId: task.id });
      await claim(client, task.id, 'bob');
      const refused = await move(client, task.id, 'done', { fence });
      expectRefusal(refused, 'status change failed: stale_fence', 'stale_fence');
      expect(refused.value.holder).toMatchObject({ agentId: 'bob' });
      expect(refused.value.hint).toContain('stop');
      expectRefusal(
        await client.call('release_task', { taskId: task.id, fence }),
        'release failed: stale_fence',
        'stale_fence',
      );
      expectRefusal(
        await client.call('block_task', { taskId: task.id, fence }),
        'block failed: stale_fence',
        'stale_fence',
      );
      expect((await move(client, task.id, 'done', { fence: 2 })).isError).toBe(false);
    });

    it('still takes the notes of a holder who lost its claim', async () => {
      const client = await open();
      const task = await create(client, { title: 'a' });
      const { fence } = (await claim(client, task.id, 'ann')).value;
      await client.call('release_task', { taskId: task.id });
      await claim(client, task.id, 'bob');
      expect(
        (await client.call('add_comment', { taskId: task.id, body: 'my notes', authorAgentId: 'ann', fence }))
          .isError,
      ).toBe(false);
    });

    it('refuses a caller who names itself and is not the holder', async () => {
      const [client, other] = await openTwo();
      const task = await create(client, { title: 'a' });
      await claim(client, task.id, 'ann');
      const refused = await move(other, task.id, 'done', { agentId: 'bob' });
      expectRefusal(refused, 'status change failed: not_holder', 'not_holder');
      expect(refused.value).toMatchObject({
        holder: { agentId: 'ann' },
        hint: expect.stringContaining('ann holds this task since'),
      });
    });

    it('lets nobody finish what another connection holds; without connections only names tell callers apart', async () => {
      const host = await openHost();
      const [client, other] = [await host.connect(), await host.connect()];
      const task = await create(client, { title: 'a' });
      await claim(client, task.id, 'ann');
      const answer = await move(other, task.id, 'done');
      if (host.isStateless) return expect(answer.value.status).toBe('done');
      expectRefusal(answer, 'status change failed: not_holder', 'not_holder');
      expect((await move(client, task.id, 'done')).value.status).toBe('done');
    });

    it('shows the fence to its holder and to nobody else', async () => {
      const host = await openHost();
      const [ann, bob] = [await host.connect({ agent: 'ann' }), await host.connect({ agent: 'bob' })];
      const task = await create(ann, { title: 'a' });
      expect((await claim(ann, task.id, 'ann')).value.fence).toBe(1);
      const fences = async (client: BoardClient) => [
        (await client.call('get_task', { taskId: task.id })).value.task.fence,
        (await client.call('list_tasks')).value.tasks[0].fence,
      ];
      expect(await fences(ann)).toEqual([1, 1]);
      expect(await fences(bob)).toEqual([null, null]);
    });

    it('gives work to another agent, who holds it from its first call on', async () => {
      const host = await openHost();
      const [ann, bob, cid] = [
        await host.connect({ agent: 'ann' }),
        await host.connect({ agent: 'bob' }),
        await host.connect({ agent: 'cid' }),
      ];
      const task = await create(ann, { title: 'a' });
      const given = await ann.call('assign_task', { taskId: task.id, assigneeAgentId: 'bob' });
      expect(given.value).toMatchObject({ status: 'in_progress', assigneeAgentId: 'bob' });
      expectRefusal(await move(ann, task.id, 'done'), 'status change failed: not_holder', 'not_holder');
      expectRefusal(await move(cid, task.id, 'done'), 'status change failed: not_holder', 'not_holder');
      expectRefusal(await claim(cid, task.id, 'cid'), 'claim failed: conflict', 'conflict');
      expect((await claim(bob, task.id, 'bob')).value).toMatchObject({ assigneeAgentId: 'bob', fence: 1 });
      expect((await move(bob, task.id, 'done')).value.status).toBe('done');
    });

    it('lets who made or assigned a task cancel it', async () => {
      const host = await openHost();
      const [ann, bob] = [await host.connect({ agent: 'ann' }), await host.connect({ agent: 'bob' })];
      const task = await create(ann, { title: 'a' });
      await claim(bob, task.id, 'bob');
      expectRefusal(await move(ann, task.id, 'done'), 'status change failed: not_holder', 'not_holder');
      expect((await move(ann, task.id, 'cancelled')).value.status).toBe('cancelled');
    });

    it('does not let a bound agent act as another one', async () => {
      const host = await openHost();
      const ann = await host.connect({ agent: 'ann' });
      const task = await create(ann, { title: 'a' });
      expect((await claim(ann, task.id, 'bob')).value.code).toBe('forbidden');
      expect(
        (await ann.call('add_comment', { taskId: task.id, body: 'x', authorAgentId: 'bob' })).value.code,
      ).toBe('forbidden');
      expect(
        (await ann.call('add_comment', { taskId: task.id, body: 'x', authorType: 'user' })).value.code,
      ).toBe('forbidden');
      expect(
        (await ann.call('add_comment', { taskId: task.id, body: 'x', authorType: 'system' })).value.code,
      ).toBe('forbidden');
      expect((await ann.call('get_task', { taskId: task.id })).value).toMatchObject({
        task: { status: 'todo' },
        comments: [],
      });
      expect((await ann.call('add_comment', { taskId: task.id, body: 'x' })).value).toMatchObject({
        authorAgentId: 'ann',
        authorType: 'agent',
      });
    });

    it('lets a bound agent work on what it holds and on nothing that another holds', async () => {
      const host = await openHost();
      const [ann, bob] = [await host.connect({ agent: 'ann' }), await host.connect({ agent: 'bob' })];
      const task = await create(ann, { title: 'a' });
      await claim(ann, task.id, 'ann');
      for (const [tool, verb] of [
        ['release_task', 'release'],
        ['block_task', 'block'],
      ] as const) {
        expectRefusal(await bob.call(tool, { taskId: task.id }), `${verb} failed: not_holder`, 'not_holder');
      }
      await ann.call('block_task', { taskId: task.id });
      expect((await bob.call('unblock_task', { taskId: task.id })).value.status).toBe('todo');
    });

    it('starts work for a bound agent without a claim call', async () => {
      const host = await openHost();
      const ann = await host.connect({ agent: 'ann' });
      const task = await create(ann, { title: 'a' });
      expect((await move(ann, task.id, 'in_progress')).value).toMatchObject({
        assigneeAgentId: 'ann',
        fence: 1,
      });
    });

    it('shows a bound team its own tasks and nothing else', async () => {
      const host = await openHost();
      const [anyone, mine] = [await host.connect(), await host.connect({ team: 'mine' })];
      const foreign = await create(anyone, { title: 'foreign', teamId: 'theirs' });
      const nobodys = await create(anyone, { title: 'nobodys' });
      const own = await create(mine, { title: 'own', teamId: 'theirs' });
      expect(own.teamId).toBe('mine');
      expect(titles((await mine.call('list_tasks', { teamId: 'theirs' })).value)).toEqual(['own']);
      for (const { id } of [foreign, nobodys]) {
        for (const answer of [
          await mine.call('get_task', { taskId: id }),
          await claim(mine, id, 'ann'),
          await mine.call('assign_task', { taskId: id, assigneeAgentId: 'ann' }),
          await mine.call('release_task', { taskId: id }),
          await mine.call('block_task', { taskId: id }),
          await mine.call('unblock_task', { taskId: id }),
          await move(mine, id, 'cancelled'),
          await mine.call('add_comment', { taskId: id, body: 'x' }),
          await mine.call('create_subtask', { parentTaskId: id, title: 'x' }),
          await mine.call('create_task', { parentTaskId: id, title: 'x' }),
          await mine.call('link_task', { taskId: own.id, dependsOnTaskId: id }),
          await mine.call('link_task', { taskId: id, dependsOnTaskId: own.id }),
        ]) {
          expectRefusal(answer, `not found: ${id}`, 'not_found');
        }
      }
      expect((await anyone.call('get_task', { taskId: foreign.id })).value).toMatchObject({
        task: { status: 'todo' },
        children: [],
      });
    });
  });

  describe(`${name}: dependencies`, () => {
    it('links, and links again without complaint', async () => {
      const client = await open();
      const [a, b] = [await create(client, { title: 'a' }), await create(client, { title: 'b' })];
      const linked = await client.call('link_task', { taskId: a.id, dependsOnTaskId: b.id });
      expect(linked.value).toEqual({ taskId: a.id, dependsOnTaskId: b.id });
      expect((await client.call('link_task', { taskId: a.id, dependsOnTaskId: b.id })).value).toEqual(
        linked.value,
      );
    });

    it('makes a task that waits from its first moment on', async () => {
      const client = await open();
      const first = await create(client, { title: 'first' });
      const second = await create(client, { title: 'second', dependsOn: [first.id, first.id] });
      expect(
        (await client.call('get_task', { taskId: second.id })).value.dependencies.map(
          ({ id }: { id: string }) => id,
        ),
      ).toEqual([first.id]);
      expectRefusal(await claim(client, second.id, 'ann'), 'claim failed: conflict (not ready)', 'conflict');
    });

    it('makes no task that waits for an unknown one, or that would begin before what it waits for is over', async () => {
      const client = await open();
      expectRefusal(
        await client.call('create_task', { title: 'x', dependsOn: [MISSING] }),
        `not found: ${MISSING}`,
        'not_found',
      );
      const first = await create(client, { title: 'first' });
      const early = await client.call('create_task', {
        title: 'x',
        status: 'in_progress',
        agentId: 'ann',
        dependsOn: [first.id],
      });
      expectRefusal(early, 'status change failed: not_ready', 'conflict');
      expect((await client.call('list_tasks')).value.total).toBe(1);
      await move(client, first.id, 'cancelled');
      const begun = await client.call('create_task', {
        title: 'x',
        status: 'in_progress',
        agentId: 'ann',
        dependsOn: [first.id],
      });
      expect(begun.value).toMatchObject({ status: 'in_progress', assigneeAgentId: 'ann' });
    });

    it('refuses a cycle, near and far, and a link to itself', async () => {
      const client = await open();
      const [a, b, c] = [
        await create(client, { title: 'a' }),
        await create(client, { title: 'b' }),
        await create(client, { title: 'c' }),
      ];
      await client.call('link_task', { taskId: a.id, dependsOnTaskId: b.id });
      await client.call('link_task', { taskId: b.id, dependsOnTaskId: c.id });
      for (const [from, to] of [
        [b, a],
        [c, a],
        [a, a],
      ] as const) {
        const refused = await client.call('link_task', { taskId: from.id, dependsOnTaskId: to.id });
        expectRefusal(refused, `linking ${from.id} to ${to.id} would create a dependency cycle`, 'conflict');
      }
    });

    it('stores at most one of two opposite links made at the same moment', async () => {
      const client = await open();
      for (let round = 0; round < 5; round += 1) {
        const [a, b] = [await create(client, { title: 'a' }), await create(client, { title: 'b' })];
        const answers = await Promise.all([
          client.call('link_task', { taskId: a.id, dependsOnTaskId: b.id }),
          client.call('link_task', { taskId: b.id, dependsOnTaskId: a.id }),
        ]);
        expect(answers.filter((answer) => answer.isError)).toHaveLength(1);
      }
    });

    it('releases the dependents of a cancelled task and tells them', async () => {
      const client = await open();
      const [a, b] = [await create(client, { title: 'a' }), await create(client, { title: 'b' })];
      await client.call('link_task', { taskId: b.id, dependsOnTaskId: a.id });
      await move(client, a.id, 'cancelled');
      const { value } = await client.call('get_task', { taskId: b.id });
      expect(value.comments).toEqual([
        expect.objectContaining({
          authorType: 'system',
          authorAgentId: null,
          body: expect.stringContaining(a.id),
        }),
      ]);
      expect((await claim(client, b.id, 'ann')).isError).toBe(false);
    });
  });

  describe(`${name}: bad input`, () => {
    it('answers an unknown id with the documented line, whatever the tool', async () => {
      const client = await open();
      const { id } = await create(client, { title: 'a' });
      for (const answer of [
        await client.call('get_task', { taskId: MISSING }),
        await claim(client, MISSING, 'ann'),
        await client.call('release_task', { taskId: MISSING }),
        await move(client, MISSING, 'done'),
        await client.call('block_task', { taskId: MISSING }),
        await client.call('unblock_task', { taskId: MISSING }),
        await client.call('add_comment', { taskId: MISSING, body: 'x' }),
        await client.call('create_subtask', { parentTaskId: MISSING, title: 'x' }),
        await client.call('create_task', { parentTaskId: MISSING, title: 'x' }),
        await client.call('link_task', { taskId: MISSING, dependsOnTaskId: id }),
        await client.call('link_task', { taskId: id, dependsOnTaskId: MISSING }),
      ]) {
        expectRefusal(answer, `not found: ${MISSING}`, 'not_found');
      }
    });

    it('refuses what is no argument and stores nothing', async () => {
      const client = await open();
      for (const [what, tool, args] of [
        ['an empty title', 'create_task', { title: '' }],
        ['a blank title', 'create_task', { title: '  ' }],
        ['a title of 501 characters', 'create_task', { title: 'x'.repeat(501) }],
        ['a title that is no text', 'create_task', { title: 7 }],
        ['a title with NUL', 'create_task', { title: 'a\0b' }],
        ['a long description', 'create_task', { title: 'a', description: 'x'.repeat(20_001) }],
        ['a huge priority', 'create_task', { title: 'a', priority: 1e30 }],
        ['a fractional priority', 'create_task', { title: 'a', priority: 0.5 }],
        ['an unknown status', 'create_task', { title: 'a', status: 'doing' }],
        ['an unknown argument', 'create_task', { title: 'a', colour: 'red' }],
        ['no title', 'create_task', {}],
        ['a negative limit', 'list_tasks', { limit: -1 }],
        ['a limit of 0', 'list_tasks', { limit: 0 }],
        ['a huge limit', 'list_tasks', { limit: 501 }],
        ['an empty assignee', 'claim_task', { taskId: MISSING, assigneeAgentId: '' }],
        ['an empty comment', 'add_comment', { taskId: MISSING, body: '' }],
        ['a long comment', 'add_comment', { taskId: MISSING, body: 'x'.repeat(20_001) }],
        ['a fence that is no number', 'release_task', { taskId: MISSING, fence: 'one' }],
        ['an id with NUL', 'get_task', { taskId: 'a\0' }],
      ] as const) {
        const refused = await client.call(tool, args);
        expect(refused.isError, what).toBe(true);
        expect(refused.value.code, what).toBe('invalid');
        expect((await client.call('list_tasks')).value.total, what).toBe(0);
      }
    });

    it('takes text of exactly the greatest length', async () => {
      const client = await open();
      const task = await create(client, { title: 'x'.repeat(500), description: 'y'.repeat(20_000) });
      expect(task.title).toHaveLength(500);
      expect(
        (await client.call('add_comment', { taskId: task.id, body: 'z'.repeat(20_000) })).value.body,
      ).toHaveLength(20_000);
    });

    it.each([
      ['garbage', () => 'not-a-cursor'],
      ['a changed cursor', (cursor: string) => changed(cursor)],
    ])('refuses %s', async (_what, spoil) => {
      const client = await open();
      for (let i = 0; i < 3; i += 1) await create(client, { title: `t${i}` });
      const { nextCursor } = (await client.call('list_tasks', { limit: 1 })).value;
      const refused = await client.call('list_tasks', { limit: 1, cursor: spoil(nextCursor) });
      expect(refused.isError).toBe(true);
      expect(refused.lines[0]).toContain('invalid cursor');
    });

    it('refuses a cursor of another filter', async () => {
      const client = await open();
      for (let i = 0; i < 3; i += 1) await create(client, { title: `t${i}` });
      const { nextCursor } = (await client.call('list_tasks', { limit: 1 })).value;
      expect(
        (await client.call('list_tasks', { limit: 1, status: 'todo', cursor: nextCursor })).lines[0],
      ).toContain('invalid cursor');
    });

    it('scrubs secrets from titles, descriptions and comments', async () => {
      const client = await open();
      const secret = `ghp_${'a1B2'.repeat(9)}`;
      const task = await create(client, { title: `use ${secret}`, description: `token ${secret}` });
      const { value } = await client.call('add_comment', { taskId: task.id, body: `it is ${secret}` });
      expect(JSON.stringify([task, value])).not.toContain(secret);
      expect(task.title).toBe('use [REDACTED]');
    });

    it('takes a comment on a finished task and leaves the task as it is', async () => {
      const client = await open();
      const task = await create(client, { title: 'a', status: 'cancelled' });
      expect((await client.call('add_comment', { taskId: task.id, body: 'why' })).isError).toBe(false);
      expect((await client.call('get_task', { taskId: task.id })).value.task).toEqual({
        ...task,
        untrusted: true,
      });
    });

    it('keeps text with quotes, emoji and other scripts as it is', async () => {
      const client = await open();
      const title = `"; drop table tasks; -- 猫 \u{1F408} \u202e`;
      expect((await create(client, { title })).title).toBe(title);
    });
  });

  describe(`${name}: idempotency`, () => {
    it('takes effect once under one key and answers the same', async () => {
      const client = await open();
      const args = { title: 'a', idempotencyKey: 'k1' };
      const [first, again] = [await client.call('create_task', args), await client.call('create_task', args)];
      expect(again.value).toEqual(first.value);
      expect((await client.call('list_tasks')).value.total).toBe(1);
    });

    it('answers a repeated claim with the first answer', async () => {
      const client = await open();
      const task = await create(client, { title: 'a' });
      const [first, again] = [
        await claim(client, task.id, 'ann', { idempotencyKey: 'c' }),
        await claim(client, task.id, 'ann', { idempotencyKey: 'c' }),
      ];
      expect(again.value).toEqual(first.value);
    });

    it('refuses a key that was used with other arguments', async () => {
      const client = await open();
      await client.call('create_task', { title: 'a', idempotencyKey: 'k' });
      const refused = await client.call('create_task', { title: 'b', idempotencyKey: 'k' });
      expect(refused.value.code).toBe('conflict');
      expect((await client.call('list_tasks')).value.total).toBe(1);
    });
  });
}

async function create(client: BoardClient, args: Record<string, unknown>): Promise<any> {
  const answer = await client.call('create_task', args);
  expect(answer.isError, answer.lines.join('\n')).toBe(false);
  return answer.value;
}

function claim(
  client: BoardClient,
  taskId: string,
  assigneeAgentId: string,
  more: object = {},
): Promise<ToolAnswer> {
  return client.call('claim_task', { taskId, assigneeAgentId, ...more });
}

function move(client: BoardClient, taskId: string, status: string, more: object = {}): Promise<ToolAnswer> {
  return client.call('update_task_status', { taskId, status, ...more });
}

function titles(page: { tasks: { title: string }[] }): string[] {
  return page.tasks.map((task) => task.title);
}

/** The first block is the line and nothing else; the explanation follows in the second and in the structured content. */
function expectRefusal(answer: ToolAnswer, line: string, code: string): void {
  expect(answer.isError).toBe(true);
  expect(answer.lines[0]).toBe(line);
  expect(answer.lines).toHaveLength(2);
  expect(answer.value).toMatchObject({ error: line, code, hint: expect.any(String) });
}

function changed(cursor: string): string {
  const parts = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [number, ...unknown[]];
  parts[0] += 1;
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}
