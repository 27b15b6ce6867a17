import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { coreHost } from '../fixtures/core-host.ts';
import { freshFolder } from '../fixtures/databases.ts';

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
  const host = await coreHost();
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
    const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
      cwd: workspace,
      encoding: 'utf8',
    })
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
    expect(
      (await call('Glob', { pattern: '**/*.ts', respect_gitignore: false, include_hidden: true })).value
        .matches,
    ).toEqual(['.hidden/f.ts', 'a.ts', 'dist/e.ts', 'sub/private/d.ts']);
    expect((await call('Glob', { pattern: '**', limit: 2 })).value).toMatchObject({
      matches_count: 2,
      truncated: true,
    });
  });
});

describe('Grep', () => {
  const places = async (call: Awaited<ReturnType<typeof open>>['call'], args: object) =>
    (await call('Grep', args)).value.matches.map(
      (match: { path: string; line: number }) => `${match.path}:${match.line}`,
    );

  it('finds lines with their places, passing over ignored, hidden and binary files', async () => {
    const { value } = await (await open()).call('Grep', { pattern: 'needle' });
    expect(value.engine).toBe('ripgrep');
    expect(value.matches).toEqual([
      { path: 'a.ts', line: 1, column: 7, text: 'const needle = 1;' },
      { path: 'b.md', line: 2, column: 1, text: 'needle again' },
      { path: 'keep.log', line: 1, column: 1, text: 'needle in a kept log' },
      { path: 'sub/b.tmp', line: 1, column: 1, text: 'needle' },
      { path: 'sub/c.tsx', line: 1, column: 19, text: 'export const x = "needle";' },
      { path: 'sub/only-root.txt', line: 1, column: 1, text: 'needle below' },
    ]);
  });

  it('takes case, glob, type, several patterns, a path and a limit', async () => {
    const { call } = await open();
    expect(await places(call, { pattern: 'NEEDLE', case_insensitive: true, path: 'b.md' })).toEqual([
      'b.md:1',
      'b.md:2',
    ]);
    expect(await places(call, { pattern: 'needle', glob: '*.tsx' })).toEqual(['sub/c.tsx:1']);
    expect(await places(call, { pattern: 'needle', glob: '!*.{tsx,tmp,txt,log}' })).toEqual([
      'a.ts:1',
      'b.md:2',
    ]);
    expect(await places(call, { pattern: 'needle', glob: 'sub/*.tsx' })).toEqual(['sub/c.tsx:1']);
    expect(await places(call, { pattern: 'needle', type: 'ts' })).toEqual(['a.ts:1', 'sub/c.tsx:1']);
    expect(await places(call, { pattern: 'needle', type: 'ts', glob: '*.tsx' })).toEqual(['sub/c.tsx:1']);
    expect(await places(call, { pattern: 'absent', patterns: 'hay\nagain' })).toEqual([
      'a.ts:2',
      'b.md:2',
      'node_modules/g.js:1',
    ]);
    expect(await places(call, { pattern: '^const', path: 'a.ts' })).toEqual(['a.ts:1', 'a.ts:2']);
    expect((await call('Grep', { pattern: 'needle', max_matches: 2 })).value).toMatchObject({
      matches_count: 2,
      truncated: true,
    });
    expect((await call('Grep', { pattern: 'needle', max_matches: 6 })).value).toMatchObject({
      matches_count: 6,
      truncated: false,
    });
  });

  it('names files so that Read finds them from the same place', async () => {
    const { call } = await open();
    expect(await places(call, { pattern: 'needle', path: 'sub' })).toEqual([
      'sub/b.tmp:1',
      'sub/c.tsx:1',
      'sub/only-root.txt:1',
    ]);
    expect(await places(call, { pattern: 'needle', cwd: 'sub', glob: './*.tsx' })).toEqual(['c.tsx:1']);
    expect(await places(call, { pattern: 'needle', cwd: 'sub', path: '../b.md' })).toEqual(['../b.md:2']);
    expect((await call('Read', { path: '../b.md', cwd: 'sub' })).ok).toBe(true);
  });

  it('knows the ignore files above the folder it searches, unless that folder is ignored itself', async () => {
    const { call, workspace } = await open();
    writeFileSync(join(workspace, 'sub', 'also.log'), 'needle\n');
    expect(await places(call, { pattern: 'needle', path: 'sub' })).not.toContain('sub/also.log:1');
    expect(await places(call, { pattern: 'needle', path: 'dist' })).toEqual(['dist/e.ts:1']);
  });

  it('shows what stands around a match, also when that is another match', async () => {
    const { call, workspace } = await open();
    writeFileSync(join(workspace, 'near.txt'), 'one\ntwo x\nthree x\nfour\nfive\n');
    const { value } = await call('Grep', {
      pattern: 'x$',
      path: 'near.txt',
      context_before: 1,
      context_after: 2,
    });
    expect(value.matches).toEqual([
      { path: 'near.txt', line: 2, column: 5, text: 'two x', before: ['one'], after: ['three x', 'four'] },
      { path: 'near.txt', line: 3, column: 7, text: 'three x', before: ['two x'], after: ['four', 'five'] },
    ]);
  });

  it('never matches across lines, and counts columns in characters', async () => {
    const { call, workspace } = await open();
    writeFileSync(join(workspace, 'lines.txt'), 'foo\nbar\nfoo  bar foo\r\n\u00fc\u{1f980} foo\n');
    const args = { path: 'lines.txt' };
    expect(await places(call, { ...args, pattern: 'foo\\s+bar' })).toEqual(['lines.txt:3']);
    expect(await places(call, { ...args, pattern: 'foo[^z]+foo' })).toEqual(['lines.txt:3']);
    expect((await call('Grep', { ...args, pattern: 'foo$' })).value.matches.at(-1)).toMatchObject({
      line: 4,
      column: 5,
    });
  });

  it.each([
    ['[\\w.-]+@', ['d.txt:1']],
    ['a\\-b', ['d.txt:2']],
    ['(?i)SHOUT', ['d.txt:3']],
    ['[[:digit:]]{3}', ['d.txt:4']],
    ['(?P<word>shout)', ['d.txt:3']],
    ['\\bfoo\\b', ['d.txt:5']],
    ['\\p{Greek}', ['d.txt:6']],
  ])('reads the pattern %s as ripgrep does', async (pattern, found) => {
    const { call, workspace } = await open();
    writeFileSync(join(workspace, 'd.txt'), 'me.x-y@z\na-b\nshout\n123\nfoo foobar\n\u03b1\n');
    expect(await places(call, { pattern, path: 'd.txt' })).toEqual(found);
  });

  it('a bad pattern is an error, and so is an unknown type', async () => {
    const { call } = await open();
    expect((await call('Grep', { pattern: '(unclosed' })).denied).toBe('grep:pattern');
    expect((await call('Grep', { pattern: 'fine', patterns: '[z-a]' })).denied).toBe('grep:pattern');
    for (const type of ['cobol', 'constructor'])
      expect((await call('Grep', { pattern: 'x', type })).line).toContain('type must be one of');
  });

  it('finds nothing without complaint, and says so of a path that is not there', async () => {
    const { call } = await open();
    expect((await call('Grep', { pattern: 'nowhere at all' })).value).toMatchObject({
      matches: [],
      truncated: false,
    });
    expect((await call('Grep', { pattern: 'x', path: 'missing' })).line).toBe('missing does not exist.');
  });

  it("does not look into the hub's own folder", async () => {
    const workspace = freshFolder();
    mkdirSync(join(workspace, 'hub [1]'));
    writeFileSync(join(workspace, 'hub [1]', 'token'), 'needle');
    writeFileSync(join(workspace, 'open.txt'), 'needle');
    const { call } = await coreHost({ workspace, closed: [join(workspace, 'hub [1]')] });
    expect(await places(call, { pattern: 'needle' })).toEqual(['open.txt:1']);
    expect(await places(call, { pattern: 'needle', glob: '*' })).toEqual(['open.txt:1']);
    expect((await call('Glob', { pattern: '**' })).value.matches).toEqual(['open.txt']);
  });
});

describe('a pattern made to hold the hub up', () => {
  /** The longest turn of the event loop while the work goes on. */
  const longestTurn = async (work: Promise<unknown>) => {
    let [last, longest, isOver] = [performance.now(), 0, false];
    const ended = work.finally(() => (isOver = true));
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      const now = performance.now();
      [longest, last] = [Math.max(longest, now - last), now];
    }
    await ended;
    return longest;
  };

  it('row 14: expressions that would backtrack without end are answered, and the hub answers others meanwhile', async () => {
    const { call, workspace } = await open();
    writeFileSync(join(workspace, 'evil.txt'), `${'a'.repeat(60)}!\n`.repeat(2_000));
    await call('Grep', { pattern: 'warm', path: 'evil.txt' });
    const calls = Array.from({ length: 8 }, () => call('Grep', { pattern: '(a+)+$', path: 'evil.txt' }));
    expect(await longestTurn(Promise.all(calls))).toBeLessThan(500);
    for (const { value } of await Promise.all(calls)) expect(value.matches).toEqual([]);
  });

  it.each(['*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b', '**/{*a,*a*a,*a*a*a}*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b'])(
    'as a glob it is answered: %s',
    async (pattern) => {
      const { call, workspace } = await open();
      writeFileSync(join(workspace, 'a'.repeat(200)), '');
      expect((await call('Glob', { pattern })).value.matches).toEqual([]);
    },
  );

  it('in a .gitignore of somebody else it is answered', async () => {
    const { call, workspace } = await open();
    writeFileSync(join(workspace, '.gitignore'), `${'*a'.repeat(30)}b\n`);
    writeFileSync(join(workspace, 'a'.repeat(200)), 'needle');
    expect((await call('Glob', { pattern: 'aaa*' })).value.matches).toEqual(['a'.repeat(200)]);
  });

  it('an ignore file that is a link to an endless one ends the search, not the machine', async () => {
    const { call, workspace } = await open();
    symlinkSync('/dev/zero', join(workspace, 'sub', '.ignore'));
    const { ok, denied } = await call('Glob', { pattern: 'sub/*.tsx' });
    expect(ok || denied!.startsWith('finding:')).toBe(true);
  });

  it('a glob does not bring back what git ignores', async () => {
    const { call } = await open();
    expect((await call('Glob', { pattern: '*.log' })).value.matches).toEqual(['keep.log']);
    expect(
      (await call('Grep', { pattern: 'needle', glob: '*.log' })).value.matches.map(({ path }: any) => path),
    ).toEqual(['keep.log']);
    expect((await call('Glob', { pattern: '[z' })).ok).toBe(false);
  });
});
