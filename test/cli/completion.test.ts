import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
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

describe('completion', () => {
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
      "-n '__fish_use_subcommand' -f -a undo -d 'take back your last change to the board'",
    );
    expect(await run('completion', 'tcsh')).toMatchObject({ code: 2, out: '' });
  });
});
