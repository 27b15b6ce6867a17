import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { eachEngine, freshFolder } from '../fixtures/databases.ts';
import { AGENT, dispatchHub, type DispatchHub, isAlive, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { marked } from '../fixtures/marked-processes.ts';
import { freshRepository } from '../fixtures/repository.ts';

const GIGABYTE = 1_000_000_000;
const shell = (line: string, limits: object = {}) => ({
  family: 'command',
  command: ['sh', '-c', line],
  limits,
});

async function linesOf(hub: DispatchHub, id: string): Promise<string[]> {
  const stream = await hub.subscribe(id);
  await stream.ended;
  return stream.events.flatMap(({ event, data }) => (event === 'frame' ? [data.line as string] : []));
}

it.each([
  ['in lines', `yes ${'y'.repeat(999)} | head -c ${GIGABYTE}; echo; echo last`],
  ['without a line end', `head -c ${GIGABYTE} /dev/zero | tr '\\0' y; echo; echo last`],
])(
  'a gigabyte %s is read to its end, cut, and fills neither memory nor disk',
  { timeout: 180_000 },
  async (_, line) => {
    const hub = await dispatchHub('sqlite', { loud: shell(line, { output: '1MB', minutes: 3 }) });
    const before = process.memoryUsage.rss();
    let most = before;
    const looking = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 50);
    const id = await hub.start('x', 'loud');
    const { body } = await hub.ask('GET', `/v1/biam/tasks/${id}/wait?timeout_s=170`);
    clearInterval(looking);
    expect(body.task).toMatchObject({ status: 'done', exit: { code: 0 } });
    expect(most - before).toBeLessThan(400 * 1024 * 1024);
    const kept = await linesOf(hub, id);
    expect(kept.at(-1)).toBe('last');
    expect(kept.join('').length).toBeLessThan(2_000_000);
    expect(kept.find((each) => /left out|bytes cut/.test(each))).toMatch(/\d{9} bytes/);
  },
);

eachEngine('programs that do not end', (engine) => {
  it.each([
    ['never exits', 'forever'],
    ['closes stdout and lives', 'close-stdout\nforever'],
    ['ignores TERM', 'ignore-term\nforever'],
  ])('one that %s is ended at its limit, and fails', async (_, prompt) => {
    const stuck = {
      family: 'command',
      command: [process.execPath, AGENT, '{prompt}'],
      limits: { minutes: 0.02 },
    };
    const hub = await dispatchHub(engine, { stuck });
    const id = await hub.start(`env HOLDFAST_RUN_ID\n${prompt}`, 'stuck');
    expect(await hub.over(id)).toMatchObject({ status: 'failed', error: { class: 'limit' } });
    expect(marked(id)).toEqual([]);
  });

  it('one that reads stdin for ever gets its end, and one that does not look is ended all the same', async () => {
    const hub = await dispatchHub(engine, {
      patient: shell('while read line; do echo "$line"; done; echo over'),
      greedy: shell('while true; do read line; sleep 0.05; done', { minutes: 0.02 }),
    });
    expect(await hub.run('one\ntwo', 'patient')).toMatchObject({ status: 'done' });
    expect(await hub.run('one\ntwo', 'greedy')).toMatchObject({
      status: 'failed',
      error: { class: 'limit' },
    });
  });

  it('one that forks children and leaves them takes them along', async () => {
    const hub = await dispatchHub(engine);
    const run = await hub.run('fork plain\nfork stubborn\nfork plain\nexit 0');
    expect(run.status).toBe('done');
    const children = [...run.result.matchAll(/child (\d+)/g)].map(([, pid]) => Number(pid));
    expect(children).toHaveLength(3);
    expect(children.filter(isAlive)).toEqual([]);
    expect(marked(run.task_id)).toEqual([]);
  });
});

eachEngine('worktrees that cannot be', (engine) => {
  const worker = shell('cat > /dev/null; ls; echo done > done.txt');

  async function tried(hub: DispatchHub, project: string) {
    const { body: task } = await hub.ask('POST', '/api/board/tasks', { title: 'try it' });
    const answer = await hub.ask('POST', '/v1/runs', { task_id: task.id, instance: 'worker', project });
    return { task: task.id as string, answer };
  }

  const statusOf = async (hub: DispatchHub, task: string) =>
    (await hub.ask('GET', `/api/board/tasks/${task}`)).body.task.status;

  it('a path in use is left as it is; the run fails and its task is free again', async () => {
    const hub = await dispatchHub(engine, { worker }, { dispatch: { concurrent: 1 } });
    const repository = freshRepository();
    // One run at a time: while another runs, the place of the next one is known and not yet made.
    const busy = await hub.start('forever');
    await expect
      .poll(async () => (await hub.ask('GET', `/v1/biam/tasks/${busy}`)).body.task.status, PATIENCE)
      .toBe('active');
    const { task, answer } = await tried(hub, repository.path);
    const { path, branch } = answer.body.task.worktree;
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'mine.txt'), 'somebody works here');
    await hub.ask('POST', `/v1/biam/tasks/${busy}/cancel`);
    expect(await hub.over(answer.body.task.task_id)).toMatchObject({
      status: 'failed',
      error: { text: expect.stringContaining('is in use already') },
    });
    expect(readFileSync(join(path, 'mine.txt'), 'utf8')).toBe('somebody works here');
    expect(repository.git('branch', '--list', branch)).toBe('');
    await expect.poll(() => statusOf(hub, task), PATIENCE).toBe('todo');
  });

  it('a repository in the middle of a conflict is worked on beside it, and merged into only when it is over', async () => {
    const hub = await dispatchHub(engine, { worker });
    const repository = freshRepository();
    repository.git('checkout', '-q', '-b', 'other');
    repository.commit('README.md', 'theirs\n');
    repository.git('checkout', '-q', 'main');
    repository.commit('README.md', 'ours\n');
    expect(() => repository.git('merge', 'other')).toThrow('Command failed');
    const before = repository.git('status', '--porcelain');
    expect(before).toContain('UU README.md');
    const { answer } = await tried(hub, repository.path);
    const run = await hub.over(answer.body.task.task_id);
    expect(run).toMatchObject({ status: 'done' });
    expect(repository.git('show', `${run.worktree.branch}:done.txt`)).toBe('done\n');
    expect(await hub.ask('POST', `/v1/biam/tasks/${run.task_id}/merge`)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('in the middle of a merge') },
    });
    expect(repository.git('status', '--porcelain')).toBe(before);
  });

  it('without git nothing runs in a repository; a plain folder of a known project needs none', async () => {
    const folder = freshFolder();
    const hub = await dispatchHub(engine, { worker, placed: { ...worker, cwd: folder } });
    const repository = freshRepository();
    vi.stubEnv('PATH', freshFolder());
    const { task, answer } = await tried(hub, repository.path);
    vi.unstubAllEnvs();
    expect(answer).toMatchObject({ status: 503, body: { error: 'git is not installed.' } });
    expect(await statusOf(hub, task)).toBe('todo');
    expect(execFileSync('ls', [repository.path], { encoding: 'utf8' })).toBe('README.md\n');
    const { body } = await hub.ask('POST', '/v1/runs', {
      task_id: task,
      instance: 'placed',
      project: folder,
    });
    expect(await hub.over(body.task.task_id)).toMatchObject({ status: 'done', cwd: folder });
  });
});
