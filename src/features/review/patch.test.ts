import { describe, expect, it } from 'vitest';
import { filesOf } from './patch.ts';

const patch = (name: string, head: string, ...lines: readonly string[]) =>
  [`diff --git a/${name} b/${name}`, head, `--- a/${name}`, `+++ b/${name}`, ...lines, ''].join('\n');

describe('a patch, cut into files', () => {
  it.each(['\r', '\u2028', '\u2029'])('takes no line of a file for the beginning of another (%j)', (end) => {
    const trap = `+fine${end}diff --git a/other.ts b/other.ts${end}@@ -1 +1 @@`;
    const text = patch('a.ts', 'index 1..2 100644', '@@ -1 +1,3 @@', ' one', trap, '+evil()');
    const files = filesOf(text + patch('b.ts', 'index 3..4 100644', '@@ -1 +1 @@', '-b', '+c'));
    expect(files).toMatchObject([
      { path: 'a.ts', come: 2, gone: 0 },
      { path: 'b.ts', come: 1, gone: 1 },
    ]);
    expect(files[0]!.patch).toContain('+evil()');
  });

  it('tells a program, a link and a submodule from a plain file, also where nothing else changed', () => {
    const mode = 'diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n';
    const [run, lib] = filesOf(
      mode + patch('lib', 'index 1..2 160000', '@@ -1 +1 @@', '-Subproject commit 1', '+Subproject commit 2'),
    );
    expect(run).toMatchObject({ path: 'run.sh', kind: 'changed', mode: 'program', modeBefore: 'file' });
    expect(lib).toMatchObject({ mode: 'submodule', modeBefore: null });
    const [back] = filesOf('diff --git a/run.sh b/run.sh\nold mode 100755\nnew mode 100644\n');
    expect(back!.mark).not.toBe(run!.mark);
  });

  it('shows a file that became a link as one file', () => {
    const gone = patch('x', 'deleted file mode 100644\nindex 1..0', '@@ -1 +0,0 @@', '-text');
    const come = patch('x', 'new file mode 120000\nindex 0..2', '@@ -0,0 +1 @@', '+/etc/passwd');
    expect(filesOf(gone + come)).toMatchObject([
      { path: 'x', kind: 'changed', mode: 'link', modeBefore: 'file', come: 1, gone: 1 },
    ]);
  });

  it('reads names as git quotes them', () => {
    const named = (name: string) =>
      filesOf(`diff --git "a/${name}" "b/${name}"\nnew file mode 100644\nindex 0..1\n`)[0]!.path;
    expect(named(String.raw`be\all\vx\f\b`)).toBe('be\x07ll\vx\f\b');
    expect(named(String.raw`a\"b\\c\033`)).toBe('a"b\\c\x1b');
  });
});
