import type { Chance } from './generate.ts';

const MOST_BYTES = 128 * 1024;
/** What readers of text, YAML, JSON, tables, archives and frames look out for. */
const TOKENS = [
  '\0',
  '\r\n',
  '\n',
  '\n\n',
  ' ',
  '\t',
  '\u2028',
  '\uFEFF',
  '\ud7ff',
  '👩‍👧',
  '--- ',
  '- ',
  '? ',
  ': ',
  '&a ',
  '*a ',
  '<<: *a\n',
  '!!js/function ',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  '`',
  '\\',
  '\\u',
  '\\ud800',
  ',',
  ';',
  '|',
  '$(',
  '${',
  'null',
  'true',
  '-0',
  '1e999',
  '9007199254740993',
  '__proto__',
  'constructor',
  'toString',
  '<![CDATA[',
  '<failure',
  'PK\u0003\u0004',
  'data: ',
  'event: ',
  'id: ',
  ':\n',
  '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  '[[',
  '"""',
  "'''",
];

/** Some changes of the kind that files suffer: bits, holes, repeats, words from elsewhere, another file in the middle. */
export function mutate(seeds: readonly Buffer[], chance: Chance): Buffer {
  let bytes = chance.pick(seeds);
  for (let times = 1 + chance.below(6); times > 0; times -= 1) bytes = change(bytes, chance, seeds);
  return bytes.subarray(0, MOST_BYTES);
}

function change(bytes: Buffer, chance: Chance, seeds: readonly Buffer[]): Buffer {
  const at = chance.below(bytes.length + 1);
  const end = Math.min(bytes.length, at + 1 + chance.below(chance.pick([1, 4, 16, 200])));
  const around = (middle: Buffer, rest = at) =>
    Buffer.concat([bytes.subarray(0, at), middle, bytes.subarray(rest)]);
  switch (chance.below(7)) {
    case 0:
      return around(Buffer.from([chance.below(256)]), end);
    case 1:
      return around(Buffer.alloc(0), end);
    case 2: {
      const part = bytes.subarray(at, end);
      const copies = Math.min(chance.pick([1, 2, 10, 2_000]), Math.ceil(MOST_BYTES / (part.length + 1)));
      return around(Buffer.concat(Array.from({ length: copies }, () => part)));
    }
    case 3:
    case 4:
      return around(Buffer.from(chance.pick(TOKENS)), chance.is(0.5) ? at : end);
    case 5: {
      const other = chance.pick(seeds);
      const from = chance.below(other.length + 1);
      return around(other.subarray(from, from + chance.pick([8, 80, 800])));
    }
    default:
      return bytes.subarray(0, at);
  }
}
