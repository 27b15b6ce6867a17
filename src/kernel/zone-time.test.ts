import { describe, expect, it } from 'vitest';
import { daysBefore, isZone, momentOf, wallTimeAt } from './zone-time.ts';

const HOUR = 3_600_000;
const at = (text: string) => Date.parse(text);

describe('clocks on walls', () => {
  it('a moment is shown as its zone shows it, and found again', () => {
    const moment = at('2026-11-18T14:45:00Z');
    expect(wallTimeAt(moment, 'America/Los_Angeles')).toEqual({
      year: 2026,
      month: 11,
      day: 18,
      hour: 6,
      minute: 45,
    });
    for (const zone of ['UTC', 'Europe/Oslo', 'America/Los_Angeles', 'Asia/Kathmandu'])
      expect(momentOf(wallTimeAt(moment, zone), zone)).toBe(moment);
  });

  it('what is shown twice is the first of both, what is never shown is after the gap', () => {
    const autumn = { year: 2026, month: 10, day: 25, hour: 2, minute: 30 };
    expect(momentOf(autumn, 'Europe/Oslo')).toBe(at('2026-10-25T00:30:00Z'));
    const spring = { year: 2026, month: 3, day: 29, hour: 2, minute: 30 };
    expect(momentOf(spring, 'Europe/Oslo')).toBe(at('2026-03-29T01:30:00Z'));
  });

  it('a day is 23 or 25 hours long where the clock is changed in it', () => {
    const day = (text: string) => (at(text) - daysBefore(at(text), 1, 'Europe/Oslo')) / HOUR;
    expect(day('2026-03-29T12:00:07Z')).toBe(23);
    expect(day('2026-10-25T12:00:07Z')).toBe(25);
    expect(day('2026-06-01T12:00:07Z')).toBe(24);
    expect(daysBefore(at('2026-03-01T09:00:00Z'), 7, 'UTC')).toBe(at('2026-02-22T09:00:00Z'));
  });

  it('what is no zone is none', () => {
    expect(['Europe/Oslo', 'UTC', 'PST8PDT'].map(isZone)).toEqual([true, true, true]);
    expect(['Nowhere/Land', '+02:00', ''].map(isZone)).toEqual([false, false, false]);
  });
});
