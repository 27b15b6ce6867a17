import { expect, it } from 'vitest';
import { stem } from './stem.ts';

it.each([
  ['caresses', 'caress'],
  ['ponies', 'poni'],
  ['cats', 'cat'],
  ['agreed', 'agre'],
  ['feed', 'feed'],
  ['plastered', 'plaster'],
  ['motoring', 'motor'],
  ['sing', 'sing'],
  ['hopping', 'hop'],
  ['filing', 'file'],
  ['falling', 'fall'],
  ['happy', 'happi'],
  ['relational', 'relat'],
  ['conditional', 'condit'],
  ['digitizer', 'digit'],
  ['hopefulness', 'hope'],
  ['electrical', 'electr'],
  ['adoption', 'adopt'],
  ['adjustment', 'adjust'],
  ['probate', 'probat'],
  ['controller', 'control'],
  ['is', 'is'],
])('stems %s to %s', (word, expected) => {
  expect(stem(word)).toBe(expected);
});

it.each([
  ['собака', 'собаке'],
  ['новая', 'новую'],
  ['скрипка', 'скрипке'],
])('gives the Russian forms %s and %s one stem', (one, other) => {
  expect(stem(one)).toBe(stem(other));
});

it('takes the article off Arabic words', () => {
  expect(stem('الكتاب')).toBe(stem('كتاب'));
});
