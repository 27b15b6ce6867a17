import { describe, expect, it } from 'vitest';
import { paintLines, segmentsOf } from '../../web/src/review/paint.ts';
import { pairsOf, readHunks, rowsOf } from '../../web/src/review/patch.ts';

const PATCH = [
  'diff --git a/a.ts b/a.ts',
  '--- a/a.ts',
  '+++ b/a.ts',
  '@@ -3,3 +3,4 @@ function f() {',
  ' same',
  "-const left = 'one';",
  "+const left = 'two';",
  '+// more',
  ' end',
  '\\ No newline at end of file',
  '',
].join('\n');

describe('the lines of a patch', () => {
  const hunks = readHunks(PATCH);
  const lines = hunks[0]!.lines;

  it('have the numbers of both sides', () => {
    expect(hunks).toMatchObject([{ head: 'function f() {', before: 3, after: 3 }]);
    expect(lines).toMatchObject([
      { sign: ' ', before: 3, after: 3 },
      { sign: '-', before: 4 },
      { sign: '+', after: 4 },
      { sign: '+', after: 5 },
      { sign: ' ', before: 5, after: 6 },
    ]);
    expect(readHunks('')).toEqual([]);
  });

  it('stand beside what takes their place', () => {
    expect(pairsOf(lines).map(({ left, right }) => [left?.text, right?.text])).toEqual([
      ['same', 'same'],
      ["const left = 'one';", "const left = 'two';"],
      [undefined, '// more'],
      ['end', 'end'],
    ]);
  });

  it('are shown with as much around them as was asked for', () => {
    const text = ['one', 'two', 'same', 'x', 'y', 'end', 'after', ''];
    const shape = (rows: ReturnType<typeof rowsOf>) =>
      rows.map((row) =>
        'gap' in row ? `gap ${row.gap.count}` : `${row.line.before ?? ''}:${row.line.after ?? ''}`,
      );
    expect(shape(rowsOf(hunks, undefined, {}))).toEqual([
      'gap 2',
      '3:3',
      '4:',
      ':4',
      ':5',
      '5:6',
      'gap undefined',
    ]);
    expect(shape(rowsOf(hunks, text, { 0: { top: 1, end: 0 } }))).toEqual([
      '1:1',
      'gap 1',
      '3:3',
      '4:',
      ':4',
      ':5',
      '5:6',
      'gap 1',
    ]);
    expect(shape(rowsOf(hunks, text, { 0: { top: 2, end: 0 }, 1: { top: 20, end: 0 } })).at(-1)).toBe('6:7');
    const taken = readHunks('@@ -2,1 +1,0 @@\n-gone\n');
    expect(shape(rowsOf(taken, ['one', 'two', ''], {}))).toEqual(['gap 1', '2:', 'gap 1']);
  });

  it('are painted by what their words are, and where they changed', () => {
    const paints = paintLines('a.ts', lines);
    const shown = (key: string, text: string) =>
      segmentsOf(text, paints[key]!)
        .filter(({ kind, isWord }) => kind !== undefined || isWord)
        .map(({ text: part, kind, isWord }) => `${part}|${kind ?? ''}|${isWord ? 'changed' : ''}`);
    expect(shown('b4', "const left = 'one';")).toEqual([
      'const|key|',
      "'|string|",
      'one|string|changed',
      "'|string|",
    ]);
    expect(shown('a4', "const left = 'two';")).toContain('two|string|changed');
    expect(shown('a5', '// more')).toEqual(['// more|comment|']);
    const whole = segmentsOf("const left = 'one';", paints['b4']!);
    expect(whole.map(({ text }) => text).join('')).toBe("const left = 'one';");
  });

  it('go on with a comment that began before, and take prose for prose', () => {
    const block = readHunks("@@ -0,0 +1,3 @@\n+/* one\n+two */ let x = 1\n+it's\n")[0]!.lines;
    const kinds = (key: string) =>
      paintLines('a.go', block)[key]!.tokens.map(([length, kind]) => `${length} ${kind}`);
    expect(kinds('a1')).toEqual(['6 comment']);
    expect(kinds('a2').slice(0, 3)).toEqual(['6 comment', '1 undefined', '3 key']);
    expect(paintLines('notes.txt', block)['a3']!.tokens).toEqual([]);
  });
});
