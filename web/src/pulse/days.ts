import type { Pulse } from './queries.ts';
import { count } from './say.ts';

export type Given = Readonly<{ pulse: Pulse; isTable?: boolean }>;

export const daysOf = ({ first, days }: Pulse): readonly number[] =>
  Array.from({ length: days }, (_, at) => first + at);

/** One number a day; null for a day of which nothing is known. */
export function perDay<T extends Readonly<{ day: number }>>(
  pulse: Pulse,
  rows: readonly T[],
  of: (row: T) => number | null,
): readonly (number | null)[] {
  const known = new Map(rows.map((row) => [row.day, of(row)]));
  return daysOf(pulse).map((day) => known.get(day) ?? null);
}

/** How many a day; none is nothing. */
export function countPerDay<T extends Readonly<{ day: number }>>(
  pulse: Pulse,
  rows: readonly T[],
  of: (row: T) => number,
): readonly number[] {
  return perDay(pulse, rows, of).map((many) => many ?? 0);
}

export const plural = (many: number, word: string) => `${count(many)} ${word}${many === 1 ? '' : 's'}`;
