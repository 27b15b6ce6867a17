import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtBin } from '../fixtures/built.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { newRepositoryWithCommit } from '../fixtures/repositories.ts';
import { openTerminal } from '../fixtures/terminal.ts';

/** What a real bash would offer after these words. */
async function offered(...words: string[]): Promise<string[]> {
  const { out } = await openTerminal().run('completion', 'bash');
  const line = `COMP_WORDS=(holdfast ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _holdfast`;
  const { stdout, stderr } = spawnSync(
    'bash',
    ['--norc', '-c', `${out}\n${line}; printf '%s\\n' "\${COMPREPLY[@]}"`],
    {
      encoding: 'utf8',
    },
  );
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
}

/** A terminal with a hub that knows a task, a label, a project, and a `holdfast` that a shell can ask. */
async function knowing() {
  const folder = newRepositoryWithCommit(join(freshFolder(), 'web'));
  const terminal = openTerminal(undefined, freshHome(), folder);
  // In a process of its own: the shell is waited for in this one.
  await startHub(terminal.env);
  const { id } = await terminal.json<{ id: string }>('board', 'add', 'Paint the keel');
  await terminal.run('board', 'label', id, '--add', 'paint');
  const bin = freshFolder();
  const command = `exec ${process.execPath} ${builtBin('holdfast')} "$@"`;
  writeFileSync(join(bin, 'holdfast'), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  const { out } = await terminal.run('completion', 'bash');
  const offers = (...words: string[]) => {
    const line = `COMP_WORDS=(holdfast ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _holdfast`;
    const env = { ...terminal.env, PATH: `${bin}:${process.env['PATH']}` };
    const { stdout } = spawnSync(
      'bash',
      ['--norc', '-c', `${out}\n${line}; printf '%s\\n' "\${COMPREPLY[@]}"`],
      {
        encoding: 'utf8',
        cwd: folder,
        env,
      },
    );
    return stdout.split('\n').filter(Boolean);
  };
  return { ...terminal, id: id.slice(-8), offers };
}

describe('completion', () => {
  it('finishes ids, labels, projects, agents and statuses', { timeout: 60_000 }, async () => {
    const { id, offers, run } = await knowing();
    expect(offers('board', 'show', id.slice(0, 3))).toEqual([id]);
    expect(offers('board', 'done', '')).toContain(id);
    expect(offers('board', 'list', '--status', 'in')).toEqual(['in_progress', 'in_review']);
    expect(offers('board', 'move', id, '--to', 'can')).toEqual(['cancelled']);
    expect(offers('board', 'list', '--label', '')).toEqual(['paint']);
    expect(offers('board', 'list', '--team', '')).toEqual(['web']);
    expect(offers('config', 'set', 'lea')).toEqual(['lease']);
    await run('peer', 'register', '--backend', 'codex', '--name', 'ada');
    const { out } = await run('completion', '--values', 'tasks');
    expect(out).toBe(`${id}\tPaint the keel`);
  });

  it('makes no database, and says nothing rather than fail', async () => {
    const env = freshHome();
    const { run } = openTerminal(undefined, env);
    expect(await run('completion', '--values', 'tasks')).toEqual({ code: 0, out: '', err: '' });
    expect(existsSync(join(env['HOLDFAST_HOME']!, 'holdfast.db'))).toBe(false);
  });

  it('finishes commands, verbs and options in bash', async () => {
    expect(await offered('bo')).toEqual(['board']);
    expect(await offered('board', 're')).toEqual(['release', 'reopen']);
    expect(await offered('board', 'list', '--se')).toEqual(['--search']);
    expect(await offered('board', '')).toContain('label');
    expect(await offered('nothing', 'x')).toEqual([]);
  });

  it('finishes what an argument may be, and the options behind it', async () => {
    expect(await offered('connect', 'c')).toEqual(['claude-code', 'codex', 'cursor']);
    expect(await offered('hooks', 'print', 'g')).toEqual(['gemini']);
    expect(await offered('connect', 'codex', '--dry')).toEqual(['--dry-run']);
    expect(await offered('search', 'keel', '--li')).toEqual(['--limit']);
    const { out } = await openTerminal().run('completion', 'fish');
    expect(out).toContain("'__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'");
  });

  it('knows every command in every shell', async () => {
    const { run } = openTerminal();
    const scripts = await Promise.all(
      ['bash', 'zsh', 'fish'].map(async (shell) => (await run('completion', shell)).out),
    );
    for (const script of scripts)
      for (const name of ['undo', 'connect', 'approvals']) expect(script).toContain(name);
    expect(scripts[1]).toContain('bashcompinit');
    expect(scripts[2]).toContain(
      "-n '__fish_use_subcommand' -f -a undo -d 'take back your last command on the board, with all that it changed'",
    );
    expect(await run('completion', 'tcsh')).toMatchObject({ code: 2, out: '' });
  });
});
