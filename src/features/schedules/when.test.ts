import { expect, it } from 'vitest';
import { requireTimes, requireZone, timesOf } from './times.ts';
import { readWhen } from './when.ts';

it.each([
  ['0 7 * * 1-5', 'time', '0 7 * * 1-5'],
  ['every weekday 7:00', 'time', '0 7 * * 1-5'],
  ['Every Weekday at 7:00', 'time', '0 7 * * 1-5'],
  ['every day 7:30pm', 'time', '30 19 * * *'],
  ['daily at 12am', 'time', '0 0 * * *'],
  ['every weekend 10:00', 'time', '0 10 * * 0,6'],
  ['every monday and friday 9:05', 'time', '5 9 * * 1,5'],
  ['every mon, wed 9:00', 'time', '0 9 * * 1,3'],
  ['every minute', 'time', '* * * * *'],
  ['every 15 minutes', 'time', '*/15 * * * *'],
  ['every hour at :30', 'time', '30 * * * *'],
  ['every 2 hours', 'time', '0 */2 * * *'],
  ['hourly', 'time', '0 * * * *'],
  ['@daily', 'time', '0 0 * * *'],
  ['label:Triage', 'label', 'triage'],
  ['on label triage', 'label', 'triage'],
  ['status:in review', 'status', 'in_review'],
  ['on webhook', 'webhook', ''],
])('%s is %s %s', (given, kind, pattern) => {
  expect(readWhen(given)).toEqual({ kind, pattern });
});

it.each([
  ['* * * * * *', /once a minute/],
  ['*/5 * * * * *', /once a minute/],
  ['every second', /once a minute/],
  ['every 30 seconds', /once a minute/],
  ['every 0 minutes', /once a minute/],
  ['every 7 minutes', /does not divide/],
  ['every weekday 25:00', /When is/],
  ['every day 7:60', /When is/],
  ['every blursday 7:00', /When is/],
  ['7 * * *', /When is/],
  ['', /When is/],
  ['status:eaten', /no status/],
])('%s is refused', (given, why) => {
  expect(() => readWhen(given)).toThrow(why);
});

const from = Date.parse('2026-01-01T00:00:00Z');

it.each([
  ['0 0 31 2 *', /never comes/],
  ['61 * * * *', /is no time/],
  ['a * * * *', /is no time/],
])('%s never comes', (pattern, why) => {
  expect(() => requireTimes(pattern, 'UTC', from)).toThrow(why);
});

it('knows time zones by their names', () => {
  expect(requireZone('europe/oslo')).toBe('Europe/Oslo');
  expect(() => requireZone('Mars/Phobos')).toThrow(/no time zone/);
});

const oslo = (pattern: string, at: string, count: number): string[] => {
  const times = timesOf(pattern, 'Europe/Oslo');
  const found: string[] = [];
  for (let now = Date.parse(at); found.length < count; now = times.after(now)!)
    found.push(new Date(times.after(now)!).toISOString());
  return found;
};

it('what the clock skips in spring comes when the gap ends, once', () => {
  expect(oslo('30 2 * * *', '2026-03-28T12:00:00Z', 2)).toEqual([
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
});

it('what the clock shows twice in autumn comes once; every hour is every hour', () => {
  expect(oslo('30 2 * * *', '2026-10-24T12:00:00Z', 2)).toEqual([
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
  expect(oslo('0 * * * *', '2026-10-24T23:30:00Z', 3)).toEqual([
    '2026-10-25T00:00:00.000Z',
    '2026-10-25T01:00:00.000Z',
    '2026-10-25T02:00:00.000Z',
  ]);
});
