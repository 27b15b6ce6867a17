import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, runHoldfast, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { callRest } from '../fixtures/rest-call.ts';

function repository() {
  const env = freshHome({
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  });
  const top = realpathSync(freshFolder());
  const git = (...args: string[]) => execFileSync('git', args, { cwd: top, env, encoding: 'utf8' });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'begin');
  const holdfast = (...args: string[]) => runHoldfast(env, args, '', top);
  let times = 0;
  /** Changes a file and commits it, with what the shell of an agent would have in its environment. */
  const commit = (file: string, more: Record<string, string> = {}, cwd = top) => {
    mkdirSync(join(cwd, file, '..'), { recursive: true });
    writeFileSync(join(cwd, file), `${(times += 1)}`);
    execFileSync('git', ['add', file], { cwd, env });
    const { status, stderr } = spawnSync('git', ['commit', '-q', '-m', file], {
      cwd,
      env: { ...env, ...more },
      encoding: 'utf8',
    });
    if (status !== 0) execFileSync('git', ['reset', '-q', '--hard'], { cwd, env });
    return { code: status, err: stderr };
  };
  const hook = join(top, '.git', 'hooks', 'pre-commit');
  return { env, top, git, holdfast, commit, hook };
}

const AGENT = { HOLDFAST_AGENT_ID: 'gemini' };

it('a commit of reserved files is refused to another agent, told to a person, and nobody is in the way without a hub', async () => {
  const { env, top, git, holdfast, commit, hook } = repository();
  const hub = await startHub(env);
  const call = async (path: string, body: object): Promise<any> => {
    const answer = await callRest({ at: hub.address, token: tokenIn(env) }, ['POST', path], body);
    expect(answer.status).toBeLessThan(300);
    return answer.body;
  };
  const tried = holdfast('hooks', 'git', '--dry-run');
  expect(tried.out).toContain('+# >>> holdfast >>>');
  expect(statSync(hook, { throwIfNoEntry: false })).toBeUndefined();
  const made = holdfast('hooks', 'git', '--yes');
  expect([made.code, made.out]).toEqual([0, expect.stringContaining('holdfast uninstall')]);

  const work = join(realpathSync(freshFolder()), 'other');
  git('worktree', 'add', '-q', work);
  const { id: taskId } = await call('/api/board/tasks', { title: 'the keel' });
  await call(`/api/board/tasks/${taskId}/claim`, { agentId: 'codex' });
  const reserve = (root: string, patterns: string[], more: object = {}) =>
    call('/api/reservations', { taskId, agentId: 'codex', root, patterns, ...more });
  await reserve(top, ['src/**'], { reason: 'laying it anew' });
  await reserve(top, ['docs/**'], { exclusive: false });
  await reserve(work, ['mast.ts']);

  const refused = commit('src/keel [1].ts', AGENT);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('refused: this commit changes files that codex works on');
  expect(refused.err).toMatch(
    /src\/keel \[1\]\.ts\s+reserved by codex \(src\/\*\*\) for task \w{8}: laying it anew/,
  );
  expect(git('log', '--oneline')).not.toContain('keel');
  for (const mark of ['CLAUDECODE', 'CODEX_THREAD_ID', 'OPENCODE', 'GEMINI_CLI'])
    expect(commit('src/keel.ts', { [mark]: '1' }).code, mark).toBe(1);
  // Who reserved them, who works elsewhere, and who shares them.
  expect(commit('src/keel.ts', { HOLDFAST_AGENT_ID: 'codex' })).toEqual({ code: 0, err: '' });
  expect(commit('mast.ts', AGENT)).toEqual({ code: 0, err: '' });
  expect(commit('docs/a.md', AGENT)).toEqual({ code: 0, err: '' });
  // Worktrees have the hook, too, and reservations of their own.
  expect(commit('mast.ts', AGENT, work).code).toBe(1);
  expect(commit('src/keel.ts', AGENT, work).code).toBe(0);

  const warned = commit('src/keel.ts');
  expect(warned.code).toBe(0);
  expect(warned.err).toContain('codex works on files of this commit');

  await call(`/api/board/tasks/${taskId}/release`, { agentId: 'codex' });
  expect(commit('src/keel.ts', AGENT)).toEqual({ code: 0, err: '' });
  await hub.stop('SIGTERM');
  expect(commit('src/keel.ts', AGENT)).toEqual({ code: 0, err: '' });
}, 120_000);

it.each([
  ['a shell script that ends early', '#!/bin/sh\nset -e\necho theirs >&2\nexit 0\necho never\n'],
  ['a script without a first line', 'echo theirs >&2\n'],
  ['a program of another language', `#!/usr/bin/env -S awk -f\nBEGIN { print "theirs" > "/dev/stderr" }\n`],
])('%s goes on running behind the guard, and comes back byte for byte', (_, text) => {
  const { holdfast, commit, hook } = repository();
  writeFileSync(hook, text);
  chmodSync(hook, 0o755);
  expect(commit('a').err).toContain('theirs');
  expect(holdfast('hooks', 'git', '--yes').code).toBe(0);
  expect(readFileSync(hook, 'utf8')).toContain('hooks guard');
  expect(holdfast('hooks', 'git').out).toContain('already');
  expect(commit('a')).toMatchObject({ code: 0, err: expect.stringContaining('theirs') });
  expect(holdfast('uninstall', '--yes').code).toBe(0);
  expect(readFileSync(hook, 'utf8')).toBe(text);
  expect(statSync(`${hook}.holdfast-next`, { throwIfNoEntry: false })).toBeUndefined();
  expect(commit('a').err).toContain('theirs');
});

it('follows core.hooksPath, says what that means, and keeps what others wrote since', () => {
  const { top, git, holdfast, commit } = repository();
  git('config', 'core.hooksPath', '.hooks');
  mkdirSync(join(top, '.hooks'));
  const hook = join(top, '.hooks', 'pre-commit');
  writeFileSync(hook, '#!/bin/bash\necho theirs >&2; exit 3\n');
  chmodSync(hook, 0o755);
  const made = holdfast('hooks', 'git', '--yes');
  expect(made.err).toContain('core.hooksPath leads to');
  expect(commit('a')).toMatchObject({ code: 1, err: expect.stringContaining('theirs') });
  writeFileSync(hook, `${readFileSync(hook, 'utf8')}# added later\n`);
  holdfast('uninstall', '--yes');
  expect(readFileSync(hook, 'utf8')).toBe('#!/bin/bash\necho theirs >&2; exit 3\n# added later\n');
});

it('leaves alone what is no script of this repository', () => {
  const { env, holdfast, hook } = repository();
  writeFileSync(hook, '#!/bin/sh\n', { mode: 0o644 });
  expect(holdfast('hooks', 'git', '--yes')).toMatchObject({
    code: 4,
    err: expect.stringContaining('not executable'),
  });
  chmodSync(hook, 0o755);
  writeFileSync(hook, Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0xff, 0xfe]));
  expect(holdfast('hooks', 'git', '--yes')).toMatchObject({
    code: 4,
    err: expect.stringContaining('is a program'),
  });
  const outside = runHoldfast(env, ['hooks', 'git', '--yes'], '', freshFolder());
  expect(outside).toMatchObject({ code: 2, err: expect.stringContaining('in no git repository') });
});
