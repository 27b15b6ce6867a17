import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { builtBin } from '../fixtures/built.ts';
import { freshHome } from '../fixtures/hub-process.ts';
import { freshRepository } from '../fixtures/repository.ts';
import { openTerminal } from '../fixtures/terminal.ts';

const WORKER = fileURLToPath(new URL('../fixtures/dispatch/worker.mjs', import.meta.url));
const TASKS = 36;

it(
  'three agents empty a board of tasks with dependencies, one of them dying often; all branches hold their work',
  { timeout: 300_000 },
  async () => {
    const repository = freshRepository();
    const env = freshHome({ HOLDFAST_LOG: 'silent' });
    const worker = (...manner: string[]) => ({
      family: 'command',
      command: [process.execPath, WORKER, ...manner],
    });
    const agents = { tidy: worker(), untidy: worker('untidy'), dying: worker('dying', '0.5') };
    writeFileSync(
      join(env['HOLDFAST_HOME']!, 'config.yaml'),
      stringify({ agents, dispatch: { policy: 'round-robin' } }),
    );
    const { json } = openTerminal(undefined, env);
    const ids: string[] = [];
    for (let i = 0; i < TASKS; i += 1) {
      const after = i >= 6 && i % 3 === 0 ? ['--after', ids[i - 6]!] : [];
      const { id } = await json<{ id: string }>('board', 'add', `task ${i}`, ...after);
      ids.push(id);
    }

    const child = spawn(
      process.execPath,
      [builtBin('holdfast'), 'run', '--next', '--agents', '3', '--agent', 'command', '--json'],
      {
        cwd: repository.path,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    let complaints = '';
    child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect([code, complaints]).toEqual([0, '']);

    const runs = said
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const done = runs.filter(({ status }) => status === 'done');
    expect(new Set(done.map(({ board_task: task }) => task))).toEqual(new Set(ids));
    expect(done).toHaveLength(TASKS);
    expect(runs.filter(({ status }) => status === 'failed').length).toBeGreaterThan(3);
    const { tasks } = await json<{ tasks: { id: string; status: string }[] }>(
      'board',
      'list',
      '--limit',
      '500',
    );
    expect(tasks.filter(({ status }) => status !== 'done')).toEqual([]);
    for (const { board_task: task, worktree, task_id: id } of done) {
      expect(repository.git('show', `${worktree.branch}:${task}.txt`)).toContain(id);
    }
    const branches = repository
      .git('branch', '--list', 'holdfast/*', '--format=%(refname:short)')
      .trim()
      .split('\n');
    expect(branches).toHaveLength(TASKS);
    expect(repository.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(repository.git('status', '--porcelain')).toBe('');
  },
);
