import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { pause } from '../../src/kernel/clock.ts';
import { eachEngine, freshFolder } from '../fixtures/databases.ts';
import { dispatchHub, type DispatchHub, openAt, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { freshRepository } from '../fixtures/repository.ts';

const WORKER = fileURLToPath(new URL('../fixtures/dispatch/worker.mjs', import.meta.url));
const worker = (...manner: string[]) => ({
  family: 'command',
  command: [process.execPath, WORKER, ...manner],
});
const agents = { good: worker(), untidy: worker('untidy'), failing: worker('failing') };

async function newTask(hub: DispatchHub, title: string, more: object = {}): Promise<string> {
  return (await hub.ask('POST', '/api/board/tasks', { title, ...more })).body.id ?? (await newest(hub));
}

async function newest(hub: DispatchHub): Promise<string> {
  return (await hub.ask('GET', '/api/board/tasks')).body.tasks[0].id;
}

const look = async (hub: DispatchHub, id: string) => (await hub.ask('GET', `/api/board/tasks/${id}`)).body;

async function start(hub: DispatchHub, body: object): Promise<any> {
  const { status, body: answer } = await hub.ask('POST', '/v1/runs', body);
  expect([status, answer.started]).toEqual([200, true]);
  return answer.task;
}

eachEngine('work on the board', (engine) => {
  it('is claimed under the name of the run, done in a worktree, and finished with what was done', async () => {
    const [hub, repository] = [await dispatchHub(engine, agents), freshRepository()];
    const task = await newTask(hub, 'write the file');
    const run = await start(hub, { task_id: task, instance: 'good', project: repository.path });
    expect((await look(hub, task)).task).toMatchObject({ status: 'in_progress', assigneeAgentId: run.agent });
    expect(await hub.over(run.task_id)).toMatchObject({ status: 'done', board_task: task });
    const { task: done, comments } = await look(hub, task);
    expect(done).toMatchObject({ status: 'done', assigneeAgentId: run.agent });
    expect(comments.at(-1).body).toMatch(
      new RegExp(`Branch ${run.worktree.branch}\\. 1 commit\\(s\\), 1 file changed`),
    );
    expect(comments.at(-1).authorAgentId).toBe(run.agent);
    expect(repository.git('show', `${run.worktree.branch}:${task}.txt`)).toContain(run.task_id);
    await expect.poll(() => existsSync(run.worktree.path), PATIENCE).toBe(false);
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  it('is done in its own worktree by the tools of the hub as well, whatever workspace the hub has', async () => {
    const everybody = freshFolder();
    const CALLER = fileURLToPath(new URL('../fixtures/dispatch/caller.mjs', import.meta.url));
    const calling = (name: string, args: object) => ({
      family: 'command',
      command: [process.execPath, CALLER, name, JSON.stringify(args)],
    });
    const callers = {
      shell: calling('Bash', { command: 'pwd; ls' }),
      writer: calling('Write', { path: 'made-by-tool.txt', content: 'x' }),
    };
    const [hub, repository] = [
      await dispatchHub(engine, callers, { workspace: everybody }),
      freshRepository(),
    ];
    writeFileSync(join(hub.home, 'policy.yaml'), 'version: 1\nrules:\n  - { decide: allow }\n');
    const work = { project: repository.path };
    const shell = await start(hub, { task_id: await newTask(hub, 'look'), instance: 'shell', ...work });
    expect((await hub.over(shell.task_id)).result).toContain(`${shell.worktree.path}\\nREADME.md`);
    const writer = await start(hub, { task_id: await newTask(hub, 'make'), instance: 'writer', ...work });
    await hub.over(writer.task_id);
    expect(repository.git('show', `${writer.worktree.branch}:made-by-tool.txt`)).toBe('x');
    expect(existsSync(join(everybody, 'made-by-tool.txt'))).toBe(false);
    const { audit } = (await hub.ask('GET', '/api/tools/audit?toolName=Bash')).body;
    expect(audit[0]).toMatchObject({ folder: shell.worktree.path });
  });

  it('that its agent did not commit is committed; what failed is kept as it is and given back with the reason', async () => {
    const [hub, repository] = [await dispatchHub(engine, agents), freshRepository()];
    const [one, two] = [await newTask(hub, 'one'), await newTask(hub, 'two')];
    const untidy = await start(hub, { task_id: one, instance: 'untidy', project: repository.path });
    expect(await hub.over(untidy.task_id)).toMatchObject({ status: 'done' });
    expect(repository.git('show', `${untidy.worktree.branch}:${one}.txt`)).toContain('done by');
    const failing = await start(hub, { task_id: two, instance: 'failing', project: repository.path });
    expect(await hub.over(failing.task_id)).toMatchObject({ status: 'failed' });
    const { task, comments } = await look(hub, two);
    expect(task).toMatchObject({ status: 'todo', assigneeAgentId: null });
    expect(comments.at(-1).body).toContain('it exited with code 1');
    expect(readFileSync(join(failing.worktree.path, 'half.txt'), 'utf8')).toBe('half');
    const { diff, stat } = (await hub.ask('GET', `/v1/biam/tasks/${failing.task_id}/diff`)).body;
    expect(diff).toContain('+half');
    expect(stat).toContain(`${two}.txt`);
    expect(await hub.ask('POST', `/v1/biam/tasks/${failing.task_id}/merge`)).toMatchObject({ status: 409 });
  });

  it('with checks that are not satisfied goes to review', async () => {
    const [hub, repository] = [await dispatchHub(engine, agents), freshRepository()];
    const task = await newTask(hub, 'checked');
    await hub.ask('POST', `/api/board/tasks/${task}/checks`, { title: 'tests pass', required: true });
    const run = await start(hub, { task_id: task, instance: 'good', project: repository.path });
    await hub.over(run.task_id);
    expect((await look(hub, task)).task).toMatchObject({ status: 'in_review' });
  });

  it('is merged, or says where it conflicts and changes nothing', async () => {
    const [hub, repository] = [await dispatchHub(engine, agents), freshRepository()];
    const [one, two] = [await newTask(hub, 'one'), await newTask(hub, 'two')];
    const runs: any[] = [];
    for (const task of [one, two]) {
      const run = await start(hub, { task_id: task, instance: 'good', project: repository.path });
      await hub.over(run.task_id);
      runs.push(run);
    }
    // What came since somebody looked is not merged, nor into what is checked out instead.
    const merge = (seen: object) => hub.ask('POST', `/v1/biam/tasks/${runs[0].task_id}/merge`, seen);
    const head = repository.git('rev-parse', runs[0].worktree.branch).trim();
    const tip = repository.git('rev-parse', 'main');
    for (const seen of [
      { head: repository.git('rev-parse', 'main').trim(), into: 'main' },
      { head, into: 'other' },
    ])
      expect(await merge(seen)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(repository.git('rev-parse', 'main')).toBe(tip);
    expect((await merge({ head, into: 'main' })).body).toMatchObject({
      merged: true,
      into: 'main',
    });
    expect(existsSync(join(repository.path, `${one}.txt`))).toBe(true);
    repository.commit(`${two}.txt`, 'somebody else was here\n');
    const before = repository.git('rev-parse', 'HEAD');
    expect((await hub.ask('POST', `/v1/biam/tasks/${runs[1].task_id}/merge`)).body).toMatchObject({
      merged: false,
      conflicts: [`${two}.txt`],
    });
    expect([repository.git('rev-parse', 'HEAD'), repository.git('status', '--porcelain')]).toEqual([
      before,
      '',
    ]);
  });

  it('shows a submodule that its agent put in or moved', async () => {
    const link = [
      `const git = (...args) => require('child_process').execFileSync('git', args)`,
      `git('update-index', '--add', '--cacheinfo', '160000,' + git('rev-parse', 'HEAD').toString().trim() + ',lib')`,
      `git('-c', 'user.name=a', '-c', 'user.email=a@b.invalid', 'commit', '-q', '-m', 'lib')`,
      `require('fs').mkdirSync('lib')`,
    ].join(';');
    const linker = { family: 'command', command: [process.execPath, '-e', link] };
    const [hub, repository] = [await dispatchHub(engine, { linker }), freshRepository()];
    const task = await newTask(hub, 'put it in');
    const run = await start(hub, { task_id: task, instance: 'linker', project: repository.path });
    await hub.over(run.task_id);
    const { diff, stat } = (await hub.ask('GET', `/v1/biam/tasks/${run.task_id}/diff`)).body;
    expect(diff).toContain(`+Subproject commit ${repository.git('rev-parse', 'main').trim()}`);
    expect(stat).toContain('lib');
  });

  it('takes the best ready task, and says when there is none', async () => {
    const hub = await dispatchHub(engine, agents);
    const first = await newTask(hub, 'first', { priority: 5 });
    const second = await newTask(hub, 'second', { dependsOn: [first] });
    const script = { instance: 'script' };
    const run = await start(hub, script);
    expect(run.board_task).toBe(first);
    await hub.over(run.task_id);
    const next = await start(hub, script);
    expect(next.board_task).toBe(second);
    await hub.over(next.task_id);
    expect((await hub.ask('POST', '/v1/runs', script)).body).toEqual({ started: false });
    expect(await hub.ask('POST', '/v1/runs', { ...script, task_id: first })).toMatchObject({ status: 409 });
    expect(await hub.ask('POST', '/v1/runs', { ...script, task_id: 'nope' })).toMatchObject({ status: 404 });
    expect((await hub.ask('GET', '/v1/biam/tasks')).body.count).toBe(2);
  });

  it('copies what .worktreeinclude names, runs the setup, and refuses a repository without a commit', async () => {
    const hub = await dispatchHub(
      engine,
      { shower: { family: 'command', command: ['sh', '-c', 'cat > /dev/null; cat .env made.txt; ls'] } },
      { dispatch: { setup: 'echo setting up; echo made > made.txt' } },
    );
    const repository = freshRepository();
    repository.commit('.gitignore', '.env\nsecret.key\nmade.txt\n');
    repository.commit('.worktreeinclude', '.env\n');
    for (const file of ['.env', 'secret.key']) writeFileSync(join(repository.path, file), `${file} here\n`);
    const task = await newTask(hub, 'look around');
    const run = await start(hub, { task_id: task, instance: 'shower', project: repository.path });
    const { result, status } = await hub.over(run.task_id);
    expect(status).toBe('done');
    expect(result).toContain('.env here\nmade');
    expect(result).not.toContain('secret.key');
    await expect.poll(() => repository.git('branch', '--list', 'holdfast/*'), PATIENCE).toBe('');
    const empty = freshFolder();
    execFileSync('git', ['-C', empty, 'init', '-q']);
    const other = await newTask(hub, 'nothing there');
    expect(
      await hub.ask('POST', '/v1/runs', { task_id: other, instance: 'shower', project: empty }),
    ).toMatchObject({ status: 400 });
  });

  it('is held by the run and the agent inside it alike; when the hub goes and nobody may retry, the task is free again', async () => {
    const claimer = [
      'const { HOLDFAST_URL: url, HOLDFAST_TOKEN: token, HOLDFAST_TASK_ID: task } = process.env;',
      'const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };',
      'const call = (path, body) => fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });',
      'const beat = await call(`/api/board/tasks/${task}/heartbeat`, {});',
      'const body = `heartbeat ${beat.status}`;',
      'console.log((await call(`/api/board/tasks/${task}/comments`, { body, authorType: "agent" })).status);',
      'setTimeout(() => {}, 60_000);',
    ].join('\n');
    const command = [process.execPath, '--input-type=module', '-e', claimer];
    const inside = { family: 'command', command, retry: 'never' };
    const hub = await dispatchHub(engine, { inside });
    const task = await newTask(hub, 'long');
    const run = await start(hub, { task_id: task, instance: 'inside' });
    await expect
      .poll(async () => (await look(hub, task)).comments.at(-1), PATIENCE)
      .toMatchObject({ authorAgentId: run.agent, body: 'heartbeat 200' });
    await hub.hub.close();
    const again = await openAt(hub.place, hub.home, { inside });
    expect((await look(again, task)).task).toMatchObject({ status: 'todo', assigneeAgentId: null });
    expect((await look(again, task)).comments.at(-1).body).toContain('the hub stopped while it ran');
  });

  it('is kept for as long as its process lives, however short the lease and however silent the agent', async () => {
    const silent = { family: 'command', command: [process.execPath, '-e', 'setTimeout(() => {}, 60_000)'] };
    const hub = await dispatchHub(engine, { silent }, { lease: '1s' });
    const task = await newTask(hub, 'long');
    const run = await start(hub, { task_id: task, instance: 'silent' });
    const left: number[] = [];
    for (const end = performance.now() + 2_500; performance.now() < end; await pause(100))
      left.push((await look(hub, task)).task.leaseUntil - Date.now());
    expect(Math.min(...left)).toBeGreaterThan(0);
    expect((await look(hub, task)).task).toMatchObject({ status: 'in_progress', assigneeAgentId: run.agent });
  });

  it('is resumed by the same session: what is done or in review is under way again, what another holds is not', async () => {
    const memory = freshFolder();
    const talker = {
      family: 'acp',
      command: [
        process.execPath,
        fileURLToPath(new URL('../fixtures/dispatch/acp-agent.mjs', import.meta.url)),
        memory,
      ],
    };
    const [hub, repository] = [await dispatchHub(engine, { talker }), freshRepository()];
    const task = await newTask(hub, 'wait');
    const run = await start(hub, { task_id: task, instance: 'talker', project: repository.path });
    await hub.over(run.task_id);
    const resume = (id: string, token?: string) =>
      hub.ask('POST', `/v1/biam/tasks/${id}/resume`, { prompt: 'remember' }, token);
    expect((await look(hub, task)).task.status).toBe('done');
    const { token } = (await hub.ask('POST', '/api/tokens', { agent: 'ada' })).body;
    expect((await resume(run.task_id, token)).status).toBe(403);
    expect((await look(hub, task)).task.status).toBe('done');
    const second = await resume(run.task_id);
    expect([second.status, second.body.board_task]).toEqual([200, task]);
    await hub.over(second.body.task_id);
    const { comments } = await look(hub, task);
    expect(comments.some(({ body }: { body: string }) => /^Reopened by .*; it was done\.$/.test(body))).toBe(
      true,
    );

    const checked = await newTask(hub, 'wait');
    await hub.ask('POST', `/api/board/tasks/${checked}/checks`, { title: 'tests pass', required: true });
    const third = await start(hub, { task_id: checked, instance: 'talker', project: repository.path });
    await hub.over(third.task_id);
    expect((await look(hub, checked)).task.status).toBe('in_review');
    const fourth = await resume(third.task_id);
    expect([fourth.status, fourth.body.board_task]).toEqual([200, checked]);
    await hub.over(fourth.body.task_id);

    await hub.ask('PUT', `/api/board/tasks/${task}/reopened`);
    await hub.ask('POST', `/api/board/tasks/${task}/claim`, { assigneeAgentId: 'grace' });
    expect((await resume(run.task_id)).status).toBe(409);
    expect((await look(hub, task)).task).toMatchObject({ status: 'in_progress', assigneeAgentId: 'grace' });

    const free = await hub.run('say hi', 'talker');
    const { body: again } = await hub.ask('POST', `/v1/biam/tasks/${free.task_id}/resume`, {
      prompt: 'remember',
    });
    expect(await hub.over(again.task_id)).toMatchObject({
      status: 'done',
      result: 'say hi;',
      resumes: free.task_id,
    });
  });
});
