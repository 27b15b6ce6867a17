import { expect, it } from 'vitest';
import { tellTime } from './time.ts';

it('answers exactly as the document shows it', () => {
  expect(tellTime(Date.parse('2026-04-14T07:30:00.000Z'), 'Asia/Tokyo')).toEqual({
    datetime: '2026/04/14(火) 16:30:00',
    iso: '2026-04-14T07:30:00.000Z',
    timezone: 'Asia/Tokyo',
  });
});

it.each([
  ['UTC', '2026/04/14(火) 00:00:05'],
  ['America/New_York', '2026/04/13(月) 20:00:05'],
  ['Asia/Kathmandu', '2026/04/14(火) 05:45:05'],
])('midnight is 00, in %s as everywhere', (timezone, datetime) => {
  expect(tellTime(Date.parse('2026-04-14T00:00:05.000Z'), timezone).datetime).toBe(datetime);
});
