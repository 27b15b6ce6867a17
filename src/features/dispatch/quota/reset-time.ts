// When a limit is over, as clients say it in words. What is no time is none; whoever waits bounds what is far away.
import { isZone, momentOf, ownZone, wallTimeAt } from '../../../kernel/zone-time.ts';

const SECOND = 1_000;
const UNITS: Readonly<Record<string, number>> = {
  d: 86_400 * SECOND,
  h: 3_600 * SECOND,
  m: 60 * SECOND,
  s: SECOND,
};

type Sought = Readonly<{
  now: number;
  /** The zone of the clock that the client looked at, where its words name none. */
  zone?: string | undefined;
}>;

/** Undefined when it does not say. */
export function resetTimeIn(text: string, { now, zone = ownZone() }: Sought): number | undefined {
  return epochIn(text) ?? delayIn(text, now) ?? clockIn(text, { now, zone }) ?? midnightIn(text, now);
}

/** `usage limit reached|1795013133` */
function epochIn(text: string): number | undefined {
  const [, seconds] = /\|(\d{10})\b/.exec(text) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * SECOND;
}

/** `try again in 2 days 17 hours 14 minutes`, `retry in 34.07s`, `retry-after: 40` */
function delayIn(text: string, now: number): number | undefined {
  const [, header] = /retry.after:?\s*(\d{1,9})\s*$/im.exec(text) ?? [];
  if (header !== undefined) return now + Number(header) * SECOND;
  const [, told] =
    /(?:again|retry|resets?|reset after)\s+in\s+((?:\d[\d.]*\s*(?:d|h|m|s)[a-z]*[,\s]*(?:and\s+)?){1,4})/i.exec(
      text,
    ) ?? [];
  if (told === undefined) return undefined;
  const parts = [...told.matchAll(/(\d+(?:\.\d+)?)\s*(ms|d|h|m|s)/gi)];
  const ms = parts.reduce((sum, [, amount, unit]) => {
    const each = unit!.toLowerCase() === 'ms' ? 1 : UNITS[unit!.toLowerCase()]!;
    return sum + Number(amount) * each;
  }, 0);
  return parts.length === 0 ? undefined : now + Math.ceil(ms);
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const CLOCK =
  /(?:resets?|again)(?:\s+(?:at|on))?\s+(?:(?<month>[a-z]{3})[a-z]*\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?:(?<year>\d{4}),?\s+)?(?:at\s+)?)?(?<hour>\d{1,2})(?::(?<minute>\d{2}))?\s*(?<half>[ap]\.?m)?\b\.?\s*(?:\((?<zone>[\w+/-]+)\))?/i;

/** `resets 2:45pm (UTC)`, `try again at 2:45 PM`, `resets Nov 20, 3pm (Europe/Oslo)`, `try again at Jul 5th, 2026 8:19 PM` */
function clockIn(text: string, { now, zone: own }: Required<Sought>): number | undefined {
  const found = CLOCK.exec(text)?.groups;
  if (!found || (found['minute'] === undefined && found['half'] === undefined)) return undefined;
  const zone = found['zone'] !== undefined && isZone(found['zone']) ? found['zone'] : (own ?? 'UTC');
  const today = wallTimeAt(now, zone);
  const hour = hourOf(Number(found['hour']), found['half']);
  const minute = Number(found['minute'] ?? 0);
  if (hour === undefined || minute > 59) return undefined;
  const month = found['month'] === undefined ? 0 : MONTHS.indexOf(found['month'].toLowerCase()) + 1;
  if (found['month'] !== undefined && month === 0) return undefined;
  if (month === 0) {
    const at = momentOf({ ...today, hour, minute }, zone);
    // The minute it names has begun: what is over within it is meant, not tomorrow.
    return at > now - 60 * SECOND ? at : momentOf({ ...today, day: today.day + 1, hour, minute }, zone);
  }
  const year = Number(found['year'] ?? today.year);
  const at = momentOf({ year, month, day: Number(found['day']), hour, minute }, zone);
  // In December for January.
  const isNextYear = found['year'] === undefined && month < today.month && at < now;
  return isNextYear ? momentOf({ year: year + 1, month, day: Number(found['day']), hour, minute }, zone) : at;
}

function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour < 24 ? hour : undefined;
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0);
}

/** Gemini's daily quota begins anew where its vendor is. */
function midnightIn(text: string, now: number): number | undefined {
  if (!/exhausted your daily quota/i.test(text)) return undefined;
  const zone = 'America/Los_Angeles';
  const today = wallTimeAt(now, zone);
  return momentOf({ ...today, day: today.day + 1, hour: 0, minute: 0 }, zone);
}
