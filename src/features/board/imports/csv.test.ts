import { expect, it } from 'vitest';
import { csvRows } from './csv.ts';

it('reads quotes, commas, line breaks and empty fields', () => {
  const text = 'Id,Title,Text\r\n1,"a, b","say ""hi""\ntwice"\r\n2,,\n3,short\n\n4,last,"x"';
  expect(csvRows(text)).toEqual([
    { Id: '1', Title: 'a, b', Text: 'say "hi"\ntwice' },
    { Id: '2', Title: '', Text: '' },
    { Id: '3', Title: 'short', Text: '' },
    { Id: '4', Title: 'last', Text: 'x' },
  ]);
});

it('reads nothing out of nothing, and ends where a quote is never closed', () => {
  expect(csvRows('')).toEqual([]);
  expect(csvRows('a,b\n1,2\n3,"4')).toEqual([{ a: '1', b: '2' }]);
});
