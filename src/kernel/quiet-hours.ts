/** `22:00-07:00`, in the time of this machine; a span over midnight ends on the next day. */
export const QUIET_HOURS = /^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/;

export function isQuiet(quiet: string | undefined, now: Date): boolean {
  if (quiet === undefined) return false;
  const [from, to] = quiet.split('-') as [string, string];
  const clock = `${String(now.getHours()).padStart(2, '0')}:${String(now.getMinutes()).padStart(2, '0')}`;
  return from <= to ? clock >= from && clock < to : clock >= from || clock < to;
}
