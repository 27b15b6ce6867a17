import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coreHost } from '../fixtures/core-host.ts';

const TREE: Readonly<Record<string, string>> = {
  '.gitignore': 'dist/\n*.log\n!keep.log\n/only-root.txt\n',
  'a.ts': 'const needle = 1;\nconst hay = 2;\n',
  'b.md': '# Needle\nneedle again\n',
  'keep.log': 'needle in a kept log\n',
  'drop.log': 'needle in an ignored log\n',
  'only-root.txt': 'needle\n',
  'sub/only-root.txt': 'needle below\n',
  'sub/.gitignore': 'private/\n*.tmp\n!b.tmp\n',
  'sub/c.tsx': 'export const x = "needle";\n',
  'sub/a.tmp': 'needle\n',
  'sub/b.tmp': 'needle\n',
  'sub/private/d.ts': 'needle\n',
  'dist/e.ts': 'needle\n',
  '.hidden/f.ts': 'needle\n',
  '.env': 'needle\n',
  'node_modules/g.js': 'hay\n',
};

async function open() {
  const host = await coreHost({ env: { PATH: '' } });
  for (const [name, text] of Object.entries(TREE)) {
    mkdirSync(dirname(join(host.workspace, name)), { recursive: true });
    writeFileSync(join(host.workspace, name), text);
  }
  writeFileSync(join(host.workspace, 'bin.dat'), Uint8Array.from([110, 101, 101, 100, 108, 101, 0]));
  return host;
}

describe('Glob', () => {
  it('passes over what git ignores and what is hidden', async () => {
    const { call } = await open();
    expect((await call('Glob', { pattern: '**' })).value.matches).toEqual([
      'a.ts',
      'b.md',
      'bin.dat',
      'keep.log',
      'node_modules/g.js',
      'sub/b.tmp',
      'sub/c.tsx',
      'sub/only-root.txt',
    ]);
  });

  it('agrees with git about what is ignored', async () => {
    const { call, workspace } = await open();
    execFileSync('git', ['init', '-q'], { cwd: workspace });
    const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: workspace, encoding: 'utf8' })
      .trim()
      .split('\n')
      .sort();
    expect((await call('Glob', { pattern: '**', include_hidden: true })).value.matches).toEqual(listed);
  });

  it.each([
    ['*.ts', ['a.ts']],
    ['**/*.{ts,tsx}', ['a.ts', 'sub/c.tsx']],
    ['sub/*', ['sub/b.tmp', 'sub/c.tsx', 'sub/only-root.txt']],
    ['.hidden/*.ts', ['.hidden/f.ts']],
    ['nothing/**', []],
  ])('finds %s', async (pattern, matches) => {
    expect((await (await open()).call('Glob', { pattern })).value.matches).toEqual(matches);
  });

  it('shows ignored and hidden files when asked, and says when it was cut', async () => {
    const { call } = await open();
    expect((await call('Glob', { pattern: '**/*.ts', respect_gitignore: false, include_hidden: true })).value.matches).toEqual([
      '.hidden/f.ts',
      'a.ts',
      'dist/e.ts',
      'sub/private/d.ts',
    ]);
    expect((await call('Glob', { pattern: '**', limit: 2 })).value).toMatchObject({ matches_count: 2, truncated: true });
  });
});

describe('Grep without ripgrep', () => {
  it('finds lines with their places, passing over ignored, hidden and binary files', async () => {
    const { value } = await (await open()).call('Grep', { pattern: 'needle' });
    expect(value.engine).toBe('builtin');
    expect(value.matches).toEqual([
      { path: 'a.ts', line: 1, column: 7, text: 'const needle = 1;' },
      { path: 'b.md', line: 2, column: 1, text: 'needle again' },
      { path: 'keep.log', line: 1, column: 1, text: 'needle in a kept log' },
      { path: 'sub/b.tmp', line: 1, column: 1, text: 'needle' },
      { path: 'sub/c.tsx', line: 1, column: 19, text: 'export const x = "needle";' },
      { path: 'sub/only-root.txt', line: 1, column: 1, text: 'needle below' },
    ]);
  });

  it('takes case, glob, type, several patterns, context, a path and a limit', async () => {
    const { call } = await open();
    const paths = async (args: object) =>
      (await call('Grep', args)).value.matches.map((match: { path: string; line: number }) => `${match.path}:${match.line}`);
    expect(await paths({ pattern: 'NEEDLE', case_insensitive: true, path: 'b.md' })).toEqual(['b.md:1', 'b.md:2']);
    expect(await paths({ pattern: 'needle', glob: '*.tsx' })).toEqual(['sub/c.tsx:1']);
    expect(await paths({ pattern: 'needle', type: 'ts' })).toEqual(['a.ts:1', 'sub/c.tsx:1']);
    expect(await paths({ pattern: 'absent', patterns: 'hay\nagain' })).toEqual(['a.ts:2', 'b.md:2', 'node_modules/g.js:1']);
    expect(await paths({ pattern: '^const', path: 'a.ts' })).toEqual(['a.ts:1', 'a.ts:2']);
    expect((await call('Grep', { pattern: 'hay', path: 'a.ts', context_before: 1, context_after: 1 })).value.matches[0]).toMatchObject({
      before: ['const needle = 1;'],
      after: [''],
    });
    expect((await call('Grep', { pattern: 'needle', max_matches: 2 })).value).toMatchObject({ matches_count: 2, truncated: true });
  });

  it('a bad pattern is an error, and so is an unknown type', async () => {
    const { call } = await open();
    expect((await call('Grep', { pattern: '(unclosed' })).denied).toBe('grep:pattern');
    expect((await call('Grep', { pattern: 'x', type: 'cobol' })).line).toContain('type must be one of');
  });

  it('a pattern that backtracks without end is stopped', async () => {
    const { call, workspace } = await open();
    writeFileSync(join(workspace, 'evil.txt'), `${'a'.repeat(60)}!\n`);
    expect((await call('Grep', { pattern: '(a+)+$', path: 'evil.txt' })).denied).toBe('grep:slow');
  });
});
