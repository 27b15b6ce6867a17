import { describe, expect, it } from 'vitest';
import { useOfWindow, windowStart } from './windows.ts';

const HOUR = 3_600_000;
const at = (text: string) => Date.parse(text);
const now = at('2026-11-18T12:00:00Z');
const use = (hoursAgo: number, tokens: number, dollars = 0) => ({
  at: now - hoursAgo * HOUR,
  tokens,
  dollars,
});
const tokens = (most: number) => ({ tokens: most, dollars: undefined });

describe('windows that roll', () => {
  it('count what is within them and nothing else', () => {
    const used = [use(1, 10, 0.5), use(4.9, 20), use(5.1, 40), use(30, 80), use(24 * 8, 160)];
    const in_ = (window: '5h' | 'day' | 'week') =>
      useOfWindow(used, { window, limit: undefined, now, zone: 'UTC' });
    expect(in_('5h')).toMatchObject({ tokens: 30, dollars: 0.5, isSpent: false });
    expect(in_('day')).toMatchObject({ tokens: 70 });
    expect(in_('week')).toMatchObject({ tokens: 150 });
    expect(in_('5h').resetsAt).toBe(now + 0.1 * HOUR);
  });

  it('one that is spent opens when enough of it has passed', () => {
    const used = [use(4, 50), use(3, 30), use(1, 30)];
    const view = { window: '5h', now, zone: 'UTC' } as const;
    expect(useOfWindow(used, { ...view, limit: tokens(200) })).toMatchObject({ isSpent: false });
    expect(useOfWindow(used, { ...view, limit: tokens(110) })).toMatchObject({
      isSpent: true,
      resetsAt: now + HOUR,
    });
    expect(useOfWindow(used, { ...view, limit: tokens(50) })).toMatchObject({
      isSpent: true,
      resetsAt: now + 2 * HOUR,
    });
    const dollars = { tokens: undefined, dollars: 0.3 };
    const tenths = [use(2, 0, 0.1), use(1, 0, 0.2)];
    expect(useOfWindow(tenths, { ...view, limit: dollars })).toMatchObject({ isSpent: true });
  });

  it('nothing used: nothing to wait for, unless there is no budget at all', () => {
    const view = { window: 'day', now, zone: 'UTC' } as const;
    expect(useOfWindow([], { ...view, limit: tokens(5) })).toEqual({
      tokens: 0,
      dollars: 0,
      isSpent: false,
      resetsAt: null,
    });
    expect(useOfWindow([], { ...view, limit: tokens(0) })).toMatchObject({ isSpent: true, resetsAt: null });
  });

  it('a day has 23 or 25 hours where the clock is changed in it', () => {
    const spring = at('2026-03-29T12:00:00Z');
    expect(spring - windowStart('day', spring, 'Europe/Oslo')).toBe(23 * HOUR);
    const autumn = at('2026-10-25T12:00:00Z');
    expect(autumn - windowStart('day', autumn, 'Europe/Oslo')).toBe(25 * HOUR);
    // Used just before the clocks went forward: it leaves the window after 23 hours, not 24.
    const used = [{ at: at('2026-03-28T12:00:00Z'), tokens: 5, dollars: 0 }];
    const view = {
      window: 'day',
      limit: tokens(1),
      now: at('2026-03-28T13:00:00Z'),
      zone: 'Europe/Oslo',
    } as const;
    expect(useOfWindow(used, view).resetsAt).toBe(at('2026-03-29T11:00:00Z'));
  });
});
