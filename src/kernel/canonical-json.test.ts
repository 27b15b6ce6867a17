import { expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

it('sorts members by code units, whatever their order and whatever they look like', () => {
  expect(canonicalJson({ b: 1, a: { d: [1, { z: 1, y: 2 }], c: null } })).toBe(
    '{"a":{"c":null,"d":[1,{"y":2,"z":1}]},"b":1}',
  );
  expect(canonicalJson({ 10: 'a', 9: 'b', '\u20ac': 1, '\r': 2, '\ud83d\ude00': 3, '\ufb33': 4 })).toBe(
    '{"\\r":2,"10":"a","9":"b","€":1,"😀":3,"\ufb33":4}',
  );
});

it('says what JSON says, and leaves out what JSON leaves out', () => {
  expect(canonicalJson({ a: undefined, b: [undefined, 1e21, -0, 'ö\n'], at: new Date(0) })).toBe(
    '{"at":"1970-01-01T00:00:00.000Z","b":[null,1e+21,0,"ö\\n"]}',
  );
  expect(canonicalJson(undefined)).toBe('null');
});
