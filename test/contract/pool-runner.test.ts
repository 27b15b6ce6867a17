// A hub and runners as processes: a run goes where it can be had, its work comes back, and what dies or is cut loses nothing.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { VERSION } from '../../src/kernel/version.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { AGENT, isAlive, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { runHoldfast } from '../fixtures/hub-process.ts';
import { limitedAgent } from '../fixtures/limited-agent.ts';
import { marked } from '../fixtures/marked-processes.ts';
import { poolWorld } from '../fixtures/pool-world.ts';
import { commit, git as gitIn, newRepositoryWithCommit } from '../fixtures/repositories.ts';

const script = { family: 'command', command: [process.execPath, AGENT, '{prompt}'] };

it('takes what the hub has no agent for, tells all of it, and is listed', async () => {
  const pool = await poolWorld({});
  await pool.runner('desktop', { agents: { script }, args: ['--label', 'gpu'] });
  await expect
    .poll(async () => (await pool.runners()).map(({ name }: any) => name), PATIENCE)
    .toEqual(['desktop']);
  const id = await pool.send('say one\nsay two\nenv HOLDFAST_TOKEN', { needs: ['gpu'] });
  const { task, result } = await pool.wait(id);
  expect(task).toMatchObject({ status: 'done', attempt: 1 });
  expect(result).toBe('one\ntwo\nHOLDFAST_TOKEN=[the token of this run]');
  const shown = (await pool.ask('GET', `/v1/biam/tasks/${id}`)).task;
  expect(shown.attempts).toMatchObject([{ n: 1, runner: 'desktop', end: 'done' }]);
  expect(await pool.lines(id)).toEqual(['one', 'two', expect.stringContaining('HOLDFAST_TOKEN=')]);
  expect((await pool.runners())[0]).toMatchObject({
    state: 'ready',
    slots: 2,
    labels: ['gpu'],
    agents: expect.arrayContaining(['script']),
  });
});

it('says why a run waits, and gives it to nobody who lacks what it needs', async () => {
  const pool = await poolWorld({});
  await pool.runner('desktop', { agents: { script } });
  await expect.poll(async () => (await pool.runners()).length, PATIENCE).toBe(1);
  const id = await pool.send('say never', { needs: ['gpu'] });
  const why = async (run: string) => (await pool.ask('GET', `/v1/biam/tasks/${run}/why`)).reasons.join('\n');
  await expect.poll(() => why(id), PATIENCE).toContain('desktop: it lacks gpu.');
  const elsewhere = await pool.send('say never', { on: 'server' });
  await expect.poll(() => why(elsewhere), PATIENCE).toContain('the run is for server');
  await pool.ask('POST', `/v1/biam/tasks/${id}/cancel`);
  expect((await pool.wait(id)).task).toMatchObject({ status: 'cancelled', attempt: 0 });
});

it('is told to cancel within a second, and its processes are gone', async () => {
  const pool = await poolWorld({});
  await pool.runner('desktop', { agents: { script } });
  const soon = await pool.send('say up\nforever');
  await expect.poll(() => pool.lines(soon), PATIENCE).toContain('up');
  const asked = Date.now();
  await pool.ask('POST', `/v1/biam/tasks/${soon}/cancel`);
  const { task } = await pool.wait(soon);
  expect([task.status, Date.parse(task.closed_at) - asked < 1_000]).toEqual(['cancelled', true]);
  const id = await pool.send('fork stubborn\nsay up\nforever');
  await expect.poll(() => pool.lines(id), PATIENCE).toContain('up');
  const child = Number(/child (\d+)/.exec((await pool.lines(id)).join('\n'))?.[1]);
  await pool.ask('POST', `/v1/biam/tasks/${id}/cancel`);
  expect((await pool.wait(id)).task.status).toBe('cancelled');
  expect(isAlive(child)).toBe(false);
});

it('without a project it works in an empty folder, which is gone afterwards', async () => {
  const pool = await poolWorld({});
  await pool.runner('desktop', {
    agents: { sh: { family: 'command', command: ['sh', '-c', 'pwd; ls -A'] } },
  });
  const id = await pool.send('x', { instance: 'sh' });
  const [folder, ...files] = (await pool.wait(id)).result.split('\n');
  expect(files).toEqual([]);
  await expect.poll(() => existsSync(folder), PATIENCE).toBe(false);
});

it('reads a checkout of the project that is there already, and changes nothing in it', async () => {
  const pool = await poolWorld({});
  const repository = newRepositoryWithCommit(join(freshFolder(), 'boat'));
  const known = join(freshFolder(), 'known');
  gitIn(repository, 'clone', '-q', '--no-hardlinks', repository, known);
  writeFileSync(join(known, 'mine.txt'), 'not to be touched');
  const before = filesIn(known);
  const runner = await pool.runner('desktop', {
    agents: { script },
    args: ['--label', 'far', '--project', `boat=${known}`],
  });
  const id = await pool.send('write made.txt here\nsay up', { cwd: repository, needs: ['far'] });
  const { task } = await pool.wait(id);
  expect(task).toMatchObject({ status: 'done', project: 'boat' });
  const { worktree } = (await pool.ask('GET', `/v1/biam/tasks/${id}`)).task;
  expect(gitIn(repository, 'show', `${worktree.branch}:made.txt`)).toBe('here');
  expect(filesIn(known)).toEqual(before);
  const [cache] = readdirSync(join(runner.home, 'runner', 'desktop', 'git'));
  const borrowed = join(runner.home, 'runner', 'desktop', 'git', cache!, 'objects', 'info', 'alternates');
  expect(readFileSync(borrowed, 'utf8').trim()).toBe(join(known, '.git', 'objects'));
});

it('has a repository whose history was cut off as it is', async () => {
  const pool = await poolWorld({});
  const whole = newRepositoryWithCommit(join(freshFolder(), 'whole'));
  commit(whole);
  const shallow = join(freshFolder(), 'shallow');
  gitIn(whole, 'clone', '-q', '--depth', '1', `file://${whole}`, shallow);
  await pool.runner('desktop', { agents: { script }, args: ['--label', 'far'] });
  const id = await pool.send('commit made.txt', { cwd: shallow, needs: ['far'] });
  expect((await pool.wait(id)).task).toMatchObject({ status: 'done', attempt: 1 });
  const { worktree } = (await pool.ask('GET', `/v1/biam/tasks/${id}`)).task;
  expect(gitIn(shallow, 'log', '--format=%s', worktree.branch)).toBe('made.txt\na change');
});

it('has a repository whose objects are named by SHA-256, and its work wherever git has put it', async () => {
  const pool = await poolWorld({});
  const repository = join(freshFolder(), 'repo');
  gitIn(freshFolder(), 'init', '-q', '-b', 'main', '--object-format=sha256', repository);
  commit(repository);
  // A checkout of that name whose objects are of no use to it.
  const known = newRepositoryWithCommit(join(freshFolder(), 'repo'));
  const save = 'git add -A; git -c user.name=a -c user.email=a@b commit -qm made; git pack-refs --all';
  const work = `set -e; echo "$1" > made.txt; ${save}; rm .git/logs/HEAD`;
  const runner = await pool.runner('desktop', {
    agents: { sh: { family: 'command', command: ['sh', '-c', work, 'sh', '{prompt}'] } },
    args: ['--label', 'far', '--project', `repo=${known}`],
  });
  const opts = { instance: 'sh', cwd: repository, needs: ['far'] };
  const worktreeOf = async (text: string) => {
    const id = await pool.send(text, opts);
    const { task } = await pool.wait(id);
    expect([task.status, task.error]).toEqual(['done', undefined]);
    return (await pool.ask('GET', `/v1/biam/tasks/${id}`)).task.worktree;
  };
  const first = await worktreeOf('here');
  const second = await worktreeOf('there');
  const made = (branch: string) => gitIn(repository, 'show', `${branch}:made.txt`);
  expect([made(first.branch), made(second.branch)]).toEqual(['here', 'there']);
  expect(gitIn(repository, 'rev-parse', first.branch)).toHaveLength(64);
  const mirrors = join(pool.env['HOLDFAST_HOME']!, 'mirrors');
  const [mirror] = readdirSync(mirrors);
  const most = ['receive.maxInputSize', 'transfer.fsckObjects'].map((name) =>
    gitIn(join(mirrors, mirror!), 'config', name),
  );
  expect(most).toEqual(['536870912', 'true']);
  expect(readdirSync(join(runner.home, 'runner', 'desktop', 'git'))).toHaveLength(1);
});

it('runs its own setup in each checkout, which a cancel ends as well', async () => {
  const pool = await poolWorld({});
  const repository = newRepositoryWithCommit(join(freshFolder(), 'repo'));
  const setup = 'echo ready > ready.txt; echo set up; if [ -e slow ]; then sleep 600; fi';
  const runner = await pool.runner('desktop', {
    agents: { script },
    settings: { dispatch: { setup } },
    args: ['--label', 'far'],
  });
  const send = () => pool.send('commit ready', { cwd: repository, needs: ['far'] });
  const id = await send();
  expect((await pool.wait(id)).task).toMatchObject({ status: 'done' });
  const { worktree } = (await pool.ask('GET', `/v1/biam/tasks/${id}`)).task;
  expect(gitIn(repository, 'show', `${worktree.branch}:ready.txt`)).toBe('ready');
  writeFileSync(join(repository, 'slow'), '');
  gitIn(repository, 'add', 'slow');
  gitIn(repository, 'commit', '-q', '-m', 'slow');
  const slow = await send();
  const made = join(runner.home, 'runner', 'desktop', 'work', slow, 'work', 'ready.txt');
  await expect.poll(() => existsSync(made), PATIENCE).toBe(true);
  await pool.ask('POST', `/v1/biam/tasks/${slow}/cancel`);
  expect((await pool.wait(slow)).task.status).toBe('cancelled');
});

it('is killed and begins again: what it said is told, its processes are gone, and its session goes on', async () => {
  const agent = limitedAgent('work+hang,ok');
  const pool = await poolWorld({ tired: { ...agent.settings, retry: 'once' } });
  const runner = await pool.runner('desktop', { agents: { tired: agent.settings } });
  const id = await pool.send('Write both halves.', { instance: 'tired', on: 'desktop' });
  const said = async () => (await pool.lines(id)).filter((line) => line.includes('half.txt')).length;
  await expect.poll(said, PATIENCE).toBe(1);
  runner.kill('SIGKILL');
  await runner.gone;
  expect(marked(id)).not.toEqual([]);
  runner.again();
  expect((await pool.wait(id)).task).toMatchObject({ status: 'done', attempt: 2 });
  const { attempts } = (await pool.ask('GET', `/v1/biam/tasks/${id}`)).task;
  expect(attempts).toMatchObject([
    { n: 1, runner: 'desktop', end: 'lost' },
    { n: 2, runner: 'desktop', end: 'done' },
  ]);
  const [first, second] = agent.starts();
  expect(second).toMatchObject({ cwd: first!.cwd, args: expect.arrayContaining(['--resume']) });
  expect(second!.input).toMatch(/^You were broken off because what you ran in was stopped/);
  expect([await said(), marked(id)]).toEqual([1, []]);
});

it('is shown by the command line as programs read it, with why a run waits', async () => {
  const pool = await poolWorld({});
  await pool.runner('desktop', { agents: { script }, args: ['--label', 'gpu', '--slots', '3'] });
  const id = await pool.send('say never', { needs: ['quantum'] });
  const json = (...args: string[]) => JSON.parse(runHoldfast(pool.env, [...args, '--json']).out);
  const { runners } = json('runner', 'list');
  expect(runners).toEqual([
    {
      name: 'desktop',
      state: 'ready',
      slots: 3,
      busy: 0,
      agents: expect.arrayContaining(['script']),
      labels: ['gpu'],
      seenAt: expect.stringMatching(/^20.*Z$/),
      version: VERSION,
      // Beside what was agreed.
      projects: [],
      system: process.platform,
    },
  ]);
  expect(json('runs', 'why', id)).toEqual({
    reasons: expect.arrayContaining(['desktop: it lacks quantum.']),
  });
  expect(json('runner', 'drain', 'desktop')).toMatchObject({ name: 'desktop', state: 'draining' });
  expect(json('runs', 'show', id).run).toMatchObject({ task_id: id, status: 'pending', attempt: 0 });
});

it('is refused with what to do about it', async () => {
  const pool = await poolWorld({});
  const file = join(freshFolder(), 'token');
  const refusal = (token: string) => {
    writeFileSync(file, token);
    return runHoldfast(pool.env, [
      'runner',
      '--hub',
      pool.address(),
      '--token-file',
      file,
      '--name',
      'desktop',
    ]);
  };
  expect(refusal('')).toMatchObject({ code: 2, err: expect.stringContaining(`${file} is empty`) });
  const { code, err } = refusal(pool.env['HOLDFAST_TOKEN']!);
  expect([code, err]).toEqual([5, expect.stringContaining('holdfast token create --runner NAME')]);
});

it('works on while its hub is away, and nothing is lost or doubled', async () => {
  const pool = await poolWorld({});
  await pool.runner('desktop', { agents: { script } });
  const prompt = Array.from({ length: 30 }, (_, i) => `say line ${i}\nsleep 100`).join('\n');
  const id = await pool.send(prompt);
  await expect.poll(() => pool.lines(id), PATIENCE).toContain('line 3');
  await pool.kill();
  await pool.again();
  expect((await pool.wait(id)).task).toMatchObject({ status: 'done', attempt: 1 });
  expect(await pool.lines(id)).toEqual(Array.from({ length: 30 }, (_, i) => `line ${i}`));
});

it('keeps the task of a run that says nothing for longer than a lease', async () => {
  const pool = await poolWorld({}, { HOLDFAST_LEASE: '1500ms' });
  const silent = { family: 'command', command: ['sh', '-c', 'sleep 3; echo through'] };
  await pool.runner('desktop', { agents: { silent } });
  const { id: taskId } = await pool.ask('POST', '/api/board/tasks', { title: 'Take your time' });
  const { task } = await pool.ask('POST', '/v1/runs', { task_id: taskId, instance: 'silent' });
  const board = async () => (await pool.ask('GET', `/api/board/tasks/${taskId}`)).task;
  const seen = new Set<string>();
  await expect
    .poll(async () => {
      // Whoever asks for it while it is silent is refused.
      await pool.ask('POST', `/api/board/tasks/${taskId}/claim`, { assigneeAgentId: 'rival' });
      const { status, assigneeAgentId } = await board();
      seen.add(`${status} ${assigneeAgentId === 'rival'}`);
      return (await pool.ask('GET', `/v1/biam/tasks/${task.task_id}`)).task.status;
    }, PATIENCE)
    .toBe('done');
  expect([...seen].filter((each) => each !== 'done false')).toEqual(['in_progress false']);
  expect(await board()).toMatchObject({ status: 'done', fence: 1 });
});

it('is stopped: its work is pushed, and the next attempt goes on from there', async () => {
  const pool = await poolWorld({ again: { ...script, retry: 'once' } });
  const repository = newRepositoryWithCommit(join(freshFolder(), 'repo'));
  const git = (...args: string[]) => gitIn(repository, ...args);
  const first = await pool.runner('one', { agents: { again: script }, args: ['--label', 'far'] });
  const id = await pool.send('write made.txt here\nsay up\nsleep 3000\nsay through', {
    instance: 'again',
    cwd: repository,
    needs: ['far'],
  });
  await expect.poll(() => pool.lines(id), PATIENCE).toContain('up');
  first.kill('SIGTERM');
  await pool.runner('two', { agents: { again: script }, args: ['--label', 'far'] });
  const { task } = await pool.wait(id);
  expect(task).toMatchObject({ status: 'done', attempt: 2 });
  const shown = (await pool.ask('GET', `/v1/biam/tasks/${id}`)).task;
  expect(shown.attempts).toMatchObject([
    { n: 1, runner: 'one', end: 'handed_over' },
    { n: 2, runner: 'two', end: 'done' },
  ]);
  expect(git('show', `${shown.worktree.branch}:made.txt`)).toBe('here');
  expect(git('status', '--porcelain')).toBe('');
});

/** Every file below a folder, with what is in it. */
function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'base64')]));
}
