import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenise } from './tokens.ts';
import { cpuMs } from '../../../test/fixtures/cpu.ts';

const terms = (text: string): string[] => tokenise(text).flatMap((token) => token.terms);

describe('words', () => {
  it.each([
    ["I'm sure they didn't go", ['sure', 'go']],
    ["Odile's dogs ran", ['odil', 'dog', 'run']],
    ["it can't and won't start", ['start']],
    ['Überraschung', ['uberraschung']],
    ['Straße', ['strass']],
    ['version 3.5 at 10:30', ['version', '3.5', '10:30']],
    ['猫', ['猫']],
    ['東京', ['東京', '東', '京']],
    ['カメラ', ['カメ', 'メラ']],
    ['가나다', ['가나', '나다']],
  ])('%j is found by %j', (text, expected) => {
    expect(terms(text)).toEqual(expected);
  });

  it('keeps kana apart that differ in sound only by a mark', () => {
    expect(terms('はし')).not.toEqual(terms('ばし'));
  });

  it('lets width and composition of letters make no difference', () => {
    expect(terms('ＡＢＣ ｶﾒﾗ Café')).toEqual(terms('ABC カメラ Cafe\u0301'));
  });
});

describe('identifiers', () => {
  it.each([
    'parseRequestBody',
    'parse_request_body',
    'parse-request-body',
    'ParseRequestBody',
    'parse.request.body',
  ])('%s is found by its parts and as a whole, however it is written', (written) => {
    expect(terms(written).toSorted()).toEqual(['bodi', 'pars', 'parserequestbodi', 'request']);
  });

  it('splits an acronym from the word after it', () => {
    expect(terms('HTTPServer')).toEqual(['http', 'server', 'httpserver']);
  });
});

it('never makes a term that could break out of the index: no space, quote or control character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
      for (const term of terms(text)) expect(term).toMatch(/^[^\s"'\\\p{Cc}]+$/u);
    }),
    { examples: [['ぁ-𠀀']] },
  );
});

it('is fast on a blob', () => {
  const started = cpuMs();
  tokenise('A1b2C3d4'.repeat(100_000));
  tokenise('a'.repeat(1_000_000));
  tokenise('. _-'.repeat(200_000));
  expect(cpuMs() - started).toBeLessThan(5_000);
});
