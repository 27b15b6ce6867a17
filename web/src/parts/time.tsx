import type { ReactNode } from 'react';
import { useNow, useSeconds } from './clock.ts';

const STEPS: readonly (readonly [number, string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
];

/** `4 min`, `2 h`, `3 d`; under a minute there is nothing worth counting. */
export function span(ms: number): string {
  const [size, unit] = STEPS.find(([size]) => ms >= size) ?? [0, ''];
  return size === 0 ? 'under a minute' : `${Math.floor(ms / size)} ${unit}`;
}

export function exact(at: number): string {
  return new Date(at).toLocaleString(undefined, {
    dateStyle: 'medium',
    timeStyle: 'medium',
    hourCycle: 'h23',
  });
}

/** So long ago, or ahead, nobody counts days: the day itself says more. */
const FAR_MS = 60 * 86_400_000;

function dayOf(ms: number, now: number): string {
  const isThisYear = new Date(ms).getFullYear() === new Date(now).getFullYear();
  return new Date(ms).toLocaleDateString(undefined, {
    month: 'short',
    day: 'numeric',
    ...(!isThisYear && { year: 'numeric' }),
  });
}

/** A moment: relative, exact on hover. */
export function Moment({
  at,
  className = '',
}: Readonly<{ at: number | string; className?: string }>): ReactNode {
  const now = useNow();
  const ms = typeof at === 'number' ? at : Date.parse(at);
  const passed = now - ms;
  const text =
    Math.abs(passed) > FAR_MS
      ? dayOf(ms, now)
      : passed < -60_000
        ? `in ${span(-passed)}`
        : passed < 60_000
          ? 'just now'
          : `${span(passed)} ago`;
  return (
    <time
      dateTime={new Date(ms).toISOString()}
      title={exact(ms)}
      className={`text-meta text-faint whitespace-nowrap ${className}`}
    >
      {text}
    </time>
  );
}

export function Clock({ at }: Readonly<{ at: number }>): ReactNode {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  const format: Intl.DateTimeFormatOptions = isToday
    ? { timeStyle: 'short' }
    : { month: 'short', day: 'numeric' };
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={exact(at)}
      className="text-meta text-faint w-14 shrink-0 whitespace-nowrap"
    >
      {new Date(at).toLocaleString(undefined, { ...format, ...(isToday && { hourCycle: 'h23' }) })}
    </time>
  );
}

type Draining = Readonly<{ until: number; whole: number; word: string }>;

/** How much of a time is left, drawn. What it means stands beside it, or is its title. */
export function Bar({
  until,
  whole,
  word,
  className = 'w-10',
}: Draining & Readonly<{ className?: string }>): ReactNode {
  const { part, isLow, text } = useLeft({ until, whole, word });
  return (
    <span
      className={`bg-line block h-[3px] overflow-hidden rounded-full ${className}`}
      title={`${text}, until ${exact(until)}`}
      aria-hidden="true"
    >
      <span
        className={`block h-full origin-left ${isLow ? 'bg-amber' : 'bg-kelp'}`}
        style={{ transform: `scaleX(${part})` }}
      />
    </span>
  );
}

export function Drain({ wide = false, ...time }: Draining & Readonly<{ wide?: boolean }>): ReactNode {
  const { left, isLow, text } = useLeft(time);
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5 align-middle">
      <Bar {...time} className={wide ? 'w-24' : 'w-10'} />
      <span className={`text-meta truncate ${isLow ? 'text-amber' : 'text-faint'}`}>
        {wide || left === 0 ? text : span(left)}
      </span>
    </span>
  );
}

/** `4 min 12 s`, and from an hour on `1 h 20 min`. */
function spanInWords(ms: number): string {
  const [hours, minutes, seconds] = [
    Math.floor(ms / 3_600_000),
    Math.floor(ms / 60_000) % 60,
    Math.floor(ms / 1_000) % 60,
  ];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds} s` : `${seconds} s`;
}

/** A time that runs out while somebody decides: a bar as wide as what it is about, and what is left in words. */
export function Countdown({ until, whole }: Readonly<{ until: number; whole: number }>): ReactNode {
  const left = Math.max(0, until - useSeconds());
  const part = whole > 0 ? Math.min(1, left / whole) : 0;
  const isLow = part < 0.2;
  const text =
    left === 0 ? 'The time is up: that is a no' : `${spanInWords(left)} left to decide, then it is a no`;
  return (
    <div role="timer" aria-label="Time to decide" title={`Until ${exact(until)}`}>
      <span className="bg-line block h-2 overflow-hidden rounded-full" aria-hidden="true">
        <span
          className={`block h-full origin-left rounded-full transition-transform duration-1000 ease-linear motion-reduce:transition-none ${isLow ? 'bg-amber' : 'bg-kelp'}`}
          style={{ transform: `scaleX(${part})` }}
        />
      </span>
      <p className={isLow ? 'text-amber font-medium' : 'text-soft'}>{text}</p>
    </div>
  );
}

function useLeft({ until, whole, word }: Draining) {
  const left = Math.max(0, until - useNow());
  const part = whole > 0 ? Math.min(1, left / whole) : 0;
  return { left, part, isLow: part < 0.2, text: left === 0 ? `${word} ran out` : `${span(left)} of ${word}` };
}
