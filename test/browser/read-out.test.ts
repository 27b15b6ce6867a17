import { describe, expect, it } from 'vitest';
import { type AuditRow, callsOf } from '../../web/src/audit/calls.ts';
import { whenOf } from '../../web/src/due/when.ts';

describe('how near a day is', () => {
  it('is counted in days of whoever looks', () => {
    const now = new Date(2026, 2, 10, 23, 30);
    const days = ['2026-03-09', '2026-03-10', '2026-03-11', '2026-03-17', '2026-03-18'];
    expect(days.map((day) => whenOf(day, now))).toEqual(['late', 'today', 'week', 'week', 'later']);
  });
});

describe('a call of the audit', () => {
  const row = (phase: string, createdAt: number, more: object = {}) =>
    ({ phase, callId: 'one', createdAt, durationMs: null, ...more }) as AuditRow;

  it('is one of two rows, and tells how long it waited for somebody from how long it ran', () => {
    const before = row('before', 1_000);
    const after = row('after', 9_500, { durationMs: 500 });
    expect(callsOf([after, before])).toEqual([{ row: after, before, ranMs: 500, waitedMs: 8_000 }]);
    const [quick] = callsOf([row('after', 1_600, { durationMs: 500 }), before]);
    expect(quick!.waitedMs).toBeNull();
    expect(callsOf([before])).toMatchObject([{ row: before, before: undefined, waitedMs: null }]);
  });
});
