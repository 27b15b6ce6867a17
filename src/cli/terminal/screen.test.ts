import { expect, it } from 'vitest';
import { forScreen, jsonLine, knowsUtf8, lineWriter } from './screen.ts';

const HOSTILE = '\u{e0041}\u001b[31mred\u0007 \u009b2J \u202egnp.exe\u2028line\r\u007f';

it('shows what would steer a terminal instead of sending it', () => {
  expect(forScreen(HOSTILE)).toBe(
    '\\udb40\\udc41\\u001b[31mred\\u0007 \\u009b2J \\u202egnp.exe\\u2028line\\u000d\\u007f',
  );
});

it('leaves lines, tabs and every script as they are', () => {
  const text = 'a\tb\nнаходка 保管 مرحبا\u200f שלום 👩‍👧';
  expect(forScreen(text)).toBe(text);
});

it('keeps JSON the same JSON', () => {
  expect(JSON.parse(forScreen(JSON.stringify({ title: HOSTILE })))).toEqual({ title: HOSTILE });
});

it('a pipe gets every character as it is', () => {
  const written: string[] = [];
  lineWriter({ write: (text) => written.push(text) })(HOSTILE);
  lineWriter({ isTTY: true, write: (text) => written.push(text) })(HOSTILE);
  expect(written).toEqual([`${HOSTILE}\n`, `${forScreen(HOSTILE)}\n`]);
});

it('row 21: an exported record has nothing that steers, in a pipe and in a file, and is the same JSON', () => {
  const line = jsonLine({ title: HOSTILE });
  expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069]|\udb40/);
  expect(JSON.parse(line)).toEqual({ title: HOSTILE });
});

it.each([
  [{}, true],
  [{ LANG: 'de_DE.UTF-8' }, true],
  [{ LANG: 'C.utf8' }, true],
  [{ LANG: 'C' }, false],
  [{ LANG: 'en_US.UTF-8', LC_ALL: 'POSIX' }, false],
  [{ LC_CTYPE: 'de_DE.ISO-8859-1' }, false],
])('a terminal of the locale %j knows UTF-8: %j', (env, expected) => {
  expect(knowsUtf8(env)).toBe(expected);
});

it('a terminal without UTF-8 gets our signs in as many columns, and letters of others as escapes; a pipe gets all', () => {
  const written: string[] = [];
  const line = 'Grüße an 保管 …  ├─ done → 3';
  lineWriter({ isTTY: true, write: (text) => written.push(text) }, { isUtf8: false })(line);
  lineWriter({ write: (text) => written.push(text) }, { isUtf8: false })(line);
  expect(written).toEqual(['Gr\\u00fc\\u00dfe an \\u4fdd\\u7ba1 ~  |- done > 3\n', `${line}\n`]);
});
