import { expect, it } from 'vitest';
import { directHost, freshBoard, handClock } from '../../../../test/fixtures/board-host.ts';
import { eachEngine, freshDatabase } from '../../../../test/fixtures/databases.ts';
import { systemActor, systemPrincipal } from '../../../kernel/principal.ts';
import { sql } from '../../../store/sql.ts';
import { createTransfer } from './transfer.ts';
import { importBoard } from './import.ts';
import { insertLabel, listLabels, setShelved } from '../rows/labels.ts';

eachEngine('an archive of the board', (engine) => {
  const clock = handClock();

  async function open() {
    const db = await freshDatabase(engine, { clock });
    const client = await directHost(db, freshBoard(db)).connect({ profile: 'extended' });
    const lines = async () => {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await createTransfer(db).page(systemPrincipal, cursor);
        found.push(...page.records.map((record) => JSON.stringify(record)));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return found;
    };
    return {
      db,
      client,
      lines,
      import: (from: Iterable<string>) => importBoard(db, systemActor, { lines: from }),
    };
  }

  async function filled() {
    const opened = await open();
    const { client } = opened;
    const make = async (args: object): Promise<any> => (await client.call('create_task', { ...args })).value;
    const root = await make({ title: 'root', teamId: 't', priority: 3 });
    const child = await make({ title: 'child', parentTaskId: root.id, description: 'text' });
    const grandchild = await make({ title: 'grandchild', parentTaskId: child.id });
    await client.call('link_task', { taskId: root.id, dependsOnTaskId: child.id });
    await client.call('claim_task', { taskId: child.id, assigneeAgentId: 'ann' });
    const check = (await client.call('add_check', { taskId: child.id, title: 'tests pass' })).value;
    await client.call('submit_evidence', {
      taskId: child.id,
      checkId: check.id,
      passed: true,
      summary: 'green',
    });
    await client.call('add_comment', { taskId: child.id, body: 'half way', authorAgentId: 'ann' });
    return { ...opened, ids: [root.id, child.id, grandchild.id] as string[] };
  }

  it('brings a board over to another database, whole', async () => {
    const from = await filled();
    const to = await open();
    const report = await to.import(await from.lines());
    expect(report).toEqual({ added: 7, known: 0, updated: 0, problems: [] });
    for (const taskId of from.ids) {
      const before = (await from.client.call('get_task', { taskId, agentId: 'ann' })).value;
      expect((await to.client.call('get_task', { taskId, agentId: 'ann' })).value).toEqual(before);
    }
    expect(
      (await to.client.call('update_task_status', { taskId: from.ids[1], status: 'done', fence: 1 })).value
        .status,
    ).toBe('done');
    expect(
      (await to.client.call('claim_task', { taskId: from.ids[0], assigneeAgentId: 'bob' })).isError,
    ).toBe(false);
  });

  it('has the labels of a task, and that it was put out of sight', async () => {
    const from = await filled();
    const [taskId] = from.ids;
    await from.db.write(systemActor, async (tx) => {
      await insertLabel(tx, taskId!, 'docs');
      await tx.run(sql`update tasks set status = 'cancelled', completed_at = 5 where id = ${taskId!}`);
      await setShelved(tx, taskId!, 7);
    });
    const to = await open();
    expect(await to.import(await from.lines())).toMatchObject({ problems: [] });
    expect(await to.db.read((q) => listLabels(q, taskId!))).toEqual(['docs']);
    expect(await to.db.read((q) => q.get(sql`select shelved_at from tasks where id = ${taskId!}`))).toEqual({
      shelved_at: 7,
    });
    expect((await to.lines()).slice(1)).toEqual((await from.lines()).slice(1));
  });

  it('adds nothing the second time', async () => {
    const from = await filled();
    const to = await open();
    const lines = await from.lines();
    await to.import(lines);
    expect(await to.import(lines)).toEqual({ added: 0, known: 7, updated: 0, problems: [] });
    expect((await to.lines()).slice(1)).toEqual(lines.slice(1));
  });

  it('reports broken lines by number and keeps the rest', async () => {
    const from = await filled();
    const to = await open();
    const lines = await from.lines();
    const spoiled = [
      '{"type":"task"',
      ...lines,
      '{"type":"planet"}',
      '',
      JSON.stringify({ ...JSON.parse(lines[1]!), id: 'x', title: '' }),
    ];
    const orphan = {
      type: 'comment',
      id: 'c',
      taskId: 'nowhere',
      authorAgentId: null,
      authorType: 'user',
      body: 'x',
      tenantId: null,
      createdAt: 1,
    };
    spoiled.push(JSON.stringify(orphan));
    spoiled.push(JSON.stringify({ type: 'link', taskId: from.ids[1], dependsOnTaskId: from.ids[0] }));
    const report = await to.import(spoiled);
    expect(report.added).toBe(7);
    const after = lines.length + 1;
    expect(report.problems.map(({ line }) => line)).toEqual([1, after + 1, after + 3, after + 4, after + 5]);
    expect(report.problems.map(({ problem }) => problem)).toEqual([
      'not valid JSON',
      expect.any(String),
      expect.stringContaining('title'),
      'its task nowhere is missing',
      'it would create a dependency cycle',
    ]);
  });

  it('says what is wrong with a line in a few words', async () => {
    const { problems } = await (await open()).import(['{"type":"task"}']);
    expect(problems).toEqual([
      {
        line: 1,
        problem: expect.stringMatching(
          /^id: expected string, received undefined; title: .+; description: .+; and \d+ more$/,
        ),
      },
    ]);
  });

  it.each([
    { status: 'in_progress', assigneeAgentId: null },
    { status: 'in_progress', fence: 0 },
    { status: 'todo', assigneeAgentId: 'ann' },
  ])('refuses a task that contradicts itself: %j', async (facts) => {
    const [from, to] = [await filled(), await open()];
    const held = (await from.lines())
      .map((line) => JSON.parse(line))
      .find((record) => record.assigneeAgentId === 'ann');
    const report = await to.import([JSON.stringify({ ...held, parentTaskId: null, ...facts })]);
    expect(report).toMatchObject({
      added: 0,
      problems: [{ line: 1, problem: expect.stringContaining('assignee') }],
    });
  });

  it('refuses a field that nobody knows, with the one that was meant', async () => {
    const { import: take } = await open();
    const { problems } = await take([JSON.stringify({ ...plainTask('x'), titel: 'y' })]);
    expect(problems).toEqual([
      { line: 1, problem: expect.stringMatching(/"titel"; known: .*did you mean title\?/) },
    ]);
  });

  it('scrubs secrets that an archive brings along', async () => {
    const from = await filled();
    const to = await open();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    await to.import((await from.lines()).map((line) => line.replace('half way', secret)));
    expect((await to.lines()).join('\n')).not.toContain(secret);
  });

  /** 600 tasks, each waiting for the one after it; the links come last, as an export has them. */
  function chain(): string[] {
    const ids = Array.from({ length: 600 }, (_, i) => `task-${String(i).padStart(4, '0')}`);
    const tasks = ids.map((id) => JSON.stringify(plainTask(id)));
    const links = ids
      .slice(1)
      .map((id, i) => JSON.stringify({ type: 'link', taskId: ids[i], dependsOnTaskId: id }));
    return [...tasks, ...links];
  }

  async function readyIds(client: Awaited<ReturnType<typeof open>>['client']): Promise<string[]> {
    const { value } = await client.call('list_tasks', { ready: true });
    return value.tasks.map(({ id }: { id: string }) => id);
  }

  it('that breaks off leaves nothing anybody can take; the same again finishes it', async () => {
    const { client, import: take } = await open();
    const lines = chain();
    function* killed(): Generator<string> {
      yield* lines.slice(0, 599);
      throw new Error('killed');
    }
    await expect(take(killed())).rejects.toThrow('killed');
    expect((await client.call('list_tasks', {})).value.total).toBe(500);
    expect(await readyIds(client)).toEqual([]);
    expect((await client.call('claim_next_task', { agentId: 'ann' })).value.task).toBeNull();
    const refused = await client.call('claim_task', { taskId: 'task-0001', assigneeAgentId: 'ann' });
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused)).toMatch(/conflict \(not ready\).*import that is not finished/);
    expect(await take(lines)).toMatchObject({ added: 699, known: 500, updated: 0, problems: [] });
    expect(await readyIds(client)).toEqual(['task-0599']);
    expect((await client.call('claim_task', { taskId: 'task-0599', assigneeAgentId: 'ann' })).isError).toBe(
      false,
    );
  });

  it('in several requests is work when the last of them is in', async () => {
    const { db, client } = await open();
    const lines = chain();
    const part = (from: number, to: number, isPart: boolean) =>
      importBoard(db, systemActor, { lines: lines.slice(from, to), importId: 'one', isPart });
    await part(0, 600, true);
    await importBoard(db, systemActor, { lines: [JSON.stringify(plainTask('another'))] });
    expect(await readyIds(client)).toEqual(['another']);
    await part(600, 700, true);
    expect(await readyIds(client)).toEqual(['another']);
    await part(700, lines.length, false);
    expect((await readyIds(client)).sort()).toEqual(['another', 'task-0599']);
  });
});

function plainTask(id: string): object {
  return {
    type: 'task',
    id,
    title: id,
    description: null,
    status: 'todo',
    priority: 0,
    teamId: null,
    assigneeAgentId: null,
    assigneeRuntime: null,
    parentTaskId: null,
    sourceDelegationId: null,
    worktreeRef: null,
    branchRef: null,
    costUsd: 0,
    parentSessionId: null,
    tenantId: null,
    scheduledBy: 'import',
    verification: null,
    createdAt: 1,
    updatedAt: 1,
    completedAt: null,
    fence: 0,
    claimedAt: null,
    leaseUntil: null,
    revision: 0,
    depth: 1,
  };
}
