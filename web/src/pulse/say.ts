/** Numbers as people say them. */
export function count(value: number): string {
  if (value >= 1_000_000) return `${trim(value / 1_000_000)}M`;
  if (value >= 10_000) return `${trim(value / 1_000)}k`;
  return Number.isInteger(value) ? value.toLocaleString('en') : trim(value);
}

export function money(value: number): string {
  return value >= 100 ? `$${Math.round(value)}` : value >= 10 ? `$${trim(value)}` : `$${value.toFixed(2)}`;
}

export function time(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 86_400_000) return `${trim(ms / 3_600_000)} h`;
  return `${trim(ms / 86_400_000)} d`;
}

/** A day, as its number since 1970 by this clock. */
export function dayName(day: number): string {
  return new Date(day * 86_400_000).toLocaleDateString('en', {
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  });
}

export function middle(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

export const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

const trim = (value: number): string => value.toFixed(1).replace(/\.0$/, '');

/** 1, 2, 5, 10, 20 …: a number that people read at a glance. */
export function niceTop(most: number): number {
  if (most <= 0) return 0;
  const size = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 4, 5, 10].map((each) => each * size).find((each) => each >= most)!;
}
