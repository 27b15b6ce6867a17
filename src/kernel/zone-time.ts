// Clocks on walls: what they show at a moment, and when they show it, in a time zone.

export type WallTime = Readonly<{ year: number; month: number; day: number; hour: number; minute: number }>;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Throws a RangeError when there is no such zone. */
function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formatters.set(zone, made);
  return made;
}

export function isZone(zone: string): boolean {
  try {
    return /^[A-Za-z][\w+/-]*$/.test(zone) && formatterOf(zone) !== undefined;
  } catch {
    return false;
  }
}

export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function wallTimeAt(moment: number, zone: string): WallTime {
  const parts = new Map(
    formatterOf(zone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  return {
    year: part('year'),
    month: part('month'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
  };
}

/** When a clock shows this: of two the first; of none, what it would be had it not been put forward. Days and hours may run over. */
export function momentOf({ year, month, day, hour, minute }: WallTime, zone: string): number {
  const shown = Date.UTC(year, month - 1, day, hour, minute);
  const aheadAt = (moment: number) => {
    const wall = wallTimeAt(moment, zone);
    return (
      Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute) -
      Math.floor(moment / 60_000) * 60_000
    );
  };
  const [before, after] = [shown - aheadAt(shown - DAY), shown - aheadAt(shown + DAY)];
  const found = [before, after].filter((each) => each + aheadAt(each) === shown);
  return found.length === 0 ? Math.max(before, after) : Math.min(...found);
}

const DAY = 86_400_000;

/** The same time of day so many days before, to the millisecond where no clock was changed between. */
export function daysBefore(moment: number, days: number, zone: string): number {
  const wall = wallTimeAt(moment, zone);
  return momentOf({ ...wall, day: wall.day - days }, zone) + (moment % 60_000);
}
