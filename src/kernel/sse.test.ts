import { expect, it } from 'vitest';
import { sseFrame } from './sse.ts';

it('every line of the data is marked, whatever ends it', () => {
  expect(sseFrame({ id: 7, event: 'frame', data: 'a\nb\r\nc\rd' })).toBe(
    'id: 7\nevent: frame\ndata: a\ndata: b\ndata: c\ndata: d\n\n',
  );
  expect(sseFrame({ data: '{}' })).toBe('data: {}\n\n');
  expect(sseFrame({ data: '' })).toBe('data: \n\n');
  expect(sseFrame({ data: 'end\n' })).toBe('data: end\ndata: \n\n');
  expect(sseFrame({ data: '$& $1\n$$' })).toBe('data: $& $1\ndata: $$\n\n');
});
