// When a pattern comes round, in a time zone. What a clock skips in spring comes when the gap ends; what it shows
// twice in autumn comes once, unless the pattern names every hour.
import { Cron } from 'croner';
import { HubError } from '../../kernel/errors.ts';
import { excerpt } from '../../kernel/redact.ts';

export interface Times {
  /** The first after this moment; null: never again. */
  after(moment: number): number | null;
  /** The last up to this moment. */
  upTo(moment: number): number | null;
  /** From one moment to another, both included; the newest of them when there are more. */
  between(from: number, to: number, most: number): number[];
}

export function requireZone(tz: string): string {
  try {
    // What the language calls it, so that the spelling of a person is not kept.
    return new Intl.DateTimeFormat('en', { timeZone: tz }).resolvedOptions().timeZone;
  } catch {
    throw new HubError('invalid', `There is no time zone ${JSON.stringify(excerpt(tz, 60))}.`, {
      hint: 'Name it as IANA does: Europe/Oslo, America/New_York, UTC.',
    });
  }
}

export function timesOf(pattern: string, tz: string): Times {
  const cron = new Cron(pattern, { timezone: tz, mode: '5-part', paused: true });
  const upTo = (moment: number): number | null => {
    // Before the next second: the moment itself counts.
    const [found] = cron.previousRuns(1, new Date(moment + 1_000));
    return found === undefined ? null : found.getTime();
  };
  return {
    after: (moment) => cron.nextRun(new Date(moment))?.getTime() ?? null,
    upTo,
    between(from, to, most) {
      const found = cron.previousRuns(most, new Date(to + 1_000)).map((each) => each.getTime());
      return found.filter((each) => each >= from && each <= to).toReversed();
    },
  };
}

/** Refused where it is no pattern, or one that never comes. */
export function requireTimes(pattern: string, tz: string, now: number): Times {
  try {
    const times = timesOf(pattern, tz);
    if (times.after(now) !== null) return times;
  } catch (error) {
    const why = (error as Error).message.replace(/^CronPattern: /, '');
    throw new HubError('invalid', `${pattern} is no time: ${why}`, {
      hint: 'Five fields: minute, hour, day, month, weekday.',
    }).because(error);
  }
  throw new HubError('invalid', `${pattern} never comes.`, {
    hint: 'Look at the day and the month: 31 2 is no day of any year.',
  });
}
