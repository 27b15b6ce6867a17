import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { coreHost } from '../fixtures/core-host.ts';

const open = async () => {
  const host = await coreHost();
  const file = (name: string) => join(host.workspace, name);
  return {
    ...host,
    file,
    write: (name: string, content: string | Uint8Array) => writeFileSync(file(name), content),
    read: (name: string) => readFileSync(file(name), 'utf8'),
  };
};

describe('Read', () => {
  it('answers lines with where to go on, and hashes', async () => {
    const { call, write } = await open();
    write('a.txt', 'one\r\ntwo\nthree\n');
    expect((await call('Read', { path: 'a.txt' })).value).toMatchObject({
      path: 'a.txt',
      content: 'one\ntwo\nthree',
      line_start: 1,
      line_end: 3,
      total_lines: 3,
      next_line: null,
      size_bytes: 15,
      truncated: false,
    });
    const part = (await call('Read', { path: 'a.txt', line_start: 2, line_end: 2, with_line_numbers: true }))
      .value;
    expect(part).toMatchObject({ content: '2\ttwo', line_start: 2, line_end: 2 });
    expect(part.file_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(part.file_hash).not.toBe(part.range_hash);
  });

  it('walks a large file by its cursors without loss', async () => {
    const { call, write } = await open();
    const lines = Array.from({ length: 60_000 }, (_, i) => `line ${i} ${'x'.repeat(20)}`);
    write('big.txt', lines.join('\n'));
    const seen: string[] = [];
    for (let next: number | null = 1; next !== null;) {
      const { value } = await call('Read', { path: 'big.txt', line_start: next });
      seen.push(...value.content.split('\n'));
      next = value.next_line;
    }
    expect(seen).toEqual(lines);
  });

  it('reads a file that is one line of a hundred megabytes, and shows its beginning', async () => {
    const { call, write } = await open();
    write('line.txt', Buffer.alloc(100 * 1024 * 1024, 'x'));
    const startedAt = Date.now();
    const { value } = await call('Read', { path: 'line.txt' });
    expect(Date.now() - startedAt).toBeLessThan(25_000);
    expect(value).toMatchObject({ total_lines: 1, size_bytes: 100 * 1024 * 1024, next_line: null });
    expect(value.content).toMatch(/^x{20000}… \(104837600 more characters\)$/);
  });

  it.each([
    ['', 0, ''],
    ['\n', 1, ''],
    ['a', 1, 'a'],
    ['a\r\n\r\nb\r', 3, 'a\n\nb'],
    ['\n\na', 3, '\n\na'],
  ])('counts the lines of %j', async (text, total, content) => {
    const { call, write } = await open();
    write('t.txt', text);
    expect((await call('Read', { path: 't.txt' })).value).toMatchObject({ total_lines: total, content });
  });

  it('refuses binaries, folders and what does not exist', async () => {
    const { call, write, file } = await open();
    write('b.bin', Uint8Array.from([1, 0, 2]));
    mkdirSync(file('folder'));
    expect((await call('Read', { path: 'b.bin' })).denied).toBe('file:binary');
    expect((await call('Read', { path: 'folder' })).line).toBe('folder is a folder.');
    expect((await call('Read', { path: 'none' })).code).toBe('not_found');
    expect((await call('Read', { path: 'b.bin', line_start: 3, line_end: 2 })).code).toBe('invalid');
  });

  it('reads UTF-16 text', async () => {
    const { call, write } = await open();
    write('w.txt', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('héllo', 'utf16le')]));
    expect((await call('Read', { path: 'w.txt' })).value.content).toBe('héllo');
  });

  it('reads csv, html and notebooks as text', async () => {
    const { call, write } = await open();
    write('t.csv', 'a,b\n1,2\n');
    write(
      'p.html',
      `<html><head><title>T</title><style>x{}</style></head><body><article><p>${'Readable words here. '.repeat(30)}</p></article></body></html>`,
    );
    write(
      'n.ipynb',
      JSON.stringify({ cells: [{ cell_type: 'code', source: ['print(1)'], outputs: [{ text: ['1\n'] }] }] }),
    );
    expect((await call('Read', { path: 't.csv' })).value).toMatchObject({
      format: 'csv',
      content: 'a,b\n1,2',
    });
    expect((await call('Read', { path: 'p.html' })).value).toMatchObject({
      format: 'html',
      content: expect.stringContaining('Readable words'),
    });
    expect((await call('Read', { path: 'n.ipynb' })).value.content).toContain('print(1)\n[output]\n1');
  });

  it('reads docx paragraphs', async () => {
    const { call, write } = await open();
    const xml =
      '<?xml version="1.0"?><w:document xmlns:w="x"><w:body><w:p><w:r><w:t>Hello</w:t><w:tab/><w:t xml:space="preserve">there </w:t></w:r></w:p><w:p><w:r><w:t>Second</w:t></w:r></w:p></w:body></w:document>';
    write('d.docx', zipSync({ 'word/document.xml': strToU8(xml) }));
    expect((await call('Read', { path: 'd.docx' })).value).toMatchObject({
      format: 'docx',
      content: 'Hello\tthere \nSecond',
    });
  });

  it('reads a sheet of an xlsx by its name', async () => {
    const { call, write } = await open();
    const sheet = (cells: string) =>
      strToU8(`<?xml version="1.0"?><worksheet><sheetData><row>${cells}</row></sheetData></worksheet>`);
    write(
      'x.xlsx',
      zipSync({
        'xl/workbook.xml': strToU8(
          '<?xml version="1.0"?><workbook xmlns:r="r"><sheets><sheet name="One" r:id="r1"/><sheet name="Two" r:id="r2"/></sheets></workbook>',
        ),
        'xl/_rels/workbook.xml.rels': strToU8(
          '<?xml version="1.0"?><Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Target="worksheets/sheet2.xml"/></Relationships>',
        ),
        'xl/sharedStrings.xml': strToU8('<?xml version="1.0"?><sst><si><t>shared</t></si></sst>'),
        'xl/worksheets/sheet1.xml': sheet('<c r="A1" t="s"><v>0</v></c><c r="C1"><v>42</v></c>'),
        'xl/worksheets/sheet2.xml': sheet('<c r="A1" t="inlineStr"><is><t>inline</t></is></c>'),
      }),
    );
    expect((await call('Read', { path: 'x.xlsx' })).value).toMatchObject({
      format: 'xlsx',
      content: 'shared\t\t42',
      sheets: ['One', 'Two'],
    });
    expect((await call('Read', { path: 'x.xlsx', sheet: 'Two' })).value.content).toBe('inline');
    expect((await call('Read', { path: 'x.xlsx', sheet: 'Three' })).code).toBe('not_found');
  });

  it('reads the text of a PDF', async () => {
    const { call, write } = await open();
    write('p.pdf', tinyPdf('Hello from a PDF'));
    expect((await call('Read', { path: 'p.pdf' })).value).toMatchObject({
      format: 'pdf',
      content: expect.stringContaining('Hello from a PDF'),
    });
  });

  it.each(['p.pdf', 'd.docx', 'x.xlsx', 'n.ipynb'])('says that a damaged %s is damaged', async (name) => {
    const { call, write } = await open();
    write(name, 'not what it says');
    expect((await call('Read', { path: name })).denied).toBe('file:damaged');
  });
});

describe('Edit', () => {
  const started = async (content: string) => {
    const host = await open();
    host.write('f.txt', content);
    await host.call('Read', { path: 'f.txt' });
    return host;
  };

  it('replaces the one occurrence and shows a diff', async () => {
    const { call, read } = await started('a\nb\nc\nd\n');
    const { value } = await call('Edit', { path: 'f.txt', old_string: 'b\n', new_string: 'B\nB2\n' });
    expect(read('f.txt')).toBe('a\nB\nB2\nc\nd\n');
    expect(value).toMatchObject({ replaced: true, occurrences_replaced: 1, line_endings: 'lf' });
    expect(value.diff_unified).toContain('-b');
    expect(value.diff_unified).toContain('+B\n+B2');
  });

  it('refuses an ambiguous text and names its lines, unless all are meant', async () => {
    const { call, read } = await started('x\ny\nx\n');
    expect(await call('Edit', { path: 'f.txt', old_string: 'x', new_string: 'z' })).toMatchObject({
      denied: 'edit:ambiguous',
      value: { occurrences: 2, lines: [1, 3] },
    });
    expect(
      (await call('Edit', { path: 'f.txt', old_string: 'x', new_string: 'z', replace_all: true })).value
        .occurrences_replaced,
    ).toBe(2);
    expect(read('f.txt')).toBe('z\ny\nz\n');
  });

  it('numbers the lines of every change in its diff', async () => {
    const { call } = await started(
      `${Array.from({ length: 40 }, (_, i) => (i % 20 === 10 ? 'old' : `line ${i + 1}`)).join('\n')}\n`,
    );
    const { value } = await call('Edit', {
      path: 'f.txt',
      old_string: 'old',
      new_string: 'new\nnewer',
      replace_all: true,
    });
    expect(value.diff_unified.match(/^@@.*@@$/gm)).toEqual(['@@ -8,7 +8,8 @@', '@@ -28,7 +29,8 @@']);
  });

  it('replaces a hundred thousand occurrences without holding the hub up', async () => {
    const { call, read } = await started('aaaa old bbbb\n'.repeat(100_000));
    const startedAt = Date.now();
    const { value } = await call('Edit', {
      path: 'f.txt',
      old_string: 'old',
      new_string: 'new',
      replace_all: true,
    });
    expect(Date.now() - startedAt).toBeLessThan(25_000);
    expect(value.occurrences_replaced).toBe(100_000);
    expect(read('f.txt')).not.toContain('old');
  });

  it('refuses a text that is not there, equal texts and binaries', async () => {
    const { call, write } = await started('x');
    expect((await call('Edit', { path: 'f.txt', old_string: 'nope', new_string: 'z' })).denied).toBe(
      'edit:absent',
    );
    expect((await call('Edit', { path: 'f.txt', old_string: 'x', new_string: 'x' })).code).toBe('invalid');
    write('b.bin', Uint8Array.from([120, 0, 120]));
    expect(
      (
        await call('Edit', {
          path: 'b.bin',
          old_string: 'x',
          new_string: 'y',
          unsafe_overwrite_without_read: true,
        })
      ).denied,
    ).toBe('file:binary');
  });

  it.each([
    ['CRLF', 'a\r\nb\r\nc\r\n', 'a\r\nX\r\nY\r\nc\r\n'],
    ['CR', 'a\rb\rc\r', 'a\rX\rY\rc\r'],
    ['a BOM', '\ufeffa\nb\nc\n', '\ufeffa\nX\nY\nc\n'],
    ['mixed ends elsewhere', 'a\r\nb\nc\r\n', 'a\r\nX\nY\nc\r\n'],
  ])('keeps %s', async (_, before, after) => {
    const { call, read } = await started(before);
    expect((await call('Edit', { path: 'f.txt', old_string: 'b\n', new_string: 'X\nY\n' })).ok).toBe(true);
    expect(read('f.txt')).toBe(after);
  });

  it('works several times in a row', async () => {
    const { call, read } = await started('1\n');
    for (let i = 1; i < 6; i += 1)
      expect(
        (await call('Edit', { path: 'f.txt', old_string: String(i), new_string: String(i + 1) })).ok,
      ).toBe(true);
    expect(read('f.txt')).toBe('6\n');
  });

  it('asks for a read first, and again when somebody else changed the file', async () => {
    const { call, write, session } = await started('x');
    expect((await session()('Edit', { path: 'f.txt', old_string: 'x', new_string: 'y' })).denied).toBe(
      'write:unread',
    );
    write('f.txt', 'x changed');
    expect((await call('Edit', { path: 'f.txt', old_string: 'x', new_string: 'y' })).denied).toBe(
      'write:changed',
    );
    const { value } = await session()('Read', { path: 'f.txt' });
    expect(
      (
        await session()('Edit', {
          path: 'f.txt',
          old_string: 'x',
          new_string: 'y',
          expected_hash: value.file_hash,
        })
      ).ok,
    ).toBe(true);
  });

  it('two edits at once both land', async () => {
    const { call, read } = await started('left right');
    await Promise.all([
      call('Edit', { path: 'f.txt', old_string: 'left', new_string: 'L' }),
      call('Edit', { path: 'f.txt', old_string: 'right', new_string: 'R' }),
    ]);
    expect(read('f.txt')).toBe('L R');
  });
});

describe('Write', () => {
  it('makes a file and its folders', async () => {
    const { call, read } = await open();
    expect((await call('Write', { path: 'a/b/c.txt', content: 'hi\n' })).value).toMatchObject({
      path: 'a/b/c.txt',
      bytes_written: 3,
      created: true,
      line_endings: 'lf',
    });
    expect(read('a/b/c.txt')).toBe('hi\n');
    expect((await call('Write', { path: 'x/y.txt', content: '', create_parents: false })).code).toBe(
      'not_found',
    );
  });

  it('overwrites only what was read, and keeps ends, BOM and mode', async () => {
    const { call, write, read, file } = await open();
    write('f.txt', '\ufeffa\r\nb\r\n');
    chmodSync(file('f.txt'), 0o755);
    expect((await call('Write', { path: 'f.txt', content: 'x' })).denied).toBe('write:unread');
    await call('Read', { path: 'f.txt' });
    expect((await call('Write', { path: 'f.txt', content: 'c\nd\n' })).ok).toBe(true);
    expect(read('f.txt')).toBe('\ufeffc\r\nd\r\n');
    expect(statSync(file('f.txt')).mode & 0o777).toBe(0o755);
    expect((await call('Write', { path: 'f.txt', content: 'again\n', line_endings: 'lf' })).ok).toBe(true);
    expect(read('f.txt')).toBe('again\n');
  });

  it('never replaces when it must create', async () => {
    const { call, read } = await open();
    const made = await Promise.all(
      ['one', 'two'].map((content) => call('Write', { path: 'n.txt', content, must_not_exist: true })),
    );
    expect(made.filter(({ ok }) => ok)).toHaveLength(1);
    expect(['one', 'two']).toContain(read('n.txt'));
  });

  it('leaves no draft behind and writes through a link inside the workspace', async () => {
    const { call, file, write, read, workspace } = await open();
    write('real.txt', 'old');
    symlinkSync('real.txt', file('link.txt'));
    await call('Read', { path: 'link.txt' });
    await call('Write', { path: 'link.txt', content: 'new' });
    expect([read('real.txt'), readdirSync(workspace).sort()]).toEqual(['new', ['link.txt', 'real.txt']]);
  });

  it('content that looks like a command is content', async () => {
    const { call, file } = await open();
    expect((await call('Write', { path: 'danger.sh', content: 'rm -rf / # documented' })).meta.notes).toEqual(
      ['mention:security:destructive:recursive-delete-root'],
    );
    expect(existsSync(file('danger.sh'))).toBe(true);
  });
});

/** The smallest PDF that shows one line. */
function tinyPdf(text: string): Buffer {
  const stream = `BT /F1 24 Tf 72 720 Td (${text}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const at = body.length;
    body += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  return Buffer.from(
    `${body}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF`,
  );
}
