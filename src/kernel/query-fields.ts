// What can be asked about by name, and what its values are. Whatever has no such field is not found by it.
import { isDay } from './day.ts';
import { nearestName } from './nearest-name.ts';

export type Op = '=' | '<' | '<=' | '>' | '>=';
export type Term = Readonly<{ field: string; op: Op; value: string; not: boolean }>;

const IS = [
  'open',
  'closed',
  'done',
  'any',
  'ready',
  'waiting',
  'held',
  'lapsed',
  'overdue',
  'archived',
] as const;
const HAS = [
  'comment',
  'check',
  'evidence',
  'label',
  'due',
  'description',
  'branch',
  'part',
  'dependency',
  'agent',
] as const;
const STATUS = ['backlog', 'todo', 'in_progress', 'in_review', 'blocked', 'done', 'cancelled'] as const;
const KIND = [
  'task',
  'comment',
  'check',
  'evidence',
  'memory',
  'brain',
  'run',
  'mail',
  'room',
  'audit',
] as const;

type FieldKind = 'text' | 'number' | 'day' | 'age' | 'choice';
type Field = Readonly<{ kind: FieldKind; choices?: readonly string[] }>;

export const FIELDS: Readonly<Record<string, Field>> = {
  status: { kind: 'choice', choices: STATUS },
  label: { kind: 'text' },
  agent: { kind: 'text' },
  project: { kind: 'text' },
  priority: { kind: 'number' },
  due: { kind: 'day' },
  created: { kind: 'age' },
  updated: { kind: 'age' },
  finished: { kind: 'age' },
  has: { kind: 'choice', choices: HAS },
  is: { kind: 'choice', choices: IS },
  kind: { kind: 'choice', choices: KIND },
  id: { kind: 'text' },
  title: { kind: 'text' },
  search: { kind: 'text' },
};

/** What only sessions of clients have. */
export const SESSION_FIELDS: Readonly<Record<string, Field>> = {
  ...FIELDS,
  file: { kind: 'text' },
  tool: { kind: 'text' },
  error: { kind: 'text' },
  since: { kind: 'age' },
};

/** Bare words that narrow a list, as `--where "label=old ready"` and the page's line have them. */
export const LIST_FLAGS: readonly string[] = IS.filter((each) => each !== 'closed');

/** The same by another name. */
const ALSO: Readonly<Record<string, string>> = {
  team: 'project',
  assignee: 'agent',
  holder: 'agent',
  tag: 'label',
  prio: 'priority',
  in: 'kind',
};

export function fieldNamed(name: string, known = FIELDS): Readonly<{ field: string; op?: Op }> | undefined {
  const lower = name.toLowerCase();
  if (Object.hasOwn(known, lower)) return { field: lower };
  if (Object.hasOwn(ALSO, lower)) return { field: ALSO[lower]! };
  // `dueBefore=2026-12-31` of earlier versions.
  if (lower === 'duebefore') return { field: 'due', op: '<' };
  return undefined;
}

type Wrong = Readonly<{ says: string; meant?: string }>;

export function problemOfValue({ field, op, value }: Term, known = FIELDS): Wrong | undefined {
  const { kind, choices = [] } = known[field]!;
  const isCompared = op !== '=';
  if (isCompared && (kind === 'text' || kind === 'choice'))
    return { says: `${field} cannot be compared; say ${field}:${value}.`, meant: value };
  if (kind === 'choice') return problemOfChoice(field, value, choices);
  const isNone = value === 'none' && op === '=';
  if (kind === 'number' && !isNone && !/^-?\d{1,9}$/.test(value))
    return { says: `${field} is a number; got ${JSON.stringify(value)}.` };
  if ((kind === 'day' || kind === 'age') && !isNone && !isWhen(value))
    return {
      says: `${field} is a day such as 2026-12-31, today, or a time such as 7d; got ${JSON.stringify(value)}.`,
    };
  return undefined;
}

function problemOfChoice(field: string, value: string, choices: readonly string[]): Wrong | undefined {
  for (const each of value.toLowerCase().split(',')) {
    if (choices.includes(each) || (each.endsWith('*') && choices.some((one) => isLike(one, each)))) continue;
    const meant = nearestName(each, choices);
    const says = `${field} knows ${choices.join(', ')}; got ${JSON.stringify(each)}.`;
    return { says, ...(meant !== undefined && { meant }) };
  }
  return undefined;
}

/** One value as it is asked for: the same, or its beginning before a `*`; letters large or small. */
export function isLike(text: string, pattern: string): boolean {
  const [lower, wanted] = [text.toLowerCase(), pattern.toLowerCase()];
  return wanted.endsWith('*') ? lower.startsWith(wanted.slice(0, -1)) : lower === wanted;
}

const DAY_MS = 86_400_000;
const SPANS: Readonly<Record<string, number>> = {
  h: DAY_MS / 24,
  d: DAY_MS,
  w: 7 * DAY_MS,
  m: 30 * DAY_MS,
  y: 365 * DAY_MS,
};
const NAMED: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };
const SPAN = /^(-?\d{1,5})([hdwmy])$/;

export function isWhen(value: string): boolean {
  return isDay(value) || Object.hasOwn(NAMED, value.toLowerCase()) || SPAN.test(value);
}

/** The day that is meant, in the zone of the machine: `7d` is in seven days. */
export function dayMeant(value: string, now: number): string {
  if (isDay(value)) return value;
  const named = NAMED[value.toLowerCase()];
  return localDay(now + (named === undefined ? spanOf(value) : named * DAY_MS));
}

/** Since when, up to when: something that has happened is compared as its age, so `updated<7d` is what changed within a week. */
export function spanMeant(
  { op, value }: Pick<Term, 'op' | 'value'>,
  now: number,
): Readonly<{ from?: number; until?: number }> {
  if (SPAN.test(value)) {
    const at = now - spanOf(value);
    if (op === '=') return { from: at };
    return op.startsWith('<') ? { from: at } : { until: at };
  }
  const from = startOfDay(dayMeant(value, now));
  const until = startOfDay(localDay(from + 1.5 * DAY_MS));
  if (op === '=') return { from, until };
  if (op === '<') return { until: from };
  if (op === '<=') return { until };
  return { from: op === '>' ? until : from };
}

function spanOf(value: string): number {
  const [, count, unit] = SPAN.exec(value) ?? [];
  return Number(count) * SPANS[unit!]!;
}

function startOfDay(day: string): number {
  return new Date(`${day}T00:00:00`).getTime();
}

function localDay(at: number): string {
  const date = new Date(at);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
