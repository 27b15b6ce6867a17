// A hub and runners as processes: a run goes where it can be had, its work comes back, and what dies or is cut loses nothing.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { builtBin } from '../fixtures/built.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { AGENT, isAlive, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { freshHome, type HubProcess, runHoldfast, startHub } from '../fixtures/hub-process.ts';

const TOKEN = 't'.repeat(40);
const script = { family: 'command', command: [process.execPath, AGENT, '{prompt}'] };

it('takes what the hub has no agent for, tells all of it, and is listed', async () => {
  const pool = await world({});
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
  const pool = await world({});
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
  const pool = await world({});
  await pool.runner('desktop', { agents: { script } });
  const id = await pool.send('fork stubborn\nsay up\nforever');
  await expect.poll(() => pool.lines(id), PATIENCE).toContain('up');
  const child = Number(/child (\d+)/.exec((await pool.lines(id)).join('\n'))?.[1]);
  await pool.ask('POST', `/v1/biam/tasks/${id}/cancel`);
  expect((await pool.wait(id)).task.status).toBe('cancelled');
  expect(isAlive(child)).toBe(false);
});

it('works on while its hub is away, and nothing is lost or doubled', async () => {
  const pool = await world({});
  await pool.runner('desktop', { agents: { script } });
  const prompt = Array.from({ length: 30 }, (_, i) => `say line ${i}\nsleep 100`).join('\n');
  const id = await pool.send(prompt);
  await expect.poll(() => pool.lines(id), PATIENCE).toContain('line 3');
  await pool.restart();
  expect((await pool.wait(id)).task).toMatchObject({ status: 'done', attempt: 1 });
  expect(await pool.lines(id)).toEqual(Array.from({ length: 30 }, (_, i) => `line ${i}`));
});

it('keeps the task of a run that says nothing for longer than a lease', async () => {
  const pool = await world({}, { HOLDFAST_LEASE: '1500ms' });
  const silent = { family: 'command', command: ['sh', '-c', 'sleep 5; echo through'] };
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
  const pool = await world({ again: { ...script, retry: 'once' } });
  const repository = freshRepository();
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8' }).trim();
  const first = await pool.runner('one', { agents: { again: script }, args: ['--label', 'far'] });
  const id = await pool.send('write made.txt here\nsay up\nsleep 3000\nsay through', {
    instance: 'again',
    cwd: repository,
    needs: ['far'],
  });
  await expect.poll(() => pool.lines(id), PATIENCE).toContain('up');
  await pool.runner('two', { agents: { again: script }, args: ['--label', 'far'] });
  first.kill('SIGTERM');
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

type RunnerSetup = Readonly<{ agents: object; args?: readonly string[] }>;

async function world(agents: object, more: Record<string, string> = {}) {
  const env = freshHome({ HOLDFAST_TOKEN: TOKEN, ...more });
  writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), stringify({ agents }));
  let hub: HubProcess = await startHub(env);
  const port = new URL(hub.address).port;

  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${TOKEN}`, ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(`${hub.address}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as any;
  };
  async function runner(name: string, { agents: own, args = [] }: RunnerSetup) {
    const home = freshFolder();
    writeFileSync(join(home, 'config.yaml'), stringify({ agents: own }));
    const made = runHoldfast(env, ['token', 'create', '--runner', name, '--json']);
    writeFileSync(join(home, 'runner.token'), JSON.parse(made.out).token as string);
    const child = spawn(
      process.execPath,
      [
        builtBin('holdfast'),
        'runner',
        '--hub',
        hub.address,
        '--token-file',
        join(home, 'runner.token'),
        '--name',
        name,
        ...args,
      ],
      {
        env: { ...env, HOLDFAST_HOME: home, HOLDFAST_TOKEN: undefined },
        stdio: ['ignore', 'inherit', 'inherit'],
      },
    );
    const gone = new Promise((resolve) => child.once('exit', resolve));
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await gone;
    });
    return child;
  }
  const send = async (prompt: string, opts: Record<string, unknown> = {}) => {
    const { instance = 'script', ...rest } = opts;
    const sent = await ask('POST', '/v1/send_message', { instance, prompt, async: true, opts: rest });
    if (sent.task_id === undefined) throw new Error(JSON.stringify(sent));
    return sent.task_id as string;
  };
  const runners = async () => (await ask('GET', '/v1/runners')).runners;
  return {
    ask,
    runner: async (name: string, setup: RunnerSetup) => {
      const child = await runner(name, setup);
      await expect
        .poll(async () => (await runners()).some((each: any) => each.name === name), PATIENCE)
        .toBe(true);
      return child;
    },
    runners,
    send,
    wait: (id: string) => ask('GET', `/v1/biam/tasks/${id}/wait?timeout_s=90`),
    async lines(id: string): Promise<string[]> {
      const response = await fetch(`${hub.address}/v1/biam/subscribe?task_id=${id}`, {
        headers: { authorization: `Bearer ${TOKEN}` },
        signal: AbortSignal.timeout(700),
      });
      let text = '';
      try {
        for await (const chunk of response.body!) text += Buffer.from(chunk).toString();
      } catch {
        // The stream of a run that goes on has no end.
      }
      return text.split('\n').flatMap((line) => {
        if (!line.startsWith('data:')) return [];
        const data = JSON.parse(line.slice(5)) as { line?: string; kind?: string };
        return data.kind === 'stdout' ? [data.line!] : [];
      });
    },
    async restart() {
      await hub.stop('SIGKILL');
      hub = await startHub(env, ['--port', port]);
    },
  };
}

function freshRepository(): string {
  const folder = join(freshFolder(), 'repo');
  mkdirSync(folder);
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args]);
  git('init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'a.txt'), 'a\n');
  git('add', '.');
  git('-c', 'user.name=p', '-c', 'user.email=p@x', 'commit', '-qm', 'first');
  return folder;
}
