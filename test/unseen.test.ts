import { describe, expect, it } from 'vitest';
import { printable } from '../src/cli/terminal/table.ts';
import { forScreen } from '../src/cli/terminal/screen.ts';
import { foldUnicode } from '../src/kernel/inspect/normalise.ts';
import { summariseForApproval } from '../src/features/broker/tell/summary.ts';
import { foreign } from '../src/features/access/oauth/html.ts';
import { scanTool, withoutHidden } from '../src/features/sources/review/scan.ts';
import { quoteWords } from '../src/kernel/envelope.ts';
import { showHidden } from '../src/kernel/quote.ts';
import { isReservedName } from '../src/kernel/reserved-names.ts';
import { replaceUnseenInText } from '../src/kernel/unseen.ts';
import { UNSEEN } from '../web/src/parts/unseen.ts';

const FAMILY: Readonly<Record<string, readonly number[]>> = {
  'spaces other than the blank': [0xa0, 0x1680, 0x2000, 0x2009, 0x200a, 0x202f, 0x205f, 0x3000],
  'letters and signs that are drawn as nothing': [0x2800, 0x1d159, 0x16fe4],
  'fillers of Hangul': [0x115f, 0x1160, 0x3164, 0xffa0],
  'vowels of Khmer, separators of Mongolian': [0x17b4, 0x17b5, 0x180b, 0x180e, 0x180f],
  'joiners and what takes no room': [0xad, 0x34f, 0x200b, 0x200c, 0x200d, 0x2060, 0x2064, 0xfeff],
  'marks of direction': [0x61c, 0x200e, 0x202a, 0x202e, 0x2066, 0x2069, 0x206a],
  'selectors and tags': [0xfe00, 0xfe0f, 0xe0100, 0xe01ef, 0xe0001, 0xe0041, 0xe007f],
  'formats of notes, shorthand and hieroglyphs': [0x1d173, 0x1d17a, 0x1bca0, 0x13430, 0xfff9, 0xfffb],
  'line ends and controls': [0x85, 0x2028, 0x2029, 0x1b, 0x7f, 0x9b],
};
const ALL = Object.values(FAMILY).flat();
/** Needed by scripts and emoji, or by Arabic and Hebrew in a terminal. */
const WRITTEN = new Set([0x200e]);

describe.each(Object.entries(FAMILY))('row 7: %s', (_, codes) => {
  it.each(codes.map((code) => [code.toString(16), String.fromCodePoint(code)]))(
    'U+%s stands raw nowhere',
    (_code, char) => {
      const text = `a${char}b`;
      const isRaw = (shown: string) => shown.includes(char);
      const shown = {
        approval: summariseForApproval({ command: text })!,
        name: foreign(text),
        mail: quoteWords({ from: text, kind: 'x', seq: 1, body: text }),
        answer: showHidden(`"${text}"`),
        cell: printable(text),
        definition: withoutHidden(text),
        page: text
          .split(UNSEEN)
          .filter((_part, at) => at % 2 === 0)
          .join(''),
        ...(WRITTEN.has(char.codePointAt(0)!) ? {} : { screen: forScreen(text) }),
      };
      for (const [where, said] of Object.entries(shown)) expect([where, isRaw(said)]).toEqual([where, false]);
    },
  );
});

it('row 7: inspectors and names read through all of them', () => {
  for (const code of ALL.filter((each) => each > 0x9f && each !== 0x2028 && each !== 0x2029)) {
    const char = String.fromCodePoint(code);
    const read = foldUnicode(`rm${char} -rf`).replace(/ +/g, ' ');
    expect([code.toString(16), read]).toEqual([code.toString(16), 'rm -rf']);
    expect([code.toString(16), isReservedName(`us${char}er`)]).toEqual([code.toString(16), true]);
  }
});

it('row 7: a definition with blanks that are none is a reason to look', () => {
  const of = (description: string) => scanTool({ name: 'x', description, inputSchema: {} });
  expect(of('Adds.\u2800\u2800numbers')).toMatchObject([{ kind: 'hidden' }]);
  expect(of('Adds\u00a0numbers.')).toEqual([]);
});

it('what is only read keeps its scripts, emoji, lines and tabs', () => {
  const text = 'a\tb\nнаходка 保管 مرحبا می\u200cخواهم क्\u200dष 👩‍👧 ❤\ufe0f 1\ufe0f\u20e3';
  expect(replaceUnseenInText(text, () => '!')).toBe(text);
});

it('the page has the same list', () => {
  for (let code = 0; code < 0x110000; code += code === 0x1ffff ? 0xc0001 : 1) {
    if (code >= 0xd800 && code < 0xe000) continue;
    for (const before of ['a', 'あ']) {
      const text = before + String.fromCodePoint(code);
      const isShown = replaceUnseenInText(text, () => '') === text;
      if (isShown === UNSEEN.test(text)) expect.fail(`U+${code.toString(16)} behind ${before}`);
    }
  }
});
