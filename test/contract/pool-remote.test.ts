// What a run on another machine has in common with one at home: limits of its model, questions to a person, who may go on.
import { performance } from 'node:perf_hooks';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { pendingOf, resolveOf } from '../fixtures/approvals.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { AGENT, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { limitedAgent } from '../fixtures/limited-agent.ts';
import { poolWorld } from '../fixtures/pool-world.ts';
import { git, newRepositoryWithCommit } from '../fixtures/repositories.ts';

const ACP = fileURLToPath(new URL('../fixtures/dispatch/acp-agent.mjs', import.meta.url));
const script = { family: 'command', command: [process.execPath, AGENT, '{prompt}'] };
const quick = { HOLDFAST_QUOTA_BACKOFF: '300ms' };

it('parks when its model takes no more, keeps its task, and goes on by itself in its session', async () => {
  const agent = limitedAgent('work+claude.usage.exec@3000,ok');
  const pool = await poolWorld({});
  await pool.runner('desktop', { agents: { tired: agent.settings } });
  const { id: taskId } = await pool.ask('POST', '/api/board/tasks', { title: 'Both halves' });
  const { task } = await pool.ask('POST', '/v1/runs', { task_id: taskId, instance: 'tired' });
  const run = async () => (await pool.ask('GET', `/v1/biam/tasks/${task.task_id}`)).task;
  await expect.poll(run, PATIENCE).toMatchObject({
    status: 'active',
    phase: 'waiting_quota',
    waits_for: { kind: 'usage', instance: 'tired' },
    attempts: [{ n: 1, runner: 'desktop', end: 'parked' }],
  });
  const { reasons } = await pool.ask('GET', `/v1/biam/tasks/${task.task_id}/why`);
  expect(reasons.at(-1)).toMatch(/^It waits for its model until 20\S+Z\. tired: You've hit your/);
  const rival = await pool.ask('POST', `/api/board/tasks/${taskId}/claim`, { assigneeAgentId: 'rival' });
  expect(rival.code).toBe('conflict');
  expect((await pool.runners())[0]).toMatchObject({ busy: 0 });
  expect((await pool.wait(task.task_id)).task).toMatchObject({ status: 'done', attempt: 2 });
  const done = await run();
  expect(done.attempts).toMatchObject([{ end: 'parked' }, { runner: 'desktop', end: 'done' }]);
  expect(done.parts).toMatchObject([{ end: 'usage' }, { end: 'done' }]);
  expect(done.usage.output).toBe(done.parts.reduce((sum: number, each: any) => sum + each.usage.output, 0));
  const [first, second] = agent.starts();
  // Sessions are known by the folder that they were begun in.
  expect(second).toMatchObject({ cwd: first!.cwd, args: expect.arrayContaining(['--resume']) });
  expect(second!.input).toMatch(/^You were broken off because your model took no more/);
  expect((await pool.ask('GET', `/api/board/tasks/${taskId}`)).task.status).toBe('done');
});

it('costs what it used itself, where its client counts from the beginning of its session', async () => {
  const agent = limitedAgent('ok');
  const pool = await poolWorld({});
  await pool.runner('desktop', { agents: { tired: agent.settings } });
  const one = async (opts: object) => {
    const { task } = await pool.wait(await pool.send('Write.', { instance: 'tired', ...opts }));
    expect(task.status).toBe('done');
    return task;
  };
  const first = await one({});
  const second = await one({ session_id: first.session_id });
  // Its client says 1 cent, then 2.
  expect([first.cost_usd, second.cost_usd]).toEqual([0.01, 0.01]);
});

it('parks when its client waits for the model without a word', async () => {
  const agent = limitedAgent('work+hang,ok');
  // What may be silent for how long is the hub's to say.
  const tired = { ...agent.settings, limits: { idle: 0.02 } };
  const pool = await poolWorld({ tired }, quick);
  await pool.runner('desktop', { agents: { tired: agent.settings } });
  const id = await pool.send('Write both halves.', { instance: 'tired', on: 'desktop' });
  expect((await pool.wait(id)).task).toMatchObject({ status: 'done', attempt: 2 });
  const { attempts, parts } = (await pool.ask('GET', `/v1/biam/tasks/${id}`)).task;
  expect(attempts).toMatchObject([{ end: 'parked' }, { runner: 'desktop', end: 'done' }]);
  expect(parts[0]).toMatchObject({ end: 'rate', text: expect.stringContaining('without a word') });
  expect(agent.starts()[1]!.args).toContain('--resume');
});

it('the next of its fallbacks goes on in the same tree, told how far it came', async () => {
  const [tired, fresh] = [limitedAgent('work+claude.rate.exec'), limitedAgent('ok')];
  const pool = await poolWorld(
    { tired: { ...tired.settings, fallback: ['fresh'] }, fresh: fresh.settings },
    quick,
  );
  const repository = newRepositoryWithCommit(join(freshFolder(), 'repo'));
  const agents = { tired: tired.settings, fresh: fresh.settings };
  await pool.runner('desktop', { agents, args: ['--label', 'far'] });
  const id = await pool.send('Write both halves.', { instance: 'tired', cwd: repository, needs: ['far'] });
  expect((await pool.wait(id)).task).toMatchObject({ status: 'done', instance: 'fresh' });
  const { parts, attempts, worktree } = (await pool.ask('GET', `/v1/biam/tasks/${id}`)).task;
  expect(parts).toMatchObject([
    { instance: 'tired', end: 'rate' },
    { instance: 'fresh', end: 'done' },
  ]);
  expect(attempts).toMatchObject([{ end: 'parked' }, { runner: 'desktop', end: 'done' }]);
  expect(fresh.starts()[0]!.input).toMatch(
    /^Write both halves\.[^]*a model took no more[^]*half\.txt[^]*the other half is open/,
  );
  expect(git(repository, 'show', `${worktree.branch}:half.txt`)).toContain('half of the work');
});

it('asks a person, and goes on within a second of the answer', async () => {
  const talker = { family: 'acp', command: [process.execPath, ACP, freshFolder()] };
  const pool = await poolWorld({});
  await pool.runner('desktop', { agents: { talker } });
  const ask = async (method: string, path: string, body?: object) => ({
    body: await pool.ask(method, path, body),
  });
  const id = await pool.send('ask rm -rf build\nask npm test', { instance: 'talker' });
  const first = await pendingOf(ask, PATIENCE.timeout);
  expect(first).toMatchObject({ toolName: 'AgentToolCall', agentId: 'talker' });
  expect(first.argsSummary).toContain('rm -rf build');
  // The runner's own word that it waits comes with its next frames.
  const phase = async () => (await pool.ask('GET', `/v1/biam/tasks/${id}`)).task.phase;
  await expect.poll(phase, PATIENCE).toBe('waiting_approval');
  const answered = performance.now();
  await resolveOf(ask, first.id, { decision: 'deny' });
  const second = await pendingOf(ask, PATIENCE.timeout);
  // The next question is only asked when the answer to the first one has come.
  expect(performance.now() - answered).toBeLessThan(1_000);
  expect(second.argsSummary).toContain('npm test');
  await resolveOf(ask, second.id, { decision: 'allow_once' });
  expect((await pool.wait(id)).result).toBe('[rm -rf build: no][npm test: yes]');
});

it('a question of a run is answered where it was put, and the answer reaches it within a second', async () => {
  const pool = await poolWorld({});
  await pool.runner('desktop', { agents: { script } });
  const id = await pool.send('ask Which colour?\nsay asked');
  const asked = async () => (await pool.ask('GET', `/v1/biam/tasks/${id}`)).task;
  await expect.poll(asked, PATIENCE).toMatchObject({ phase: 'waiting_input' });
  const answered = Date.now();
  await pool.ask('POST', `/v1/biam/tasks/${id}/reply`, { body: 'green' });
  expect((await pool.wait(id)).result).toContain('green');
  // When its agent said that it had heard it, on the clock of this machine.
  const heard = (await pool.frames(id)).find(({ line }) => line === 'heard green')!;
  expect(Date.parse(heard.ts) - answered).toBeLessThan(1_000);
});

it('takes nothing more while it is drained, and takes runs again when that is taken back', async () => {
  const pool = await poolWorld({});
  await pool.runner('desktop', { agents: { script } });
  expect(await pool.ask('POST', '/v1/runners/desktop/drain', {})).toMatchObject({ state: 'draining' });
  const id = await pool.send('say through');
  const why = async () => (await pool.ask('GET', `/v1/biam/tasks/${id}/why`)).reasons.join('\n');
  await expect.poll(why, PATIENCE).toContain('desktop: it is draining.');
  expect((await pool.ask('GET', `/v1/biam/tasks/${id}`)).task.status).toBe('pending');
  expect(await pool.ask('POST', '/v1/runners/desktop/drain', { undo: true })).toMatchObject({
    state: 'ready',
  });
  const asked = performance.now();
  expect((await pool.wait(id)).result).toBe('through');
  // Not when it asks for the next time, half a minute later.
  expect(performance.now() - asked).toBeLessThan(15_000);
});
