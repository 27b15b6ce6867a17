import { expect, test } from 'vitest';
import { createLineSplitter, type InputLine } from './lines.ts';

function split(chunks: readonly (string | Buffer)[], limit?: number): InputLine[] {
  const lines: InputLine[] = [];
  const splitter = createLineSplitter((line) => lines.push(line), limit);
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  return lines;
}

test('joins a line from its chunks, even within a character', () => {
  const bytes = Buffer.from('héllo\nworld\n');
  expect(split([...bytes].map((byte) => Buffer.from([byte])))).toEqual([
    { text: 'héllo' },
    { text: 'world' },
  ]);
});

test('skips empty lines and takes a last line without newline', () => {
  expect(split(['\n\na\n\nb'])).toEqual([{ text: 'a' }, { text: 'b' }]);
});

test('drops a line over the limit and goes on with the next', () => {
  expect(split(['12345', '67890', '1\nok\n'], 10)).toEqual([{ problem: 'too long' }, { text: 'ok' }]);
  expect(split(['1234567890\n'], 10)).toEqual([{ text: '1234567890' }]);
  expect(split(['12345678901'], 10)).toEqual([{ problem: 'too long' }]);
});

test('says when bytes are not UTF-8', () => {
  expect(split([Buffer.from([0xc3, 0x28, 0x0a]), 'ok\n'])).toEqual([
    { problem: 'not UTF-8' },
    { text: 'ok' },
  ]);
});
