import { describe, expect, it } from 'vitest';
import { shortenOutput } from './shorten.ts';

const lines = (count: number, make: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join('\n');

describe('shortening output', () => {
  it('leaves short output as it is', () => {
    expect(shortenOutput('a\na\na')).toMatchObject({
      text: 'a\na\na',
      stats: { rule: 'none', applied: false },
    });
  });

  it('leaves output as it is when little would be saved', () => {
    const text = lines(30, (i) => `line number ${i} of some prose that does not repeat itself`);
    expect(shortenOutput(text)).toMatchObject({ text, stats: { applied: false } });
  });

  it('folds equal lines and elides the middle, keeping 40 at the head and 20 at the tail', () => {
    const { text, stats } = shortenOutput(`${'same\n'.repeat(200)}${lines(200, (i) => `row ${i}`)}`);
    const kept = text.split('\n');
    expect(kept[0]).toBe('same  (x200)');
    expect(kept).toContain('… 141 lines left out …');
    expect(kept.at(-1)).toBe('row 199');
    expect(stats).toMatchObject({ rule: 'dedup-elide', applied: true });
    expect(stats.compactedBytes).toBeLessThan(stats.originalBytes);
  });

  it.each([
    'error: it broke',
    'npm ERR! code 1',
    'Traceback (most recent call last):',
    'fatal: not a repository',
    'panic: oh',
    '✗ test seven',
    'Unhandled exception',
    '3 tests failed',
  ])('keeps a failure in the middle: %s', (failure) => {
    const { text, stats } = shortenOutput(
      [lines(100, (i) => `ok ${i} fine`), failure, lines(100, (i) => `later ${i}`)].join('\n'),
    );
    expect(stats.applied).toBe(true);
    expect(text).toContain(failure);
  });

  it('keeps the branch and the changed files of git status', () => {
    const status = `On branch main\nYour branch is up to date with 'origin/main'.\n\nChanges not staged for commit:\n  (use "git add <file>..." to update what will be committed)\n  (use "git restore <file>..." to discard changes in working directory)\n${lines(20, (i) => `\tmodified:   src/file-${i}.ts`)}\n\nUntracked files:\n  (use "git add <file>..." to include in what will be committed)\n\tnew.ts\n\nno changes added to commit (use "git add" and/or "git commit -a")\n`;
    const { text, stats } = shortenOutput(status);
    expect(stats).toMatchObject({ rule: 'git-status', applied: true });
    expect(text).toContain('On branch main');
    expect(text).toContain('file-19.ts');
    expect(text).not.toContain('git restore');
  });

  it('keeps failures and totals of a test run', () => {
    const run = `${lines(80, (i) => ` ✓ does thing ${i} (3 ms)`)}\n ✗ does thing 80\n   AssertionError: expected 1 to be 2\n     at file.ts:3\nTests: 1 failed, 80 passed\n`;
    const { text, stats } = shortenOutput(run);
    expect(stats).toMatchObject({ rule: 'test-output', applied: true });
    expect(text).toContain('expected 1 to be 2');
    expect(text).toContain('1 failed, 80 passed');
    expect(text).not.toContain('does thing 12');
  });

  it('makes text of a page, without scripts and styles', () => {
    const { text, stats } = shortenOutput(
      `<!doctype html><html><head><title>Kelp</title><style>${'x{}'.repeat(200)}</style></head><body><script>if (1 < 2) alert("no")</script><p>It grips &amp; holds.</p></body></html>`,
    );
    expect(stats.rule).toBe('html-to-text');
    expect(text).toBe('Kelp\n\nIt grips & holds.');
  });

  it('shortens long addresses', () => {
    const url = `https://example.com/${'a'.repeat(300)}`;
    expect(shortenOutput(`${'see '.repeat(200)}${url}`).text).toContain(
      'https://example.com/… (301 more characters)',
    );
  });

  it.each(['<', '<<<<', '<!--', '<script>', '<p', '</', '<a href="'.repeat(2_000), '<script>'.repeat(2_000)])(
    'does not choke on broken markup %#',
    (tail) => {
      expect(() => shortenOutput(`<html>${'word '.repeat(300)}${tail}`)).not.toThrow();
    },
  );

  it.each([
    ['nothing but line ends', '\n'.repeat(400_000)],
    ['a wall of white space', ' \t\n'.repeat(200_000)],
    ['scripts without number', `<html>${'<script></script>'.repeat(60_000)}`],
    ['failures without number', lines(60_000, (i) => `error ${i}`)],
    ['failures in markup', `<html>${lines(20_000, (i) => `<b>error</b> <i>${i}</i>`)}`],
  ])('takes no longer than its length for %s', (_, text) => {
    const startedAt = performance.now();
    shortenOutput(text);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
