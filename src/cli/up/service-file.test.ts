import { DOMParser } from 'linkedom';
import { expect, it } from 'vitest';
import { LABEL, serviceText } from './service-file.ts';

/** What people call folders, and what somebody might call one to be noticed. */
const command = [
  '/Users/A & B/node <24>/bin/node',
  '/opt/50% off/"quoted" \\ $HOME/holdfast.js',
  '/a\nExecStartPre=/bin/false',
  'up',
];
const env = {
  HOLDFAST_HOME: '/Users/A & B/100% <mine> "now" \\ $HOME ü',
  HOLDFAST_LOG: 'warn\nUser=root',
};

type Value = string | boolean | Value[] | { [key: string]: Value };

function readPlist(text: string): Value {
  const root = new DOMParser().parseFromString(text, 'text/xml').documentElement;
  expect([root.tagName, root.getAttribute('version'), root.children.length]).toEqual(['plist', '1.0', 1]);
  return valueOf(root.children[0]);
}

type Node = { tagName: string; textContent: string; children: Iterable<Node> };

function valueOf(element: Node): Value {
  const inner = [...element.children];
  if (element.tagName === 'string') {
    expect(inner).toEqual([]);
    return element.textContent;
  }
  if (element.tagName === 'array') return inner.map(valueOf);
  if (element.tagName === 'true' || element.tagName === 'false') return element.tagName === 'true';
  expect(element.tagName).toBe('dict');
  const pairs: [string, Value][] = [];
  for (let at = 0; at < inner.length; at += 2) {
    expect(inner[at]!.tagName).toBe('key');
    pairs.push([inner[at]!.textContent, valueOf(inner[at + 1]!)]);
  }
  return Object.fromEntries(pairs);
}

it('launchd reads from the plist what was meant, whatever the folders are called', () => {
  const text = serviceText('darwin', { command, env });
  expect(readPlist(text)).toEqual({
    Label: LABEL,
    ProgramArguments: command,
    EnvironmentVariables: env,
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
  });
});

it('the plist is well-formed for readers that forgive nothing', () => {
  const text = serviceText('darwin', { command, env });
  expect(text.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist ')).toBe(true);
  expect(text).not.toMatch(/&(?!(?:amp|lt|gt);)/);
  const open: string[] = [];
  for (const [, isEnd, name, isEmpty] of text.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g))
    if (isEnd) expect(open.pop()).toBe(name);
    else if (!isEmpty) open.push(name!);
  expect(open).toEqual([]);
});

/** A line of a unit as systemd takes it apart: quotes, escapes, then `%%` and, in commands, `$$`. */
function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)];
  expect(words.map(([whole]) => whole).join(' ')).toBe(line);
  return words.map(([, inner]) => {
    expect(inner).not.toMatch(/(?<!%)(?:%%)*%(?!%)/);
    return inner!.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char)).replaceAll('%%', '%');
  });
}

it('systemd reads from the unit what was meant, and no directive of somebody else', () => {
  const lines = serviceText('linux', { command, env }).split('\n');
  const valuesOf = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
  const [start, ...more] = valuesOf('ExecStart');
  expect(wordsOf(start!).map((word) => word.replaceAll('$$', '$'))).toEqual(command);
  expect(start).not.toMatch(/(?<!\$)(?:\$\$)*\$(?!\$)/);
  expect(more).toEqual([]);
  expect(valuesOf('Environment').flatMap(wordsOf)).toEqual(
    Object.entries(env).map(([name, value]) => `${name}=${value}`),
  );
  const names = lines.flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
  expect(names).toEqual([
    'Description',
    'ExecStart',
    'Environment',
    'Environment',
    'Restart',
    'RestartSec',
    'TimeoutStopSec',
    'WantedBy',
  ]);
});
