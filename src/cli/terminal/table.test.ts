import { describe, expect, it } from 'vitest';
import { type Column, displayWidth, printable, renderTable } from './table.ts';

type Row = { id: string; title: string };
const columns: Column<Row>[] = [
  { title: 'ID', cell: (row) => row.id },
  { title: 'TITLE', cell: (row) => row.title, flexible: true },
];

describe('a table', () => {
  it('lines its columns up and leaves no trailing space', () => {
    expect(
      renderTable(
        columns,
        [
          { id: 'a1', title: 'one' },
          { id: 'b', title: '' },
        ],
        undefined,
      ),
    ).toBe('ID  TITLE\na1  one\nb');
  });

  it('never exceeds the terminal, cutting flexible columns only', () => {
    const text = renderTable(
      columns,
      [{ id: '0123456789', title: 'a title that is far too long for this terminal' }],
      40,
    );
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(40);
    expect(text).toContain('0123456789  a title that is far too lon…');
  });

  it('says what it cut, and says nothing when it cut nothing', () => {
    const rows = [{ id: '0123456789', title: 'a title that is far too long for this terminal' }];
    expect(renderTable(columns, rows, 40).split('\n').at(-1)).toBe('cut: TITLE (whole: --json)');
    expect(renderTable(columns, rows, 80)).not.toContain('cut:');
  });

  it('counts wide characters as two and cuts between whole ones', () => {
    expect(displayWidth('日本')).toBe(4);
    expect(displayWidth('👩‍👩‍👧 é')).toBe(4);
    const text = renderTable(columns, [{ id: 'x', title: '日本語'.repeat(20) }], 30);
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(30);
  });

  it('becomes a block of lines per row, with nothing cut, when the terminal is too narrow for it', () => {
    const rows = [
      { id: '0123456789', title: 'a title that is long' },
      { id: 'b', title: '' },
    ];
    expect(renderTable(columns, rows, 18)).toBe('ID     0123456789\nTITLE  a title that is long\n\nID     b');
  });

  it('is whole when the output is not a terminal', () => {
    expect(renderTable(columns, [{ id: 'x', title: 'y'.repeat(500) }], undefined)).toContain('y'.repeat(500));
  });
});

it('control characters cannot reach the terminal', () => {
  expect(printable('a\u001b[31mred\u0007\nb\u202ec')).toBe('a [31mred b\\u202ec');
});
