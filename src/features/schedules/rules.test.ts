import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dueOf, MOST_MISSED, spaced } from './rules.ts';
import { timesOf } from './times.ts';

const HOUR = 3_600_000;
const hourly = timesOf('0 * * * *', 'UTC');
const at = (text: string) => Date.parse(`2026-05-01T${text}Z`);

it('fires on time, and says what comes next', () => {
  for (const missed of ['skip', 'once', 'all'] as const)
    expect(dueOf({ nextAt: at('07:00:00'), missed }, at('07:00:20'), hourly)).toEqual({
      fires: [at('07:00:00')],
      next: at('08:00:00'),
    });
});

it('of what was missed none, one or all', () => {
  const after = (missed: 'skip' | 'once' | 'all') =>
    dueOf({ nextAt: at('07:00:00'), missed }, at('09:30:00'), hourly);
  expect(after('skip')).toEqual({ fires: [], next: at('10:00:00') });
  expect(after('once')).toEqual({ fires: [at('09:00:00')], next: at('10:00:00') });
  expect(after('all').fires).toEqual([at('07:00:00'), at('08:00:00'), at('09:00:00')]);
});

it('of a week at a time a minute only the newest', () => {
  const minutely = timesOf('* * * * *', 'UTC');
  const now = at('07:00:00') + 7 * 24 * HOUR;
  const { fires } = dueOf({ nextAt: at('07:00:00'), missed: 'all' }, now, minutely);
  expect([fires.length, fires.at(-1)]).toEqual([MOST_MISSED, now]);
});

it('a clock that was set back fires nothing and plans anew', () => {
  expect(dueOf({ nextAt: at('12:00:00'), missed: 'all' }, at('08:30:00'), hourly)).toEqual({
    fires: [],
    next: at('09:00:00'),
  });
});

it('each time once, however the looks fall', () => {
  const minutely = timesOf('*/5 * * * *', 'Europe/Oslo');
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 30 * 60_000 }), { maxLength: 20 }), (pauses) => {
      // Over the night in which clocks go back.
      let now = Date.parse('2026-10-24T22:00:00Z');
      let nextAt = minutely.after(now)!;
      const first = nextAt;
      const fired: number[] = [];
      for (const pause of pauses) {
        now += pause;
        if (nextAt > now) continue;
        const { fires, next } = dueOf({ nextAt, missed: 'all' }, now, minutely);
        fired.push(...fires);
        nextAt = next!;
      }
      const wanted = now < first ? [] : minutely.between(first, now, 1_000);
      expect(fired).toEqual(wanted);
    }),
    { numRuns: 10 },
  );
});

it('what is triggered comes at most once a minute', () => {
  expect([spaced(1_000, null), spaced(500_000, 1_000), spaced(2_000, 1_000)]).toEqual([
    1_000, 500_000, 61_000,
  ]);
});
