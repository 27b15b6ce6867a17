import { describe, expect, it } from 'vitest';
import { tomlText } from './toml-text.ts';

const PATH = ['mcp_servers', 'holdfast'];
const ENTRY = { command: 'node', args: ['/x y/a.js'], env: { CLAWBOO_DB_PATH: '/x "y".db' } };
const BLOCK =
  '[mcp_servers.holdfast]\ncommand = "node"\nargs = ["/x y/a.js"]\nenv = { CLAWBOO_DB_PATH = "/x \\"y\\".db" }';

const FILES: Readonly<Record<string, string>> = {
  nothing: '',
  'plain keys': 'model = "o5"\n',
  'other servers': '[mcp_servers.docs]\ncommand = "npx"\n\n[mcp_servers.docs.env]\nA = "b"\n',
  'a parent table': '[mcp_servers]\n\n[mcp_servers.docs]\nurl = "http://x"\n',
  'text that looks like a table': 'notes = """\n[mcp_servers.holdfast]\n"""\n\n[tui]\ntheme = "dark"\n',
  'quoted names': '[mcp_servers."my docs"]\nurl = "x" # [mcp_servers.holdfast]\n',
};

describe.each(Object.entries(FILES))('in a file with %s', (_name, text) => {
  it('a table is put in, found, and taken out again byte for byte', () => {
    const { text: after, undo } = tomlText.put(text, PATH, ENTRY);
    expect(after).toContain(BLOCK);
    expect(after.startsWith(text)).toBe(true);
    expect(tomlText.has(after, PATH, ENTRY)).toBe(true);
    expect(tomlText.has(text, PATH, ENTRY)).toBe(false);
    expect(tomlText.remove(after, PATH, undo)).toBe(text);
  });

  it('only our lines leave when something was added behind them', () => {
    const { text: after, undo } = tomlText.put(text, PATH, ENTRY);
    const more = '\n# about later\n[later]\na = 1\n';
    expect(tomlText.remove(`${after}${more}`, PATH, undo)).toBe(`${text}${more}`);
  });
});

it('a table that stood there comes back, with the tables below it', () => {
  const text =
    '[mcp_servers.holdfast]\ncommand = "old"\n\n[mcp_servers.holdfast.env]\nA = "b"\n\n[tui]\na = 1\n';
  const { text: after, undo } = tomlText.put(text, PATH, ENTRY);
  expect(after).toBe(`${BLOCK}\n\n[tui]\na = 1\n`);
  expect(tomlText.remove(after, PATH, undo)).toBe(text);
});

it.each([
  'mcp_servers = { docs = { url = "x" } }\n',
  '[mcp_servers]\nholdfast = { url = "x" }\n',
  '[mcp_servers]\nholdfast.url = "x"\n',
  'mcp_servers.holdfast.url = "x"\n',
])('a definition that cannot be added to is left alone: %j', (text) => {
  expect(() => tomlText.put(text, PATH, ENTRY)).toThrow('cannot be added to line by line');
});
