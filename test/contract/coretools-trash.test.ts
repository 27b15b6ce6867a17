// Row 6: what is moved into the trash and back is judged like everything else.
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coreHost } from '../fixtures/core-host.ts';
import { freshFolder } from '../fixtures/databases.ts';

const KEPT = `version: 1
rules:
  - { args: { path: "app/secrets/*" }, decide: deny }
  - { args: { path: ".git/*" }, decide: deny }
  - { decide: allow }
`;

function tree() {
  const workspace = realpathSync(freshFolder());
  for (const folder of ['app/secrets/deep', 'app/src/deep', '.git/hooks', 'plain'])
    mkdirSync(join(workspace, folder), { recursive: true });
  writeFileSync(join(workspace, 'app/secrets/deep/x'), 'the secret');
  writeFileSync(join(workspace, 'app/src/deep/a'), 'a');
  writeFileSync(join(workspace, 'plain/pre-commit'), 'touch owned');
  return workspace;
}

describe('delete_path', () => {
  it('does not move a folder with something below it that a rule keeps', async () => {
    const workspace = tree();
    const { call } = await coreHost({ workspace }, KEPT);
    for (const path of ['app', './app/', 'app/src/..', 'app/secrets']) {
      const answer = await call('delete_path', { path });
      expect([path, answer.ok]).toEqual([path, false]);
      expect(answer.denied).toMatch(/^policy:/);
      expect(answer.line).not.toContain('deep');
    }
    expect(readFileSync(join(workspace, 'app/secrets/deep/x'), 'utf8')).toBe('the secret');
    expect((await call('delete_path', { path: 'app/src' })).ok).toBe(true);
  });

  it('is refused for what lies below before a person is asked', async () => {
    const workspace = tree();
    const { call } = await coreHost({ workspace }, KEPT.replace('  - { decide: allow }\n', ''));
    expect(await call('delete_path', { path: 'app' })).toMatchObject({ ok: false, denied: 'policy:below' });
  });
});

describe('a delete that cannot happen', () => {
  it.each([
    ['what is not there', 'gone.txt', () => undefined],
    [
      'anything, while a file is where the trash belongs',
      'plain',
      (workspace: string) => writeFileSync(join(workspace, '.holdfast-trash'), ''),
    ],
  ] as const)('is refused before a person is asked: %s', async (_, path, prepare) => {
    const workspace = tree();
    prepare(workspace);
    const { call } = await coreHost({ workspace }, KEPT.replace('  - { decide: allow }\n', ''));
    // Who is asked is waited for: an answer at once was nobody's.
    const answer = await call('delete_path', { path });
    expect([answer.ok, answer.denied]).toEqual([false, undefined]);
  });
});

describe('the trash', () => {
  it('is nothing that git sees', async () => {
    const workspace = tree();
    const git = (...args: string[]) =>
      spawnSync('git', ['-C', workspace, ...args], { encoding: 'utf8' }).stdout;
    rmSync(join(workspace, '.git'), { recursive: true });
    git('init', '-q');
    const { call } = await coreHost({ workspace });
    expect((await call('delete_path', { path: 'plain' })).ok).toBe(true);
    expect(git('status', '--porcelain', '--untracked-files=all')).not.toContain('trash');
    expect(existsSync(join(workspace, '.gitignore'))).toBe(false);
  });

  it('is closed to every tool, by whatever way', async () => {
    const workspace = tree();
    const { call } = await coreHost({ workspace });
    const { meta } = await call('delete_path', { path: 'app' });
    const trash = `.holdfast-trash/${meta.undo}/app`;
    const file = `${trash}/secrets/deep/x`;
    expect(readFileSync(join(workspace, file), 'utf8')).toBe('the secret');
    symlinkSync('.holdfast-trash', join(workspace, 'way'));
    for (const path of [file, join(workspace, file), file.replace('.holdfast-trash', 'way')]) {
      const unread = { unsafe_overwrite_without_read: true };
      for (const answer of [
        await call('Read', { path }),
        await call('Write', { path, content: 'x', ...unread }),
        await call('Edit', { path, old_string: 'the', new_string: 'x', ...unread }),
        await call('Grep', { path, pattern: 'secret' }),
        await call('delete_path', { path }),
      ])
        expect([path, answer.denied]).toEqual([path, 'workspace:trash']);
    }
    expect((await call('Bash', { command: 'ls', cwd: trash })).denied).toBe('workspace:trash');
    expect((await call('Glob', { pattern: '**', cwd: trash })).denied).toBe('workspace:trash');
    expect((await call('Grep', { pattern: 'secret' })).value.matches).toEqual([]);
    const all = { pattern: '**', include_hidden: true, respect_gitignore: false };
    expect((await call('Glob', all)).value.matches.join()).not.toContain('secrets');
  });
});

describe('restore_path', () => {
  it('does not land where a link leads that was made meanwhile', async () => {
    const workspace = tree();
    const { call } = await coreHost({ workspace });
    const { meta } = await call('delete_path', { path: 'plain/pre-commit' });
    rmSync(join(workspace, 'plain'), { recursive: true });
    symlinkSync('.git/hooks', join(workspace, 'plain'));
    expect(await call('restore_path', { id: meta.undo })).toMatchObject({
      ok: false,
      denied: 'workspace:moved',
    });
    expect(existsSync(join(workspace, '.git/hooks/pre-commit'))).toBe(false);
    rmSync(join(workspace, 'plain'));
    expect((await call('restore_path', { id: meta.undo })).ok).toBe(true);
    expect(readFileSync(join(workspace, 'plain/pre-commit'), 'utf8')).toBe('touch owned');
  });

  it('is judged by the rules for where it lands, and for everything below', async () => {
    const workspace = tree();
    const { call, db } = await coreHost({ workspace });
    const [one, all] = [
      await call('delete_path', { path: '.git/hooks' }),
      await call('delete_path', { path: 'app' }),
    ];
    // The same database and workspace under a stricter policy.
    const strict = await coreHost({ workspace, db }, KEPT);
    expect((await strict.call('restore_path', { id: one.meta.undo })).denied).toBe('policy:rule 2');
    expect((await strict.call('restore_path', { id: all.meta.undo })).denied).toBe('policy:below');
    expect(existsSync(join(workspace, 'app'))).toBe(false);
    expect((await call('restore_path', { id: all.meta.undo })).ok).toBe(true);
    expect(readFileSync(join(workspace, 'app/secrets/deep/x'), 'utf8')).toBe('the secret');
  });
});
