import { expect, it } from 'vitest';
import { eachEngine, freshFolder } from '../fixtures/databases.ts';
import { dispatchHub, type DispatchHub, openAt, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { limitedAgent } from '../fixtures/limited-agent.ts';
import { commit, newRepository } from '../fixtures/repositories.ts';

const show = async (hub: DispatchHub, id: string) => (await hub.ask('GET', `/v1/biam/tasks/${id}`)).body.task;
async function parked(hub: DispatchHub, id: string): Promise<void> {
  const waiting = { status: 'active', phase: 'waiting_quota' };
  await expect.poll(() => show(hub, id), PATIENCE).toMatchObject(waiting);
}
/** A task of the board that this agent does; `of` is how it stands now. */
async function begunTask(hub: DispatchHub, title: string, more: object = {}) {
  await hub.ask('POST', '/api/board/tasks', { title });
  const taskId = (await hub.ask('GET', '/api/board/tasks')).body.tasks[0].id as string;
  const { body } = await hub.ask('POST', '/v1/runs', { task_id: taskId, instance: 'tired', ...more });
  return { taskId, run: body.task.task_id as string, agent: body.task.agent as string };
}
const taskOf = async (hub: DispatchHub, id: string) =>
  (await hub.ask('GET', `/api/board/tasks/${id}`)).body.task;
const quick = { dispatch: { backoff: '300ms' } };
const never = { dispatch: { backoff: '1h' } };

eachEngine('runs whose model takes no more', (engine) => {
  it('wait until the time that was said, and go on by themselves in the same run', async () => {
    const agent = limitedAgent('claude.usage.exec@1500,ok');
    const hub = await dispatchHub(engine, { tired: agent.settings });
    const id = await hub.start('Say hello.', 'tired');
    await parked(hub, id);
    const waits = await show(hub, id);
    expect(waits).toMatchObject({
      reason: 'waiting_quota',
      waits_for: {
        kind: 'usage',
        instance: 'tired',
        text: expect.stringContaining("You've hit your 5-hour limit"),
      },
      attempts: [{ n: 1, end: 'parked' }],
    });
    expect(Date.parse(waits.wait_until) - Date.now()).toBeLessThan(3_000);
    const done = await hub.over(id);
    expect(done).toMatchObject({ status: 'done', result: 'All is done.', attempt: 2 });
    expect(done.phase).toBeUndefined();
    expect(done.wait_until).toBeUndefined();
    const starts = agent.starts();
    expect(starts).toHaveLength(2);
    // Nothing had been said: it begins as it was asked, with a token of its own.
    expect(starts[1]!.input).toBe('Say hello.');
    expect(starts[1]!.args).not.toContain('--resume');
    expect(starts[1]!.token).not.toBe(starts[0]!.token);
    const { events } = await hub.subscribe(id);
    await expect.poll(() => events.at(-1)?.event, PATIENCE).toBe('terminal');
    expect(events.map(({ data }) => data.phase)).toContain('waiting_quota');
    expect(events.map(({ data }) => data.line ?? '')).toContainEqual(
      expect.stringMatching(/limit.* The run waits until 20/),
    );
  });

  it('what had been begun is gone on with in its own session, its cost apart and together', async () => {
    const agent = limitedAgent('work+claude.rate.exec,ok');
    const hub = await dispatchHub(engine, { tired: agent.settings }, quick);
    const done = await hub.run('Write both halves.', 'tired');
    expect(done).toMatchObject({ status: 'done' });
    const [, second] = agent.starts();
    expect(second!.args.join(' ')).toContain('--resume');
    expect(second!.input).toMatch(/^You were broken off because your model took no more/);
    const { parts, usage } = await show(hub, done.task_id);
    expect(parts).toMatchObject([
      { n: 1, instance: 'tired', end: 'rate' },
      { n: 2, instance: 'tired', end: 'done' },
    ]);
    expect(usage.output).toBe(parts.reduce((sum: number, each: any) => sum + each.usage.output, 0));
  });

  it('give back their slot while they wait, keep their task, and can be cancelled', async () => {
    const agent = limitedAgent('claude.overload.exec');
    const hub = await dispatchHub(
      engine,
      { tired: agent.settings },
      { dispatch: { backoff: '1h', concurrent: 1 } },
    );
    const { taskId, run: id, agent: name } = await begunTask(hub, 'A task');
    await parked(hub, id);
    expect(await hub.run('say free')).toMatchObject({ status: 'done', result: 'free' });
    expect(await taskOf(hub, taskId)).toMatchObject({ status: 'in_progress', assigneeAgentId: name });
    await hub.ask('POST', `/v1/biam/tasks/${id}/cancel`);
    expect(await hub.over(id)).toMatchObject({ status: 'cancelled' });
    expect(await taskOf(hub, taskId)).toMatchObject({ status: 'todo', assigneeAgentId: null });
  });

  it('outlive the hub that ran them: the next one goes on, and takes the task up again', async () => {
    const agent = limitedAgent('claude.usage.exec@4000,ok');
    const settings = { ...quick, lease: '1s' };
    const hub = await dispatchHub(engine, { tired: agent.settings }, settings);
    const { taskId, run: id } = await begunTask(hub, 'A task');
    await parked(hub, id);
    await hub.hub.close();
    const next = await openAt(hub.place, hub.home, { tired: agent.settings }, settings);
    expect(await show(next, id)).toMatchObject({ status: 'active', phase: 'waiting_quota' });
    expect(await next.over(id)).toMatchObject({ status: 'done', attempt: 2 });
    expect(await taskOf(next, taskId)).toMatchObject({
      status: 'done',
    });
  });

  it('fail when somebody took their task meanwhile, and say so', async () => {
    const agent = limitedAgent('claude.usage.exec@3000,ok');
    const hub = await dispatchHub(engine, { tired: agent.settings }, quick);
    const { taskId, run } = await begunTask(hub, 'A task');
    await parked(hub, run);
    await hub.ask('POST', `/api/board/tasks/${taskId}/release`, {});
    await hub.ask('POST', `/api/board/tasks/${taskId}/claim`, { assigneeAgentId: 'somebody' });
    const ended = await hub.over(run);
    expect(ended).toMatchObject({
      status: 'failed',
      error: { class: 'limit', text: expect.stringContaining('cannot go on') },
    });
    expect(agent.starts()).toHaveLength(1);
  });

  it('a model that says 429 for ever is waited for so often and no more', async () => {
    const agent = limitedAgent('claude.rate.exec');
    const hub = await dispatchHub(
      engine,
      { tired: agent.settings },
      { dispatch: { backoff: '10ms', parks: 3 } },
    );
    expect(await hub.run('Say hello.', 'tired')).toMatchObject({
      status: 'failed',
      error: {
        class: 'rate_limit',
        text: expect.stringMatching(/429.*\(it waited 3 times for its model\)$/),
      },
    });
    expect(agent.starts()).toHaveLength(4);
  });

  it('what waiting does not help is not waited for, nor is what a model only talks about', async () => {
    const of = (plan: string) => limitedAgent(plan);
    const [credit, key, prose] = [of('claude.credit.exec'), of('claude.key.exec'), of('prose')];
    const hub = await dispatchHub(
      engine,
      { credit: credit.settings, key: key.settings, prose: prose.settings },
      never,
    );
    expect(await hub.run('x', 'credit')).toMatchObject({ status: 'failed', error: { class: 'credit' } });
    expect(await hub.run('x', 'key')).toMatchObject({ status: 'failed', error: { class: 'auth' } });
    expect(await hub.run('x', 'prose')).toMatchObject({
      status: 'done',
      result: expect.stringContaining('usage limit'),
    });
    for (const each of [credit, key, prose]) expect(each.starts()).toHaveLength(1);
  });

  it('a client that waits for its model without a word waits as a run, and goes on in its session', async () => {
    const agent = limitedAgent('work+hang,ok');
    const settings = { ...agent.settings, limits: { idle: 0.01 } };
    const hub = await dispatchHub(engine, { tired: settings }, quick);
    const id = await hub.start('Write both halves.', 'tired');
    expect(await hub.over(id)).toMatchObject({ status: 'done', attempt: 2 });
    expect(agent.starts()[1]!.args).toContain('--resume');
    expect((await show(hub, id)).parts).toMatchObject([
      { end: 'rate', text: expect.stringContaining('for 0.01 minutes without a word') },
      { end: 'done' },
    ]);
  });

  it('one that is silent because a tool of it is fails, and so does one that may not wait', async () => {
    const idle = { limits: { idle: 0.01 } };
    const [tool, never] = [limitedAgent('tool+hang'), limitedAgent('hang')];
    const agents = { tool: { ...tool.settings, ...idle }, tired: { ...never.settings, ...idle } };
    const hub = await dispatchHub(engine, agents, { dispatch: { parks: 0 } });
    expect(await hub.run('x', 'tool')).toMatchObject({
      status: 'failed',
      error: { class: 'limit', text: expect.stringContaining('said nothing') },
    });
    expect(await hub.run('x', 'tired')).toMatchObject({
      status: 'failed',
      error: { class: 'rate_limit', text: expect.stringContaining('waited for its model') },
    });
  });

  it('a script says so with exit code 75', async () => {
    const script =
      'echo half; if [ -e again ]; then exit 0; fi; touch again; echo "retry-after: 1" >&2; exit 75';
    const hub = await dispatchHub(
      engine,
      { script75: { family: 'command', command: ['/bin/sh', '-c', script], cwd: freshFolder() } },
      never,
    );
    const id = await hub.start('x', 'script75');
    expect(await hub.over(id)).toMatchObject({ status: 'done', attempt: 2 });
  });

  it('who goes on is told the plan and the open questions, too, all of it bounded', async () => {
    const first = limitedAgent('plan+hang');
    const second = limitedAgent('ok');
    const tired = { ...first.settings, fallback: ['fresh'], limits: { idle: 0.03 } };
    const hub = await dispatchHub(engine, { tired, fresh: second.settings }, never);
    const id = await hub.start('Sail round the island.', 'tired');
    await expect.poll(() => first.starts().length, PATIENCE).toBe(1);
    const question = { body: 'Port or starboard?', kind: 'clarification' };
    await hub.ask('POST', `/v1/biam/tasks/${id}/reply`, question, first.starts()[0]!.token);
    expect(await hub.over(id)).toMatchObject({ status: 'done', instance: 'fresh' });
    const told = second.starts()[0]!.input;
    expect(told).toMatch(/^Sail round the island\./);
    expect(told).toContain('| [x] hoist the sail');
    expect(told).toContain('| [ ] mind the reef');
    expect(told).toContain('| Port or starboard?');
    expect(told.length).toBeLessThan(24_000);
  });

  it('another agent goes on in the same folder with an account of what was done', async () => {
    const first = limitedAgent('work+claude.usage.exec');
    const second = limitedAgent('ok', 'claude');
    const hub = await dispatchHub(
      engine,
      { tired: { ...first.settings, fallback: ['fresh'] }, fresh: second.settings },
      never,
    );
    const path = newRepository(freshFolder());
    commit(path);
    const { taskId, run, agent } = await begunTask(hub, 'Write both halves', { project: path });
    const done = await hub.over(run);
    expect(done.error).toBeUndefined();
    expect(done).toMatchObject({ status: 'done', instance: 'fresh', agent });
    const [one] = first.starts();
    const [two] = second.starts();
    expect(two!.cwd).toBe(one!.cwd);
    expect(two!.input).toContain('Write both halves');
    expect(two!.input).toMatch(/\| .*half\.txt/);
    expect(two!.input).toContain('| I have written half.txt; the other half is open.');
    expect(two!.input.length).toBeLessThan(24_000);
    const { parts } = await show(hub, done.task_id);
    expect(parts).toMatchObject([
      { instance: 'tired', end: 'usage' },
      { instance: 'fresh', end: 'done', cost_usd: 0.01 },
    ]);
    expect(await taskOf(hub, taskId)).toMatchObject({ status: 'done' });
  });
});
