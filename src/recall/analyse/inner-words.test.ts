import { expect, it } from 'vitest';
import { innerWords } from './inner-words.ts';

const inside = (text: string): readonly string[] => innerWords(text).split(' ').filter(Boolean).toSorted();

it('are the words that stand in a text only inside names of code', () => {
  expect(inside('the rudder calls getUserById twice')).toEqual(['by', 'get', 'id', 'user']);
  expect(inside('src/authSession.ts, HTTPServer')).toEqual(['auth', 'http', 'server', 'session']);
  expect(inside('the user calls getUserById to get it')).toEqual(['by', 'id']);
  expect(inside('получитьИмя вызван')).toEqual(['имя', 'получить']);
});

it('are none where the words are apart already, or nothing inside is a word', () => {
  for (const text of [
    '',
    'get_user_by_id',
    'ERR_MODULE_NOT_FOUND',
    '--no-verify',
    'plain words. Of a Sentence',
    'v3.2.1',
  ])
    expect(innerWords(text)).toBe('');
  expect(innerWords('at 0xDEADbeef and 9F86d081884c7d659')).toBe('');
  expect(innerWords('sha512-q3TcYl9xW2mVb8KdR4sE')).toBe('');
  expect(innerWords('aB'.repeat(1_000))).toBe('');
});

it('are bounded, in a time that grows with the text', () => {
  const names = Array.from({ length: 50_000 }, (_, i) => `name${i}OfThing`).join(' ');
  const inner = innerWords(names);
  expect(inner.length).toBeLessThanOrEqual(16_384);
  expect(inner.length).toBeGreaterThan(16_000);
  expect(innerWords('a'.repeat(1_000_000) + ' oneTwo')).toBe('one two');
});
