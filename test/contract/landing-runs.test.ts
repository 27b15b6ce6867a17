// Runs whose branches land: what becomes of their tasks, of conflicts, and of several attempts at one task.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { sql } from '../../src/store/sql.ts';
import { eachEngine } from '../fixtures/databases.ts';
import { PATIENCE } from '../fixtures/dispatch-hub.ts';
import { landingHub, type LandingHub } from '../fixtures/landing-hub.ts';

const LONG = { timeout: 90_000 };
const MERGER = fileURLToPath(new URL('../fixtures/dispatch/merger.mjs', import.meta.url));
const merger = (...manner: string[]) => ({
  family: 'command',
  command: [process.execPath, MERGER, ...manner],
});
const agents = {
  one: merger('README.md', 'one'),
  two: merger('README.md', 'two'),
  stubborn: merger('README.md', 'three', 'stubborn'),
  bad: merger('bad-file', 'x'),
  fails: { family: 'command', command: [process.execPath, '-e', 'process.exit(3)'] },
};

async function newTask({ hub, project }: LandingHub, title = 'do it'): Promise<string> {
  return (await hub.ask('POST', '/api/board/tasks', { title, teamId: project })).body.id;
}

async function runDone(at: LandingHub, task: string, instance: string): Promise<any> {
  const { body } = await at.hub.ask('POST', '/v1/runs', {
    task_id: task,
    instance,
    project: at.repository.path,
  });
  return at.hub.over(body.task.task_id);
}

eachEngine('runs that land', (engine) => {
  it('leave their task in review, are named by the commit, and are done when they landed', LONG, async () => {
    const at = await landingHub(engine, { agents });
    const task = await newTask(at);
    const run = await runDone(at, task, 'one');
    expect((await at.lookAt(task)).task).toMatchObject({
      status: 'in_review',
      branchRef: run.worktree.branch,
    });
    const landing = await at.landed(task);
    expect(landing).toMatchObject({ state: 'landed', run: run.task_id });
    const said = at.repository.git('log', '-1', '--format=%B', 'main');
    expect(said).toContain(`Holdfast-Run: ${run.task_id}\n`);
    expect((await at.lookAt(task)).task.status).toBe('done');
  });

  it('solve a conflict in another run of the same agent, where that is wanted', LONG, async () => {
    const at = await landingHub(engine, { agents, land: { approve: 'checks', onConflict: 'run' } });
    const [first, second] = [await newTask(at, 'first'), await newTask(at, 'second')];
    for (const [task, instance] of [
      [first, 'one'],
      [second, 'two'],
    ] as const)
      await runDone(at, task, instance);
    expect(await at.landed(first)).toMatchObject({ state: 'landed' });
    expect(await at.landed(second)).toMatchObject({ state: 'conflict', conflicts: ['README.md'] });
    await expect
      .poll(async () => (await at.lookAt(second)).task.status, { ...PATIENCE, timeout: 60_000 })
      .toBe('done');
    const readme = readFileSync(join(at.repository.path, 'README.md'), 'utf8');
    expect(readme).toContain('one\n');
    expect(readme).toContain('two\n');
    const { tasks: runs } = (await at.hub.ask('GET', `/v1/biam/tasks?board_task=${second}`)).body;
    expect(runs.map(({ instance }: any) => instance)).toEqual(['two', 'two']);
    expect(runs[0].worktree.branch).toBe(runs[1].worktree.branch);
  });

  it('conflict twice in a row, and wait for a person then', LONG, async () => {
    const at = await landingHub(engine, { agents, land: { approve: 'checks', onConflict: 'run' } });
    const [first, second] = [await newTask(at, 'first'), await newTask(at, 'second')];
    await runDone(at, first, 'one');
    await runDone(at, second, 'stubborn');
    await at.landed(first);
    await at.landed(second);
    const states = async () => {
      const { landings } = (await at.hub.ask('GET', '/api/landings')).body;
      return landings.filter(({ task }: any) => task === second).map(({ state }: any) => state);
    };
    await expect.poll(states, { ...PATIENCE, timeout: 60_000 }).toEqual(['conflict', 'conflict']);
    const { task, comments } = await at.lookAt(second);
    expect(task.status).toBe('todo');
    expect(comments.at(-1).body).toContain('a person looks at it before it lands');
    const ada = await at.token('ada');
    await at.hub.ask('POST', `/api/board/tasks/${second}/claim`, { assigneeAgentId: 'ada' }, ada);
    expect(await at.land(second, {}, ada)).toMatchObject({ state: 'waiting_person' });
    const { tasks: runs } = (await at.hub.ask('GET', `/v1/biam/tasks?board_task=${second}`)).body;
    expect(runs).toHaveLength(2);
  });

  it('try one task side by side; one is picked, and the others go after a day', LONG, async () => {
    const at = await landingHub(engine, { agents });
    const { hub, repository } = at;
    const task = await newTask(at);
    const given = { task_id: task, instances: ['one', 'bad', 'fails'], project: repository.path };
    const begun = (await hub.ask('POST', '/v1/trials', given)).body;
    expect(begun).toMatchObject({ board_task: task, state: 'running', picked: null });
    const held = (await at.lookAt(task)).task;
    expect(held).toMatchObject({ status: 'in_progress', assigneeAgentId: `try-${begun.trial.slice(-6)}` });
    expect((await hub.ask('POST', '/v1/trials', given)).status).toBe(409);
    const look = async () => (await hub.ask('GET', `/v1/trials/${begun.trial}`)).body;
    await expect.poll(async () => (await look()).state, { ...PATIENCE, timeout: 60_000 }).toBe('ready');
    const { attempts } = await look();
    expect(attempts).toMatchObject([
      {
        run: { instance: 'one', status: 'done' },
        checks: [{ check: 'unit', passed: true }],
        diff: { files: 1 },
      },
      {
        run: { instance: 'bad', status: 'done' },
        checks: [{ check: 'unit', passed: false }],
        diff: { files: 1 },
      },
      { run: { instance: 'fails', status: 'failed' }, checks: [], diff: null, head: null },
    ]);
    for (const { ms } of attempts) expect(ms).toBeGreaterThan(0);
    const { task: shown, comments } = await at.lookAt(task);
    expect(shown).toMatchObject({ status: 'in_review', branchRef: null });
    expect(comments.at(-1).body).toMatch(/3 attempts are over:\n- one, run .*unit passed; 1 file/);
    const pick = (run: any) => hub.ask('POST', `/v1/biam/tasks/${run.task_id}/pick`);
    expect(await pick(attempts[2].run)).toMatchObject({ status: 409 });
    const picked = await pick(attempts[0].run);
    expect(picked.body).toMatchObject({ state: 'closed', picked: attempts[0].run.task_id });
    expect(await pick(attempts[1].run)).toMatchObject({ status: 409 });
    const branches = attempts.map(({ run }: any) => run.worktree.branch);
    expect((await at.lookAt(task)).task).toMatchObject({ status: 'in_review', branchRef: branches[0] });
    expect(await at.landed(task)).toMatchObject({ state: 'landed', run: attempts[0].run.task_id });
    const isThere = (branch: string) => repository.git('branch', '--list', branch).trim() !== '';
    expect(isThere(branches[1])).toBe(true);
    const past = Date.now() - 86_500_000;
    const db = await hub.place.open();
    await db.write({ id: 'test', asserted: false }, (tx) =>
      tx.run(sql`update run_trials set closed_at = ${past}`),
    );
    // Trials are looked at every few seconds, and when one of them has an end.
    const other = { ...given, task_id: await newTask(at, 'another'), instances: ['fails', 'fails'] };
    expect((await hub.ask('POST', '/v1/trials', other)).body).toHaveProperty('trial');
    await expect.poll(() => isThere(branches[1]), { ...PATIENCE, timeout: 40_000 }).toBe(false);
    expect(isThere(branches[0])).toBe(true);
    expect(existsSync(attempts[1].run.worktree.path)).toBe(false);
  });
});
