/** How near a day is, as people say it; in the order in which one looks. */
export const WHENS = {
  late: 'Overdue',
  today: 'Today',
  week: 'Within a week',
  later: 'Later',
} as const;
export type When = keyof typeof WHENS;

const DAY_MS = 86_400_000;

/** `day` is `2026-03-01`; a day ends where whoever looks is. */
export function whenOf(day: string, now: Date): When {
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  const days = Math.round((Date.parse(`${day}T00:00:00Z`) - today) / DAY_MS);
  return days < 0 ? 'late' : days === 0 ? 'today' : days <= 7 ? 'week' : 'later';
}
