import { describe, expect, it } from 'vitest';
import type { BoardClient, BoardHost } from '../fixtures/board-host.ts';
import { DOCUMENTED } from './board-tools.ts';

/** What the extended profile adds to `clawboo-tasks`, over any host. */
const EXTENDED = [
  'add_check',
  'claim_next_task',
  'heartbeat_task',
  'list_evidence',
  'submit_evidence',
  'unlink_task',
  'update_task',
];

const MISSING = '01890000-0000-7000-8000-000000000000';

export function boardExtendedContract(name: string, openHost: () => Promise<BoardHost>): void {
  const open = async (session: object = {}) =>
    (await openHost()).connect({ profile: 'extended', ...session });

  describe(`${name}: profile`, () => {
    it('adds the extended tools to the documented ones', async () => {
      // A hub's other rooms may add guests of their own.
      expect(await (await open()).toolNames()).toEqual(expect.arrayContaining([...DOCUMENTED, ...EXTENDED]));
    });

    it('does not list the extended tools for callers who did not ask for them; by name they can be called', async () => {
      const client = await (await openHost()).connect();
      expect(await client.toolNames()).not.toContain('claim_next_task');
      expect((await client.call('claim_next_task', { assigneeAgentId: 'ann' })).value).toEqual({
        task: null,
      });
    });
  });

  describe(`${name}: claim_next_task`, () => {
    it('hands out ready tasks by priority, then age, each once, and then null', async () => {
      const client = await open();
      const low = await make(client, { title: 'low', priority: -1 });
      const old = await make(client, { title: 'old' });
      const young = await make(client, { title: 'young' });
      const high = await make(client, { title: 'high', priority: 5 });
      const order = [];
      for (let i = 0; i < 5; i += 1)
        order.push((await client.call('claim_next_task', { assigneeAgentId: 'ann' })).value.task?.id ?? null);
      expect(order).toEqual([high.id, old.id, young.id, low.id, null]);
    });

    it('passes over what is not ready, not its team and not its runtime', async () => {
      const client = await open();
      const first = await make(client, { title: 'first', teamId: 'a', status: 'backlog' });
      const waiting = await make(client, { title: 'waiting', teamId: 'a', priority: 9 });
      await client.call('link_task', { taskId: waiting.id, dependsOnTaskId: first.id });
      await make(client, { title: 'other team', teamId: 'b', priority: 9 });
      await make(client, { title: 'for codex', teamId: 'a', priority: 9, assigneeRuntime: 'codex' });
      const mine = await make(client, { title: 'mine', teamId: 'a' });
      const { value } = await client.call('claim_next_task', {
        assigneeAgentId: 'ann',
        assigneeRuntime: 'gemini',
        teamId: 'a',
      });
      expect(value.task).toMatchObject({
        id: mine.id,
        assigneeAgentId: 'ann',
        status: 'in_progress',
        fence: 1,
      });
    });

    it('gives a bound agent of a bound team only work of its team, in its own name', async () => {
      const host = await openHost();
      const anyone = await host.connect({ profile: 'extended' });
      const bound = await host.connect({ profile: 'extended', agent: 'ann', team: 'a' });
      await make(anyone, { title: 'foreign', teamId: 'b', priority: 9 });
      const own = await make(anyone, { title: 'own', teamId: 'a' });
      expect((await bound.call('claim_next_task', { teamId: 'b' })).value.task).toMatchObject({
        id: own.id,
        assigneeAgentId: 'ann',
      });
      expect((await bound.call('claim_next_task', { assigneeAgentId: 'bob' })).value.code).toBe('forbidden');
    });

    it('asks who claims when nothing says so', async () => {
      const refused = await (await open()).call('claim_next_task');
      expect(refused).toMatchObject({ isError: true, value: { code: 'invalid' } });
    });

    it('gives each of many claimants another task', async () => {
      const client = await open();
      for (let i = 0; i < 12; i += 1) await make(client, { title: `t${i}` });
      const answers = await Promise.all(
        Array.from({ length: 15 }, (_, i) =>
          client.call('claim_next_task', { assigneeAgentId: `agent-${i}` }),
        ),
      );
      const ids = answers.map((answer) => answer.value.task?.id).filter((id) => id !== undefined);
      expect(ids).toHaveLength(12);
      expect(new Set(ids).size).toBe(12);
    });
  });

  describe(`${name}: heartbeat_task`, () => {
    it('answers the holder with its lease', async () => {
      const client = await open();
      const task = await make(client, { title: 'a' });
      const { value } = await client.call('claim_task', { taskId: task.id, assigneeAgentId: 'ann' });
      const beat = await client.call('heartbeat_task', { taskId: task.id, fence: value.fence });
      expect(beat.value).toMatchObject({ taskId: task.id, fence: 1 });
      expect(beat.value.leaseUntil).toBeGreaterThanOrEqual(value.leaseUntil);
    });

    it('refuses strangers, the unnamed and what nobody holds', async () => {
      const host = await openHost();
      const [client, other] = [
        await host.connect({ profile: 'extended' }),
        await host.connect({ profile: 'extended' }),
      ];
      const task = await make(client, { title: 'a' });
      expect((await client.call('heartbeat_task', { taskId: task.id })).lines[0]).toBe(
        'heartbeat failed: not_claimed',
      );
      await client.call('claim_task', { taskId: task.id, assigneeAgentId: 'ann' });
      expect((await other.call('heartbeat_task', { taskId: task.id, agentId: 'bob' })).lines[0]).toBe(
        'heartbeat failed: not_holder',
      );
      expect((await other.call('heartbeat_task', { taskId: task.id, fence: 7 })).lines[0]).toBe(
        'heartbeat failed: stale_fence',
      );
      const unnamed = host.isStateless ? 'claim_required' : 'not_holder';
      expect((await other.call('heartbeat_task', { taskId: task.id })).lines[0]).toBe(
        `heartbeat failed: ${unnamed}`,
      );
      expect((await other.call('heartbeat_task', { taskId: MISSING })).lines[0]).toBe(
        `not found: ${MISSING}`,
      );
    });
  });

  describe(`${name}: update_task and unlink_task`, () => {
    it('changes title, description and priority, and the order of claiming', async () => {
      const client = await open();
      const [a, b] = [
        await make(client, { title: 'a', description: 'x' }),
        await make(client, { title: 'b' }),
      ];
      const edited = await client.call('update_task', {
        taskId: b.id,
        title: 'B',
        description: null,
        priority: 3,
      });
      expect(edited.value).toMatchObject({ title: 'B', description: null, priority: 3, status: 'todo' });
      expect((await client.call('claim_next_task', { assigneeAgentId: 'ann' })).value.task.id).toBe(b.id);
      expect((await client.call('update_task', { taskId: a.id })).value).toEqual({ ...a, untrusted: true });
    });

    it('keeps where the work is done and what it has cost, without asking for new evidence', async () => {
      const client = await open();
      const { task, check } = await checked(client);
      await give(client, task.id, check.id, true);
      const facts = { branchRef: 'mend/roof', worktreeRef: '/work/roof', costUsd: 1.25 };
      expect((await client.call('update_task', { taskId: task.id, ...facts })).value).toMatchObject(facts);
      expect((await client.call('get_task', { taskId: task.id })).value).toMatchObject({
        task: facts,
        checks: [{ satisfied: true }],
      });
      const cleared = { branchRef: null, worktreeRef: null, costUsd: 0 };
      expect((await client.call('update_task', { taskId: task.id, ...cleared })).value).toMatchObject(
        cleared,
      );
    });

    it('refuses costs and references that are none', async () => {
      const client = await open();
      const task = await make(client, { title: 'a' });
      for (const wrong of [
        { costUsd: -1 },
        { costUsd: 1e12 },
        { costUsd: '1' },
        { branchRef: '' },
        { branchRef: 'a\nb' },
        { worktreeRef: 7 },
      ]) {
        expect((await client.call('update_task', { taskId: task.id, ...wrong })).isError).toBe(true);
      }
    });

    it('refuses to edit under the hands of another holder', async () => {
      const client = await open();
      const task = await make(client, { title: 'a' });
      await client.call('claim_task', { taskId: task.id, assigneeAgentId: 'ann' });
      expect((await client.call('update_task', { taskId: task.id, title: 'b', fence: 9 })).lines[0]).toBe(
        'update failed: stale_fence',
      );
    });

    it('removes a dependency, which makes the task ready', async () => {
      const client = await open();
      const [a, b] = [await make(client, { title: 'a' }), await make(client, { title: 'b' })];
      await client.call('link_task', { taskId: a.id, dependsOnTaskId: b.id });
      expect((await client.call('unlink_task', { taskId: a.id, dependsOnTaskId: b.id })).value).toEqual({
        taskId: a.id,
        dependsOnTaskId: b.id,
      });
      expect((await client.call('claim_task', { taskId: a.id, assigneeAgentId: 'ann' })).isError).toBe(false);
      expect((await client.call('unlink_task', { taskId: a.id, dependsOnTaskId: b.id })).value.code).toBe(
        'not_found',
      );
    });
  });

  describe(`${name}: checks and evidence`, () => {
    it('refuses done until every required check has passing evidence', async () => {
      const client = await open();
      const { task, check } = await checked(client);
      const refused = await finish(client, task.id);
      expect(refused.lines[0]).toBe('status change failed: verification_required');
      expect(refused.value.missing).toEqual([{ id: check.id, title: 'tests pass', untrusted: true }]);
      await give(client, task.id, check.id, true);
      expect((await finish(client, task.id)).value).toMatchObject({
        status: 'done',
        verification: { status: 'pass' },
      });
    });

    it('does not ask for evidence of optional checks', async () => {
      const client = await open();
      const task = await make(client, { title: 'a' });
      await client.call('add_check', { taskId: task.id, title: 'nice', required: false });
      await client.call('claim_task', { taskId: task.id, assigneeAgentId: 'ann' });
      expect((await finish(client, task.id)).isError).toBe(false);
    });

    it('lets the newest evidence of a check decide', async () => {
      const client = await open();
      const { task, check } = await checked(client);
      await give(client, task.id, check.id, true);
      await give(client, task.id, check.id, false);
      expect((await finish(client, task.id)).isError).toBe(true);
      await give(client, task.id, check.id, true);
      expect((await finish(client, task.id)).isError).toBe(false);
    });

    it.each([
      [
        'a new description',
        (client: BoardClient, taskId: string) => client.call('update_task', { taskId, description: 'more' }),
      ],
      [
        'another attempt',
        async (client: BoardClient, taskId: string) => {
          await client.call('release_task', { taskId });
          await client.call('claim_task', { taskId, assigneeAgentId: 'bob' });
        },
      ],
      [
        'being sent back from review',
        async (client: BoardClient, taskId: string) => {
          await client.call('update_task_status', { taskId, status: 'in_review' });
          await client.call('update_task_status', { taskId, status: 'in_progress' });
        },
      ],
    ])('forgets evidence older than %s', async (_what, change) => {
      const client = await open();
      const { task, check } = await checked(client);
      await give(client, task.id, check.id, true);
      await change(client, task.id);
      expect((await finish(client, task.id)).lines[0]).toBe('status change failed: verification_required');
      expect((await client.call('list_evidence', { taskId: task.id })).value.evidence).toEqual([
        expect.objectContaining({ current: false }),
      ]);
      await give(client, task.id, check.id, true);
      expect((await finish(client, task.id)).isError).toBe(false);
    });

    it('keeps evidence when only the priority changed', async () => {
      const client = await open();
      const { task, check } = await checked(client);
      await give(client, task.id, check.id, true);
      await client.call('update_task', { taskId: task.id, priority: 4 });
      expect((await finish(client, task.id)).isError).toBe(false);
    });

    it('shows checks with the task and evidence newest first, secrets scrubbed', async () => {
      const client = await open();
      const { task, check } = await checked(client);
      const secret = `ghp_${'a1B2'.repeat(9)}`;
      await client.call('submit_evidence', {
        taskId: task.id,
        checkId: check.id,
        passed: false,
        summary: 'red',
        reference: 'run 1',
      });
      await client.call('submit_evidence', {
        taskId: task.id,
        checkId: check.id,
        passed: true,
        summary: `green ${secret}`,
        agentId: 'ann',
      });
      const { evidence } = (await client.call('list_evidence', { taskId: task.id })).value;
      expect(evidence.map((given: { summary: string }) => given.summary)).toEqual([
        'green [REDACTED]',
        'red',
      ]);
      expect(evidence[0]).toMatchObject({
        passed: true,
        authorAgentId: 'ann',
        current: true,
        reference: null,
      });
      expect((await client.call('get_task', { taskId: task.id })).value.checks).toEqual([
        { ...check, satisfied: true, untrusted: true },
      ]);
    });

    it('refuses evidence for an unknown check, of a stranger, and for a finished task', async () => {
      const client = await open();
      const { task, check } = await checked(client);
      expect((await give(client, task.id, MISSING, true)).value.code).toBe('not_found');
      const stranger = { taskId: task.id, checkId: check.id, passed: true, summary: 'x', fence: 9 };
      expect((await client.call('submit_evidence', stranger)).lines[0]).toBe('evidence failed: stale_fence');
      await client.call('update_task_status', { taskId: task.id, status: 'cancelled' });
      expect((await give(client, task.id, check.id, true)).value.code).toBe('conflict');
      expect((await client.call('add_check', { taskId: task.id, title: 'late' })).value.code).toBe(
        'conflict',
      );
    });
  });

  it(`${name}: takes an idempotency key on every tool that changes something`, async () => {
    const client = await open();
    const { task, check } = await checked(client);
    const args = { taskId: task.id, checkId: check.id, passed: true, summary: 'ok', idempotencyKey: 'e' };
    const [first, again] = [
      await client.call('submit_evidence', args),
      await client.call('submit_evidence', args),
    ];
    expect(again.value).toEqual(first.value);
    expect((await client.call('list_evidence', { taskId: task.id })).value.evidence).toHaveLength(1);
  });
}

async function make(client: BoardClient, args: object): Promise<any> {
  const answer = await client.call('create_task', { ...args });
  expect(answer.isError, answer.lines.join('\n')).toBe(false);
  return answer.value;
}

async function checked(client: BoardClient): Promise<{ task: any; check: any }> {
  const task = await make(client, { title: 'a' });
  const check = (await client.call('add_check', { taskId: task.id, title: 'tests pass' })).value;
  await client.call('claim_task', { taskId: task.id, assigneeAgentId: 'ann' });
  return { task, check };
}

const give = (client: BoardClient, taskId: string, checkId: string, passed: boolean) =>
  client.call('submit_evidence', { taskId, checkId, passed, summary: 'seen' });

const finish = (client: BoardClient, taskId: string) =>
  client.call('update_task_status', { taskId, status: 'done' });
