// What a person writes for "when", read once: five fields of cron, plain words, or what triggers it.
import { HubError } from '../../kernel/errors.ts';
import { excerpt } from '../../kernel/redact.ts';

export type WhenKind = 'time' | 'label' | 'status' | 'webhook';

/** `pattern` is five fields of cron, a label, a status, or empty. */
export type ReadWhen = Readonly<{ kind: WhenKind; pattern: string }>;

const TRIGGER_STATUSES = ['todo', 'in_progress', 'in_review', 'blocked', 'done', 'cancelled'] as const;

const SHORTHANDS: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

const DAYS: Readonly<Record<string, string>> = {
  day: '*',
  weekday: '1-5',
  weekend: '0,6',
  sunday: '0',
  monday: '1',
  tuesday: '2',
  wednesday: '3',
  thursday: '4',
  friday: '5',
  saturday: '6',
};

const HINT =
  'Say "0 7 * * 1-5", "every weekday 7:00", "every 15 minutes", "label:triage", "status:in_review" or "webhook".';

export function readWhen(given: string): ReadWhen {
  const said = given.trim().replaceAll(/\s+/g, ' ');
  const trigger = triggerOf(said);
  if (trigger) return trigger;
  const pattern = cronOf(said);
  if (pattern !== undefined) return { kind: 'time', pattern };
  throw new HubError('invalid', `When is ${JSON.stringify(excerpt(said, 80))}?`, { hint: HINT });
}

function triggerOf(said: string): ReadWhen | undefined {
  const bare = said.replace(/^(on|when) /i, '');
  if (/^webhook$/i.test(bare)) return { kind: 'webhook', pattern: '' };
  const [, kind, value] = /^(label|status)(?::| )\s*(.+)$/i.exec(bare) ?? [];
  if (kind === undefined || value === undefined) return undefined;
  if (kind.toLowerCase() === 'label') return { kind: 'label', pattern: value.toLowerCase() };
  const status = value.toLowerCase().replaceAll(/[ -]/g, '_');
  if (TRIGGER_STATUSES.some((each) => each === status)) return { kind: 'status', pattern: status };
  throw new HubError('invalid', `There is no status ${JSON.stringify(excerpt(value, 40))}.`, {
    hint: `There are: ${TRIGGER_STATUSES.join(', ')}.`,
  });
}

function cronOf(said: string): string | undefined {
  const shorthand = SHORTHANDS[said.toLowerCase()];
  if (shorthand !== undefined) return shorthand;
  const fields = said.split(' ');
  const isCron = /^[\d*?/,LW#+-]+$/i.test(fields[0]!) && fields.length >= 4;
  if (!isCron) return plainWords(said.toLowerCase());
  if (fields.length === 5) return said;
  if (fields.length > 5) throw tooOften(said);
  return undefined;
}

/** Seconds are a sixth field, and nothing fires more often than once a minute. */
function tooOften(said: string): HubError {
  return new HubError('invalid', `${said} has seconds: nothing fires more often than once a minute.`, {
    hint: 'Write five fields: minute, hour, day, month, weekday.',
  });
}

function plainWords(said: string): string | undefined {
  if (/\bseconds?\b/.test(said)) throw tooOften(said);
  return steps(said) ?? daily(said);
}

/** `every 15 minutes`, `every hour`, `every 2 hours at :30`. */
function steps(said: string): string | undefined {
  const [, count = '1', unit, minute = '0'] =
    /^(?:every )?(\d{1,3} )?(minute|hour|minutely|hourly)s?(?: at :(\d\d))?$/.exec(said) ?? [];
  if (unit === undefined) return undefined;
  const [n, isMinute] = [Number(count), unit.startsWith('minute')];
  if (n === 0) throw tooOften(said);
  const whole = isMinute ? 60 : 24;
  if (whole % n !== 0)
    throw new HubError('invalid', `${n} does not divide ${isMinute ? 'an hour' : 'a day'} evenly.`, {
      hint: `Take one of ${divisors(whole).join(', ')}.`,
    });
  if (isMinute) return n === 60 ? '0 * * * *' : n === 1 ? '* * * * *' : `*/${n} * * * *`;
  const at = Number(minute);
  return n === 1 ? `${at} * * * *` : n === 24 ? `${at} 0 * * *` : `${at} */${n} * * *`;
}

const divisors = (whole: number): number[] =>
  Array.from({ length: whole }, (_, i) => i + 1).filter((n) => whole % n === 0);

/** `every weekday 7:00`, `daily at 7:30pm`, `every monday and friday 9:00`. */
function daily(said: string): string | undefined {
  const [, days, hour, minute = '00', half] =
    /^(?:every )?(.+?)(?: at)? (\d{1,2})(?::(\d\d))?(am|pm)?$/.exec(said) ?? [];
  if (days === undefined || (minute === '00' && half === undefined && !said.includes(':'))) return undefined;
  const weekdays = daysOf(days);
  const at = hourOf(Number(hour), half);
  if (weekdays === undefined || at === undefined || Number(minute) > 59) return undefined;
  return `${Number(minute)} ${at} * * ${weekdays}`;
}

function daysOf(said: string): string | undefined {
  if (said === 'daily') return '*';
  const found = said.split(/ ?, ?(?:and )?| and /).map(dayOf);
  return found.every((each) => each !== undefined) ? [...new Set(found)].join(',') : undefined;
}

function dayOf(word: string): string | undefined {
  const name = Object.keys(DAYS).find(
    (day) =>
      word === day || word === `${day}s` || (word.length >= 3 && day.endsWith('day') && day.startsWith(word)),
  );
  return name === undefined ? undefined : DAYS[name];
}

function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour <= 23 ? hour : undefined;
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half === 'pm' ? 12 : 0);
}
