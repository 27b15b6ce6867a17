import { expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';
import { sha256 } from './digest.ts';

it('equal values have equal text, however deep and in whatever order', () => {
  const one = { b: [{ y: 1, x: undefined, w: null }], a: 'ü', 10: 1, 9: 2 };
  const two = { 9: 2, 10: 1, a: 'ü', b: [{ w: null, y: 1 }] };
  expect(canonicalJson(one)).toBe(canonicalJson(two));
  expect(canonicalJson(one)).toBe('{"9":2,"10":1,"a":"ü","b":[{"w":null,"y":1}]}');
  expect(canonicalJson({ a: [1, 2] })).not.toBe(canonicalJson({ a: [2, 1] }));
  expect(canonicalJson(JSON.parse('{"__proto__":{"b":1,"a":2}}'))).toBe('{"__proto__":{"a":2,"b":1}}');
});

it('the digest is SHA-256 of the bytes, as hex or base64url', () => {
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  expect([sha256(''), sha256(new Uint8Array())]).toEqual([empty, empty]);
  expect(sha256('ü')).toBe(sha256(Buffer.from('ü')));
  expect(sha256('', 'base64url')).toBe(Buffer.from(empty, 'hex').toString('base64url'));
});
