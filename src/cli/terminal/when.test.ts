import { afterEach, expect, it, vi } from 'vitest';
import { clockTime, localMinute, localTime } from './when.ts';

afterEach(() => vi.unstubAllEnvs());

it('tells times in the zone of the terminal', () => {
  const at = Date.UTC(2026, 0, 5, 23, 7, 9);
  vi.stubEnv('TZ', 'UTC');
  expect([localTime(at), localMinute(at), clockTime(at)]).toEqual([
    '2026-01-05 23:07:09',
    '2026-01-05 23:07',
    '23:07:09',
  ]);
  vi.stubEnv('TZ', 'Asia/Tokyo');
  expect(localTime(at)).toBe('2026-01-06 08:07:09');
});

it('shows a dash for what never happened', () => {
  expect(localMinute(null)).toBe('-');
});
