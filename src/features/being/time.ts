import { HubError } from '../../kernel/errors.ts';
import { excerpt } from '../../kernel/redact.ts';

export type TimeAnswer = Readonly<{ datetime: string; iso: string; timezone: string }>;

/** `2026/04/14(火) 16:30:00`, as documented: the hour from 00 to 23 in every version of ICU. */
export function tellTime(now: number, timezone: string): TimeAnswer {
  const parts = new Map(
    formatterOf(timezone)
      .formatToParts(now)
      .map(({ type, value }) => [type, value]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? '';
  const date = `${part('year')}/${part('month')}/${part('day')}(${part('weekday')})`;
  return {
    datetime: `${date} ${part('hour')}:${part('minute')}:${part('second')}`,
    iso: new Date(now).toISOString(),
    timezone,
  };
}

function formatterOf(timezone: string): Intl.DateTimeFormat {
  // An offset is no zone, though newer engines take one.
  if (/^[A-Za-z][\w+/-]*$/.test(timezone)) {
    try {
      return new Intl.DateTimeFormat('ja-JP', {
        timeZone: timezone,
        hourCycle: 'h23',
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
        weekday: 'short',
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
      });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  throw new HubError('invalid', `unknown time zone: ${excerpt(timezone, 60)}`, {
    hint: 'Give an IANA name such as Asia/Tokyo, or leave it out for UTC.',
  });
}
