import { describe, expect, it } from 'vitest';
import { NotReadable } from './json-scan.ts';
import { jsonText } from './json-text.ts';

const PATH = ['mcp', 'servers', 'holdfast'];
const ENTRY = { command: 'node', args: ['x.js'], env: { A: 'b' } };

const FILES: Readonly<Record<string, string>> = {
  'empty file': '',
  'blanks alone': ' \n\n',
  'empty object': '{}',
  'a hollow container': '{"mcp": {\n} }',
  'blank object': '{\n}\n',
  'two spaces':
    '{\n  "theme": "dark",\n  "mcp": {\n    "servers": {\n      "other": { "url": "http://x" }\n    }\n  }\n}\n',
  'tabs and CRLF': '{\r\n\t"theme": "dark",\r\n\t"mcp": {\r\n\t\t"servers": {}\r\n\t}\r\n}\r\n',
  'one line': '{"theme":"dark","mcp":{"servers":{"other":{"url":"http://x"}}}}',
  'comments and trailing commas':
    '// mine\n{\n  /* look */\n  "mcp": {\n    "servers": {\n      "other": { "url": "http://x" }, // keep\n    },\n  },\n  "z": [1, 2, ],\n}\n',
  'bare keys and single quotes':
    "{\n  theme: 'it\\'s \"dark\"',\n  mcp: { servers: { other: { url: 'http://x' } } },\n}\n",
  'a byte order mark': '\uFEFF{\n  "a": 1\n}\n',
  'a comment alone': '{\n  "mcp": {\n    "servers": {\n      // none yet\n    }\n  }\n}\n',
  'a comma in a comment': '{\n  "mcp": { "servers": { "a": {} /* x, y */ , } }\n}\n',
  'no container': '{\n    "a": {"b": "}{,"},\n    "c": "// no comment"\n}',
  'container in the middle':
    '{\n  "mcp": {\n    "servers": {\n      "a": {}\n    },\n    "more": true\n  },\n  "z": null\n}\n',
};

describe.each(Object.entries(FILES))('in a file with %s', (_name, text) => {
  it('an entry is put in, found, and taken out again byte for byte', () => {
    const { text: after, undo } = jsonText.put(text, PATH, ENTRY);
    expect(jsonText.has(after, PATH, ENTRY)).toBe(true);
    expect(jsonText.has(after, PATH, { ...ENTRY, command: 'bun' })).toBe(false);
    expect(jsonText.remove(after, PATH, undo)).toBe(text);
  });
});

const STRICT = [
  '',
  ...Object.values(FILES).filter(
    (text) => /^[^/'\uFEFF]+$/.test(text.replaceAll('http://', '')) && text.trim() !== '',
  ),
];

it.each(STRICT)('the rest of %j means what it meant', (text) => {
  const before = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  const after = JSON.parse(jsonText.put(text, PATH, ENTRY).text) as {
    mcp: { servers: Record<string, unknown> };
  };
  expect(after.mcp.servers['holdfast']).toEqual(ENTRY);
  delete after.mcp.servers['holdfast'];
  expect(after).toMatchObject(before);
});

it('an entry that stood there comes back', () => {
  const text = '{\n  "mcp": { "servers": { "holdfast": { "url": "http://old" /* mine */ } } }\n}\n';
  const { text: after, undo } = jsonText.put(text, PATH, ENTRY);
  expect(jsonText.has(after, PATH, ENTRY)).toBe(true);
  expect(jsonText.remove(after, PATH, undo)).toBe(text);
});

it('containers that others have used since stay', () => {
  const { text: after, undo } = jsonText.put('{\n  "a": 1\n}\n', PATH, ENTRY);
  const { text: shared } = jsonText.put(after, ['mcp', 'servers', 'other'], { url: 'x' });
  expect(JSON.parse(jsonText.remove(shared, PATH, undo))).toEqual({
    a: 1,
    mcp: { servers: { other: { url: 'x' } } },
  });
});

it.each(['[]', '{', '{"a" 1}', '{"a": }', '{"a": 1} x', '{"a": "b}', 'nonsense'])(
  '%s is refused, not repaired',
  (text) => {
    expect(() => jsonText.put(text, PATH, ENTRY)).toThrow(NotReadable);
  },
);
