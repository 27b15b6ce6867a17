import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createRunView } from '../../src/cli/runs/tail.ts';
import type { StreamedFrame } from '../../src/features/dispatch/stream/events.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { AGENT, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { freshHome } from '../fixtures/hub-process.ts';
import { freshRepository } from '../fixtures/repository.ts';
import { openTerminal } from '../fixtures/terminal.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/dispatch/${name}`, import.meta.url));

/** A terminal in a repository, with a program, an agent that speaks ACP, and three that do tasks. */
function terminal(columns?: number) {
  const env = freshHome();
  const home = env['HOLDFAST_HOME']!;
  mkdirSync(home, { recursive: true });
  const worker = (...manner: string[]) => ({
    family: 'command',
    command: [process.execPath, fixture('worker.mjs'), ...manner],
  });
  const agents = {
    script: { family: 'command', command: [process.execPath, AGENT, '{prompt}'], tags: ['cheap'] },
    talker: { family: 'acp', command: [process.execPath, fixture('acp-agent.mjs'), freshFolder()] },
    worker: worker(),
    failing: worker('failing'),
    sleeper: { family: 'command', command: ['sleep', '600'] },
  };
  writeFileSync(join(home, 'config.yaml'), stringify({ agents }));
  const repository = freshRepository();
  return { repository, ...openTerminal(columns, env, repository.path) };
}

type Told = { task_id: string; status: string; board_task?: string; worktree?: { branch: string } };
const lastOf = (out: string) => JSON.parse(out.split('\n').at(-1)!) as { event: string; data: Told };

it('says what there is to do when there is nothing', async () => {
  const { run, json } = terminal();
  expect(await run('runs', 'list')).toMatchObject({
    code: 0,
    out: '',
    err: expect.stringContaining('There are no runs. `holdfast send`'),
  });
  expect(await json('runs', 'list')).toMatchObject({ runs: [], count: 0 });
  expect(await run('run', '--next', '--agent', 'worker')).toMatchObject({
    code: 0,
    out: '',
    err: expect.stringContaining('No task is ready.'),
  });
  expect(await run('run', '--next', '--agent', 'worker', '--json')).toMatchObject({ code: 0, out: '' });
  expect(await run('runs', 'list', '--status', 'done')).toMatchObject({ err: 'No run is like that.' });
  expect(await run('runs', 'list', '--status', 'asleep')).toMatchObject({ code: 2 });
  for (const verb of ['show', 'tail', 'wait', 'cancel', 'resume', 'diff', 'merge']) {
    const { code, err } = await run('runs', verb, 'nope');
    expect([verb, code, err]).toEqual([verb, 3, expect.stringContaining('holdfast runs list')]);
  }
});

it('run does a task in a worktree of the repository one is in; diff shows and merge takes it', async () => {
  const { run, json, repository } = terminal();
  const { id } = await json<{ id: string }>('board', 'add', 'Paint the fence');
  const ran = await run('run', id.slice(-8), '--agent', 'worker');
  expect(ran).toMatchObject({ code: 0, out: `did ${id}`, err: expect.stringMatching(/worker \w{8} done$/) });
  const { runs: tasks } = await json<{ runs: Told[] }>('runs', 'list');
  const [{ task_id: runId, worktree }] = tasks as [Told];
  const end = runId.slice(-8);
  expect(await run('runs', 'diff', end)).toMatchObject({
    code: 0,
    out: expect.stringContaining(`+done by ${runId}`),
    err: expect.stringContaining(`Branch ${worktree!.branch}`),
  });
  expect(await json('runs', 'diff', end)).toMatchObject({ branch: worktree!.branch });
  expect(await run('runs', 'merge', end)).toMatchObject({
    code: 0,
    out: `${worktree!.branch} is merged into main.`,
  });
  expect(repository.git('show', `HEAD:${id}.txt`)).toContain(runId);
  expect(await run('run', id, '--agent', 'worker')).toMatchObject({ code: 4 });
  expect((await run('board', 'list', '--status', 'done')).out).toContain('Paint the fence');
});

it('a branch that conflicts is not merged, in words and in JSON, with a code of its own', async () => {
  const { run, json, repository } = terminal();
  const { id } = await json<{ id: string }>('board', 'add', 'Paint');
  const told = lastOf((await run('run', id, '--agent', 'worker', '--json')).out);
  expect(told).toMatchObject({ event: 'terminal', data: { status: 'done', board_task: id } });
  repository.commit(`${id}.txt`, 'somebody else was here\n');
  const end = told.data.task_id.slice(-8);
  expect(await run('runs', 'merge', end)).toMatchObject({
    code: 4,
    out: '',
    err: expect.stringMatching(new RegExp(`conflicts with main; nothing was changed:\\n  ${id}.txt`)),
  });
  const { code, out } = await run('runs', 'merge', end, '--json');
  expect([code, JSON.parse(out)]).toMatchObject([4, { merged: false, conflicts: [`${id}.txt`] }]);
  const plain = await json<{ run: Told }>('send', 'script', 'say x', '--wait');
  expect(await run('runs', 'diff', plain.run.task_id)).toMatchObject({
    code: 2,
    err: expect.stringContaining('had no worktree'),
  });
});

it('run fails with what failed; --next goes on until the board is empty and says how it went', async () => {
  const { run, json } = terminal();
  const first = await json<{ id: string }>('board', 'add', 'one');
  expect(await run('run', first.id, '--agent', 'failing')).toMatchObject({
    code: 1,
    err: expect.stringContaining('failed: it exited with code 1'),
  });
  await json('board', 'add', 'two', '--after', first.id);
  await json('board', 'add', 'three');
  const { code, out, err } = await run('run', '--next', '--agents', '2', '--agent', 'worker');
  expect(code).toBe(0);
  expect(out.match(/^worker \w{8} done$/gm)).toHaveLength(3);
  expect(err.match(/^worker-\w{6} took \w{8}$/gm)).toHaveLength(3);
  expect(err).toMatch(/3 done, 0 not, \$0\.00 spent\.$/);
  for (const [option, value] of [
    ['--agents', 'many'],
    ['--agents', '0'],
    ['--budget', '-1'],
  ] as const)
    expect(await run('run', '--next', option, value)).toMatchObject({ code: 2 });
  await json('board', 'add', 'four');
  expect(await run('run', '--next', '--budget', '0', '--agent', 'worker')).toMatchObject({
    code: 0,
    err: 'A budget of $0 starts nothing.',
  });
  const lines = (await run('run', '--next', '--agent', 'worker', '--json')).out.split('\n');
  expect(lines.map((line) => (JSON.parse(line) as Told).status)).toEqual(['done']);
  expect(await run('run')).toMatchObject({ code: 2, err: expect.stringContaining('--next') });
  expect(await run('run', 'nope', '--agent', 'worker')).toMatchObject({ code: 3 });
  expect(await run('run', 'x', '--async')).toMatchObject({ code: 6 });
});

it('a session is gone on with; a run that left none says so', async () => {
  const { run, json } = terminal();
  const first = await json<{ run: Told & { session_id: string } }>('send', 'talker', 'say hello', '--wait');
  const shown = await run('runs', 'show', first.run.task_id.slice(-8));
  expect(shown.out).toContain(`session ${first.run.session_id}`);
  expect(shown.out).toMatch(/^began +\d{4}-.*\nended +\d{4}-/m);
  const resumed = await run('runs', 'resume', first.run.task_id.slice(-8), 'remember');
  expect(resumed).toMatchObject({ code: 0, out: 'say hello;' });
  const again = await run('runs', 'resume', first.run.task_id, 'remember', '--json');
  expect(lastOf(again.out)).toMatchObject({ event: 'terminal', data: { status: 'done' } });
  const plain = await json<{ run: Told }>('send', 'script', 'say x', '--wait');
  expect(await run('runs', 'resume', plain.run.task_id)).toMatchObject({
    code: 2,
    err: expect.stringContaining('left no session'),
  });
});

it('send goes by tag and by name, waits, and tells everything as JSON', async () => {
  const { run, json } = terminal();
  expect(await run('send', '-', 'say by tag', '--tag', 'cheap')).toMatchObject({ code: 0, out: 'by tag' });
  expect(await run('send', '-', 'x', '--tag', 'nothing')).toMatchObject({ code: 3 });
  expect(await run('send', '-', 'x')).toMatchObject({ code: 2, err: expect.stringContaining('talker') });
  expect(await json('send', 'script', 'say one\nsay two', '--wait')).toMatchObject({
    run: { status: 'done' },
    result: 'one\ntwo',
  });
  const { code, out } = await run('send', 'script', 'say one\nexit 3', '--json');
  const events = out.split('\n').map((line) => JSON.parse(line) as { event: string });
  expect([code, events.at(0)!.event, events.at(-1)!.event]).toEqual([1, 'task', 'terminal']);
  expect(await run('send', 'script', 'exit 3', '--wait')).toMatchObject({ code: 1 });
  expect(await run('runs', 'wait', 'x', '--timeout', 'soon')).toMatchObject({ code: 2 });
  const list = await run('runs', 'list');
  expect(list.out).toMatch(/failed .*it exited with code 3/);
});

it.each([40, 100])(
  'in %i columns a live run says whole lines, and notes what happens beside them',
  (columns) => {
    const [said, noted]: [string[], string[]] = [[], []];
    const view = createRunView({
      print: (line) => said.push(line),
      tell: (line) => noted.push(line),
      columns,
    });
    const frame = (said: Partial<StreamedFrame>) =>
      view.frame({ task_id: 'r', line: '', kind: 'acp', ts: '', ...said });
    const acp = (text: string) => frame({ type: 'text', line: '{}', text });
    acp('I will ');
    acp('look at the bui');
    acp('ld.\n\tIndented');
    const command =
      'npm test -- --reporter=dot --coverage and so on, far beyond the edge of every terminal there is';
    frame({ type: 'tool', tool: { name: 'Bash', phase: 'start', input: { command } } });
    frame({ type: 'approval', approval: { title: command } });
    frame({ type: 'tool', tool: { name: 'Bash', phase: 'end', ok: false } });
    frame({ type: 'notice', kind: 'stderr', line: 'warning \u001B[31mred\u001B[0m' });
    acp('Done.');
    view.end();
    expect(said).toEqual(['I will look at the build.', '  Indented', 'Done.']);
    expect(noted.map((line) => line.slice(0, 12))).toEqual([
      '  · Bash npm',
      '  ? npm test',
      '  × Bash fai',
      '  ! warning ',
    ]);
    expect(noted.every((line) => line.length <= columns && !/\p{Cc}/u.test(line))).toBe(true);
    expect(noted[0]).toHaveLength(columns);
  },
);

it.each([40, 100])('in %i columns no table is wider than the terminal', async (columns) => {
  const { run } = terminal(columns);
  await run('send', 'script', `say ${'words '.repeat(30)}`);
  for (const args of [['agents'], ['runs', 'list']]) {
    const { code, out } = await run(...args);
    expect(code).toBe(0);
    const tooWide = out.split('\n').filter((line) => line.length > columns);
    // Below its legible width a table becomes a list of blocks, in which nothing is cut.
    if (/^RUN {2,}AGENT/.test(out) || args[0] === 'agents') expect(tooWide).toEqual([]);
    expect(out).toContain('script');
  }
});

it('Ctrl-C during --next takes the runs along and gives their tasks back', async () => {
  const { start, json } = terminal();
  const { id } = await json<{ id: string }>('board', 'add', 'endless');
  const running = start('run', '--next', '--agent', 'sleeper');
  const ofStatus = async (status: string) =>
    (await json<{ count: number }>('runs', 'list', '--status', status)).count;
  await expect.poll(() => ofStatus('active'), PATIENCE).toBe(1);
  expect(await running.interrupt()).toMatchObject({
    out: expect.stringMatching(/^sleeper \w{8} cancelled$/),
    err: expect.stringContaining('0 done, 1 not'),
  });
  expect([await ofStatus('active'), await ofStatus('cancelled')]).toEqual([0, 1]);
  expect(await json('board', 'show', id)).toMatchObject({ task: { status: 'todo', assigneeAgentId: null } });
});
